/** The composition root: config → store → mailer → services → routes → server. The only place that wires. */
import { dirname, resolve } from 'node:path'
import { endpointContext } from './app/endpoint-context.ts'
import { httpMetrics } from './app/http-metrics.ts'
import { readMailSetup, startMail } from './app/mail-service.ts'
import { pageRoutes, type PageAsset } from './app/page-routes.ts'
import { logMetrics } from './app/service-metrics.ts'
import { openServices, type Services } from './app/services.ts'
import { startUpkeep } from './app/upkeep.ts'
import type { Clock } from './base/clock.ts'
import { openFilesMax } from './base/open-files.ts'
import type { Log } from './base/log.ts'
import type { LogMemory } from './base/log-memory.ts'
import type { LogOutput } from './base/log-output.ts'
import { VERSION } from './base/version.ts'
import type { Secrets } from './config/secrets.ts'
import type { Config, Environment, SettingName } from './config/settings.ts'
import type { ShownSettings } from './config/shown-settings.ts'
import { ENDPOINTS } from './endpoints/endpoints.ts'
import { routesOf } from './endpoints/guard.ts'
import { createRouter } from './http/server/router.ts'
import { startRenewal } from './http/server/certificate-renewal.ts'
import type { CertificateFiles } from './http/server/certificate.ts'
import { requireSocketDirectory, urlOf, type ListenAddress } from './http/server/listening.ts'
import { SERVER_LIMITS, type ServerLimits } from './http/server/server-limits.ts'
import { createServer, type HttpServer } from './http/server/server.ts'
import { SYSTEM } from './store/actor.ts'
import type { AuditEntry } from './store/audit/audit-record.ts'
import type { BackupSchedule } from './store/backup/backup-schedule.ts'
import type { Housekeeping } from './store/sqlite/housekeeping.ts'

/** Open files that are no connections of clients: the database in several threads, mail, backups, pipes. */
const FILES_RESERVED = 256
const CONNECTIONS_MIN = 64
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
  const { now, log, logOutput, writeLine, environment = {} } = surroundings
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
  const { store, accounts, sessions, limits, newId, instance, metrics, counters } = services
  starting.defer(() => store.close())
  if (config.adminEmail !== undefined) await accounts.ensureAdmin(config.adminEmail, now(), SYSTEM)
  const mail = await startMail(mailSetup, { config, services, now, log, writeLine })
  starting.defer(() => mail.stop())
  const upkeep = await startUpkeep({ config, dataDir, services, now, log }, starting)
  let shown = surroundings.settings
  const { logMemory, mailTestMs } = surroundings
  const context = endpointContext({
    ...{ config, dataDir, services, mail, upkeep, startedAt, now, log, logMemory, mailTestMs, pageAssets },
    shownSettings: () => shown,
  })
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
  await store.as(SYSTEM).record(startRecord(surroundings.settings))
  starting.defer(() => mail.abortTestMails())

  const started = starting.move()
  let closed: Promise<void> | undefined
  return {
    url: urlOf(listening, files === undefined ? 'http' : 'https'),
    port: listening.kind === 'tcp' ? listening.port : undefined,
    instance,
    services,
    mail: mail.description,
    backups: upkeep.backups,
    housekeeping: upkeep.housekeeping,
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
