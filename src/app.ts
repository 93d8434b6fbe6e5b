/**
 * The composition root: config → store → mailer → services → routes → server. The only place that wires.
 *
 * Commands that work on the data without serving use the same wiring, up to the services.
 */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { apiRoutes, operationRoutes } from './api/routes.ts'
import { readinessChecks } from './api/readiness.ts'
import { backupMetrics, serviceMetrics, type ServiceCounters } from './api/service-metrics.ts'
import { systemRoutes } from './api/system-routes.ts'
import { authRoutes } from './api/auth-routes.ts'
import { dataRoutes } from './api/data-routes.ts'
import { createAccounts, type Accounts } from './auth/accounts.ts'
import { createCodes, type Codes } from './auth/codes.ts'
import { startCourier } from './auth/courier.ts'
import { deriveKeys, type Keys } from './auth/keys.ts'
import { createLimits, NO_LIMITS, type Limits } from './auth/limits.ts'
import { createSessions, type Sessions } from './auth/sessions.ts'
import type { Clock } from './base/clock.ts'
import { isoDate } from './base/dates.ts'
import { idGenerator, type NewId } from './base/ids.ts'
import type { Log } from './base/log.ts'
import { createMetrics, type Metrics } from './base/metrics.ts'
import { VERSION } from './base/version.ts'
import type { Secrets } from './config/secrets.ts'
import type { Config, Environment } from './config/settings.ts'
import { createDocuments } from './content/documents.ts'
import { defaultLanguage, seedBasics } from './content/seeding.ts'
import { remoteConfigSeed } from './content/seeds.ts'
import { createRouter } from './http/router.ts'
import { startRenewal, type CertificateRenewal } from './http/certificate-renewal.ts'
import type { CertificateFiles } from './http/certificate.ts'
import { urlOf, type ListenAddress } from './http/listening.ts'
import type { ServerLimits } from './http/server-limits.ts'
import { createServer } from './http/server.ts'
import { describeMail } from './mail/mail-description.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { openConfiguredMailer } from './mail/mailer.ts'
import { TemplateError } from './mail/template-error.ts'
import { openTemplates } from './mail/templates.ts'
import { STORED_MODELS } from './models/registry.ts'
import { startBackups, type BackupSchedule } from './store/backup-schedule.ts'
import { prepareDataDir } from './store/data-dir.ts'
import { startHousekeeping, type Housekeeping } from './store/housekeeping.ts'
import { loadSecrets } from './store/secret-file.ts'
import { openStore } from './store/sqlite-store.ts'
import type { Store } from './store/store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Where the operator's own mail templates are, in the data directory. */
const TEMPLATES_DIRECTORY = 'templates'
const INSTANCE_BYTES = 8
const BACKUPS_DIRECTORY = 'backups'

/** What comes from outside: time, the log, and the operator's terminal. */
export interface Surroundings {
  readonly now: Clock
  readonly log: Log
  /** Shows the operator one line, such as a code where no mail is set up. */
  readonly writeLine: (line: string) => void
  /** For a program that takes mail, which gets a few variables of it. */
  readonly environment?: Environment
  /** The descriptor of a listening socket that was handed over; it goes before the address of the settings. */
  readonly inheritedSocket?: number | undefined
  /** Narrower limits of the server, for tests. */
  readonly serverLimits?: Partial<ServerLimits>
}

export interface Services {
  readonly store: Store
  readonly keys: Keys
  readonly codes: Codes
  readonly limits: Limits
  readonly sessions: Sessions
  readonly accounts: Accounts
  readonly newId: NewId
  readonly metrics: Metrics
  readonly counters: ServiceCounters
  /** Names this run of the program. */
  readonly instance: string
}

/**
 * Opens the data directory and everything that works on it. With `own`, becomes its only owner. Throws DataDirError
 * and SchemaError. Close the store when done.
 */
