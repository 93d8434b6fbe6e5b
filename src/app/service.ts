/** Makes the parts that handlers work with, from the open store and the running jobs. */
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
import type { PageCache } from '../content/reads/page-cache.ts'
import type { PictureLimit, Pictures } from '../content/kept-pictures.ts'
import { createReads, DATA_FORM } from '../content/reads/reads.ts'
import { createRepeats } from '../content/repeatable.ts'
import { createReviewQueue } from '../content/review-queue.ts'
import { createSyncReads } from '../content/sync/sync-pull.ts'
import { createListExports } from '../content/transfer/export-files.ts'
import { downloadSlots, uploadSlots } from '../endpoints/download-slots.ts'
import { createInvitationSender, type InvitationSender } from '../endpoints/invitation-sender.ts'
import { createMailTest } from '../endpoints/mail-test.ts'
import type { Changes, Service, SettingsAccess } from '../endpoints/service-parts.ts'
import { fileContent, keepEnvelope, type Content, type KeptEnvelope, type Represent } from '../http/representation.ts'
import { NO_PROXIES } from '../http/client-address.ts'
import { entityTag } from '../http/entity-tag.ts'
import { JSON_TYPE } from '../http/response-writer.ts'
import type { Model } from '../models/schema.ts'
import type { NodeService } from './cluster/node-service.ts'
import type { Jobs } from './jobs.ts'
import { OPENAPI_PATH, type PageAsset } from './page-routes.ts'
import { lastRestore } from './restore-outcome.ts'
import { readiness, readinessChecks } from './readiness.ts'
import { pictureMetrics } from './service-metrics.ts'
import { serviceStatus } from './service-status.ts'
import type { Services } from './services.ts'

export interface ServiceOptions {
  readonly services: Services
  readonly jobs: Jobs
  readonly changes: Changes
  readonly settings: SettingsAccess
  readonly node: NodeService | undefined
  /** Of the start; those that may change are read by `live`. */
  readonly config: Config
  readonly live: () => Config
  /** Pages that are read often. */
  readonly pages: PageCache<KeptEnvelope>
  readonly represent: Represent
  readonly setupToken: SetupToken
  readonly dataDir: string
  readonly startedAt: number
  readonly logMemory: LogMemory
  /** How long a test mail may take; undefined for the default. */
  readonly mailTestMs: number | undefined
  readonly pictures: { readonly keeping: Pictures; readonly limit: () => PictureLimit }
  /** What was built for browsers. */
  readonly pageAssets: readonly PageAsset[] | undefined
  readonly now: Clock
  readonly log: Log
}

export function listSettingsOf({ pageSize, pageSizeMax, hideInactive }: Config): ListSettings {
  return { limitDefault: pageSize, limitMax: pageSizeMax, hideInactive }
}

export function createService(options: ServiceOptions): Service {
  const { services, jobs, changes, settings, startedAt, now } = options
  const { store, newId, instance } = services
  const { paths, runs, restores, first } = jobs.backups
  const mail = mailParts(options)
  const pictures = pictureParts(options)
  return {
    ...{ instance, startedAt, now, newId, store, changes, settings, mail },
    position: store.replication?.position,
    auth: authParts(options),
    content: contentParts(options, mail.invitations),
    feeds: jobs.feeds,
    publicUrl: () => options.live().publicUrl,
    backups: { paths, runs, restores, first, lastRestore: () => lastRestore(store), makeOffsite: () => void jobs.offsite.make(), placeNames: () => jobs.offsite.places().map(({ name }) => name) },
    operation: operationParts(options, pictures.limit),
    downloads: downloadSlots(),
    pictures,
    uploads: uploadSlots(),
  }
}

function authParts({ services, jobs: { mail }, config, live, setupToken, now, log }: ServiceOptions): Service['auth'] {
  const { store, accounts, passkeys, codes, sessions, limits, emailHashes, tickets } = services
  const { codeMinutes, authHeader } = config
  return {
    ...{ accounts, passkeys, codes, sessions, limits, emailHashes, setupToken, codeMinutes, authHeader },
    refusedSignIns: createRefusedSignIns({ store, now, log }),
    issueTicket({ claim }, time) {
      const { ticket, expiresAt } = tickets.issue(claim, time)
      return { ticket, expiresAt: isoDate(expiresAt) }
    },
    hasProxies: config.trustedProxies !== NO_PROXIES,
    setup: () => ({ appName: live().appName, codesBy: mail.isConsole() ? 'terminal' : 'mail', codeMinutes }),
  }
}

