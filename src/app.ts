/** The composition root: config → store → mailer → services → routes → server. The only place that wires. */
import { dirname, resolve } from 'node:path'
import { limitsInUse, limitsOfThread } from './app/connection-limits.ts'
import { openChangeFeed } from './app/change-feed.ts'
import { endpointContext, listSettingsOf } from './app/endpoint-context.ts'
import { httpMetrics } from './app/http-metrics.ts'
import { readMailSetup, startMail } from './app/mail-service.ts'
import { pageRoutes, type PageAsset } from './app/page-routes.ts'
import { logMetrics } from './app/service-metrics.ts'
import { openNodeService } from './app/cluster/node-service.ts'
import { limitSettingsOf, openServices, type Services } from './app/services.ts'
import { createLiveSettings } from './app/settings/live-settings.ts'
import { serviceSettings } from './app/settings/service-settings.ts'
import { useStoredMail } from './app/settings/stored-mail.ts'
import { startReferenceThread } from './app/references/reference-thread.ts'
import { startReferenceWork, type ReferenceWork } from './app/references/reference-work.ts'
import { startUpkeep } from './app/upkeep.ts'
import type { Clock } from './base/clock.ts'
import type { AdjustableLog } from './base/log.ts'
import type { LogMemory } from './base/log-memory.ts'
import type { LogOutput } from './base/log-output.ts'
import { createSetupToken } from './auth/setup-token.ts'
import { systemReason } from './base/system-error.ts'
import { VERSION } from './base/version.ts'
import type { Schedule } from './content/schedule.ts'
import { seedBasics } from './content/seeds/seeding.ts'
import type { Secrets } from './config/secrets.ts'
import type { Config, Environment, SettingName } from './config/settings.ts'
import type { ShownSettings } from './config/shown-settings.ts'
import { ENDPOINTS } from './endpoints/endpoints.ts'
import { routesOf } from './endpoints/guard.ts'
import { createPositionGate } from './endpoints/position-gate.ts'
import { createMainView, ownStreamCounts } from './app/threads/shared-memory.ts'
import { serveInThreads } from './app/threads/serve-in-threads.ts'
import { threadCount } from './app/threads/thread-count.ts'
import { createRouter } from './http/server/router.ts'
import { startRenewal, type KeptCertificate } from './http/server/certificate-renewal.ts'
import type { Certificate, CertificateFiles } from './http/server/certificate.ts'
import { addressOfNext, isLoopback, requireSocketDirectory, urlOf, type ListenAddress } from './http/server/listening.ts'
import type { ServerLimits } from './http/server/server-limits.ts'
import { firstOfDay, warnOfForwards } from './http/guard/untrusted-forwards.ts'
import { createServer, type HttpServer } from './http/server/server.ts'
import { readMailSettings, type MailSettings } from './mail/settings/mail-settings.ts'
import { SYSTEM } from './store/actor.ts'
import type { AuditEntry } from './store/audit/audit-record.ts'
import type { BackupSchedule } from './store/backup/backup-schedule.ts'
import type { Housekeeping } from './store/housekeeping.ts'

const API = '/api/'
const NEVER = new Promise<never>(() => {})
/** What `reload` takes; of all else the values of the start stay in use. */
const RELOADED: readonly string[] = ['logLevel', 'tlsCert', 'tlsKey'] satisfies SettingName[]

/** What comes from outside: time, the log, and the operator's terminal. */
export interface Surroundings {
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
  readonly housekeeping: Housekeeping
  readonly references: ReferenceWork
  readonly schedule: Schedule
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
  again(): { readonly config: Config; readonly surroundings: Pick<Surroundings, 'settings' | 'certificate'> }
  close(): Promise<void>
}

