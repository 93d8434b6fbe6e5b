/** What the service does beside requests: backups and scheduled publishing as they are due, and deleting what is past its time. */
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { DAY_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import { startSchedule } from '../content/schedule.ts'
import type { Config } from '../config/settings.ts'
import { SYSTEM } from '../store/actor.ts'
import { BACKUPS_DIRECTORY } from '../store/backup/backup.ts'
import { backupRule, lackOfRoom, type BackupRule, startBackups, type BackupSchedule } from '../store/backup/backup-schedule.ts'
import { createBackupRestores } from '../store/backup/backup-restores.ts'
import { createBackupRuns } from '../store/backup/backup-runs.ts'
import { databaseFile } from '../store/db/data-dir.ts'
import { startHousekeeping, type KeptTimes } from '../store/housekeeping.ts'
import { freeBytes } from './readiness.ts'
import { backupMetrics, sizeOf } from './service-metrics.ts'
import type { Services } from './services.ts'

export interface UpkeepParts {
  /** The settings in use, which may change. */
  readonly config: () => Config
  readonly dataDir: string
  readonly services: Pick<Services, 'store' | 'metrics' | 'guestLimit'>
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty: (() => boolean) | undefined
  /** The log of a cluster is trimmed behind backups, so that there have to be some. */
  readonly isNode: boolean
  readonly now: Clock
  readonly log: Log
}

/** Starts it; `running` stops it. Rejects where the time of the last backup cannot be read. */
export async function startUpkeep({ config, dataDir, services, isOnDuty, isNode, now, log }: UpkeepParts, running: AsyncDisposableStack) {
  const { store, metrics } = services
  const backupPaths = { database: databaseFile(dataDir), directory: join(dataDir, BACKUPS_DIRECTORY) }
  const backupRuns = createBackupRuns({ ...backupPaths, keep: () => config().backupKeep, now, log })
  running.defer(() => backupRuns.stop())
  const makesAdmin = config().adminEmail !== undefined
  const restores = isNode
    ? undefined
    : createBackupRestores({ dir: { path: dataDir, database: backupPaths.database }, paths: backupPaths, store, makesAdmin, now, log })
  running.defer(() => restores?.stop())
  const rule = (): BackupRule | undefined => backupRule(config().backupEvery, isNode)
  const findLack = async (): Promise<string | undefined> => {
    const [bytes, logBytes] = [await sizeOf(backupPaths.database), await sizeOf(`${backupPaths.database}-wal`)]
    return lackOfRoom({ bytes: bytes + logBytes, freeBytes: await freeBytes(dataDir) })
  }
  const schedule = await startBackups({ store, runs: backupRuns, rule, findLack, isOnDuty, now, log })
  running.defer(() => schedule.stop())
  const backups = (): BackupSchedule | undefined => (rule() === undefined ? undefined : schedule)
  backupMetrics(metrics, backups)
  const kept = (): KeptTimes => ({ ...keptTimes(config()), guestBytesMax: services.guestLimit().bytesMax })
  const housekeeping = startHousekeeping({ store, kept, isOnDuty, now, log })
  running.defer(() => housekeeping.stop())
  const isReviewOn = (): boolean => config().review
  const publishing = startSchedule({ store, own: store.as(SYSTEM), isReviewOn, isOnDuty, now, log })
  running.defer(() => publishing.stop())
  return {
    ...{ backupPaths, backupRuns, restores, housekeeping, schedule: publishing },
    /** Undefined while the service makes none by itself. */
    backups,
    backupEveryMs: (): number | undefined => rule()?.everyMs,
    /** The settings have changed: a backup may be due earlier. */
    settingsChanged: (): void => schedule.wake(),
  }
}

function keptTimes({ auditDays, guestDays, historyDays, trashDays }: Config): Omit<KeptTimes, 'guestBytesMax'> {
  return {
    auditMs: auditDays === 0 ? undefined : auditDays * DAY_MS,
    guestMs: guestDays === 0 ? undefined : guestDays * DAY_MS,
    historyMs: historyDays * DAY_MS,
    trashMs: trashDays * DAY_MS,
  }
}
