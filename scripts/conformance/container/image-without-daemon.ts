/**
 * The image of the Dockerfile where no daemon runs: buildah makes it, and it runs by its own configuration (user,
 * environment, entry point, health check) in namespaces for mounts and network, on a read-only root with a volume.
 *
 * The base image of the first stage comes from Debian's packages by mmdebstrap, since only its apt-get, ldd and loader are
 * used: nothing of it but libraries gets into the image.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotAvailable } from '../conformance.ts'
import { debianArchive, requireTools, runTool } from '../debian-archive.ts'

const BASE = 'docker.io/library/debian:stable-slim'
const HEALTHY_TRIES = 60
const LOG_CHARS_MAX = 10_000
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

interface ImageParts {
  readonly dockerfile: string
  readonly context: string
}

/** Makes and runs the image. Throws NotAvailable where none can be made here, and an Error where a step fails. */
export async function runWithoutDaemon({ dockerfile, context }: ImageParts): Promise<void> {
  requireTools(['buildah', 'unshare', 'nsenter', 'ip'])
  if (spawnSync('unshare', ['--mount', '--net', 'true']).status !== 0) throw new NotAvailable('no namespaces can be made')
  const work = mkdtempSync(join(tmpdir(), 'dateline-image-'))
  const buildah = (...words: readonly string[]): string =>
    runTool('buildah', ['--root', join(work, 'store'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs', ...words])
  try {
    const scratch = buildah('from', 'scratch')
    buildah('add', scratch, debianArchive({ name: 'debian', release: 'trixie' }), '/')
    buildah('commit', '--rm', scratch, BASE)
    buildah('build', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', 'dateline', '--file', dockerfile, context)
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'dateline')) as { readonly Docker: { readonly config: ImageConfig } }
    await runImage(buildah('mount', buildah('from', '--pull=never', 'dateline')), Docker.config, join(work, 'volume'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
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
