/** How a restore that the running service was asked for ended: recorded in the database that is in use then. */
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import type { Log } from '../base/log.ts'
import { systemReason } from '../base/system-error.ts'
import type { LastRestore } from '../models/responses.ts'
import { SYSTEM } from '../store/actor.ts'
import { endRestore, removeRestoreFiles, startRestore, undoRestore, type RestoreStart } from '../store/backup/pending-restore.ts'
import { removeReplaced } from '../store/backup/restore.ts'
import type { DataDir } from '../store/db/data-dir.ts'
import type { Store } from '../store/store.ts'

const NOTE = 'last-restore'

/** The outcome of the last one; null where there was none. */
export async function lastRestore(store: Pick<Store, 'settings'>): Promise<LastRestore['restore']> {
  return (store.settings.readMeta(NOTE) as LastRestore['restore'] | undefined) ?? null
}

/**
 * Opens what works on the directory, after a pending restore, which is undone where that cannot be opened, checked for its
 * schema and written to. Nothing was served from the restored database then. Throws what `open` throws.
 */
export async function openRestored<T extends { readonly store: Store }>(
  dir: DataDir,
  open: () => Promise<T>,
  { now, log }: { readonly now: Clock; readonly log: Log },
): Promise<T> {
  const started = startRestore(dir, { pid: process.pid, startedAt: isoDate(now()) }, now)
  if (started === undefined) {
    const opened = await open()
    removeLeftOver(dir, log)
    return opened
  }
  const { kind, wish } = started
  try {
    const opened = await open()
    try {
      await record(opened.store, started)
      end(dir, started, log)
      if (kind === 'replaced') removeEarlier(dir, log)
    } catch (error) {
      await opened.store.close()
      throw error
    }
    log[kind === 'failed' ? 'error' : 'warn'](`restore.${kind}`, { name: wish.name, ...outcomeOf(started) })
    return opened
  } catch (error) {
    if (kind === 'failed') throw error
    undo(dir, started, { error, log })
    return openRestored(dir, open, { now, log })
  }
}

/**
 * A restored database is kept only when the note of the restore is gone from the disk: the next start would take the note
 * for a restore that did not come up, and bring the previous database back. After an undone one the note does no harm.
 */
function end(dir: DataDir, { kind, wish }: RestoreStart, log: Log): void {
  for (const step of [endRestore, removeRestoreFiles]) {
    try {
      step(dir)
    } catch (error) {
      if (kind === 'replaced' && step === endRestore) throw error
      log.error('restore.files_kept', { name: wish.name, reason: systemReason(error) })
    }
  }
}

/** A process that was killed while it restored or checked a backup left copies, with all data of accounts that are deleted by now. */
function removeLeftOver(dir: DataDir, log: Log): void {
  try {
    removeRestoreFiles(dir)
  } catch (error) {
    log.error('restore.files_kept', { reason: systemReason(error) })
  }
}

/** What cannot be removed now is removed with the next restore. */
function removeEarlier(dir: DataDir, log: Log): void {
  try {
    const { gone, left } = removeReplaced(dir)
    if (gone.length > 0) log.warn('restore.replaced_removed', { files: gone })
    for (const { name, reason } of left) log.error('restore.replaced_kept', { file: name, reason })
  } catch (error) {
    log.error('restore.replaced_kept', { reason: systemReason(error) })
  }
}

/** Throws where the previous database cannot be put back: then nothing is opened, and the log has both reasons. */
function undo(dir: DataDir, { wish }: RestoreStart, { error, log }: { readonly error: unknown; readonly log: Log }): void {
  const reason = systemReason(error)
  try {
    undoRestore(dir, error)
  } catch (undoing) {
    log.error('restore.not_undone', { name: wish.name, reason, undoing: systemReason(undoing) })
    throw undoing
  }
  log.error('restore.undone', { name: wish.name, reason })
}

const outcomeOf = (started: RestoreStart): { readonly kept: string | null; readonly reason: string | null } =>
  started.kind === 'failed' ? { kept: null, reason: started.failure } : { kept: started.kept, reason: null }

async function record(store: Store, started: RestoreStart): Promise<void> {
  const { name, actor, at, removed } = started.wish
  const { kept, reason } = outcomeOf(started)
  const own = store.as(SYSTEM)
  const outcome: LastRestore['restore'] = { name, at, outcome: reason === null ? 'restored' : 'failed', kept, reason }
  await own.writeMeta(NOTE, outcome)
  const removedRows = reason === null ? Object.entries(removed).filter(([, rows]) => rows > 0) : []
  const details = [...Object.entries({ name, kept, reason }), ...removedRows.map(([key, rows]) => [`removed.${key}`, String(rows)] as const)]
    .flatMap(([key, value]) => (value === null ? [] : [{ name: key, value }]))
  await own.record({ event: reason === null ? 'backup.restored' : 'backup.restore-failed', actor, details })
}
