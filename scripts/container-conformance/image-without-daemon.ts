/**
 * The image of the Dockerfile where no daemon runs: buildah makes it, and it runs by its own configuration (user,
 * environment, entry point, health check) in namespaces for mounts and network, on a read-only root with a volume.
 *
 * The base image of the first stage comes from Debian's packages by mmdebstrap, since only its apt-get, ldd and loader are
 * used: nothing of it but libraries gets into the image.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemReason } from '../../src/base/system-error.ts'

const BASE = 'docker.io/library/debian:stable-slim'
const STEP_MS_MAX = 300_000
const HEALTHY_TRIES = 60
const LOG_CHARS_MAX = 10_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
/** What apt-get says without a network. */
const UNREACHABLE = /(?:Could not resolve|Temporary failure resolving|Could not connect to|Connection timed out)[^\n]*/
/** Mounts are private to the namespace: the root and the volume over it, then everything but the volume read-only. */
const INSIDE =
  'ip link set lo up && mount --bind "$1" "$1" && mount --bind "$2" "$1$3" && mount -o remount,bind,ro "$1" && ' +
  'user=$4 && root=$1 && shift 4 && exec chroot --userspec="$user" "$root" "$@"'

/** The members of an image's configuration that are used (OCI image specification, and the health check of Docker's format). */
interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly Volumes: Readonly<Record<string, object>>
}

/** A step needs Debian's packages, and they cannot be reached. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

interface ImageParts {
  readonly dockerfile: string
  readonly context: string
  /** A file that keeps the base image for the next time. */
  readonly base: string
}

/** Why no image can be made here; undefined where one can. */
export function lacking(): string | undefined {
  const reason = lackingTools(['buildah', 'mmdebstrap', 'unshare', 'nsenter', 'ip'])
  if (reason !== undefined) return reason
  return spawnSync('unshare', ['--mount', '--net', 'true']).status === 0 ? undefined : 'no namespaces can be made'
}

/** Why these tools cannot run here as root of Linux; undefined where they can. */
export function lackingTools(tools: readonly string[]): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes Linux and root'
  const missing = tools.filter((name) => spawnSync('which', [name]).status !== 0)
  return missing.length > 0 ? `there is no ${missing.join(', no ')}` : undefined
}

/** Makes and runs the image. Throws Unreachable, and an Error where a step fails. */
export async function runWithoutDaemon({ dockerfile, context, base }: ImageParts): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'dateline-image-'))
  const buildah = (...words: readonly string[]): string =>
    run('buildah', ['--root', join(work, 'store'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs', ...words])
  try {
    const scratch = buildah('from', 'scratch')
    buildah('add', scratch, baseTree('trixie', base), '/')
    buildah('commit', '--rm', scratch, BASE)
    buildah('build', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', 'dateline', '--file', dockerfile, context)
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'dateline')) as { readonly Docker: { readonly config: ImageConfig } }
    await runImage(buildah('mount', buildah('from', '--pull=never', 'dateline')), Docker.config, join(work, 'volume'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The archive of the smallest Debian, fetched where it is not there. Throws Unreachable where it cannot be had: it is not ours. */
export function baseTree(release: string, file: string): string {
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  try {
    run('mmdebstrap', ['--quiet', '--variant=minbase', '--format=tar', release, `${file}.new`])
  } catch (error) {
    throw error instanceof Unreachable ? error : new Unreachable(`the base image cannot be had: ${systemReason(error)}`)
  }
  renameSync(`${file}.new`, file)
  return file
}

async function runImage(root: string, { User, Env, Entrypoint, Cmd, Healthcheck, Volumes }: ImageConfig, volume: string): Promise<void> {
  const [uid = 0, gid = 0] = User.split(':').map(Number)
  const [data = ''] = Object.keys(Volumes)
  if (uid === 0 || data === '') throw new Error(`Expected an image with a user and a volume, found the user "${User}" and the volume "${data}"`)
  // As an engine fills a new volume: with owner and mode of the directory in the image.
  mkdirSync(volume, { mode: statSync(join(root, data)).mode })
  chownSync(volume, uid, gid)
  const env = Object.fromEntries(Env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]))
  const outside = { ...env, PATH: `${process.env['PATH'] ?? ''}:${env['PATH'] ?? ''}` }
  const service = spawn('unshare', ['--mount', '--net', 'sh', '-c', INSIDE, 'sh', root, volume, data, User, ...Entrypoint, ...Cmd], {
    ...{ env: outside, stdio: ['ignore', 'ignore', 'pipe'] },
  })
  let log = ''
  service.stderr.setEncoding('utf8').on('data', (text: string) => void (log = (log + text).slice(-LOG_CHARS_MAX)))
  const closed = once(service, 'close') as Promise<[number | null]>
  const exec = (...words: readonly string[]) => {
    const of = `/proc/${service.pid}/ns`
    return spawnSync('nsenter', [`--mount=${of}/mnt`, `--net=${of}/net`, 'chroot', `--userspec=${User}`, root, ...words], { env: outside, encoding: 'utf8' })
  }
  try {
    const [, ...health] = Healthcheck.Test
    for (let tries = 1; exec(...health).status !== 0; tries++) {
      if (tries === HEALTHY_TRIES || service.exitCode !== null) throw new Error(`The health check of the image does not pass: ${log}`)
      await sleep(1000)
    }
    for (const words of [['health', '--ready'], ['admin', '--email', 'you@example.org'], ['backup']]) {
      const { status, stderr } = exec('dateline', ...words)
      if (status !== 0) throw new Error(`dateline ${words.join(' ')} ended with ${status}: ${stderr}`)
    }
    service.kill('SIGTERM')
    const [code] = await closed
    if (code !== 0) throw new Error(`The service ended with ${code} after SIGTERM: ${log}`)
  } finally {
    service.kill('SIGKILL')
    await closed
  }
}

export function run(command: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', timeout: STEP_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX })
  if (status === 0) return stdout.trim()
  if (UNREACHABLE.test(stderr)) throw new Unreachable(`Debian's packages cannot be reached: ${UNREACHABLE.exec(stderr)?.[0]}`)
  throw new Error(`${command} ${words.slice(-3).join(' ')} ended with ${status ?? error?.message}: ${stderr.slice(-2_000)}`)
}
