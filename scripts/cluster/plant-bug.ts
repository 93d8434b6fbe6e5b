/**
 * Loaded into a node with `--import`, before its own modules: plants the bug of the environment variable PLANTED_BUG.
 * Threads load it too; they have no such variable, and no code of the commit path.
 */
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { PLANTED_BUGS, withBug } from './planted-bugs.ts'

const bug = PLANTED_BUGS[process.env['PLANTED_BUG'] ?? '']
if (bug === undefined && isMainThread) throw new Error('PLANTED_BUG names no bug')

if (bug !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/${bug.file}`)) return loaded
      return { ...loaded, source: withBug(String(loaded.source), bug) }
    },
  })
}
