/** What `/metrics` tells of the service, in the units that Prometheus asks for: seconds and bytes. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { stat } from 'node:fs/promises'
import { LIMIT_NAMES, type LimitName } from '../auth/limits.ts'
import type { Clock } from '../base/clock.ts'
import type { LogOutput } from '../base/log-output.ts'
import type { Labels, Metrics, Reading } from '../base/metrics.ts'
import type { PictureLimit } from '../content/kept-pictures.ts'
import type { PageCache } from '../content/reads/page-cache.ts'
import type { AuditEvent } from '../models/audit.ts'
import type { BackupRecord } from '../store/backup/backup-runs.ts'
import type { BackupState } from '../store/backup/backup-schedule.ts'
import type { GuestLimit } from '../store/accounts/guest-table.ts'
import { freeBytes } from './readiness.ts'
import type { Store } from '../store/store.ts'

/** Upper bounds in seconds: an indexed page takes far less than a millisecond, the slowest scan two seconds. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const EVENT_LOOP_RESOLUTION_MS = 20
const QUANTILES = [0.5, 0.99, 1]

export interface MeasuredService {
  readonly version: string
  readonly startedAt: number
  readonly now: Clock
  readonly store: Pick<Store, 'outbox' | 'queries' | 'accounts'>
  readonly guestLimit: () => GuestLimit
  /** The database file, and the directory that it is in. */
  readonly database: string
  readonly dataDir: string
}

