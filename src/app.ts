/** The composition root: settings → store → jobs → service → routes → server, in the order in which they start. */
import { dirname, join, resolve } from 'node:path'
import { limitsInUse, limitsOfThread } from './app/connection-limits.ts'
import { openChangeFeed } from './app/change-feed.ts'
import { openNodeService } from './app/cluster/node-service.ts'
import { requireFeedsFolder } from './app/feeds-folder.ts'
import { httpMetrics } from './app/http-metrics.ts'
import { startJobs, type Jobs } from './app/jobs.ts'
import { offsiteMetrics } from './app/offsite-concerns.ts'
import { readMailSetup, startMail } from './app/mail-service.ts'
import type { PageAsset } from './app/page-routes.ts'
import { createPictureLimit } from './app/picture-limit.ts'
import { PUBLICATION_CACHE_SHARE } from './app/publications/publication-handlers.ts'
import { createMainServer } from './app/routes.ts'
import { createService, listSettingsOf } from './app/service.ts'
import { backupMetrics, cacheMetrics, logMetrics, mailMetrics } from './app/service-metrics.ts'
import { limitSettingsOf, openServices, type Services } from './app/services.ts'
import { createLiveSettings } from './app/settings/live-settings.ts'
import { serviceSettings } from './app/settings/service-settings.ts'
import { useStoredMail } from './app/settings/stored-mail.ts'
import { createThreads } from './app/threads/serve-in-threads.ts'
import { ownStreamCounts } from './app/threads/shared-memory.ts'
import { threadCount } from './app/threads/thread-count.ts'
import { createSetupToken } from './auth/setup-token.ts'
import type { Clock } from './base/clock.ts'
import type { AdjustableLog } from './base/log.ts'
import type { LogMemory } from './base/log-memory.ts'
import type { LogOutput } from './base/log-output.ts'
import { systemReason } from './base/system-error.ts'
import { VERSION } from './base/version.ts'
import type { Secrets } from './config/secrets.ts'
import type { Config, Environment, SettingName } from './config/settings.ts'
import type { ShownSettings } from './config/shown-settings.ts'
import { createPictures } from './content/kept-pictures.ts'
import { createPageCache } from './content/reads/page-cache.ts'
import { seedBasics } from './content/seeds/seeding.ts'
import type { Changes } from './endpoints/service-parts.ts'
import { firstOfDay, warnOfForwards } from './http/untrusted-forwards.ts'
import { createRepresentation, type KeptEnvelope } from './http/representation.ts'
import { createRenewal, type KeptCertificate } from './http/certificate-renewal.ts'
import type { CertificateFiles } from './http/certificate.ts'
import { addressOfNext, isLoopback, requireSocketDirectory, urlOf, type ListenAddress } from './http/listening.ts'
import type { ServerLimits } from './http/server-limits.ts'
import { readOutboundRules } from './outbound/outbound-settings.ts'
import { readMailSettings, type MailSettings } from './mail/settings/mail-settings.ts'
import { SYSTEM } from './store/actor.ts'
import type { AuditEntry } from './store/audit/audit-trail.ts'
import { MEDIA_DIRECTORY, pictureFiles } from './store/media/picture-files.ts'
import type { BackupSchedule } from './store/backup/backup-schedule.ts'

const NEVER = new Promise<never>(() => {})
/** What `reload` takes; of all else the values of the start stay in use. */
const RELOADED: readonly string[] = ['logLevel', 'tlsCert', 'tlsKey'] satisfies SettingName[]

/** What comes from outside: time, the log, and the operator's terminal. */
export interface AppOptions {
  readonly now: Clock
  readonly log: AdjustableLog
  readonly logMemory: LogMemory
  readonly logOutput: Pick<LogOutput, 'heldBytes' | 'dropped'>
  readonly settings: ShownSettings
  readonly writeLine: (line: string) => void
  /** For a program that takes mail, which gets a few variables of it. */
  readonly environment?: Environment
  /** The descriptor of a listening socket that was handed over; it goes before the address of the settings. */
  readonly inheritedSocket?: number | undefined
  readonly pageAssets?: readonly PageAsset[] | undefined
  /** That of a run before in this process, which goes before the files of the settings. */
  readonly certificate?: KeptCertificate | undefined
  /** Narrower limits of the server, for tests. */
  readonly serverLimits?: Partial<ServerLimits>
  /** How long a test mail may take, for tests. */
  readonly mailTestMs?: number | undefined
  /** The time as a Float64 that `now` reads as well, for tests. */
  readonly clock?: SharedArrayBuffer | undefined
}

