/**
 * Builds the dashboard where a source of it has changed. `npm start` loads this before the service (node's --import); what tests the
 * pages calls it. A page with a mistake stops neither: the dashboard stays as it was.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const ROOT = join(import.meta.dirname, '..')
const MAIN = join(ROOT, 'src/main.ts')
const BUILDER = join(ROOT, 'scripts/build-dashboard.ts')
/** Commands that serve or write what is built. */
const COMMANDS: readonly string[] = ['serve', 'client']
/** What the dashboard is made of; folders count with all that is in them. */
const SOURCES = ['src', 'data', 'scripts/build-dashboard.ts', 'scripts/client-files.ts', 'package.json', 'package-lock.json']

export function freshDashboard(): void {
  const built = statSync(join(ROOT, 'dist/dashboard/page-assets.bin'), { throwIfNoEntry: false })?.mtimeMs
  if (built !== undefined && SOURCES.every((path) => isOlder(join(ROOT, path), built))) return
  process.stderr.write('building the dashboard …\n')
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, [BUILDER], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) process.stderr.write(`${stdout}${stderr}${error?.message ?? signal ?? `exit code ${status}`}: the dashboard stays as it was\n`)
}

/** Whether nothing in it is newer; a folder changes when a file in it comes or goes. */
function isOlder(path: string, time: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  return found.mtimeMs <= time && (!found.isDirectory() || readdirSync(path).every((name) => isOlder(join(path, name), time)))
}

// Threads of the service load this, too.
if (isMainThread && process.argv[1] === MAIN && COMMANDS.includes(process.argv[2] ?? '')) freshDashboard()
