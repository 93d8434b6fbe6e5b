/**
 * Debian systems for checks, which nothing of this machine gets into: an archive with the smallest set of packages of a release and
 * some more, made once by mmdebstrap in dist/tools, and unpacked wherever a check wants one. Linux and root are needed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NotAvailable } from './conformance.ts'
import { systemReason } from '../../src/base/system-error.ts'

const STEP_MS_MAX = 300_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
/** What apt-get says without a network. */
const UNREACHABLE = /(?:Could not resolve|Temporary failure resolving|Could not connect to|Connection timed out)[^\n]*/

export interface DebianSystem {
  /** Names the archive. */
  readonly name: string
  readonly release: 'bookworm' | 'trixie'
  readonly packages?: readonly string[]
}

/** The path of the archive. Throws NotAvailable where it cannot be had: none of that is ours. */
export function debianArchive({ name, release, packages = [] }: DebianSystem): string {
  requireTools(['mmdebstrap', 'chroot', 'tar'])
  const file = join(import.meta.dirname, '../../dist/tools', `${name}-${release}.tar`)
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  const included = packages.length === 0 ? [] : [`--include=${packages.join()}`]
  try {
    runTool('mmdebstrap', ['--quiet', '--variant=minbase', '--format=tar', ...included, release, `${file}.new`])
  } catch (error) {
    throw error instanceof NotAvailable ? error : new NotAvailable(`Debian's ${release} cannot be had: ${systemReason(error)}`)
  }
  renameSync(`${file}.new`, file)
  return file
}

/** The system in a directory, which need not be there. Containers may make no devices: `dev` is empty. */
export function unpackDebian(system: DebianSystem, root: string): void {
  const archive = debianArchive(system)
  mkdirSync(root, { recursive: true })
  runTool('tar', ['--extract', '--file', archive, '--directory', root, '--exclude', './dev/*'])
}

/** Throws NotAvailable where these tools cannot run here as root of Linux. */
export function requireTools(tools: readonly string[]): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new NotAvailable('it takes Linux and root')
  const missing = tools.filter((name) => spawnSync('which', [name]).status !== 0)
  if (missing.length > 0) throw new NotAvailable(`there is no ${missing.join(', no ')}`)
}

/** What a program printed. Throws what it said where it fails, and NotAvailable where it could not reach Debian's packages. */
export function runTool(command: string, words: readonly string[], environment: NodeJS.ProcessEnv = process.env): string {
  const options = { encoding: 'utf8', timeout: STEP_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, env: environment } as const
  const { status, stdout, stderr, error } = spawnSync(command, words, options)
  if (status === 0) return stdout.trim()
  if (UNREACHABLE.test(stderr)) throw new NotAvailable(`Debian's packages cannot be reached: ${UNREACHABLE.exec(stderr)?.[0]}`)
  throw new Error(`${command} ${words.slice(-3).join(' ')} ended with ${status ?? error?.message}: ${stderr.slice(-2_000)}`)
}
