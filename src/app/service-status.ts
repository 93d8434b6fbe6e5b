/** What runs, how it is doing and how it is set up, for administrators: in fuller words than the readiness checks. */
import { basename } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { counted } from '../base/counted.ts'
import { isoDate } from '../base/dates.ts'
import type { ServiceStatus } from '../models/responses.ts'
import type { BackupState } from '../store/backup/backup-schedule.ts'
import type { GuestLimit } from '../store/accounts/guest-table.ts'
import type { PictureLimit } from '../content/kept-pictures.ts'
import { guestConcern } from './guest-budget.ts'
import { offsiteConcerns, offsiteStatus, type OffsitePlaces } from './offsite-concerns.ts'
import { pictureConcern } from './picture-limit.ts'
import { FREE_BYTES_MIN, freeBytes, problemsFound, type ReadinessChecks } from './readiness.ts'
import { sizeOf, type ServiceCounters } from './service-metrics.ts'
import type { Store } from '../store/store.ts'

/** Mail that waits is looked through for the last words of the mail server. */
const WAITING_SEEN_MAX = 50

export interface StatusOptions {
  readonly version: string
  readonly instance: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly now: Clock
  readonly dataDir: string
  readonly database: string
  readonly store: Pick<Store, 'outbox' | 'queries' | 'accounts' | 'feeds' | 'pictures'>
  readonly guestLimit: () => GuestLimit
  readonly pictureLimit: () => PictureLimit
  readonly counters: Pick<ServiceCounters, 'rejections'>
  readonly checks: ReadinessChecks
  readonly mail: () => readonly string[]
  /** Why the stored mail settings are not used; undefined where they are. */
  readonly mailProblem: () => string | undefined
  readonly backups: () => BackupSettings
  /** What is to be done about the cluster, of a node. */
  readonly cluster: (() => readonly string[]) | undefined
  /** What of the schedule could not be carried out. */
  readonly schedule: () => readonly string[]
  /** Which folder of feeds cannot be used, and why. */
  readonly folderConcern: () => string | undefined
}

interface BackupSettings {
  readonly offsite: OffsitePlaces
  /** Undefined where the service makes none by itself. */
  readonly schedule: { state(): BackupState } | undefined
  readonly everyMs: number | undefined
  readonly keep: number
  readonly directory: string
}

export async function serviceStatus(options: StatusOptions): Promise<ServiceStatus> {
  const { version, instance, startedAt, now, dataDir, database, store, counters, mail, backups } = options
  const { counts, oldestWaitingAt } = store.outbox.outboxSummary(now())
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    instance,
    startedAt: isoDate(startedAt),
    uptimeSeconds: Math.max(0, Math.floor((now() - startedAt) / 1000)),
    dataDir,
    database: {
      bytes: await sizeOf(database),
      logBytes: await sizeOf(`${database}-wal`),
      freeBytes: await freeBytes(dataDir),
    },
    guests: guestStatus(options),
    pictures: pictureStatus(options),
    attention: await attention(options),
    limits: counters.rejections(),
    queries: store.queries.counts(),
    mail: {
      description: mail(),
      counts,
      oldestWaitingAt: oldestWaitingAt === undefined ? null : isoDate(oldestWaitingAt),
    },
    backups: backupStatus(backups()),
  }
}

async function attention(options: StatusOptions): Promise<ServiceStatus['attention']> {
  const found = await problemsFound(options.checks)
  const ofCluster = (options.cluster?.() ?? []).map((message) => ({ kind: 'cluster', message }) as const)
  const ofChecks = await Promise.all(
    found.map(async ({ check, reason }) => {
      const more = await MORE[check](options)
      return { kind: check, message: more === undefined ? reason : `${reason}; ${more}` }
    }),
  )
  const ofSchedule = options.schedule().map((message) => ({ kind: 'schedule', message }) as const)
  const problem = options.mailProblem()
  const ofSettings = problem === undefined ? [] : [{ kind: 'mail', message: `the stored mail settings are not used: ${problem}` } as const]
  return [...ofChecks, ...ofGuests(options), ...ofPictures(options), ...ofSettings, ...ofBackups(options.backups()), ...ofCluster, ...ofSchedule, ...ofFeeds(options)]
}

