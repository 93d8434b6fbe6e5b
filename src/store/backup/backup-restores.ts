/**
 * Restoring a backup while the service runs: the backup is copied and checked in a thread beside it; then no write is taken
 * any more, and the service starts again with the copy in the place of its database (pending-restore.ts). What was written
 * until then is in the database that is kept.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { describe, fail, type Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { CallerClaim } from '../actor.ts'
import type { RefusableQueue } from '../db/write-queue.ts'
import type { CheckedBackup } from './backup-check.ts'
import { findBackup, type BackupPaths } from './backup-files.ts'
import { startBackupThread, type BackupThread } from './backup-thread.ts'
import { DatabaseFileError } from './database-copy.ts'
import { requestRestore, restoreCopy } from './pending-restore.ts'
import type { RestorePlace } from './restore.ts'

const NAME_BYTES = 6
/** A guess: how long the service takes to start again. */
const RETRY_AFTER_S = 5

export type BackupRestores = ReturnType<typeof createBackupRestores>

export interface FoundBackup extends CheckedBackup {
  readonly name: string
  readonly at: string
}

export interface RestoresOptions {
  readonly dir: RestorePlace
  readonly paths: BackupPaths
  readonly store: { readonly refuseWrites: RefusableQueue['refuse'] }
  /** Whether an administrator is made at the start where there is none. */
  readonly makesAdmin: boolean
  readonly now: Clock
  readonly log: Log
}

export function createBackupRestores({ dir, paths, store, makesAdmin, now, log }: RestoresOptions) {
  const requested = Promise.withResolvers<string>()
  let running: BackupThread | 'restarting' | undefined

  /** Runs the work on a checked copy, which is removed where that fails. One at a time. */
  async function withCopy(name: string, claim: CallerClaim, keepsPictures: boolean, work: (copy: string, found: FoundBackup) => Promise<boolean>): Promise<FoundBackup> {
    if (running !== undefined) throw fail('conflict', 'A backup is being checked or restored already: wait until that is done')
    const thread = startBackupThread()
    running = thread
    const copy = restoreCopy(dir, randomBytes(NAME_BYTES).toString('hex'))
    let isKept = false
    try {
      const backup = await findBackup(paths, name)
      if (backup === 'missing') throw fail('notFound', `No backup has the name ${describe(name)}`)
      if (backup === 'unfit') throw fail('conflict', `Cannot restore ${describe(name)}: it is a link, a directory or the database in use: choose another backup`)
      const result = await thread.run({ kind: 'check', dir, from: backup.file, to: copy, claim, time: now(), keepsPictures })
      if (result.kind !== 'checked') throw new Error('The thread did something else')
      const found = { name, at: backup.at, ...result.checked }
      isKept = await work(copy, found)
      return found
    } catch (error) {
      throw error instanceof DatabaseFileError ? fail('conflict', error.message, { cause: error }) : error
    } finally {
      await thread.end()
      running = isKept ? 'restarting' : undefined
      if (!isKept) for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
    }
  }

  return {
    /** Resolves when a restore was asked for: close this run then, and start again. */
    requested: requested.promise,
    /** What a backup holds. Throws notFound, and conflict for one that cannot be restored. */
    check: (name: string, claim: CallerClaim): Promise<FoundBackup> => withCopy(name, claim, false, async () => false),
    /** Has it put in the place of the database. `record` is the last write to that. Throws as `check`, and what `record` throws. */
    restore: (name: string, claim: CallerClaim, record: () => Promise<void>): Promise<FoundBackup> =>
      withCopy(name, claim, true, async (copy, { hasAdministrator, removed }) => {
        if (!hasAdministrator && !makesAdmin) {
          throw fail('conflict', `Cannot restore ${describe(name)}: it has no administrator, so that you could not sign in: stop the service and run "dateline restore"`)
        }
        await record()
        const takeWrites = await store.refuseWrites(beingReplaced)
        try {
          requestRestore(dir, copy, { name, actor: claim.userId, at: isoDate(now()), removed })
        } catch (error) {
          takeWrites()
          throw error
        }
        log.warn('restore.requested', { name, removed: { ...removed } })
        requested.resolve(`the backup ${name} is restored`)
        return true
      }),
    async stop(): Promise<void> {
      if (typeof running === 'object') await running.end()
    },
  }
}

function beingReplaced(): Failure {
  return fail('networkError', 'The database is being replaced by a backup: try again in a few seconds', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
