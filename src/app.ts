/** The composition root: config → store → mailer → services → routes → server. The only place that wires. */
import { dirname, join, resolve } from 'node:path'
import { openApiDocument } from './api/openapi/openapi.ts'
import { httpMetrics } from './app/http-metrics.ts'
import { readMailSetup, startMail } from './app/mail-service.ts'
import { pageRoutes, type PageAsset } from './app/page-routes.ts'
import { readinessChecks, reasonsAgainst } from './app/readiness.ts'
import { backupMetrics, logMetrics } from './app/service-metrics.ts'
import { serviceStatus } from './app/service-status.ts'
import { openServices, type Services } from './app/services.ts'
import type { Clock } from './base/clock.ts'
import { DAY_MS } from './base/duration.ts'
import { openFilesMax } from './base/open-files.ts'
import type { Log } from './base/log.ts'
import type { LogMemory } from './base/log-memory.ts'
import type { LogOutput } from './base/log-output.ts'
import { VERSION } from './base/version.ts'
import type { Secrets } from './config/secrets.ts'
import type { Config, Environment, SettingName } from './config/settings.ts'
import type { ShownSettings } from './config/shown-settings.ts'
import { createDocuments } from './content/documents.ts'
import { downloadSlots } from './endpoints/download-slots.ts'
import { ENDPOINTS, type EndpointContext } from './endpoints/endpoints.ts'
import { routesOf } from './endpoints/guard.ts'
import { createMailTest } from './endpoints/mail-test.ts'
import { NO_PROXIES } from './http/request/client-address.ts'
import { createRouter } from './http/server/router.ts'
import { startRenewal } from './http/server/certificate-renewal.ts'
import type { CertificateFiles } from './http/server/certificate.ts'
import { requireSocketDirectory, urlOf, type ListenAddress } from './http/server/listening.ts'
import { SERVER_LIMITS, type ServerLimits } from './http/server/server-limits.ts'
import { createServer, type HttpServer } from './http/server/server.ts'
import { SYSTEM } from './store/actor.ts'
import type { AuditEntry } from './store/audit/audit-record.ts'
import { createBackupRuns } from './store/backup/backup-runs.ts'
import { startBackups, type BackupSchedule } from './store/backup/backup-schedule.ts'
import { databaseFile } from './store/sqlite/data-dir.ts'
import { startHousekeeping, type Housekeeping } from './store/sqlite/housekeeping.ts'

/** Open files that are no connections of clients: the database in several threads, mail, backups, pipes. */
const FILES_RESERVED = 256
const CONNECTIONS_MIN = 64
const BACKUPS_DIRECTORY = 'backups'
/** What `reload` takes; of all else the values of the start stay in use. */
const RELOADED: readonly string[] = ['logLevel', 'tlsCert', 'tlsKey'] satisfies SettingName[]

/** What comes from outside: time, the log, and the operator's terminal. */
export interface Surroundings {
  readonly now: Clock
  readonly log: Log
  readonly logMemory: LogMemory
  readonly logOutput: Pick<LogOutput, 'heldBytes' | 'dropped'>
  readonly settings: ShownSettings
  readonly writeLine: (line: string) => void
  /** For a program that takes mail, which gets a few variables of it. */
  readonly environment?: Environment
  /** The descriptor of a listening socket that was handed over; it goes before the address of the settings. */
  readonly inheritedSocket?: number | undefined
  readonly pageAssets?: readonly PageAsset[] | undefined
  /** Narrower limits of the server, for tests. */
  readonly serverLimits?: Partial<ServerLimits>
  /** How long a test mail may take, for tests. */
  readonly mailTestMs?: number | undefined
}

export interface App {
  /** Where it listens, with the port really bound; `unix:PATH` for a socket, which has no port. */
  readonly url: string
  readonly port: number | undefined
  /** Fresh for each start, so that a client can tell one run from the next. */
  readonly instance: string
  readonly services: Services
  readonly mail: readonly string[]
  readonly backups: BackupSchedule | undefined
  readonly housekeeping: Housekeeping
  idle(): Promise<void>
  /** Takes templates and certificate again. What cannot be used is logged, and the former one stays in use. */
  reload(config: Config, settings: ShownSettings): void
  close(): Promise<void>
}