function guestStatus({ store, guestLimit }: Pick<StatusOptions, 'store' | 'guestLimit'>): ServiceStatus['guests'] {
  const { guests: count, bytes } = store.accounts.guestStorage()
  return { count, bytes, bytesMax: guestLimit().bytesMax }
}

/** The service works, but for guests. */
function ofGuests({ store, guestLimit }: Pick<StatusOptions, 'store' | 'guestLimit'>): ServiceStatus['attention'] {
  const reason = guestConcern(store.accounts.guestStorage(), guestLimit())
  return reason === undefined ? [] : [{ kind: 'guests', message: reason }]
}

/** Why each fails stands in the list of feeds. */
function ofFeeds({ store }: Pick<StatusOptions, 'store'>): ServiceStatus['attention'] {
  const failing = store.feeds.failingFeeds()
  return failing === 0 ? [] : [{ kind: 'feeds', message: `${counted(failing, 'feed')} cannot be fetched` }]
}

function pictureStatus({ store, pictureLimit }: Pick<StatusOptions, 'store' | 'pictureLimit'>): ServiceStatus['pictures'] {
  const { pictures: count, bytes } = store.pictures.pictureTotals()
  return { count, bytes, bytesMax: pictureLimit().bytesMax }
}

function ofPictures({ store, pictureLimit }: Pick<StatusOptions, 'store' | 'pictureLimit'>): ServiceStatus['attention'] {
  const reason = pictureConcern(store.pictures.pictureTotals(), pictureLimit())
  return reason === undefined ? [] : [{ kind: 'pictures', message: reason }]
}

/** Backups that are off or left out do not keep the service from its work, so that no readiness check tells of them. */
function ofBackups({ schedule }: BackupSettings): ServiceStatus['attention'] {
  if (schedule === undefined)
    return [{ kind: 'backups', message: 'automatic backups are off; --backup-every 24h turns them on' }]
  const { skipped } = schedule.state()
  return skipped === undefined ? [] : [{ kind: 'backups', message: `the last backup was left out: ${skipped.reason}` }]
}

/** What an administrator is told of a problem besides. */
const MORE: Readonly<Record<keyof ReadinessChecks, (options: StatusOptions) => Promise<string | undefined>>> = {
  database: async ({ database }) => `the file is ${JSON.stringify(database)}`,
  disk: async ({ dataDir }) => `${FREE_BYTES_MIN / 1024 / 1024} MiB are wanted where ${JSON.stringify(dataDir)} is`,
  async mail({ store, now }) {
    const waiting = store.outbox.listMessages({ state: 'waiting', limit: WAITING_SEEN_MAX, now: now() })
    const reply = waiting.find((message) => message.reply !== undefined)?.reply
    return reply === undefined ? undefined : `the last try ended with: ${reply}`
  },
  async backups({ backups }) {
    const { failure } = backups().schedule?.state() ?? {}
    return failure === undefined ? undefined : `the try of ${isoDate(failure.at)} failed: ${failure.reason}`
  },
  async offsite({ backups, now }) {
    return offsiteConcerns(backups().offsite, now()).join('; ')
  },
  cluster: async () => undefined,
  folder: async ({ folderConcern }) => folderConcern(),
}

function backupStatus({ schedule, everyMs, keep, directory, offsite }: BackupSettings): ServiceStatus['backups'] {
  const state = schedule?.state()
  const last = state?.last
  const missed = state?.failure ?? state?.skipped
  return {
    everyMs: everyMs ?? null,
    keep,
    directory,
    last: last === undefined ? null : { name: basename(last.file), at: isoDate(last.at), bytes: last.bytes },
    failure: missed === undefined ? null : { at: isoDate(missed.at), message: missed.reason },
    offsite: offsiteStatus(offsite),
  }
}
