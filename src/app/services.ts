/** What the service is made of below its endpoints. Commands that work on the data without serving open the same. */
import { randomBytes } from 'node:crypto'
import { serviceMetrics, type ServiceCounters } from './service-metrics.ts'
import { createAccounts, type Accounts } from '../auth/accounts.ts'
import { createCodes, type Codes } from '../auth/codes.ts'
import { createEmailHashes, deriveKeys, type EmailHashes, type Keys } from '../auth/keys.ts'
import { createLimits, NO_LIMITS, type Limits } from '../auth/limits.ts'
import { createSessions, type Sessions } from '../auth/sessions.ts'
import { createArrivals, type Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import { idGenerator, type NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { createMetrics, type Metrics } from '../base/metrics.ts'
import { VERSION } from '../base/version.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { defaultLanguage, seedBasics } from '../content/seeding.ts'
import { remoteConfigSeed } from '../content/seeds.ts'
import { STORED_MODELS } from '../models/registry.ts'
import { SYSTEM } from '../store/actor.ts'
import { recordFields } from '../store/audit/audit-record.ts'
import { prepareDataDir } from '../store/sqlite/data-dir.ts'
import { loadSecrets } from '../store/sqlite/secret-file.ts'
import { openStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'

const INSTANCE_BYTES = 8
/** The ids of the keys that the service started with last, so that a command can tell whether it has the same. */
export const SIGNING_KEYS_NOTE = 'signing-keys'

export interface Services {
  readonly store: Store
  readonly keys: Keys
  readonly codes: Codes
  readonly limits: Limits
  readonly sessions: Sessions
  readonly accounts: Accounts
  readonly newId: NewId
  readonly arrivals: Arrivals
  readonly emailHashes: EmailHashes
  readonly metrics: Metrics
  readonly counters: ServiceCounters
  readonly instance: string
}

export interface OpenOptions {
  readonly now: Clock
  readonly log: Log
  /** Whether to become the only owner of the data directory. */
  readonly own: boolean
}

/** Opens the data directory and all that works on it. Throws DataDirError and SchemaError; close the store when done. */
export async function openServices(
  config: Config,
  secrets: Secrets,
  { now, log, own }: OpenOptions,
): Promise<Services> {
  const dir = prepareDataDir(config.dataDir)
  const owner = { pid: process.pid, startedAt: isoDate(now()) }
  // Both derive from the secrets, which are read once the directory is locked.
  let [emailHashes, counters] = [undefined as EmailHashes | undefined, undefined as ServiceCounters | undefined]
  const arrivals = createArrivals()
  const store = openStore({
    dir,
    models: STORED_MODELS,
    version: VERSION,
    now,
    queryDeadlineMs: config.queryDeadlineMs,
    arrivals,
    ...(own ? { owner } : {}),
    audit: {
      recorded(record) {
        log.info(record.event, recordFields(record))
        counters?.recorded(record.event)
      },
      suppressed: (event) => counters?.suppressed(event),
      emailHashes: (email) => emailHashes?.all(email) ?? [],
    },
  })
  try {
    const newId = idGenerator(now)
    const instance = randomBytes(INSTANCE_BYTES).toString('hex')
    const [first, ...older] =
      secrets.jwtSecret === undefined ? loadSecrets(dir.secrets, randomBytes) : [secrets.jwtSecret]
    if (first === undefined) throw new Error('There is no secret')
    const keys = deriveKeys([first, ...older])
    const metrics = createMetrics()
    const counting = serviceMetrics(metrics, {
      version: VERSION,
      startedAt: now(),
      now,
      store,
      database: dir.database,
      dataDir: dir.path,
    })
    counters = counting
    emailHashes = createEmailHashes(keys)
    const limits = createLimits(store, config.rateLimits ? config : NO_LIMITS, keys.rate, counting.rateLimited)
    const token = { lifetimeMs: config.tokenHours * HOUR_MS, issuer: config.tokenIssuer }
    const sessions = createSessions({ store, keys, settings: token, newId, instance })
    const code = { lifetimeMs: config.codeMinutes * MINUTE_MS, attemptsMax: config.codeAttempts }
    const codes = createCodes({ store, limits, keys, newId, settings: code })
    const accounts = createAccounts({
      store,
      codes,
      sessions,
      newId,
      onSignIn: counting.signIn,
      emailHash: emailHashes.of,
      defaultLanguage: () => defaultLanguage(store),
      defaultConfig: remoteConfigSeed(),
    })
    const signing = keys.signing.map(({ id }) => id)
    await Promise.all([
      seedBasics(store, config),
      ...(own ? [store.as(SYSTEM).writeMeta(SIGNING_KEYS_NOTE, signing)] : []),
    ])
    const auth = { keys, codes, limits, sessions, accounts, emailHashes }
    return { ...auth, store, newId, arrivals, instance, metrics, counters: counting }
  } catch (error) {
    await store.close()
    throw error
  }
}