/** Rejects with MailSettingError, TemplateError, DataDirError, SchemaError, CertificateError, ListenError or node's. */
export async function startApp(config: Config, secrets: Secrets, surroundings: Surroundings): Promise<App> {
  const { now, log, logOutput, writeLine, environment = {} } = surroundings
  const { inheritedSocket, pageAssets, serverLimits = {} } = surroundings
  const startedAt = now()
  const mailSetup = readMailSetup(config, { now, environment })
  const live = createLiveSettings(config, surroundings.settings)
  // Whatever was started is stopped in reverse order: when something behind it cannot start, and at the end.
  await using starting = new AsyncDisposableStack()
  // Before anything is created: a mistyped path to a socket or certificate must not leave a data directory behind.
  const dataDir = resolve(config.dataDir)
  if (config.listen !== undefined && inheritedSocket === undefined && dirname(config.listen.path) !== dataDir) {
    requireSocketDirectory(config.listen.path)
  }
  const files = certificateFiles(config)
  const renewal =
    files === undefined ? undefined : startRenewal(files, (next) => useCertificate(next), { now, log, kept: surroundings.certificate })
  starting.defer(() => renewal?.stop())
  let certificate = renewal?.first
  const useCertificate = (next: Certificate): void => {
    certificate = next
    server.setCertificate(next)
    others?.setCertificate(next)
  }
  const node = await openNodeService({ config, dataDir, now, log })
  starting.defer(() => node?.close())
  const address = addressOf(config, inheritedSocket)
  const { threads, reason } = threadCount(config.threads, { address, isNode: config.cluster !== undefined })
  if (reason !== undefined) log[config.threads === 'auto' ? 'info' : 'warn']('threads.one', { wanted: config.threads, reason })
  const view = threads === 1 ? undefined : createMainView(threads, config.streamsMax)
  const shared = view && { windows: view.memory.windows, gate: view.gate }
  const services = await openServices(config, secrets, { ...{ now, log, own: true, shared, cluster: node?.cluster, nodes: node?.nodes }, limitSettings: () => limitSettingsOf(live.config()), guestsMb: () => live.config().guestsMb })
  const { store, accounts, sessions, newId, instance, metrics, counters } = services
  starting.defer(() => store.close())
  await node?.claim(services)
  const ensureAdmin = async (): Promise<void> => {
    if (config.adminEmail !== undefined) await accounts.ensureAdmin(config.adminEmail, now(), SYSTEM)
  }
  const recordStart = (): Promise<void> => store.as(SYSTEM).record(startRecord(surroundings.settings))
  if (node === undefined) await ensureAdmin()
  const following = await live.follow(services, log)
  starting.defer(() => following.stop())
  const readMail = (next: Config): MailSettings => readMailSettings(next, { now, environment })
  const mail = await startMail(mailSetup, {
    ...{ services, now, log, writeLine, isOnDuty: node?.isKeeper },
    codeMinutes: config.codeMinutes,
    appName: () => live.config().appName,
  })
  starting.defer(() => mail.stop())
  const storedMail = await useStoredMail({ live, mail, readMail, log })
  const upkeep = await startUpkeep({ config: live.config, dataDir, services, isOnDuty: node?.isKeeper, isNode: node !== undefined, now, log }, starting)
  // On a node, each step is an entry of the log, which the store of the service writes.
  const startThread = () => startReferenceThread({ dataDir, trash: config.trashDays > 0, store })
  const references = startReferenceWork({ store, isOnDuty: node?.isKeeper, metrics, log, ...(node === undefined && { startThread }) })
  starting.defer(() => references.stop())
  const positions = store.replication === undefined ? undefined : createPositionGate(store.replication)
  let [shown, reloaded] = [surroundings.settings, config]
  const feed = openChangeFeed({
    ...{ store, metrics, now, log, settings: listSettingsOf(config), limits: config },
    counts: view?.streams ?? ownStreamCounts(config.streamsMax),
    tickets: {
      async sessionOfTicket(ticket) {
        const claim = services.tickets.claimOf(ticket, now())
        return claim && sessions.ofClaim(claim, now())
      },
      redeemTicket: (ticket) => services.tickets.redeem(ticket, now()),
    },
  })
  const { logMemory, mailTestMs } = surroundings
  const cacheBytes = Math.floor((config.cacheMb * 1024 * 1024) / threads)
  const setupToken = createSetupToken()
  const context = endpointContext({
    ...{ config, cacheBytes, dataDir, services, mail, upkeep, startedAt, now, log, logMemory, mailTestMs, pageAssets },
    live,
    settings: serviceSettings({ live, ...services, shown: () => shown, readMail }),
    mailProblem: storedMail.problem,
    node,
    feed,
    setupToken,
  })
  const routes = [
    ...routesOf(ENDPOINTS, context, { sessions, limits: services.limits, now, positions }),
    ...(node?.routes(services) ?? []),
    ...(config.dashboard ? pageRoutes(pageAssets, config) : []),
  ]
  if (config.dashboard && pageAssets === undefined) log.warn('dashboard.missing', { advice: 'npm start builds it' })
  const router = createRouter(routes)
  const limits = limitsOfThread({ ...limitsInUse(config, log), ...serverLimits }, threads)
  const untrustedForward = firstOfDay(now, warnOfForwards(log))
  const server: HttpServer = createServer({
    router,
    newRequestId: newId,
    now,
    log,
    cors: config.corsOrigins,
    proxies: config.trustedProxies,
    onUntrustedForward: untrustedForward,
    instance,
    routeHeaders: positions === undefined ? undefined : (route) => (route.startsWith(API) ? positions.headers() : []),
    allowedHosts: config.allowedHosts,
    nodeHost: config.clusterNodeUrl && new URL(config.clusterNodeUrl).hostname,
    certificate,
    limits,
    onConnection: services.arrivals.add,
    observe: counters.request,
    shared: view && {
      bodies: view.bodies,
      connections: { counts: view.connections, endElsewhere: async (key) => (await others?.endElsewhere(key)) ?? false },
    },
  })
  httpMetrics(metrics, server)
  logMetrics(metrics, logOutput)
  const listening = await server.listen(
    view !== undefined && address.kind === 'tcp' ? { ...address, sharing: 'first' } : address,
  )
  // After the main thread, which answers meanwhile: so the others delay no start.
  const others =
    view === undefined || listening.kind !== 'tcp' || address.kind !== 'tcp'
      ? undefined
      : serveInThreads({
          ...{ threads, view, config: live.config, cacheBytes, dataDir, services, startedAt, router, limits, now, log },
          server,
          untrustedForward,
          address: addressOfNext(address, listening),
          routes: routes.map(({ method, path }) => ({ method, path })),
          pages: config.dashboard ? { assets: pageAssets, settings: { dashboardImages: config.dashboardImages } } : undefined,
          certificate: () => certificate,
          clock: surroundings.clock,
        })
  starting.defer(async () => {
    feed.close()
    await Promise.all([server.close(), others?.close()])
  })
  live.onChange(() => {
    upkeep.settingsChanged()
    others?.setDataLimit(limitSettingsOf(live.config()).dataPerUser)
  })
  const url = urlOf(listening, files === undefined ? 'http' : 'https')
  if (node === undefined) await recordStart()
  else {
    starting.defer(() => node.stop())
    void node.start({ services, url: config.clusterNodeUrl ?? (isLoopback(listening) ? url : undefined), wakeCourier: mail.wake, backups: upkeep.backups })
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
    instance,
    services,
    mail: mail.description(),
    get config() {
      return live.config()
    },
    get backups() {
      return upkeep.backups()
    },
    housekeeping: upkeep.housekeeping,
    references,
    schedule: upkeep.schedule,
    replaced: node?.replaced ?? upkeep.restores?.requested ?? NEVER,
    threads,
    async setupUrl() {
      if (!config.dashboard || listening.kind !== 'tcp' || (await accounts.hasAdministrator())) return undefined
      return `${url}/#setup=${setupToken.issue(now())}`
    },
    idle: mail.idle,
    written: async () => others?.settle(),
    ready: async () => others?.ready,
    reload(next, nextShown) {
      others?.setLevel(next.logLevel)
      mail.reloadTemplates()
      const taken = nextShown.filter(({ name }) => RELOADED.includes(name))
      shown = shown.map((row) => taken.find(({ name }) => name === row.name) ?? row)
      const nextFiles = certificateFiles(next)
      if (nextFiles !== undefined) renewal?.reload(nextFiles)
      reloaded = { ...reloaded, logLevel: next.logLevel }
    },
    again: () => ({ config: reloaded, surroundings: { settings: shown, certificate: renewal?.kept() } }),
    close: () => (closed ??= started.disposeAsync()),
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
