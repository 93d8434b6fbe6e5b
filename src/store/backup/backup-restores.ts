/**
 * Restoring a backup, or a site from elsewhere, while the service runs: the file is copied and checked in a thread beside it; then
 * no write is taken any more, and the service starts again with the copy in the place of its database (pending-restore.ts). What
 * was written until then is in the database that is kept.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { describe, fail, type Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { CallerClaim } from '../actor.ts'
import { removeDatabase } from '../db/database-files.ts'
import type { RefusableQueue } from '../db/write-queue.ts'
import type { BackupCheckRequest, CheckedBackup } from './backup-check.ts'
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

/** A site from elsewhere, which comes back with its tokens and passkeys. */
export interface BroughtSite {
  /** Where it is from. */
  readonly name: string
  /** Resolves with the file of its database, with its pictures beside. */
  readonly fetch: (signal: AbortSignal) => Promise<string>
  /** Called when no write is taken any more. Throws where the database in use must not be replaced. */
  readonly admit: () => void
  /** Puts what belongs beside the database in place, and calls `request` when that is done. */
  readonly place: (request: () => void) => void
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
  let running: Promise<unknown> | undefined
  /** Ends what runs. */
  let stopping = new AbortController()

  /** Runs the work on a checked copy, which is removed where that fails. One at a time. */
  function withCopy<Found extends CheckedBackup>(
    check: (thread: BackupThread, copy: string, signal: AbortSignal) => Promise<Found>,
    work: (copy: string, found: Found) => Promise<boolean>,
  ): Promise<Found> {
    if (running !== undefined) throw fail('conflict', 'A backup is being checked or restored already: wait until that is done')
    stopping = new AbortController()
    const run = async (signal: AbortSignal): Promise<Found> => {
      const thread = startBackupThread()
      signal.addEventListener('abort', () => void thread.end())
      const copy = restoreCopy(dir, randomBytes(NAME_BYTES).toString('hex'))
      let isKept = false
      try {
        const found = await check(thread, copy, signal)
        isKept = await work(copy, found)
        return found
      } catch (error) {
        throw error instanceof DatabaseFileError ? fail('conflict', error.message, { cause: error }) : error
      } finally {
        await thread.end()
        if (!isKept) {
          running = undefined
          removeDatabase(copy)
        }
      }
    }
    const started = run(stopping.signal)
    running = started
    return started
  }

  /** What a backup of the service holds. */
  const checkNamed = (name: string, claim: CallerClaim, keepsPictures: boolean) => async (thread: BackupThread, copy: string): Promise<FoundBackup> => {
    const backup = await findBackup(paths, name)
    if (backup === 'missing') throw fail('notFound', `No backup has the name ${describe(name)}`)
    if (backup === 'unfit') throw fail('conflict', `Cannot restore ${describe(name)}: it is a link, a directory or the database in use: choose another backup`)
    return { name, at: backup.at, ...(await checked(thread, { from: backup.file, to: copy, claim, keepsPictures })) }
  }

  async function checked(thread: BackupThread, request: Pick<BackupCheckRequest, 'from' | 'to' | 'claim' | 'keepsPictures' | 'keepsCredentials'>): Promise<CheckedBackup> {
    const result = await thread.run({ kind: 'check', dir, time: now(), ...request })
    if (result.kind !== 'checked') throw new Error('The thread did something else')
    return result.checked
  }

  /** The database stays as it is where `place` throws, and takes writes again. */
  async function replaceAtRestart(name: string, { removed }: CheckedBackup, place: () => void): Promise<true> {
    const takeWrites = await store.refuseWrites(beingReplaced)
    try {
      place()
    } catch (error) {
      takeWrites()
      throw error
    }
    log.warn('restore.requested', { name, removed: { ...removed } })
    requested.resolve(`the backup ${name} is restored`)
    return true
  }

  return {
    /** Resolves when a restore was asked for: close this run then, and start again. */
    requested: requested.promise,
    /** What a backup holds. Throws notFound, and conflict for one that cannot be restored. */
    check: (name: string, claim: CallerClaim): Promise<FoundBackup> => withCopy(checkNamed(name, claim, false), async () => false),
    /** Has it put in the place of the database. `record` is the last write to that. Throws as `check`, and what `record` throws. */
    restore: (name: string, claim: CallerClaim, record: () => Promise<void>): Promise<FoundBackup> =>
      withCopy(checkNamed(name, claim, true), async (copy, found) => {
        requireAdministrator(name, found)
        await record()
        const { removed } = found
        return replaceAtRestart(name, found, () => requestRestore(dir, copy, { name, actor: claim.userId, at: isoDate(now()), removed }))
      }),
    /** Has a site from elsewhere put in the place of the database. Throws conflict, and what its functions throw. */
    bring: ({ name, fetch, admit, place }: BroughtSite): Promise<CheckedBackup> =>
      withCopy(
        async (thread, copy, signal) => checked(thread, { from: await fetch(signal), to: copy, claim: undefined, keepsPictures: true, keepsCredentials: true }),
        async (copy, found) => {
          requireAdministrator(name, found)
          const { removed } = found
          return replaceAtRestart(name, found, () => {
            admit()
            place(() => requestRestore(dir, copy, { name, actor: '', at: isoDate(now()), removed }))
          })
        },
      ),
    /** Ends what runs, but for a restore that is about to be done. */
    async stop(): Promise<void> {
      stopping.abort()
      await running?.catch(() => {})
    },
  }

  function requireAdministrator(name: string, { hasAdministrator }: CheckedBackup): void {
    if (hasAdministrator || makesAdmin) return
    throw fail('conflict', `Cannot restore ${describe(name)}: it has no administrator, so that you could not sign in: stop the service and run "dateline restore"`)
  }
}

function beingReplaced(): Failure {
  return fail('networkError', 'The database is being replaced by a backup: try again in a few seconds', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
