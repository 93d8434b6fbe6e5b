/**
 * `npm run drill -- changes [WRITES] [KILLS]`: readers follow changes over streams and pages while the service is killed
 * with SIGKILL, and their copies are compared with the lists (changes/follow-changes.ts).
 */
import { followChanges } from '../changes/follow-changes.ts'
import { startKilledSite, type Drill } from './killed-site.ts'

const WRITERS = 6

/** Gives what happened. Throws what should not have. `writes` are those of all writers together. */
export async function drillChanges({ cleanup, random }: Drill, writes: number, kills: number): Promise<string> {
  const { admin, url, kill } = await startKilledSite(cleanup, { words: ['--hide-inactive', 'on'] })
  const site = { admin, url, restart: kill }
  return followChanges({ site, random, writers: WRITERS, writes: Math.ceil(writes / WRITERS), restarts: kills })
}