export interface App {
  /** Where it listens, with the port really bound; `unix:PATH` for a socket, which has no port. */
  readonly url: string
  readonly port: number | undefined
  /** Fresh for each start, so that a client can tell one run from the next. */
  readonly instance: string
  readonly services: Services
  readonly mail: readonly string[]
  /** The settings in use, stored ones included. */
  readonly config: Config
  readonly backups: BackupSchedule | undefined
  readonly housekeeping: Jobs['housekeeping']
  readonly schedule: Jobs['schedule']
  readonly references: Jobs['references']
  readonly feeds: Jobs['feeds']['work']
  readonly feedPictures: Jobs['feeds']['pictures']
  readonly feedFolder: Pick<Jobs['feedFolder'], 'look'>
  readonly offsite: Jobs['offsite']
  /**
   * Resolves with the reason where another database is to be used, a copy of another node's data or a backup: close this run
   * then, and start again.
   */
  readonly replaced: Promise<string>
  /** How many threads serve. */
  readonly threads: number
  /** The address that makes the first administrator, with a new token; undefined where there is one, or no page for it. */
  setupUrl(): Promise<string | undefined>
  idle(): Promise<void>
  /** Resolves when the log has the lines of all that was served so far. */
  written(): Promise<void>
  /** Resolves when all threads serve; until then the main thread does. */
  ready(): Promise<void>
  /** Takes templates and certificate again. What cannot be used is logged, and the former one stays in use. */
  reload(config: Config, settings: ShownSettings): void
  /** What the next run in this process begins with in place of what this one began with: it was reloaded since. */
  again(): { readonly config: Config; readonly options: Pick<AppOptions, 'settings' | 'certificate'> }
  close(): Promise<void>
}

