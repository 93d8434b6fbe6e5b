/** What administrators see of the service and do with it: its parts put together into routes. */
import { resolve } from 'node:path'
import { auditRoutes } from '../api/audit-routes.ts'
import { backupRoutes } from '../api/backup-routes.ts'
import { logRoutes } from '../api/log-routes.ts'
import { mailTestHandler, TEST_MS_MAX } from '../api/mail-test.ts'
import { outboxRoutes } from '../api/outbox-routes.ts'
import type { ReadinessChecks } from '../api/readiness.ts'
import { adminRoutes } from '../api/routes.ts'
import { statusRoutes } from '../api/service-status.ts'
import { sessionRoutes } from '../api/session-routes.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { LogMemory } from '../base/log-memory.ts'
import { VERSION } from '../base/version.ts'
import type { Config } from '../config/settings.ts'
import type { ShownSettings } from '../config/shown-settings.ts'
import type { ListSettings } from '../content/list-query.ts'
import type { Route } from '../http/server/router.ts'
import type { BackupPlace } from '../store/backup/backup-files.ts'
import type { BackupRuns } from '../store/backup/backup-runs.ts'
import type { BackupSchedule } from '../store/backup/backup-schedule.ts'
import type { MailService } from './mail-service.ts'
import type { Services } from './services.ts'

export interface AdministrationParts {
  readonly config: Config
  readonly services: Services
  readonly mail: MailService
  readonly checks: ReadinessChecks
  /** Where backups are, what makes them, and the schedule of those that the service makes by itself, if it does. */
  readonly backups: BackupPlace & { readonly runs: BackupRuns; readonly schedule: BackupSchedule | undefined }
  readonly startedAt: number
  readonly now: Clock
  readonly log: Log
  readonly logMemory: LogMemory
  readonly settings: () => ShownSettings
  readonly listSettings: ListSettings
  /** How long a test mail may take; for tests. */
  readonly mailTestMs?: number | undefined
}

export function administration(parts: AdministrationParts): readonly Route[] {
  const { config, services, mail, checks, backups, startedAt, now, log, logMemory, settings, listSettings } = parts
  const { mailTestMs = TEST_MS_MAX } = parts
  const { store, sessions, limits, instance, counters, emailHashes } = services
  const dataDir = resolve(config.dataDir)
  return adminRoutes(
    {
      status: statusRoutes({
        version: VERSION,
        instance,
        startedAt,
        now,
        dataDir,
        database: backups.database,
        store,
        counters,
        checks,
        mail: mail.description,
        backups: {
          schedule: backups.schedule,
          directory: backups.directory,
          everyMs: config.backupEvery,
          keep: config.backupKeep,
        },
        settings,
      }),
      log: logRoutes(logMemory),
      audit: auditRoutes({ store, settings: listSettings, emailHashes }),
      backups: backupRoutes({ ...backups, store }),
      outbox: outboxRoutes({ store, now, wakeCourier: mail.wake }),
      mailTest: mailTestHandler({ tryMail: mail.tryMail, limits, now, log, timeMs: mailTestMs }),
      sessions: sessionRoutes({ store, sessions, now }),
    },
    { sessions, now },
  )
}
