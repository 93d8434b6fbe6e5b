/**
 * `npm run drill -- changes [WRITES] [KILLS]`: readers follow changes over streams and pages while the service is killed
 * with SIGKILL, and their copies are compared with the lists (changes/follow-changes.ts).
 */
import { seededRandom } from '../tools/random.ts'
import { followChanges } from '../changes/follow-changes.ts'
import { withCleanup } from '../with-cleanup.ts'
import { startKilledSite } from './killed-site.ts'

const WRITERS = 6

/** Gives what happened. Throws what should not have. `writes` are those of all writers together. */
export function drillChanges(writes: number, kills: number, seed: number): Promise<string> {
  return withCleanup(async (cleanup) => {
    const { admin, url, kill } = await startKilledSite(cleanup, { words: ['--hide-inactive', 'on'] })
    const site = { admin, url, restart: kill }
    const writesOfEach = Math.ceil(writes / WRITERS)
    return await followChanges({ site, random: seededRandom(seed), writers: WRITERS, writes: writesOfEach, restarts: kills })
  })
}