/** Rejects with SettingError, TemplateError, DataDirError, SchemaError, CertificateError, ListenError or node's. */
export async function startApp(config: Config, secrets: Secrets, options: AppOptions): Promise<App> {
  const { now, log, logOutput, writeLine, environment = {} } = options
  const { inheritedSocket, pageAssets, logMemory, mailTestMs, serverLimits = {} } = options
  const startedAt = now()
  const mailSetup = readMailSetup(config, { now, environment })
  const outbound = readOutboundRules(config, { now, environment })
  for (const warning of outbound.warnings) log.warn('outbound.ca', { warning })
  const live = createLiveSettings(config, options.settings)
  // Whatever was started is stopped in reverse order: when something behind it cannot start, and at the end.
  await using starting = new AsyncDisposableStack()
  // Before anything is created: a mistyped path to a socket or certificate must not leave a data directory behind.
  const dataDir = resolve(config.dataDir)
  if (config.listen !== undefined && inheritedSocket === undefined && dirname(config.listen.path) !== dataDir) {
    requireSocketDirectory(config.listen.path)
  }
  await requireFeedsFolder(config.feedsFolder, dataDir)
  const files = certificateFiles(config)
  const renewal = files && createRenewal(files, { now, log, kept: options.certificate })
  const node = await openNodeService({ config, dataDir, secrets, now, log })
  starting.defer(() => node?.close())
  const address = addressOf(config, inheritedSocket)
  const { threads, reason } = threadCount(config.threads, { address, isNode: config.cluster !== undefined })
  if (reason !== undefined) log[config.threads === 'auto' ? 'info' : 'warn']('threads.one', { wanted: config.threads, reason })
  const others = threads === 1 ? undefined : createThreads(threads, config)
  const services = await openServices(config, secrets, {
    ...{ now, log, own: true, shared: others, cluster: node?.cluster, nodes: node?.nodes },
    limitSettings: () => limitSettingsOf(live.config()),
    guestsMb: () => live.config().guestsMb,
  })
  const { store, accounts, metrics } = services
  starting.defer(() => store.close())
  await node?.claim()
  const ensureAdmin = async (): Promise<void> => {
    if (config.adminEmail !== undefined) await accounts.ensureAdmin(config.adminEmail, now(), SYSTEM)
  }
  const recordStart = (): Promise<void> => store.as(SYSTEM).record(startRecord(options.settings))
  if (node === undefined) await ensureAdmin()

  const lookAtSettings = live.follow(services, log)
  const readMail = (next: Config): MailSettings => readMailSettings(next, { now, environment })
  const pictures = pictureFiles(join(dataDir, MEDIA_DIRECTORY))
  const pictureLimit = createPictureLimit(dataDir, () => live.config().mediaMax)
  const keptPictures = createPictures({ store, files: pictures, limit: pictureLimit, now })
  const jobs = await startJobs({
    ...{ config: live.config, dataDir, services, pictures, keptPictures, isKeeper: node?.isKeeper, outbound: outbound.rules, environment, shown: () => options.settings, lookAtSettings, now, log },
    checkCertificate: () => renewal?.check(),
    async startMail(isOnDuty) {
      const { codeMinutes } = config
      const mail = await startMail(mailSetup, { services, codeMinutes, appName: () => live.config().appName, isOnDuty, now, log, writeLine })
      return { ...mail, problem: await useStoredMail({ live, mail, readMail, log }) }
    },
  }, starting)
  const { mail, backups, housekeeping, schedule, references, feeds, feedFolder, offsite } = jobs
  const feed = openChangeFeed({
    ...{ store, metrics, log, settings: listSettingsOf(config), limits: config },
    counts: others?.streams ?? ownStreamCounts(config.streamsMax),
    tickets: ticketsOf(services, now),
    presence: services.presence,
  })
  const cacheBytes = Math.floor((config.cacheMb * 1024 * 1024) / threads)
  const represent = createRepresentation()
  const publicationCacheBytes = Math.floor(cacheBytes * PUBLICATION_CACHE_SHARE)
  const pages = createPageCache<KeptEnvelope>({ bytesMax: cacheBytes - publicationCacheBytes, now })
  const setupToken = createSetupToken()
  let [shown, reloaded] = [options.settings, config]
  const service = createService({
    ...{ services, jobs, node, config, pages, represent, setupToken, dataDir, startedAt, logMemory, mailTestMs, pageAssets, now, log },
    pictures: { keeping: keptPictures, limit: pictureLimit },
    live: live.config,
    changes: feed.changes,
    settings: serviceSettings({ live, ...services, shown: () => shown, readMail }),
  })

  const fetching = node?.pictures(store, pictures)
  const limits = limitsOfThread({ ...limitsInUse(config, log), ...serverLimits }, threads)
  const untrustedForward = firstOfDay(now, warnOfForwards(log))
  const { server, publicationPages, forwarded } = createMainServer({ service, services, node, config, live: live.config, pageAssets, pictures, fetchMissing: fetching?.fetchMissing, publicationCacheBytes, log }, {
    ...{ certificate: renewal?.current(), limits, onUntrustedForward: untrustedForward },
    shared: others,
  })
  cacheMetrics(metrics, [pages, publicationPages])
  mailMetrics(metrics, mail.failingSince)
  backupMetrics(metrics, backups.schedule)
  offsiteMetrics(metrics, offsite)
  httpMetrics(metrics, server)
  logMetrics(metrics, logOutput)
  const listening = await server.listen(others !== undefined && address.kind === 'tcp' ? { ...address, sharing: 'first' } : address)
  // After the main thread, which answers meanwhile: so the others delay no start.
  if (address.kind === 'tcp' && listening.kind === 'tcp') {
    others?.start({
      ...{ config: live.config, cacheBytes, dataDir, services, startedAt, server, untrustedForward, limits, now, log },
      ...forwarded(),
      address: addressOfNext(address, listening),
      pages: config.dashboard ? { assets: pageAssets, settings: { dashboardImages: config.dashboardImages } } : undefined,
      certificate: () => renewal?.current(),
      clock: options.clock,
    })
  }
  starting.defer(async () => {
    feed.close()
    await Promise.all([server.close(), others?.close()])
  })
  renewal?.onChange((certificate) => {
    server.setCertificate(certificate)
    others?.tell('setCertificate', certificate)
  })
  live.onChange(() => {
    backups.wake()
    void offsite.wake()
    others?.tell('setDataLimit', limitSettingsOf(live.config()).dataPerUser)
    others?.tell('setPublicUrl', live.config().publicUrl)
  })
  const url = urlOf(listening, files === undefined ? 'http' : 'https')
  if (node === undefined) await recordStart()
  else {
    starting.defer(() => node.stop())
    const catchingUp = fetching?.start()
    starting.defer(() => catchingUp?.stop())
    void node.start({ services, url: config.clusterNodeUrl ?? (isLoopback(listening) ? url : undefined), wakeCourier: mail.wake, backups: backups.schedule })
    // A node also starts, to be read, where the log cannot be written.
    void Promise.all([seedBasics(store, config), ensureAdmin()])
      .then(recordStart)
      .catch((error: unknown) => log.warn('start.not_recorded', { reason: systemReason(error) }))
  }
  starting.defer(() => mail.abortTestMails())

  const started = starting.move()
  let closed: Promise<void> | undefined
  return {
    url,
    port: listening.kind === 'tcp' ? listening.port : undefined,
    instance: services.instance,
    services,
    mail: mail.description(),
    get config() {
      return live.config()
    },
    get backups() {
      return backups.schedule()
    },
    ...{ housekeeping, schedule, references, feeds: feeds.work, feedPictures: feeds.pictures, feedFolder, offsite, idle: mail.idle },
    replaced: node?.replaced ?? backups.restores?.requested ?? NEVER,
    threads,
    async setupUrl() {
      if (!config.dashboard || listening.kind !== 'tcp' || (await accounts.hasAdministrator())) return undefined
      return `${url}/#setup=${setupToken.issue(now())}`
    },
    written: async () => others?.settle(),
    ready: async () => others?.ready(),
    reload(next, nextShown) {
      others?.tell('setLevel', next.logLevel)
      mail.reloadTemplates()
      const taken = nextShown.filter(({ name }) => RELOADED.includes(name))
      shown = shown.map((row) => taken.find(({ name }) => name === row.name) ?? row)
      const nextFiles = certificateFiles(next)
      if (nextFiles !== undefined) renewal?.reload(nextFiles)
      reloaded = { ...reloaded, logLevel: next.logLevel }
    },
    again: () => ({ config: reloaded, options: { settings: shown, certificate: renewal?.kept() } }),
    close: () => (closed ??= started.disposeAsync()),
  }
}

/** The tickets of streams, where they are made. */
function ticketsOf({ tickets, sessions }: Services, now: Clock): Changes['tickets'] {
  return {
    async sessionOf(ticket) {
      const claim = tickets.claimOf(ticket, now())
      return claim && sessions.ofClaim(claim, now())
    },
    redeem: (ticket) => tickets.redeem(ticket, now()),
  }
}

/** Settings that differ from their defaults. The e-mail address of the administrator must not outlive the account. */
function startRecord(settings: ShownSettings): AuditEntry {
  const details = settings
    .filter(({ origin }) => origin !== 'default')
    .map(({ name, value }) => ({ name, value: name === 'adminEmail' ? '***' : value }))
  return { event: 'settings', details: [{ name: 'version', value: VERSION }, ...details] }
}

function certificateFiles({ tlsCert, tlsKey }: Config): CertificateFiles | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : { certFile: tlsCert, keyFile: tlsKey }
}

function addressOf({ listen, host, port }: Config, inherited: number | undefined): ListenAddress {
  if (inherited !== undefined) return { kind: 'inherited', descriptor: inherited }
  return listen ?? { kind: 'tcp', host, port }
}
