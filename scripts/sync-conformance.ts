/**
 * The offline protocol before the client that it is for: RxDB, with replicateServer() of rxdb-server, which replicates
 * from a running service and to it.
 *
 *   npm run sync-conformance
 *
 * The packages are fetched from npm, once, to a directory of their own, dist/tools/sync. They are no part of the service
 * and of nothing that is built. Where npm cannot be reached, it says so and passes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from './sync-conformance/sync-checks.ts'

/** rxdb-server holds the plugin replication-server; its module cannot be loaded beside rxdb 17. */
const PACKAGES = { rxdb: '16.21.1', 'rxdb-server': '15.22.0', rxjs: '7.8.2' }
const INSTALL_MS_MAX = 180_000

const tools = join(import.meta.dirname, '..', 'dist', 'tools', 'sync')

const missing = install()
if (missing === undefined) {
  await checkSync(tools)
  // RxDB leaves timers behind.
  process.exit()
}
process.stdout.write(`sync-conformance: not run: ${missing}\n`)

/** Fetches the packages; gives why they cannot be had. */
function install(): string | undefined {
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES })
  const done = join(tools, 'installed.json')
  if (existsSync(done) && readFileSync(done, 'utf8') === manifest) return undefined
  const partial = `${tools}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), manifest)
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--fetch-retries=1']
  const { status, stderr, error } = spawnSync('npm', words, { cwd: partial, encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (error !== undefined) return error.message
  if (status !== 0) return stderr.trim().split('\n').at(-1) ?? `npm ended with ${status}`
  writeFileSync(join(partial, 'installed.json'), manifest)
  rmSync(tools, { recursive: true, force: true })
  renameSync(partial, tools)
  return undefined
}
