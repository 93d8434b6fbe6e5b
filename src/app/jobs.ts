/**
 * All background jobs of a service in one table: on which nodes of a cluster, how often, and what. A service that runs alone is
 * its own keeper. Beside them, connections, threads and streams have timers of their own, and a node of a cluster has its
 * heartbeat (cluster/cluster-work.ts).
 */
import { join, resolve } from 'node:path'
import type { Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import { repeat } from '../base/repeating.ts'
import { systemReason } from '../base/system-error.ts'
import type { Config, Environment } from '../config/settings.ts'
import type { ShownSettings } from '../config/shown-settings.ts'
import type { Pictures } from '../content/kept-pictures.ts'
import { startFeedFolder, type FeedFolder, type FeedFolderOptions } from '../content/feeds/feed-folder.ts'
import { startPublicationPings } from '../content/publications/publication-pings.ts'
import { startSchedule } from '../content/schedule.ts'
import { startOffsite, type OffsiteSettings } from '../offsite/offsite-work.ts'
import { readPlaceKeys, type PlaceKeys } from '../offsite/place-address.ts'
import type { OutboundRules } from '../outbound/outbound-rules.ts'
import { SYSTEM } from '../store/actor.ts'
import { BACKUPS_DIRECTORY } from '../store/backup/backup.ts'
import { createBackupRestores } from '../store/backup/backup-restores.ts'
import { createBackupRuns } from '../store/backup/backup-runs.ts'
import { backupRule, lackOfRoom, startBackups, type BackupRule, type BackupSchedule } from '../store/backup/backup-schedule.ts'
import { databaseFile } from '../store/db/data-dir.ts'
import type { PictureFiles } from '../store/media/picture-files.ts'
import { startHousekeeping, type KeptTimes } from '../store/housekeeping.ts'
import { openFeedFetching, startFeeds } from './feed-service.ts'
import type { MailService } from './mail-service.ts'
import { freeBytes } from './readiness.ts'
import { startReferenceThread } from './references/reference-thread.ts'
import { startReferenceWork } from './references/reference-work.ts'
import { createFirstRestore } from './restoring/first-restore.ts'
import { sizeOf } from './service-metrics.ts'
import type { Services } from './services.ts'

export interface JobOptions {
  /** The settings in use, which may change. */
  readonly config: () => Config
  readonly dataDir: string
  /** The files of pictures, and what keeps new ones. */
  readonly pictures: PictureFiles
  readonly keptPictures: Pictures
  readonly services: Pick<Services, 'store' | 'metrics' | 'guestLimit' | 'newId' | 'keys' | 'secrets'>
  readonly environment: Environment
  /** The settings that the operator gave. */
  readonly shown: () => ShownSettings
  /** Where feeds may be fetched from. */
  readonly outbound: OutboundRules
  /** Whether this node is the keeper; undefined where the service runs alone. */
  readonly isKeeper: IsOnDuty
  /** Finds what commands and other nodes have stored. */
  readonly lookAtSettings: () => void
  /** Loads certificate files that have changed. */
  readonly checkCertificate: () => void
  readonly startMail: (isOnDuty: IsOnDuty) => Promise<MailService>
  readonly now: Clock
  readonly log: Log
}

export type IsOnDuty = (() => boolean) | undefined

interface Running {
  stop(): Awaitable<void>
}

interface Job<R extends Running = Running> {
  /** Of the nodes of a cluster, the keeper alone or each. */
  readonly who: 'keeper' | 'each'
  /** Milliseconds, or when it runs where it finds that out by itself. */
  readonly every: number | string
  readonly start: (isOnDuty: IsOnDuty) => Awaitable<R>
}

type Started<T> = { readonly [Name in keyof T]: T[Name] extends Job<infer R> ? R : never }

export type Jobs = Awaited<ReturnType<typeof startJobs>>

/** Starts all jobs; `running` stops them, the last one first. Rejects where one cannot start. */
export async function startJobs(options: JobOptions, running: AsyncDisposableStack) {
  const { config, dataDir, services, pictures, keptPictures, outbound, isKeeper, lookAtSettings, checkCertificate, startMail, now, log } = options
  const { store, metrics } = services
  const { rule, findLack, ...backups } = backupParts(options, running)
  const fetching = openFeedFetching({ live: config, rules: outbound, services, now, log })
  const { client, reader, pace } = fetching
  const jobs = {
    settings: periodic('settings', 5 * SECOND_MS, lookAtSettings, log),
    certificate: periodic('certificate', HOUR_MS, checkCertificate, log),
    mail: { who: 'keeper', every: 'as soon as mail is due', start: startMail },
    backups: {
      who: 'keeper',
      every: 'as the setting backupEvery says',
      start: (isOnDuty: IsOnDuty) => startBackups({ store, runs: backups.runs, rule, findLack, isOnDuty, now, log }),
    },
    housekeeping: {
      who: 'keeper',
      every: 'six hours, and a minute for the room of guests',
      start: (isOnDuty: IsOnDuty) => startHousekeeping({ store, files: pictures, kept: () => keptTimes(config(), services), isOnDuty, now, log }),
    },
    schedule: {
      who: 'keeper',
      every: 'when a document is to be published or archived',
      start: (isOnDuty: IsOnDuty) => startSchedule({ store, own: store.as(SYSTEM), live: config, isOnDuty, now, log }),
    },
    references: {
      who: 'keeper',
      every: 'when a document has changed of which others hold copies',
      start(isOnDuty: IsOnDuty) {
        // On a node, each step is an entry of the log, which the store of the service writes.
        const startThread = () => startReferenceThread({ dataDir, trash: config().trashDays > 0, store })
        return startReferenceWork({ store, isOnDuty, metrics, log, ...(isOnDuty === undefined && { startThread }) })
      },
    },
    offsite: {
      who: 'keeper',
      every: 'a minute for changes, and as the setting offsiteEvery says',
      start: (isOnDuty: IsOnDuty) => startOffsite({ ...offsiteParts(options), isOnDuty, now, log }),
    },
    feeds: {
      who: 'keeper',
      every: 'when a feed, or the picture of an item, is due',
      start: (isOnDuty: IsOnDuty) => startFeeds(fetching, { store, metrics, pictures: keptPictures, siteAddress: () => config().publicUrl, isOnDuty, now, log }),
    },
    publications: {
      who: 'keeper',
      every: 'a minute, where there is a WebSub hub',
      start: (isOnDuty: IsOnDuty) => startPublicationPings({ store, own: store.as(SYSTEM), client, settings: config, isOnDuty, metrics, log }),
    },
    feedFolder: { who: 'each', every: 'five seconds, where there is a folder', start: () => startFolder(config().feedsFolder, services, { reader, pace, now, log }) },
  } as const satisfies Readonly<Record<string, Job>>
  const started = await startAll(jobs, isKeeper, running)
  return {
    ...started,
    backups: {
      ...backups,
      /** Undefined while the service makes none by itself. */
      schedule: (): BackupSchedule | undefined => (rule() === undefined ? undefined : started.backups),
      everyMs: (): number | undefined => rule()?.everyMs,
      /** To be called when settings have changed: one may be due earlier. */
      wake: started.backups.wake,
    },
  }
}

/** In a cluster, the node that has the folder takes what is in it. */
function startFolder(path: string | undefined, { store, newId, metrics }: JobOptions['services'], options: Pick<FeedFolderOptions, 'reader' | 'pace' | 'now' | 'log'>): Running & Pick<FeedFolder, 'look' | 'concern'> {
  if (path === undefined) return { look: async () => {}, concern: () => undefined, stop() {} }
  return startFeedFolder({ directory: resolve(path), store, newId, metrics, ...options })
}

/** Connections by the rules of feeds; keys from the file of the operator, which may change, or the settings. */
function offsiteParts({ config, dataDir, services: { store, secrets }, environment, shown }: JobOptions) {
  const { outboundAllow, outboundProxy, outboundCa } = config()
  const proxies = Object.entries(environment).filter(([name]) => /^(?:https?|no)_proxy$/i.test(name))
  return {
    ...{ store, dataDir, secrets, database: databaseFile(dataDir) },
    outbound: { allow: outboundAllow.list, outboundProxy, outboundCa, environment: Object.fromEntries(proxies) },
    settings: (): OffsiteSettings => {
      const { offsite, offsiteKeysFile, offsiteEvery: everyMs, offsiteKeep: retention, backupRate: rate } = config()
      const keys = (): PlaceKeys => offsite.keys?.() ?? (offsiteKeysFile === undefined ? new Map() : readPlaceKeys(offsiteKeysFile))
      return { places: offsite.places, keys, everyMs, retention, rate }
    },
    givenSettings: (): string => JSON.stringify(shown().filter(({ flag, origin }) => flag !== null && origin !== 'default').map(({ flag, value }) => ({ flag, value }))),
  }
}

/** A job of each node that runs at a fixed period. What it throws is logged. */
function periodic(name: string, every: number, run: () => Awaitable<void>, log: Log): Job {
  const onError = (error: unknown): number => {
    log.error('job.failed', { job: name, reason: systemReason(error) })
    return every
  }
  return { who: 'each', every, start: () => repeat(async () => (await run(), every), { firstMs: every, onError }) }
}

async function startAll<T extends Readonly<Record<string, Job>>>(jobs: T, isKeeper: IsOnDuty, running: AsyncDisposableStack): Promise<Started<T>> {
  const started: Record<string, Running> = {}
  for (const [name, { who, start }] of Object.entries(jobs)) {
    const job = await start(who === 'keeper' ? isKeeper : undefined)
    running.defer(() => job.stop())
    started[name] = job
  }
  return started as Started<T>
}

function backupParts({ config, dataDir, services: { store }, outbound, isKeeper, now, log }: JobOptions, running: AsyncDisposableStack) {
  const isNode = isKeeper !== undefined
  const paths = { database: databaseFile(dataDir), directory: join(dataDir, BACKUPS_DIRECTORY) }
  const runs = createBackupRuns({ ...paths, keep: () => config().backupKeep, now, log })
  running.defer(() => runs.stop())
  const dir = { path: dataDir, database: paths.database }
  const makesAdmin = config().adminEmail !== undefined
  const restores = isNode ? undefined : createBackupRestores({ dir, paths, store, makesAdmin, now, log })
  running.defer(() => restores?.stop())
  const first = restores && createFirstRestore({ dir, restores, store, rules: outbound, config, now })
  return {
    ...{ paths, runs, restores, first },
    // The log of a cluster is trimmed behind backups, so that there have to be some.
    rule: (): BackupRule | undefined => backupRule(config().backupEvery, isNode),
    async findLack(): Promise<string | undefined> {
      const [bytes, logBytes] = [await sizeOf(paths.database), await sizeOf(`${paths.database}-wal`)]
      return lackOfRoom({ bytes: bytes + logBytes, freeBytes: await freeBytes(dataDir) })
    },
  }
}

function keptTimes({ auditDays, guestDays, historyDays, trashDays }: Config, { guestLimit }: Pick<Services, 'guestLimit'>): KeptTimes {
  return {
    auditMs: auditDays === 0 ? undefined : auditDays * DAY_MS,
    guestMs: guestDays === 0 ? undefined : guestDays * DAY_MS,
    historyMs: historyDays * DAY_MS,
    trashMs: trashDays * DAY_MS,
    guestBytesMax: guestLimit().bytesMax,
  }
}