/** Rejects with MailSettingError, TemplateError, DataDirError, SchemaError, CertificateError, ListenError or node's. */
export async function startApp(config: Config, secrets: Secrets, surroundings: Surroundings): Promise<App> {
  const { now, log, logMemory, logOutput, writeLine, environment = {} } = surroundings
  const { inheritedSocket, pageAssets, serverLimits = {} } = surroundings
  const startedAt = now()
  const mailSetup = readMailSetup(config, { now, environment })
  // Whatever was started is stopped in reverse order: when something behind it cannot start, and at the end.
  await using starting = new AsyncDisposableStack()
  // Before anything is created: a mistyped path to a socket or certificate must not leave a data directory behind.
  const dataDir = resolve(config.dataDir)
  if (config.listen !== undefined && inheritedSocket === undefined && dirname(config.listen.path) !== dataDir) {
    requireSocketDirectory(config.listen.path)
  }
  const files = certificateFiles(config)
  const renewal =
    files === undefined ? undefined : startRenewal(files, (next) => server.setCertificate(next), { now, log })
  starting.defer(() => renewal?.stop())
  const services = await openServices(config, secrets, { now, log, own: true })
  const { store, accounts, sessions, limits, newId, instance, metrics, counters, emailHashes } = services
  starting.defer(() => store.close())
  if (config.adminEmail !== undefined) await accounts.ensureAdmin(config.adminEmail, now(), SYSTEM)
  const mail = await startMail(mailSetup, { config, services, now, log, writeLine })
  starting.defer(() => mail.stop())
  const backupPaths = { database: databaseFile(dataDir), directory: join(dataDir, BACKUPS_DIRECTORY) }
  const backupRuns = createBackupRuns({ ...backupPaths, keep: config.backupKeep, now, log })
  starting.defer(() => backupRuns.stop())
  const everyMs = config.backupEvery
  const own = store.as(SYSTEM)
  const meta = { readMeta: store.readMeta, writeMeta: own.writeMeta, record: own.record }
  const backups =
    everyMs === undefined ? undefined : await startBackups({ store: meta, runs: backupRuns, everyMs, now, log })
  starting.defer(() => backups?.stop())
  if (backups !== undefined) backupMetrics(metrics, backups)
  const auditMs = config.auditDays === 0 ? undefined : config.auditDays * DAY_MS
  const guestMs = config.guestDays === 0 ? undefined : config.guestDays * DAY_MS
  const housekeeping = startHousekeeping({ store: own, auditMs, guestMs, now, log })
  starting.defer(() => housekeeping.stop())

  const listSettings = { limitDefault: config.pageSize, limitMax: config.pageSizeMax, hideInactive: config.hideInactive }
  const documents = createDocuments({
    store,
    now,
    newId,
    settings: listSettings,
    invitations: { invite: accounts.invite, check: accounts.checkInvitation },
  })
  const checks = readinessChecks({ store, dataDir, backups, now })
  let shown = surroundings.settings
  const status = {
    version: VERSION,
    ...{ instance, startedAt, now, dataDir, database: backupPaths.database, store, counters, checks },
    mail: mail.description,
    backups: { schedule: backups, directory: backupPaths.directory, everyMs, keep: config.backupKeep },
  }
  let openApi: Buffer | undefined
  const context: EndpointContext = {
    ...{ accounts, sessions, limits, store, emailHashes, documents, now, metrics, instance, startedAt },
    ...{ backupPaths, backupRuns, listSettings, logMemory },
    publicRemoteConfig: config.publicRemoteConfig,
    hasProxies: config.trustedProxies !== NO_PROXIES,
    setup: {
      appName: config.appName,
      codesBy: config.mail.kind === 'console' ? 'terminal' : 'mail',
      codeMinutes: config.codeMinutes,
    },
    wakeCourier: mail.wake,
    testMail: createMailTest({ sendTestMail: mail.sendTestMail, limits, now, log, timeMs: surroundings.mailTestMs }),
    downloads: downloadSlots(),
    status: () => serviceStatus(status),
    shownSettings: () => shown,
    openApi: () => (openApi ??= Buffer.from(JSON.stringify(openApiDocument({ version: VERSION })))),
    unreadyReasons: () => reasonsAgainst(checks),
  }
  const routes = [
    ...routesOf(ENDPOINTS, context, { sessions, limits, now }),
    ...(config.dashboard ? pageRoutes(pageAssets) : []),
  ]
  if (config.dashboard && pageAssets === undefined) log.warn('dashboard.missing', { advice: 'npm start builds it' })
  const server: HttpServer = createServer({
    router: createRouter(routes),
    newRequestId: newId,
    now,
    log,
    cors: config.corsOrigins,
    proxies: config.trustedProxies,
    instance,
    allowedHosts: config.allowedHosts,
    certificate: renewal?.first,
    limits: { ...serverLimitsOf(config, log), ...serverLimits },
    onConnection: services.arrivals.add,
    observe: counters.request,
  })
  httpMetrics(metrics, server)
  logMetrics(metrics, logOutput)
  const listening = await server.listen(addressOf(config, inheritedSocket))
  starting.defer(() => server.close())
  await own.record(startRecord(surroundings.settings))
  starting.defer(() => mail.abortTestMails())

  const started = starting.move()
  let closed: Promise<void> | undefined
  return {
    url: urlOf(listening, files === undefined ? 'http' : 'https'),
    port: listening.kind === 'tcp' ? listening.port : undefined,
    instance,
    services,
    mail: mail.description,
    backups,
    housekeeping,
    idle: mail.idle,
    reload(next, nextShown) {
      mail.reloadTemplates()
      const taken = nextShown.filter(({ name }) => RELOADED.includes(name))
      shown = shown.map((row) => taken.find(({ name }) => name === row.name) ?? row)
      const nextFiles = certificateFiles(next)
      if (nextFiles !== undefined) renewal?.reload(nextFiles)
    },
    close: () => (closed ??= started.disposeAsync()),
  }
}

/** As many connections as the process may have beside its files: a server that cannot open its database serves none. */
function serverLimitsOf({ connectionsPerAddress }: Config, log: Log): Partial<ServerLimits> {
  const connectionsPerAddressMax = connectionsPerAddress === 0 ? Infinity : connectionsPerAddress
  const openFiles = openFilesMax()
  const wanted = SERVER_LIMITS.connectionsMax
  if (openFiles === undefined || openFiles - FILES_RESERVED >= wanted) return { connectionsPerAddressMax }
  const connectionsMax = Math.max(CONNECTIONS_MIN, openFiles - FILES_RESERVED)
  log.warn('connections.limited', { max: connectionsMax, openFiles, advice: `ulimit -n ${wanted + FILES_RESERVED}` })
  return { connectionsPerAddressMax, connectionsMax }
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
