/** What the handlers of the endpoints work with. */
import { openApiFor } from '../api/openapi/openapi-of-model.ts'
import { createRefusedSignIns } from '../auth/refused-sign-ins.ts'
import type { SetupToken } from '../auth/setup-token.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { DAY_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import type { LogMemory } from '../base/log-memory.ts'
import { VERSION } from '../base/version.ts'
import type { Config } from '../config/settings.ts'
import { createDocuments } from '../content/documents.ts'
import type { ListSettings } from '../content/reads/list-query.ts'
import type { Model } from '../models/schema.ts'
import { createListExports } from '../content/transfer/export-files.ts'
import { createPageCache } from '../content/reads/page-cache.ts'
import { createRepeats } from '../content/repeatable.ts'
import { createReviewQueue } from '../content/review-queue.ts'
import { createReads } from '../content/reads/reads.ts'
import { createSyncReads } from '../content/sync/sync-pull.ts'
import { downloadSlots } from '../endpoints/download-slots.ts'
import type { EndpointContext } from '../endpoints/endpoints.ts'
import type { SettingsAccess } from '../endpoints/setting-endpoints.ts'
import { invitationService } from '../endpoints/invitation-endpoints.ts'
import { createMailTest } from '../endpoints/mail-test.ts'
import type { StaticText } from '../endpoints/system.ts'
import { createEnvelopeCoder } from '../http/coding/envelope-coder.ts'
import { NO_PROXIES } from '../http/request/client-address.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { NodeService } from './cluster/node-service.ts'
import type { startMail } from './mail-service.ts'
import { OPENAPI_PATH, type PageAsset } from './page-routes.ts'
import { lastRestore } from './restore-outcome.ts'
import { readiness, readinessChecks } from './readiness.ts'
import { cacheMetrics, mailMetrics } from './service-metrics.ts'
import { serviceStatus } from './service-status.ts'
import type { Services } from './services.ts'
import type { LiveSettings } from './settings/live-settings.ts'
import type { startUpkeep } from './upkeep.ts'

export interface ContextParts {
  /** The settings in use, of which some may change. */
  readonly config: Config
  readonly live: LiveSettings
  /** Memory for pages that are read often. */
  readonly cacheBytes: number
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
  readonly node: NodeService | undefined
  readonly feed: ChangeFeed
  readonly settings: SettingsAccess
  /** Why the stored mail settings are not used; undefined where they are. */
  readonly mailProblem: () => string | undefined
  readonly setupToken: SetupToken
}

export function listSettingsOf({ pageSize, pageSizeMax, hideInactive }: Config): ListSettings {
  return { limitDefault: pageSize, limitMax: pageSizeMax, hideInactive }
}

export function endpointContext(parts: ContextParts): EndpointContext {
  const { config, live, dataDir, services, mail, upkeep, startedAt, now, log, logMemory, mailTestMs } = parts
  const { pageAssets, node, setupToken } = parts
  const { store, accounts, passkeys, codes, sessions, tickets, limits, newId, instance, metrics, counters, emailHashes, guestLimit } = services
  const { backupPaths, backupRuns, restores, backups, backupEveryMs, schedule } = upkeep
  const listSettings = listSettingsOf(config)
  const invitations = invitationService({
    accounts,
    hasMail: () => !mail.isConsole(),
    url: () => live.config().invitationUrl,
    wakeCourier: mail.wake,
  })
  const repeats = createRepeats({ store, now })
  const documents = createDocuments({
    store,
    now,
    newId,
    settings: listSettings,
    invitations: { invite: invitations.invite, check: accounts.checkInvitation },
    trashMs: () => live.config().trashDays * DAY_MS,
    isReviewOn: () => live.config().review,
    repeats,
  })
  const review = createReviewQueue({ store, now, isReviewOn: () => live.config().review })
  const pages = createPageCache({ bytesMax: parts.cacheBytes, now })
  cacheMetrics(metrics, pages)
  mailMetrics(metrics, mail.failingSince)
  const checks = readinessChecks({ store, dataDir, backups, mailFailingSince: mail.failingSince, now, replication: store.replication })
  const status = {
    version: VERSION,
    ...{ instance, startedAt, now, dataDir, database: backupPaths.database, store, guestLimit, counters, checks },
    mail: mail.description,
    cluster: node?.concerns,
    schedule: schedule.concerns,
    mailProblem: parts.mailProblem,
    backups: () => ({
      schedule: backups(),
      directory: backupPaths.directory,
      everyMs: backupEveryMs(),
      keep: live.config().backupKeep,
    }),
  }
  const builtOpenApi = pageAssets?.find(({ path }) => path === OPENAPI_PATH)
  const openApi = new Map<Model | undefined, StaticText>()
  return {
    ...{ accounts, passkeys, codes, sessions, limits, store, emailHashes, documents, newId, now, metrics, instance, startedAt },
    ...{ invitations, review, repeats, backupPaths, backupRuns, restores, listSettings, logMemory, settings: parts.settings },
    reads: createReads({ store, pages, instance, versionsOf: node?.versionsOf }),
    sync: createSyncReads({ store, changes: parts.feed.context.changes, settings: listSettings, now }),
    coder: createEnvelopeCoder(),
    ...parts.feed.context,
    issueTicket({ claim }, time) {
      const { ticket, expiresAt } = tickets.issue(claim, time)
      return { ticket, expiresAt: isoDate(expiresAt) }
    },
    publicRemoteConfig: config.publicRemoteConfig,
    flagBaseUrl: config.flagBaseUrl,
    authHeader: config.authHeader,
    setupToken,
    refusedSignIns: createRefusedSignIns({ store, now, log }),
    codeMinutes: config.codeMinutes,
    hasProxies: config.trustedProxies !== NO_PROXIES,
    setup: () => ({
      appName: live.config().appName,
      codesBy: mail.isConsole() ? 'terminal' : 'mail',
      codeMinutes: config.codeMinutes,
    }),
    wakeCourier: mail.wake,
    testMail: createMailTest({ sendTestMail: mail.sendTestMail, limits, now, log, timeMs: mailTestMs }),
    downloads: downloadSlots(),
    lastRestore: () => lastRestore(store),
    exports: createListExports(backupPaths.database),
    status: () => serviceStatus(status),
    cluster: node?.status,
    position: store.replication?.position,
    openApi(model) {
      const known = openApi.get(model) ?? (model === undefined ? builtOpenApi : undefined)
      if (known !== undefined) return known
      const made = { body: Buffer.from(JSON.stringify(openApiFor({ version: VERSION, model }))) }
      openApi.set(model, made)
      return made
    },
    readiness: () => readiness(checks),
  }
}
