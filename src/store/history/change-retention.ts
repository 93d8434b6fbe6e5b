/** Removes what of the change log is past its time, and who made the changes where that account is deleted. */
import { MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import type { Database } from '../db/database.ts'

const ROWS_PER_STEP = 500
/** The last changes are kept whatever their age: so many seqs. */
const KEPT = 100_000
/** Models whose documents have the id of their user. */
const OWNED: readonly string[] = MODELS.filter((model: Model) => model === user || model.owned === true).map(
  ({ name }) => name,
)

/**
 * Removes some earlier versions from before a time, and some changes that are older than it and not among the last.
 * Returns whether there may be more.
 */
export function removeOldChanges(database: Database, before: number, kept = KEPT): boolean {
  const textsBehind = Number(database.get('SELECT texts_behind AS seq FROM change_log')?.['seq'] ?? 0)
  const versions = firstRows(database, textsBehind, before)
  const newest = Number(database.get('SELECT max(seq) AS seq FROM change')?.['seq'] ?? 0)
  const old = firstRows(database, 0, before).filter((seq) => seq <= newest - kept)
  const [lastVersion, lastChange] = [versions.at(-1), old.at(-1)]
  if (lastVersion !== undefined) {
    database.run('UPDATE change SET replaced = NULL WHERE seq > ? AND seq <= ?', textsBehind, lastVersion)
    database.run('UPDATE change_log SET texts_behind = ?', lastVersion)
  }
  if (lastChange !== undefined) {
    database.run('DELETE FROM change WHERE seq <= ?', lastChange)
    database.run('UPDATE change_log SET whole_behind = ?', lastChange)
  }
  return versions.length === ROWS_PER_STEP || old.length === ROWS_PER_STEP
}

/** The seqs of the first rows behind one, up to one that is not from before the time. */
function firstRows(database: Database, behind: number, before: number): readonly number[] {
  const rows = database.all(`SELECT seq, at FROM change WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_STEP}`, behind)
  const end = rows.findIndex(({ at }) => Number(at) >= before)
  return (end < 0 ? rows : rows.slice(0, end)).map(({ seq }) => Number(seq))
}

const ACTOR = "actor = ? AND actor NOT IN ('operator', 'service', 'stranger', 'feed')"
const OWN = `id = ? AND model IN (${OWNED.map((name) => `'${name}'`).join(', ')})`

const BEFORE_THE_NEWEST = 'seq < (SELECT max(seq) FROM change)'

/**
 * Removes a deleted account from some rows: it is the actor of no change, of no deletion and of no picture any more, and nothing tells of
 * what it owned. The newest row of the log is emptied and removed by a later erasure, since the next change must not get the
 * seq of one that a reader may have seen. Returns how many rows it changed: none when all is done.
 */
export function eraseActor(database: Database, userId: string, rowsMax: number): number {
  const rows = (found: string): string => `seq IN (SELECT seq FROM ${found} LIMIT ?)`
  const steps: readonly (readonly [sql: string, ...values: string[]])[] = [
    [`UPDATE change SET actor = NULL WHERE ${rows(`change WHERE ${ACTOR}`)}`, userId],
    [`UPDATE trash SET actor = NULL WHERE ${rows('trash WHERE actor = ? AND actor IS NOT NULL')}`, userId],
    [`UPDATE picture SET actor = NULL WHERE hash IN (SELECT hash FROM picture WHERE actor = ? LIMIT ?)`, userId],
    [`DELETE FROM change WHERE ${rows(`change WHERE ${OWN} AND ${BEFORE_THE_NEWEST}`)}`, userId],
    [`UPDATE change SET model = '', id = '', before = NULL, after = NULL WHERE ${rows(`change WHERE ${OWN}`)}`, userId],
    [`DELETE FROM change WHERE ${rows(`change WHERE model = '' AND ${BEFORE_THE_NEWEST}`)}`],
  ]
  let changed = 0
  for (const [sql, ...values] of steps) {
    changed += database.run(sql, ...values, rowsMax - changed)
    if (changed >= rowsMax) break
  }
  return changed
}
