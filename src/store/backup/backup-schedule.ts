/**
 * Scheduled backups. The last one is kept in the database, so that a restart delays none. A failure is retried with
 * growing pauses. Old backups are removed only when a new one has been checked.
 */
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import { repeat } from '../../base/repeating.ts'
import { systemReason } from '../../base/system-error.ts'
import { SYSTEM } from '../actor.ts'
import type { Writable } from '../writes/writer.ts'
import { backupMade, type BackupRecord, type BackupRuns } from './backup-runs.ts'

const RETRY_MS_FIRST = MINUTE_MS
const RETRY_MS_MAX = HOUR_MS
/** The clock may be set meanwhile, and a timer waits for 24 days at most. */
const SLEEP_MS_MAX = 600_000
const META_NAME = 'backup'

export interface BackupState {
  readonly last: BackupRecord | undefined
  /** Why the last try failed; undefined where it did not. */
  readonly failure: Missed | undefined
  /** Why the last one was left out; undefined where it was not. */
  readonly skipped: Missed | undefined
}

interface Missed {
  readonly at: number
  readonly reason: string
}

export type BackupSchedule = Awaited<ReturnType<typeof startBackups>>

export interface ScheduleOptions {
  readonly store: Writable & { readonly settings: { readMeta(name: string): Json | undefined } }
  readonly runs: BackupRuns
  /** How often they are made, which may change at any time; undefined for never. */
  readonly rule: () => BackupRule | undefined
  /** Why there is no room for one, which is asked where the rule yields room: then one that finds none is left out. */
  readonly findLack?: () => Promise<string | undefined>
  /** Whether this process makes them: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export async function startBackups(options: ScheduleOptions) {
  const { store, runs, rule, findLack, isOnDuty = () => true, now, log } = options
  const startedAt = now()
  const own = store.as(SYSTEM)
  let state: BackupState = { last: readRecord(store.settings.readMeta(META_NAME)), failure: undefined, skipped: undefined }
  let [stopped, failures] = [false, 0]

  const dueAt = (): number => {
    const inUse = rule()
    if (inUse === undefined) return Infinity
    const { failure, skipped, last } = state
    if (failure !== undefined) return failure.at + Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** (failures - 1))
    if (skipped !== undefined) return skipped.at + RETRY_MS_MAX
    if (last === undefined) return startedAt + inUse.firstAfterMs
    // A date in the future is from a clock that was wrong.
    return last.at > now() ? now() : last.at + inUse.everyMs
  }
  const skip = (at: number, reason: string): void => {
    // Told once, and shown until there is room.
    if (state.skipped === undefined) log.warn('backup.skipped', { reason })
    state = { ...state, failure: undefined, skipped: { at, reason } }
  }
  const backUp = async (): Promise<void> => {
    const at = now()
    try {
      const lack = rule()?.yieldsRoom === true ? await findLack?.() : undefined
      if (lack !== undefined) return skip(at, lack)
      const last = await runs.make('scheduled')
      await Promise.all([own.writeMeta(META_NAME, { ...last }), own.record(backupMade(last))])
      state = { last, failure: undefined, skipped: undefined }
      failures = 0
    } catch (error) {
      if (stopped) return
      failures++
      state = { ...state, failure: { at, reason: systemReason(error) } }
      log.error('backup.failed', { reason: systemReason(error), ...(rule() === undefined ? {} : { retryAt: isoDate(dueAt()) }) })
    }
  }
  const backUpIfDue = async (): Promise<void> => {
    if (!isOnDuty()) return
    // Another node may have made the last one.
    const last = readRecord(store.settings.readMeta(META_NAME))
    if ((last?.at ?? 0) > (state.last?.at ?? 0)) state = { ...state, last }
    if (now() >= dueAt()) await backUp()
  }
  const pauseMs = (): number => Math.min(SLEEP_MS_MAX, Math.max(0, dueAt() - now()))
  const rounds = repeat(() => backUpIfDue().then(pauseMs), {
    onError(error) {
      log.error('backup.failed', { reason: systemReason(error) })
      return RETRY_MS_FIRST
    },
  })
  return {
    state: (): BackupState => state,
    /** Makes one, whether it is due or not; what fails is logged. */
    make: backUp,
    /** Makes a backup where one is due. */
    wake: (): void => void rounds.wake(),
    /** Resolves when none is due or running at this moment. */
    idle: rounds.wake,
    async stop(): Promise<void> {
      stopped = true
      await Promise.all([runs.stop(), rounds.stop()])
    },
  }
}

function readRecord(stored: unknown): BackupRecord | undefined {
  if (!isObject(stored)) return undefined
  const { at, file, bytes, ms } = stored as JsonObject
  const isWhole = [at, bytes, ms].every((value) => typeof value === 'number')
  return isWhole && typeof file === 'string' ? ({ at, file, bytes, ms } as BackupRecord) : undefined
}

// How often backups are made where the operator does not say, and whether there is room for one.

const DEFAULT_MS = DAY_MS
/** The log of a cluster is trimmed behind backups. */
const NODE_DEFAULT_MS = 6 * HOUR_MS
/** A new site is filled first, and a program that runs for seconds leaves no backup behind. */
const FIRST_AFTER_MS = 10 * MINUTE_MS
/** Backups that the operator did not ask for leave this much of the disk free. */
const LEFT_FREE_BYTES = 512 * 1024 ** 2

export interface BackupRule {
  readonly everyMs: number
  /** How long after the start the first one of a site is made. */
  readonly firstAfterMs: number
  /** Whether it is left out where the disk is short. */
  readonly yieldsRoom: boolean
}

/** The rule of a setting: a time, `daily` where none is given, undefined for none. A node always has one. */
export function backupRule(setting: number | 'daily' | undefined, isNode: boolean): BackupRule | undefined {
  if (typeof setting === 'number') return { everyMs: setting, firstAfterMs: 0, yieldsRoom: false }
  if (isNode) return { everyMs: NODE_DEFAULT_MS, firstAfterMs: 0, yieldsRoom: false }
  return setting === 'daily'
    ? { everyMs: DEFAULT_MS, firstAfterMs: FIRST_AFTER_MS, yieldsRoom: true }
    : undefined
}

/** Why there is no room for a backup of a database; undefined where there is. */
export function lackOfRoom({ bytes, freeBytes }: { readonly bytes: number; readonly freeBytes: number }): string | undefined {
  if (freeBytes - bytes >= LEFT_FREE_BYTES) return undefined
  const mib = (count: number): number => Math.ceil(count / 1024 ** 2)
  return (
    `only ${mib(freeBytes)} MiB are free, and a backup of ${mib(bytes)} MiB has to leave ${mib(LEFT_FREE_BYTES)}: make room, ` +
    'keep fewer with --backup-keep, or end them with --backup-every off'
  )
}
