/** What the program says about an error that ends a command, and its exit code. */
import { AgeError } from '../age/age-error.ts'
import { Failure } from '../base/failure.ts'
import { EtcdError } from '../cluster/etcd/etcd-error.ts'
import { UnusableEtcd } from '../cluster/etcd/etcd-check.ts'
import { ClusterSettingError } from '../cluster/etcd-target.ts'
import { PeerError } from '../cluster/peer-requests.ts'
import { ConfigError } from '../config/config-error.ts'
import { CertificateError } from '../http/certificate.ts'
import { ListenError } from '../http/listening.ts'
import { SettingError } from '../base/setting-file.ts'
import { TemplateError } from '../mail/templates/template-error.ts'
import { PlaceError } from '../offsite/place.ts'
import { DatabaseFileError } from '../store/backup/database-copy.ts'
import { DataDirError } from '../store/db/data-dir.ts'
import { SchemaError } from '../store/schema/migrate.ts'
import { EXIT, UsageError, type ExitCode } from './command.ts'
import { TransferFileError } from './documents/transfer-file.ts'
import { TokenFileError } from './serve/token-file.ts'

/** Errors in what the operator has written: arguments, settings, templates. */
const MISUSED = [UsageError, ConfigError, CertificateError, ClusterSettingError, SettingError, TemplateError]
/** Errors whose message is all that the operator needs. */
const EXPLAINED = [
  AgeError,
  DatabaseFileError,
  DataDirError,
  EtcdError,
  ListenError,
  PeerError,
  PlaceError,
  SchemaError,
  TokenFileError,
  TransferFileError,
  UnusableEtcd,
  Failure,
]

/** One sentence for errors that an operator can mend; the stack for bugs of ours. */
export function reportOf(error: unknown): { readonly code: ExitCode; readonly text: string } {
  if (error instanceof Error && MISUSED.some((kind) => error instanceof kind)) return { code: EXIT.usage, text: error.message }
  const stack = error instanceof Error ? error.stack : String(error)
  return { code: EXIT.failed, text: systemText(error) ?? `Unexpected failure: ${stack}` }
}

/** The sentence for errors that an operator can fix; undefined for bugs of ours. */
function systemText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (EXPLAINED.some((kind) => error instanceof kind)) return error.message
  if ('syscall' in error && error.syscall === 'getaddrinfo') {
    const host = 'hostname' in error ? String(error.hostname) : '?'
    return `Cannot listen on ${host}: no address is known for that name`
  }
  if (!('syscall' in error) || error.syscall !== 'listen') return undefined
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number }
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program uses this port: choose another with --port, or 0 for any free one',
    EACCES: 'permission denied: choose a port above 1023',
    EADDRNOTAVAIL: 'this machine does not have that address: choose another with --host',
  }
  const hostPort = port === undefined ? (address ?? '?') : `${address ?? '?'}:${port}`
  return `Cannot listen on ${hostPort}: ${reasons[code ?? ''] ?? error.message}`
}
