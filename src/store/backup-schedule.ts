/**
 * Backups that the service makes by itself, in a thread.
 *
 * What was done last stands in the database, so that the next one is due when it would have been without a restart.
 * After a failure it is tried again, with pauses that grow; old backups go only when a new one has been checked.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import { systemReason } from '../base/system-error.ts'
import { backupName, partialFiles, removeOldBackups } from './backup.ts'
import type { NoteStore } from './store.ts'
import { startUpkeep, type Upkeep } from './upkeep-thread.ts'

const RETRY_MS_FIRST = 60_000
const RETRY_MS_MAX = 3_600_000
/** The clock may be set, and a timer can only wait for 24 days. */
const SLEEP_MS_MAX = 600_000
const NOTE = 'backup'

export interface BackupRecord {
  /** When it was begun, in milliseconds since the epoch. */
  readonly at: number
  readonly file: string
  readonly bytes: number
  readonly ms: number
}

export interface BackupState {
  /** The last one that succeeded. */
  readonly last: BackupRecord | undefined
  /** Why the last try failed; undefined where it did not. */
  readonly failure: { readonly at: number; readonly reason: string } | undefined
}

export interface BackupSchedule {
  state(): BackupState
  /** Resolves when none is due or under way at this moment. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export interface ScheduleOptions {
  readonly store: NoteStore
  readonly database: string
  readonly directory: string
  readonly everyMs: number
  /** Backups that are kept, the new one included. */
  readonly keep: number
  readonly now: Clock
  readonly log: Log
}

export async function startBackups(options: ScheduleOptions): Promise<BackupSchedule> {
  const { store, database, directory, everyMs, keep, now, log } = options
  let state: BackupState = { last: readRecord(await store.readNote(NOTE)), failure: undefined }
  let [stopped, failures] = [false, 0]
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let upkeep: Upkeep | undefined

  const dueAt = (): number => {
    if (state.failure !== undefined)
      return state.failure.at + Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** (failures - 1))
    // A date in the future is of a clock that was wrong.
    return state.last === undefined || state.last.at > now() ? now() : state.last.at + everyMs
  }
  const backUp = async (): Promise<void> => {
    const at = now()
    const target = join(directory, backupName(at))
    try {
      upkeep = startUpkeep({ kind: 'backup', database, target })
      const answer = await upkeep.answer
      if (answer.kind !== 'written') throw new Error('The thread did something else')
      const { file, bytes, ms } = answer.backup
      const last = { at, file, bytes, ms }
      await store.writeNote(NOTE, last)
      state = { last, failure: undefined }
      failures = 0
      log.info('backup.written', { file, bytes, ms })
      const removed = await removeOldBackups(directory, keep)
      if (removed.length > 0) log.info('backup.removed', { files: removed })
    } catch (error) {
      if (stopped) return
      failures++
      state = { ...state, failure: { at, reason: systemReason(error) } }
      log.error('backup.failed', { reason: systemReason(error), retryAt: isoDate(dueAt()) })
    } finally {
      await upkeep?.end()
      upkeep = undefined
    }
  }
  const wake = (): void => {
    if (stopped || round !== undefined) return
    const task = now() >= dueAt() ? backUp() : Promise.resolve()
    round = task.finally(() => {
      round = undefined
      if (stopped) return
      timer = setTimeout(wake, Math.min(SLEEP_MS_MAX, Math.max(0, dueAt() - now())))
      timer.unref()
    })
  }
  wake()
  return {
    state: () => state,
    async idle() {
      clearTimeout(timer)
      wake()
      await round
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await upkeep?.end()
      await round
      // The thread was ended wherever it was.
      for (const file of await partialFiles(directory)) await rm(file, { force: true })
    },
  }
}

function readRecord(note: unknown): BackupRecord | undefined {
  if (!isObject(note)) return undefined
  const { at, file, bytes, ms } = note as JsonObject
  const isWhole = [at, bytes, ms].every((value) => typeof value === 'number')
  return isWhole && typeof file === 'string' ? ({ at, file, bytes, ms } as BackupRecord) : undefined
}
