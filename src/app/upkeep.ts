/** What the service does beside requests: backups as they are due, and deleting what is past its time. */
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { DAY_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { SYSTEM } from '../store/actor.ts'
import { createBackupRuns } from '../store/backup/backup-runs.ts'
import { startBackups } from '../store/backup/backup-schedule.ts'
import { databaseFile } from '../store/sqlite/data-dir.ts'
import { startHousekeeping } from '../store/sqlite/housekeeping.ts'
import { backupMetrics } from './service-metrics.ts'
import type { Services } from './services.ts'

const BACKUPS_DIRECTORY = 'backups'

export interface UpkeepParts {
  readonly config: Config
  readonly dataDir: string
  readonly services: Pick<Services, 'store' | 'metrics'>
  readonly now: Clock
  readonly log: Log
}

/** Starts it; `running` stops it. Rejects where the time of the last backup cannot be read. */
export async function startUpkeep({ config, dataDir, services, now, log }: UpkeepParts, running: AsyncDisposableStack) {
  const { store, metrics } = services
  const own = store.as(SYSTEM)
  const backupPaths = { database: databaseFile(dataDir), directory: join(dataDir, BACKUPS_DIRECTORY) }
  const backupRuns = createBackupRuns({ ...backupPaths, keep: config.backupKeep, now, log })
  running.defer(() => backupRuns.stop())
  const everyMs = config.backupEvery
  const meta = { readMeta: store.readMeta, writeMeta: own.writeMeta, record: own.record }
  const backups =
    everyMs === undefined ? undefined : await startBackups({ store: meta, runs: backupRuns, everyMs, now, log })
  running.defer(() => backups?.stop())
  if (backups !== undefined) backupMetrics(metrics, backups)
  const auditMs = config.auditDays === 0 ? undefined : config.auditDays * DAY_MS
  const guestMs = config.guestDays === 0 ? undefined : config.guestDays * DAY_MS
  const housekeeping = startHousekeeping({ store: own, auditMs, guestMs, now, log })
  running.defer(() => housekeeping.stop())
  return { backupPaths, backupRuns, backups, housekeeping }
}