export interface ServiceCounters {
  /** `route` is a path of the table, empty where none matched. */
  request(served: {
    readonly method: string
    readonly route: string
    readonly status: number | undefined
    readonly ms: number
  }): void
  signIn(how: string): void
  rateLimited(limit: LimitName): void
  recorded(event: AuditEvent): void
  suppressed(event: AuditEvent): void
  /** How many requests each limit has rejected since the start. */
  rejections(): readonly { readonly name: LimitName; readonly refused: number }[]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers what is known of the backups that the service makes by itself; nothing is told while it makes none. */
export function backupMetrics(metrics: Metrics, backups: () => { state(): BackupState } | undefined): void {
  const ofLast = (read: (last: BackupRecord) => number) => (): readonly Reading[] => {
    const last = backups()?.state().last
    return last === undefined ? [] : [[{}, read(last)]]
  }
  metrics.gauge('dateline_backup_failed', 'Whether the last try failed.', () => {
    const state = backups()?.state()
    return state === undefined ? [] : [[{}, state.failure === undefined ? 0 : 1]]
  })
  metrics.gauge(
    'dateline_backup_timestamp_seconds',
    'When the last backup was begun.',
    ofLast(({ at }) => at / 1000),
  )
  metrics.gauge(
    'dateline_backup_bytes',
    'Size of the last backup.',
    ofLast(({ bytes }) => bytes),
  )
  metrics.gauge(
    'dateline_backup_duration_seconds',
    'How long the last backup took.',
    ofLast(({ ms }) => ms / 1000),
  )
}

/** Registers what pictures take. */
export function pictureMetrics(metrics: Metrics, store: Pick<Store, 'pictures'>, limit: () => PictureLimit): void {
  metrics.gauge('dateline_pictures', 'Pictures that are kept.', () => [[{}, store.pictures.pictureTotals().pictures]])
  metrics.gauge('dateline_picture_bytes', 'What all pictures take.', () => [[{}, store.pictures.pictureTotals().bytes]])
  metrics.gauge('dateline_picture_bytes_max', 'What all pictures together may take.', () => [[{}, limit().bytesMax]])
}

/** Registers whether the mail server fails for every message. */
export function mailMetrics(metrics: Metrics, failingSince: () => number | undefined): void {
  metrics.gauge('dateline_mail_failing', 'Whether the mail server failed at the last try, whatever the message.', () => [
    [{}, failingSince() === undefined ? 0 : 1],
  ])
}

/** Registers the figures of remembered pages. */
export function cacheMetrics(metrics: Metrics, caches: readonly Pick<PageCache<unknown>, 'counts'>[]): void {
  type Count = keyof ReturnType<PageCache<unknown>['counts']>
  const sum = (name: Count): number => caches.reduce((total, cache) => total + cache.counts()[name], 0)
  metrics.counted('dateline_cache_reads_total', 'Reads by whether a remembered page answered them.', () => readings('result', { hit: sum('hits'), miss: sum('misses') }))
  metrics.counted('dateline_cache_admissions_total', 'Pages that were remembered.', () => [[{}, sum('admissions')]])
  metrics.counted('dateline_cache_evictions_total', 'Pages that were forgotten for the room of others.', () => [[{}, sum('evictions')]])
  metrics.gauge('dateline_cache_bytes', 'Memory of remembered pages.', () => [[{}, sum('bytes')]])
  metrics.gauge('dateline_cache_pages', 'Remembered pages.', () => [[{}, sum('pages')]])
}

/** Registers how far the log is behind what it was given. */
export function logMetrics(metrics: Metrics, output: Pick<LogOutput, 'heldBytes' | 'dropped'>): void {
  metrics.gauge('dateline_log_unwritten_bytes', 'Lines of the log that wait for whatever reads them.', () => [
    [{}, output.heldBytes],
  ])
  metrics.counted('dateline_log_lines_dropped_total', 'Lines of the log that were dropped since nothing took them.', () =>
    readings('level', output.dropped),
  )
}

/**
 * Returns a function that gives the labels of a request: always the same objects, so that metrics.ts finds their series
 * without writing them. Routes come from the table, methods from Node's parser.
 */
function createRequestLabels() {
  const known = new Map<string, Map<string, ReturnType<typeof labelsOf>>>()
  const labelsOf = (method: string, route: string) => {
    const labels = { method: METHODS.includes(method) ? method : 'other', route: route === '' ? 'none' : route }
    const byStatus = new Map<number | undefined, Labels>()
    const withStatus = (status: number | undefined): Labels => {
      let found = byStatus.get(status)
      if (found === undefined) {
        byStatus.set(status, (found = { ...labels, status: status === undefined ? 'aborted' : String(status) }))
      }
      return found
    }
    return { labels, withStatus }
  }
  return (method: string, route: string) => {
    let ofRoute = known.get(route)
    if (ofRoute === undefined) known.set(route, (ofRoute = new Map()))
    let found = ofRoute.get(method)
    if (found === undefined) ofRoute.set(method, (found = labelsOf(method, route)))
    return found
  }
}

/** Registers the requests that a thread has served, and gives what is to be called with each. */
export function requestMetrics(metrics: Metrics): ServiceCounters['request'] {
  const seconds = metrics.histogram('dateline_request_seconds', 'Time to serve a request.', REQUEST_SECONDS)
  const requests = metrics.counter('dateline_requests_total', 'Requests by route and status.')
  const requestLabels = createRequestLabels()
  return ({ method, route, status, ms }) => {
    const { labels, withStatus } = requestLabels(method, route)
    requests(withStatus(status))
    seconds(labels, ms / 1000)
  }
}

/** Registers what is counted as it happens, and gives what is to be called then. */
export function serviceCounters(metrics: Metrics): ServiceCounters {
  const signIns = metrics.counter('dateline_sign_ins_total', 'Sign-ins by what became of the account.')
  const recorded = metrics.counter('dateline_audit_records_total', 'Records of the audit trail by event.')
  const suppressed = metrics.counter('dateline_audit_suppressed_total', 'Records of the audit trail that were left out.')
  const limited = metrics.counter('dateline_rate_limited_total', 'Requests refused by a limit.')
  const refused = new Map<LimitName, number>()
  return {
    request: requestMetrics(metrics),
    signIn: (how) => signIns({ how }),
    recorded: (event) => recorded({ event }),
    suppressed: (event) => suppressed({ event }),
    rateLimited(limit) {
      limited({ limit })
      refused.set(limit, (refused.get(limit) ?? 0) + 1)
    },
    rejections: () => LIMIT_NAMES.map((name) => ({ name, refused: refused.get(name) ?? 0 })),
  }
}

/** Registers what is read for each report. */
export function serviceGauges(metrics: Metrics, service: MeasuredService): void {
  const { version, startedAt, now, store, guestLimit, database, dataDir } = service
  metrics.gauge('dateline_info', 'The version that runs.', () => [[{ version, node: process.versions.node }, 1]])
  metrics.gauge('dateline_uptime_seconds', 'Since the start.', () => [[{}, (now() - startedAt) / 1000]])
  metrics.gauge('dateline_event_loop_delay_seconds', 'Delay of the event loop since the last report.', loopDelay())
  metrics.gauge('dateline_memory_bytes', 'Memory in use.', () => {
    const { rss, heapUsed, external } = process.memoryUsage()
    return readings('kind', { resident: rss, heap: heapUsed, external })
  })
  metrics.gauge('dateline_database_bytes', 'Size of the files of the database.', async () => [
    [{ file: 'database' }, await sizeOf(database)],
    [{ file: 'log' }, await sizeOf(`${database}-wal`)],
  ])
  metrics.gauge('dateline_disk_free_bytes', 'Free where the database is.', async () => [[{}, await freeBytes(dataDir)]])
  metrics.gauge('dateline_guests', 'Guests that are kept.', () => [[{}, store.accounts.guestStorage().guests]])
  metrics.gauge('dateline_guest_bytes', 'What all guests together keep in the database, and in each backup.', () => [[{}, store.accounts.guestStorage().bytes]])
  metrics.gauge('dateline_guest_bytes_max', 'What all guests together may keep.', () => [[{}, guestLimit().bytesMax]])
  metrics.counted('dateline_queries_total', 'Queries by how they were answered.', () => {
    const { inline, worker, timedOut, refused, abandoned } = store.queries.counts()
    return readings('how', { inline, worker, timed_out: timedOut, refused, abandoned })
  })
  metrics.counted('dateline_queries_refused_total', 'Queries that were refused, by the reason.', () => {
    const { lineFull, allFull, waitedTooLong } = store.queries.counts().refusedBecause
    return readings('reason', { line_full: lineFull, all_full: allFull, waited_too_long: waitedTooLong })
  })
  metrics.counted('dateline_query_waits_total', 'Queries that waited for their turn and came to it.', () => [
    [{}, store.queries.counts().waited],
  ])
  metrics.counted('dateline_query_wait_seconds_total', 'How long those waited in all.', () => [
    [{}, store.queries.counts().waitedMs / 1000],
  ])
  metrics.gauge('dateline_queries_running', 'Longer queries that run now, by the class of their caller.', () =>
    readings('class', store.queries.counts().running),
  )
  metrics.gauge('dateline_queries_waiting', 'Queries that wait for their turn, by the class of their caller.', () =>
    readings('class', store.queries.counts().waiting),
  )
  metrics.gauge('dateline_outbox_messages', 'Mail of the last days by its state.', async () =>
    readings('state', store.outbox.outboxSummary(now()).counts),
  )
  metrics.gauge('dateline_outbox_oldest_waiting_seconds', 'How long the oldest mail waits.', async () => {
    const oldest = store.outbox.oldestWaitingAt() ?? now()
    return [[{}, (now() - oldest) / 1000]]
  })
}

/** Measured from the first report on: a service without monitoring is not woken fifty times a second. */
function loopDelay(): () => readonly Reading[] {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined
  return () => {
    if (histogram === undefined) {
      histogram = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS })
      histogram.enable()
      return []
    }
    const measured = histogram
    const found = QUANTILES.map((quantile): Reading => {
      const delayMs = measured.percentile(quantile * 100) / 1e6 - EVENT_LOOP_RESOLUTION_MS
      return [{ quantile: String(quantile) }, Math.max(0, delayMs) / 1000]
    })
    measured.reset()
    return found
  }
}

/** One reading for each member, under its name as the value of a label. */
export function readings(label: string, values: Readonly<Record<string, number>>): readonly Reading[] {
  return Object.entries(values).map(([name, value]) => [{ [label]: name }, value])
}

/** In bytes; 0 for a file that is not there. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    return 0
  }
}