export async function openServices(
  config: Config,
  secrets: Secrets,
  { now, log, own }: Pick<Surroundings, 'now' | 'log'> & { readonly own: boolean },
): Promise<Services> {
  const dir = prepareDataDir(config.dataDir)
  const owner = { pid: process.pid, startedAt: isoDate(now()) }
  const store = openStore({
    dir,
    models: STORED_MODELS,
    version: VERSION,
    now,
    queryDeadlineMs: config.queryDeadlineMs,
    ...(own ? { owner } : {}),
  })
  try {
    const newId = idGenerator(now)
    const instance = randomBytes(INSTANCE_BYTES).toString('hex')
    const [first, ...older] =
      secrets.jwtSecret === undefined ? loadSecrets(dir.secrets, randomBytes) : [secrets.jwtSecret]
    if (first === undefined) throw new Error('There is no secret')
    const keys = deriveKeys([first, ...older])
    const metrics = createMetrics()
    const counters = serviceMetrics(metrics, {
      version: VERSION,
      startedAt: now(),
      now,
      store,
      database: dir.database,
      dataDir: dir.path,
    })
    const limits = createLimits(store, config.rateLimits ? config : NO_LIMITS, keys.rate, counters.rateLimited)
    const token = { lifetimeMs: config.tokenHours * HOUR_MS, issuer: config.tokenIssuer }
    const sessions = createSessions({ store, keys, settings: token, newId, instance })
    const code = { lifetimeMs: config.codeMinutes * MINUTE_MS, attemptsMax: config.codeAttempts }
    const codes = createCodes({ store, limits, keys, newId, settings: code })
    const accounts = createAccounts({
      store,
      codes,
      sessions,
      newId,
      log,
      onSignIn: counters.signIn,
      defaultLanguage: () => defaultLanguage(store),
      defaultConfig: remoteConfigSeed(),
    })
    await seedBasics(store, config)
    return { store, keys, codes, limits, sessions, accounts, newId, instance, metrics, counters }
  } catch (error) {
    await store.close()
    throw error
  }
}

export interface App {
  /** Where it listens, with the port really bound; `unix:PATH` for a socket, which has no port. */
  readonly url: string
  readonly port: number | undefined
  /** Fresh for each start, so that a client can tell one run from the next. */
  readonly instance: string
  readonly services: Services
  /** How mail leaves, and what is to be known about that: lines for the operator. */
  readonly mail: readonly string[]
  /** The backups that the service makes by itself; undefined where it makes none. */
  readonly backups: BackupSchedule | undefined
  readonly housekeeping: Housekeeping
  /** Resolves when all mail that is due has been tried. */
  idle(): Promise<void>
  /**
   * Takes what can change without a restart: the templates of mail and the certificate. What of it cannot be used is
   * logged, and what was there before stays in use.
   */
  reload(config: Config): void
  /** Stops accepting, finishes what runs, closes the database. */
  close(): Promise<void>
}

/**
 * Starts the service. Rejects with MailSettingError, TemplateError, DataDirError, SchemaError, CertificateError,
 * ListenError, or node's error where it cannot listen.
 */
