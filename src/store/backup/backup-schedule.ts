/**
 * Scheduled backups. The last one is kept in the database, so that a restart delays none. A failure is retried with
 * growing pauses. Old backups are removed only when a new one has been checked.
 */
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import { backupMade, type BackupRecord, type BackupRuns } from './backup-runs.ts'
import type { Store, Writer } from '../store.ts'

const RETRY_MS_FIRST = MINUTE_MS
const RETRY_MS_MAX = HOUR_MS
/** The clock may be set meanwhile, and a timer waits for 24 days at most. */
const SLEEP_MS_MAX = 600_000
const META_NAME = 'backup'

export interface BackupState {
  readonly last: BackupRecord | undefined
  /** Why the last try failed; undefined where it did not. */
  readonly failure: { readonly at: number; readonly reason: string } | undefined
}

export type BackupSchedule = Awaited<ReturnType<typeof startBackups>>

export interface ScheduleOptions {
  readonly store: Pick<Store, 'readMeta'> & Pick<Writer, 'writeMeta' | 'record'>
  readonly runs: BackupRuns
  readonly everyMs: number
  readonly now: Clock
  readonly log: Log
}

export async function startBackups({ store, runs, everyMs, now, log }: ScheduleOptions) {
  let state: BackupState = { last: readRecord(await store.readMeta(META_NAME)), failure: undefined }
  let [stopped, failures] = [false, 0]
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined

  const dueAt = (): number => {
    if (state.failure !== undefined)
      return state.failure.at + Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** (failures - 1))
    // A date in the future is from a clock that was wrong.
    return state.last === undefined || state.last.at > now() ? now() : state.last.at + everyMs
  }
  const backUp = async (): Promise<void> => {
    const at = now()
    try {
      const last = await runs.make('scheduled')
      await Promise.all([store.writeMeta(META_NAME, { ...last }), store.record(backupMade(last))])
      state = { last, failure: undefined }
      failures = 0
    } catch (error) {
      if (stopped) return
      failures++
      state = { ...state, failure: { at, reason: systemReason(error) } }
      log.error('backup.failed', { reason: systemReason(error), retryAt: isoDate(dueAt()) })
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
    state: (): BackupState => state,
    /** Resolves when none is due or running at this moment. */
    async idle(): Promise<void> {
      clearTimeout(timer)
      wake()
      await round
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await runs.stop()
      await round
    },
  }
}

function readRecord(stored: unknown): BackupRecord | undefined {
  if (!isObject(stored)) return undefined
  const { at, file, bytes, ms } = stored as JsonObject
  const isWhole = [at, bytes, ms].every((value) => typeof value === 'number')
  return isWhole && typeof file === 'string' ? ({ at, file, bytes, ms } as BackupRecord) : undefined
}
