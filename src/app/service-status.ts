/** What runs, how it is doing and how it is set up, for administrators: in fuller words than the readiness checks. */
import { basename } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { concern, type Concern } from '../base/concern.ts'
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
import type { Replication } from '../store/cluster/replication.ts'
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
  /** Of a node. */
  readonly replication: Pick<Replication, 'state'> | undefined
  /** What is to be done about the cluster, of a node, besides what its check finds. */
  readonly cluster: (() => readonly Concern[]) | undefined
  /** What of the schedule could not be carried out. */
  readonly schedule: () => readonly Concern[]
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
  const ofChecks = await Promise.all(
    found.map(async ({ check, reason }) => {
      const { message, detail } = (await MORE[check](options)) ?? {}
      const params = detail === undefined ? reason.params : { ...reason.params, detail }
      return { kind: check, ...reason, params, message: message === undefined ? reason.message : `${reason.message}; ${message}` }
    }),
  )
  const { store, guestLimit, pictureLimit, mailProblem, backups, cluster, schedule } = options
  const detail = mailProblem()
  return [
    ...ofChecks,
    ...ofKind('guests', guestConcern(store.accounts.guestStorage(), guestLimit())),
    ...ofKind('pictures', pictureConcern(store.pictures.pictureTotals(), pictureLimit())),
    ...ofKind('mail', detail === undefined ? undefined : concern('mailSettings', `the stored mail settings are not used: ${detail}`, { detail })),
    ...ofKind('backups', backupConcern(backups())),
    ...ofKind('cluster', ...(cluster?.() ?? [])),
    ...ofKind('schedule', ...schedule()),
    ...ofKind('feeds', feedConcern(store.feeds.failingFeeds())),
  ]
}

function ofKind(kind: ServiceStatus['attention'][number]['kind'], ...concerns: readonly (Concern | undefined)[]): ServiceStatus['attention'] {
  return concerns.flatMap((one) => (one === undefined ? [] : [{ kind, ...one }]))
}

function guestStatus({ store, guestLimit }: Pick<StatusOptions, 'store' | 'guestLimit'>): ServiceStatus['guests'] {
  const { guests: count, bytes } = store.accounts.guestStorage()
  return { count, bytes, bytesMax: guestLimit().bytesMax }
}

/** Why each fails stands in the list of feeds. */
function feedConcern(failing: number): Concern | undefined {
  return failing === 0 ? undefined : concern('feedsFailing', `${counted(failing, 'feed')} cannot be fetched`, { count: failing })
}

function pictureStatus({ store, pictureLimit }: Pick<StatusOptions, 'store' | 'pictureLimit'>): ServiceStatus['pictures'] {
  const { pictures: count, bytes } = store.pictures.pictureTotals()
  return { count, bytes, bytesMax: pictureLimit().bytesMax }
}

/** Backups that are off or left out do not keep the service from its work, so that no readiness check tells of them. */
function backupConcern({ schedule }: BackupSettings): Concern | undefined {
  if (schedule === undefined) return concern('backupsOff', 'automatic backups are off; --backup-every 24h turns them on')
  const { skipped } = schedule.state()
  if (skipped === undefined) return undefined
  return concern('backupSkipped', `the last backup was left out: ${skipped.reason}`, { detail: skipped.reason })
}

/** What an administrator is told of a problem besides. */
interface More {
  readonly message: string
  readonly detail: string
}

const MORE: Readonly<Record<keyof ReadinessChecks, (options: StatusOptions) => Promise<More | undefined>>> = {
  database: async ({ database: detail }) => ({ message: `the file is ${JSON.stringify(detail)}`, detail }),
  async disk({ dataDir: detail }) {
    return { message: `${FREE_BYTES_MIN / 1024 / 1024} MiB are wanted where ${JSON.stringify(detail)} is`, detail }
  },
  async mail({ store, now }) {
    const waiting = store.outbox.listMessages({ state: 'waiting', limit: WAITING_SEEN_MAX, now: now() })
    const reply = waiting.find((message) => message.reply !== undefined)?.reply
    return reply === undefined ? undefined : { message: `the last try ended with: ${reply}`, detail: reply }
  },
  async backups({ backups }) {
    const { failure } = backups().schedule?.state() ?? {}
    if (failure === undefined) return undefined
    return { message: `the try of ${isoDate(failure.at)} failed: ${failure.reason}`, detail: failure.reason }
  },
  async offsite({ backups, now }) {
    const detail = offsiteConcerns(backups().offsite, now()).join('; ')
    return { message: detail, detail }
  },
  async cluster({ replication }) {
    const state = replication?.state()
    return state?.kind === 'diverged' ? { message: state.reason, detail: state.reason } : undefined
  },
  async folder({ folderConcern }) {
    const detail = folderConcern()
    return detail === undefined ? undefined : { message: detail, detail }
  },
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