function mailParts({ services: { accounts, limits }, jobs: { mail }, live, mailTestMs, now, log }: ServiceOptions): Service['mail'] {
  const { wake: wakeCourier, sendTestMail, isConsole } = mail
  return {
    wakeCourier,
    testMail: createMailTest({ sendTestMail, limits, now, log, timeMs: mailTestMs }),
    invitations: createInvitationSender({ accounts, hasMail: () => !isConsole(), url: () => live().invitationUrl, wakeCourier }),
  }
}

function contentParts(options: ServiceOptions, { invite }: Pick<InvitationSender, 'invite'>): Service['content'] {
  const { services, jobs, changes, config, live, pages, represent, node, now } = options
  const { store, accounts, newId, instance } = services
  const { publicRemoteConfig, flagBaseUrl } = config
  const listSettings = listSettingsOf(config)
  const repeats = createRepeats({ store, now })
  return {
    ...{ repeats, listSettings, publicRemoteConfig, flagBaseUrl, represent },
    documents: createDocuments({
      ...{ store, now, newId, repeats, live },
      settings: listSettings,
      invitations: { invite, check: accounts.checkInvitation },
      trashMs: () => live().trashDays * DAY_MS,
    }),
    review: createReviewQueue({ store, now, live }),
    reads: createReads({ store, pages, nameOf: entityTag, keep: keepEnvelope, form: DATA_FORM, instance, versionsOf: node?.versionsOf }),
    sync: createSyncReads({ store, changes: changes.pages, settings: listSettings, now }),
    exports: createListExports(jobs.backups.paths.database),
  }
}

function pictureParts({ services: { store, metrics }, pictures, config, live }: ServiceOptions): Service['pictures'] {
  pictureMetrics(metrics, store, pictures.limit)
  return {
    ...pictures,
    base: { publicUrl: () => live().publicUrl, isTls: config.tlsCert !== undefined },
  }
}

function operationParts(options: ServiceOptions, pictureLimit: () => PictureLimit): Service['operation'] {
  const { services, jobs, live, dataDir, startedAt, logMemory, pageAssets, node, now } = options
  const { store, instance, metrics, counters, guestLimit } = services
  const { mail, backups, offsite, schedule, feedFolder } = jobs
  const checks = readinessChecks({ store, dataDir, backups: backups.schedule, offsite, mailFailingSince: mail.failingSince, folderConcern: feedFolder.concern, now, replication: store.replication })
  const status = {
    version: VERSION,
    ...{ instance, startedAt, now, dataDir, database: backups.paths.database, store, guestLimit, pictureLimit, counters, checks },
    mail: mail.description,
    ...{ replication: store.replication, cluster: node?.concerns },
    schedule: schedule.concerns,
    folderConcern: feedFolder.concern,
    mailProblem: mail.problem,
    backups: () => ({
      offsite,
      schedule: backups.schedule(),
      directory: backups.paths.directory,
      everyMs: backups.everyMs(),
      keep: live().backupKeep,
    }),
  }
  return {
    ...{ metrics, logMemory, cluster: node?.status },
    status: () => serviceStatus(status),
    readiness: () => readiness(checks),
    openApi: openApiReader(pageAssets),
  }
}

/** Each document is made once; that of the whole API may have been built with the pages. */
function openApiReader(pageAssets: readonly PageAsset[] | undefined): (model?: Model) => Content {
  const built = pageAssets?.find(({ path }) => path === OPENAPI_PATH)
  const known = new Map<Model | undefined, Content>()
  return (model) => {
    const found = known.get(model)
    if (found !== undefined) return found
    const own = model === undefined ? built : undefined
    const made = fileContent(JSON_TYPE, own ?? { body: Buffer.from(JSON.stringify(openApiFor({ version: VERSION, model }))) })
    known.set(model, made)
    return made
  }
}