export async function startApp(config: Config, secrets: Secrets, surroundings: Surroundings): Promise<App> {
  const { now, log, writeLine, environment = {}, inheritedSocket, serverLimits = {} } = surroundings
  const mailSettings = readMailSettings(config, { now, environment })
  const templateDirectory = join(resolve(config.dataDir), TEMPLATES_DIRECTORY)
  let templates = openTemplates(templateDirectory)
  const services = await openServices(config, secrets, { now, log, own: true })
  const { store, accounts, sessions, limits, keys, newId, instance, metrics, counters } = services
  let renewal: CertificateRenewal | undefined
  try {
    const files = certificateFiles(config)
    if (files !== undefined) renewal = startRenewal({ files, now, log, use: (next) => server.setCertificate(next) })
    if (config.adminEmail !== undefined) await accounts.ensureAdmin(config.adminEmail, now())
    const mailer = await openConfiguredMailer(mailSettings, { now, randomBytes, writeLine })
    const { codeMinutes, appName, publicRemoteConfig } = config
    const courier = startCourier({
      store,
      mailer,
      signIn: (mail) => templates.signIn(mail),
      sealKey: keys.seal,
      codeMinutes,
      appName,
      now,
      random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
      log,
    })
    const backups = await openBackups(config, { store, now, log })
    if (backups !== undefined) backupMetrics(metrics, backups)
    const guestMs = config.guestDays === 0 ? undefined : config.guestDays * 24 * HOUR_MS
    const housekeeping = startHousekeeping({ store, guestMs, now, log })
    const settings = { limitDefault: config.pageSize, limitMax: config.pageSizeMax, hideInactive: config.hideInactive }
    const documents = createDocuments({ store, now, newId, settings, invite: accounts.invite })
    const auth = authRoutes({ accounts, sessions, limits, now, wakeCourier: courier.wake })
    const system = systemRoutes({
      instance,
      startedAt: now(),
      version: VERSION,
      sessions,
      metrics,
      checks: readinessChecks({ store, dataDir: resolve(config.dataDir), backups, now }),
      now,
    })
    const routes = [
      ...apiRoutes(auth, dataRoutes(documents), { sessions, limits, now, publicRemoteConfig }),
      ...operationRoutes(system),
    ]
    const server = createServer({
      router: createRouter(routes),
      newRequestId: newId,
      now,
      log,
      cors: config.corsOrigins,
      proxies: config.trustedProxies,
      instance,
      allowedHosts: config.allowedHosts,
      certificate: renewal?.first,
      limits: serverLimits,
      observe: counters.request,
    })
    const stopWork = async (): Promise<void> => {
      await Promise.all([courier.stop(), housekeeping.stop(), backups?.stop()])
    }
    const close = async (): Promise<void> => {
      renewal?.stop()
      await server.close()
      await stopWork()
      await mailer.close()
      await store.close()
    }
    try {
      const listening = await server.listen(addressOf(config, inheritedSocket))
      const url = urlOf(listening, files === undefined ? 'http' : 'https')
      const port = listening.kind === 'tcp' ? listening.port : undefined
      const reload = (next: Config): void => {
        try {
          templates = openTemplates(templateDirectory)
        } catch (error) {
          if (!(error instanceof TemplateError)) throw error
          log.error('templates.kept', { reason: error.message })
        }
        const nextFiles = certificateFiles(next)
        if (nextFiles !== undefined) renewal?.reload(nextFiles)
      }
      const mail = describeMail(mailSettings)
      return { url, port, instance, services, mail, backups, housekeeping, idle: courier.idle, reload, close }
    } catch (error) {
      await stopWork()
      await mailer.close()
      throw error
    }
  } catch (error) {
    renewal?.stop()
    await store.close()
    throw error
  }
}

function certificateFiles({ tlsCert, tlsKey }: Config): CertificateFiles | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : { certFile: tlsCert, keyFile: tlsKey }
}

function addressOf({ listen, host, port }: Config, inherited: number | undefined): ListenAddress {
  if (inherited !== undefined) return { kind: 'inherited', descriptor: inherited }
  return listen ?? { kind: 'tcp', host, port }
}

async function openBackups(
  { backupEvery, backupKeep, dataDir }: Config,
  parts: Pick<Services, 'store'> & Pick<Surroundings, 'now' | 'log'>,
): Promise<BackupSchedule | undefined> {
  if (backupEvery === undefined) return undefined
  const directory = resolve(dataDir)
  return startBackups({
    ...parts,
    database: join(directory, 'dateline.db'),
    directory: join(directory, BACKUPS_DIRECTORY),
    everyMs: backupEvery,
    keep: backupKeep,
  })
}
