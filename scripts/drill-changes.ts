/**
 * `npm run drill -- changes [WRITES] [KILLS]`: readers follow changes over streams and pages while the service is killed
 * with SIGKILL, and their copies are compared with the lists (changes/follow-changes.ts).
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { run, serve, type RunningService } from '../test/support/service/program.ts'
import { seededRandom } from '../test/support/random.ts'
import { temporaryDirectory, type Cleanup } from '../test/support/service/temporary-directory.ts'
import { followChanges, type Site } from './changes/follow-changes.ts'

const WRITERS = 6
const ADMIN = 'admin@example.org'

export interface ChangesDrill {
  /** Of all writers together. */
  readonly writes: number
  readonly kills: number
  readonly seed: number
}

/** Gives what happened. Throws what should not have. */
export async function drillChanges({ writes, kills, seed }: ChangesDrill): Promise<string> {
  const cleanups: (() => void | Promise<void>)[] = []
  const cleanup: Cleanup = { after: (work) => void cleanups.unshift(work) }
  try {
    const site = await startSite(cleanup)
    return await followChanges({
      ...{ site, random: seededRandom(seed), writers: WRITERS },
      ...{ writes: Math.ceil(writes / WRITERS), restarts: kills },
    })
  } finally {
    for (const work of cleanups) await work()
  }
}

async function startSite(cleanup: Cleanup): Promise<Site> {
  const data = join(temporaryDirectory(cleanup), 'data')
  const words = ['--data-dir', data, '--admin-email', ADMIN, '--hide-inactive', 'on', '--rate-limits', 'off', '--log-level', 'error']
  const start = (): Promise<RunningService> => serve(cleanup, words)
  let running = start()
  await running
  const { code, stdout, stderr } = await run(['token', '--data-dir', data, '--email', ADMIN])
  assert.equal(code, 0, stderr)
  return {
    admin: stdout.trim(),
    url: async () => (await running).url,
    async restart() {
      const killed = running
      running = (async () => {
        await (await killed).end('SIGKILL')
        return start()
      })()
      await running
    },
  }
}
