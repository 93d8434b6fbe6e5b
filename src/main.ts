/** Arguments in, exit code out. */
import { isatty } from 'node:tty'
import { systemClock } from './base/clock.ts'
import { Failure } from './base/failure.ts'
import { leaveNodeVariables } from './base/node-variables.ts'
import { systemReason } from './base/system-error.ts'
import { endThreads } from './base/thread.ts'
import { TokenFileError } from './cli/serve/token-file.ts'
import { TransferFileError } from './cli/documents/transfer-file.ts'
import { CertificateError } from './http/server/certificate.ts'
import { ListenError } from './http/server/listening.ts'
import { runCommand } from './cli/commands.ts'
import { becomeUser } from './cli/data-owner.ts'
import { EXIT, UsageError, type ExitCode, type Terminal } from './cli/command.ts'
import { openLogSink } from './cli/serve/log-sink.ts'
import { endBySignal, endProcess } from './cli/serve/process-end.ts'
import { EtcdError } from './cluster/etcd/etcd-error.ts'
import { UnusableEtcd } from './cluster/etcd/etcd-check.ts'
import { ClusterSettingError } from './cluster/etcd-target.ts'
import { PeerError } from './cluster/peer-requests.ts'
import { ConfigError } from './config/config-error.ts'
import { MailSettingError } from './mail/settings/setting-file.ts'
import { TemplateError } from './mail/templates/template-error.ts'
import { DataDirError } from './store/sqlite/data-dir.ts'
import { DatabaseFileError } from './store/backup/database-copy.ts'
import { SchemaError } from './store/sqlite/migrations.ts'

/** Errors in what the operator has written: arguments, settings, templates. */
const MISUSED = [UsageError, ConfigError, CertificateError, ClusterSettingError, MailSettingError, TemplateError]
/** Errors whose message is all that the operator needs. */
const EXPLAINED = [
  DatabaseFileError,
  DataDirError,
  EtcdError,
  ListenError,
  PeerError,
  SchemaError,
  TokenFileError,
  TransferFileError,
  UnusableEtcd,
  Failure,
]

const SAME_SIGNAL_MS = 1_000
/** For the threads of a command to end with it. */
const THREADS_MS_MAX = 300

leaveNodeVariables(process.env)
process.umask(0o077)
for (const stream of [process.stdout, process.stderr]) stream.on('error', (error) => outputFailed(stream, error))
// The executable loads one CommonJS script in two thirds of the time of a module, and that cannot await at its top.
process.exitCode = EXIT.failed // Stays for a command that ends without an answer.
void main(process.argv.slice(2)).then(leave)

async function main(words: readonly string[]): Promise<ExitCode> {
  try {
    return await runCommand(words, terminal())
  } catch (error) {
    return report(error)
  }
}

/** Node waits for a thread that does not end before it exits. */
async function leave(code: ExitCode): Promise<void> {
  process.exitCode = code
  if (!(await endThreads(THREADS_MS_MAX))) endBySignal('SIGTERM')
}

function report(error: unknown): ExitCode {
  if (error instanceof Error && MISUSED.some((kind) => error instanceof kind)) {
    process.stderr.write(`${error.message}\n`)
    return EXIT.usage
  }
  const text = systemText(error)
  if (text === undefined)
    process.stderr.write(`Unexpected failure: ${error instanceof Error ? error.stack : String(error)}\n`)
  else process.stderr.write(`${text}\n`)
  return EXIT.failed
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

/**
 * The reader is gone, as behind `| head -1`, or the disk is full: the program ends, as others do by SIGPIPE. A
 * command that goes on all the same listens for itself.
 */
function outputFailed(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (stream.listenerCount('error') > 1) return
  if (error.code !== 'EPIPE') process.stderr.write(`Cannot write the output: ${systemReason(error)}\n`)
  process.exit(EXIT.failed)
}

function terminal(): Terminal {
  let reload = (): void => {}
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    environment: process.env,
    get interrupted() {
      return new Promise<string>((resolve) => {
        onStopSignals(resolve)
        process.on('SIGHUP', () => {
          if (isHungUp(terminals)) resolve('SIGHUP')
          else reload()
        })
      })
    },
    onReload(listener) {
      reload = listener
    },
    openLogSink: () => openLogSink(),
    become: process.geteuid?.() === 0 ? becomeUser : undefined,
    watch({ onCrash, onWarning, onExit }) {
      process.on('uncaughtExceptionMonitor', onCrash).on('exit', onExit)
      process.removeAllListeners('warning').on('warning', onWarning) // Node's own listener prints them.
    },
    end: (code) => endProcess(code, [process.stdout, process.stderr]),
  }
}

/**
 * Whether SIGHUP has its first meaning, that the terminal is gone: the program is to end then, as any would. Windows
 * knows no other, and ends the process some seconds later whatever it does.
 */
function isHungUp(terminals: readonly number[]): boolean {
  return process.platform === 'win32' || terminals.some((descriptor) => !isatty(descriptor))
}

/**
 * The first signal asks to stop; another one ends the process immediately. Ctrl-C
 * under npm sends the same signal twice in a moment, which counts as one.
 */
function onStopSignals(stop: (signal: string) => void): void {
  let first: { readonly signal: string; readonly at: number } | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = systemClock()
      if (first === undefined) {
        first = { signal, at: now }
        stop(signal)
      } else if (first.signal !== signal || now - first.at > SAME_SIGNAL_MS) {
        endBySignal(signal)
      }
    })
  }
}
