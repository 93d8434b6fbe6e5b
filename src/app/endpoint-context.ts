/** What the handlers of the endpoints work with. */
import { openApiDocument } from '../api/openapi/openapi.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { LogMemory } from '../base/log-memory.ts'
import { VERSION } from '../base/version.ts'
import type { Config } from '../config/settings.ts'
import type { ShownSettings } from '../config/shown-settings.ts'
import { createDocuments } from '../content/documents.ts'
import { createPageCache } from '../content/page-cache.ts'
import { createReads } from '../content/reads.ts'
import { downloadSlots } from '../endpoints/download-slots.ts'
import type { EndpointContext } from '../endpoints/endpoints.ts'
import { createMailTest } from '../endpoints/mail-test.ts'
import type { StaticText } from '../endpoints/system.ts'
import { createEnvelopeCoder } from '../http/coding/envelope-coder.ts'
import { NO_PROXIES } from '../http/request/client-address.ts'
import type { startMail } from './mail-service.ts'
import { OPENAPI_PATH, type PageAsset } from './page-routes.ts'
import { readinessChecks, reasonsAgainst } from './readiness.ts'
import { cacheMetrics } from './service-metrics.ts'
import { serviceStatus } from './service-status.ts'
import type { Services } from './services.ts'
import type { startUpkeep } from './upkeep.ts'

export interface ContextParts {
  readonly config: Config
  readonly dataDir: string
  readonly services: Services
  readonly mail: Awaited<ReturnType<typeof startMail>>
  readonly upkeep: Awaited<ReturnType<typeof startUpkeep>>
  readonly startedAt: number
  readonly now: Clock
  readonly log: Log
  readonly logMemory: LogMemory
  readonly mailTestMs: number | undefined
  /** What was built for browsers. */
  readonly pageAssets: readonly PageAsset[] | undefined
  /** The settings in use. */
  readonly shownSettings: () => ShownSettings
}

export function endpointContext(parts: ContextParts): EndpointContext {
  const { config, dataDir, services, mail, upkeep, startedAt, now, log, logMemory, mailTestMs, shownSettings } = parts
  const { pageAssets } = parts
  const { store, accounts, sessions, limits, newId, instance, metrics, counters, emailHashes } = services
  const { backupPaths, backupRuns, backups } = upkeep
  const listSettings = { limitDefault: config.pageSize, limitMax: config.pageSizeMax, hideInactive: config.hideInactive }
  const documents = createDocuments({
    store,
    now,
    newId,
    settings: listSettings,
    invitations: { invite: accounts.invite, check: accounts.checkInvitation },
  })
  const pages = createPageCache({ bytesMax: config.cacheMb * 1024 * 1024, now })
  cacheMetrics(metrics, pages)
  const checks = readinessChecks({ store, dataDir, backups, now })
  const status = {
    version: VERSION,
    ...{ instance, startedAt, now, dataDir, database: backupPaths.database, store, counters, checks },
    mail: mail.description,
    backups: {
      schedule: backups,
      directory: backupPaths.directory,
      everyMs: config.backupEvery,
      keep: config.backupKeep,
    },
  }
  const builtOpenApi = pageAssets?.find(({ path }) => path === OPENAPI_PATH)
  let openApi: StaticText | undefined
  return {
    ...{ accounts, sessions, limits, store, emailHashes, documents, now, metrics, instance, startedAt },
    ...{ backupPaths, backupRuns, listSettings, logMemory, shownSettings },
    reads: createReads({ store, pages, instance }),
    coder: createEnvelopeCoder(),
    publicRemoteConfig: config.publicRemoteConfig,
    hasProxies: config.trustedProxies !== NO_PROXIES,
    setup: {
      appName: config.appName,
      codesBy: config.mail.kind === 'console' ? 'terminal' : 'mail',
      codeMinutes: config.codeMinutes,
    },
    wakeCourier: mail.wake,
    testMail: createMailTest({ sendTestMail: mail.sendTestMail, limits, now, log, timeMs: mailTestMs }),
    downloads: downloadSlots(),
    status: () => serviceStatus(status),
    openApi: () =>
      (openApi ??= builtOpenApi ?? { body: Buffer.from(JSON.stringify(openApiDocument({ version: VERSION }))) }),
    unreadyReasons: () => reasonsAgainst(checks),
  }
}
