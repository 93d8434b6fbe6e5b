/** What the service is made of below its endpoints. Commands that work on the data without serving open the same. */
import { randomBytes } from 'node:crypto'
import { adoptCopy } from './cluster/fetched-copy.ts'
import { openRestored } from './restore-outcome.ts'
import { createGuestLimit } from './guest-budget.ts'
import { serviceCounters, serviceGauges, type ServiceCounters } from './service-metrics.ts'
import { createAccounts, type Accounts } from '../auth/accounts.ts'
import { createInvitations } from '../auth/invitations.ts'
import { createCodes, type Codes } from '../auth/codes.ts'
import { createEmailHashes, deriveKeys, type EmailHashes, type Keys } from '../auth/keys.ts'
import { createLimits, NO_LIMITS, type Limits, type LimitSettings } from '../auth/limits.ts'
import { createSessions, type Sessions } from '../auth/sessions.ts'
import { createChallenges } from '../auth/passkeys/challenges.ts'
import { createPasskeys, type Passkeys } from '../auth/passkeys/passkey-accounts.ts'
import { createTickets, type Tickets } from '../auth/tickets.ts'
import { createArrivals, type Arrivals } from '../base/arrivals.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import { idGenerator, type NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { createMetrics, type Metrics } from '../base/metrics.ts'
import type { WindowsMemory } from '../base/shared-windows.ts'
import { VERSION } from '../base/version.ts'
import { secretsInUse, type Secrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { createPresence, type Presence } from '../content/changes/presence.ts'
import { languageRecord, seedBasics } from '../content/seeds/seeding.ts'
import { remoteConfigSeed } from '../content/seeds/seeds.ts'
import { STORED_MODELS } from '../models/registry.ts'
import { user, type User } from '../models/user.ts'
import { SYSTEM } from '../store/actor.ts'
import { recordFields } from '../store/audit/audit-trail.ts'
import { requireRestored } from '../store/backup/unfinished-restore.ts'
import type { ClusterLog } from '../store/cluster/replicated-queue.ts'
import { openedDataDir, ownDataDir, prepareDataDir, type DataDir, type DataDirLock } from '../store/db/data-dir.ts'
import type { WriterGate } from '../store/db/reader-gate.ts'
import { openStore } from '../store/open-store.ts'
import type { GuestLimit } from '../store/accounts/guest-table.ts'
import { requireDatabase } from '../store/media/picture-files.ts'
import type { Store } from '../store/store.ts'
import type { ReadStore } from '../store/read-store.ts'

const INSTANCE_BYTES = 8
/** The ids of the keys that the service started with last, so that a command can tell whether it has the same. */
export const SIGNING_KEYS_NOTE = 'signing-keys'

export interface Services {
  readonly store: Store
  readonly keys: Keys
  /** Those that the keys are derived from, of which the first signs. */
  readonly secrets: readonly [string, ...string[]]
  readonly codes: Codes
  readonly limits: Limits
  readonly sessions: Sessions
  readonly tickets: Tickets
  /** Who edits what. */
  readonly presence: Presence
  readonly accounts: Accounts
  readonly passkeys: Passkeys
  readonly newId: NewId
  readonly arrivals: Arrivals
  readonly emailHashes: EmailHashes
  /** What guests may keep. */
  readonly guestLimit: () => GuestLimit
  readonly metrics: Metrics
  readonly counters: ServiceCounters
  readonly instance: string
}

export interface OpenOptions {
  readonly now: Clock
  readonly log: Log
  /** Whether to become the only owner of the data directory; the lock, where the caller has become it. */
  readonly own: boolean | DataDirLock
  /** The limits in use, where they may change; those of the settings without it. */
  readonly limitSettings?: (() => LimitSettings) | undefined
  /** The setting in use, where it may change. */
  readonly guestsMb?: (() => number) | undefined
  /** The log that the store follows, of a node. */
  readonly cluster?: ClusterLog | undefined
  /** How many nodes serve a user. */
  readonly nodes?: (() => number) | undefined
  /** What is shared with threads that serve beside this one. */
  readonly shared?: { readonly windows: WindowsMemory; readonly gate: WriterGate } | undefined
}

function emailOf(store: Pick<ReadStore, 'documents'>, id: string): string | undefined {
  const text = store.documents.get(user, id)
  return text === undefined ? undefined : (JSON.parse(text) as User).email
}

/** None where rate limits are off. */
export function limitSettingsOf(config: Config): LimitSettings {
  return config.rateLimits ? config : NO_LIMITS
}

/**
 * Opens the data directory and all that works on it, with a restore that was asked for before. Throws DataDirError, also where a
 * restore has not ended or a site has lost its database, and SchemaError; close the store when done.
 */
export async function openServices(config: Config, secrets: Secrets, options: OpenOptions): Promise<Services> {
  const open = (): Promise<Services> => openParts(config, secrets, options)
  const { own, cluster, now, log } = options
  requireRestored(config.dataDir)
  return own === true && cluster === undefined ? openRestored(prepareDataDir(config.dataDir), open, { now, log }) : open()
}

/** A lock that the caller of openServices() holds, and releases. */
const HELD: DataDirLock = { release() {} }

async function openParts(
  config: Config,
  secrets: Secrets,
  { now, log, own, shared, limitSettings = () => limitSettingsOf(config), guestsMb = () => config.guestsMb, cluster, nodes }: OpenOptions,
): Promise<Services> {
  const dir = typeof own === 'object' ? openedDataDir(config.dataDir) : prepareDataDir(config.dataDir)
  const owner = { pid: process.pid, startedAt: isoDate(now()) }
  if (cluster !== undefined) adoptCopy(dir, owner)
  else requireDatabase(dir.path)
  const lock = own === true ? ownDataDir(dir, owner) : HELD
  const all = secretsOf(secrets, dir, lock)
  const keys = deriveKeys(all)
  const emailHashes = createEmailHashes(keys)
  const metrics = createMetrics()
  const counters = serviceCounters(metrics)
  const arrivals = createArrivals()
  const guestLimit = createGuestLimit(dir.path, guestsMb)
  const store = openStore({
    dir,
    models: STORED_MODELS,
    version: VERSION,
    now,
    queryDeadlineMs: config.queryDeadlineMs,
    trash: config.trashDays > 0,
    guestLimit,
    arrivals,
    gate: shared?.gate,
    ...(own === false ? {} : { owner, lock }),
    ...(cluster === undefined ? {} : { cluster }),
    audit: {
      recorded(record) {
        log.info(record.event, recordFields(record))
        counters.recorded(record.event)
      },
      suppressed: counters.suppressed,
      emailHashes: emailHashes.all,
    },
  })
  try {
    if (store.hasStartedOver) log.warn('store.history_replaced', { reason: 'the machine stopped while the service ran: clients that follow changes start over' })
    // Ahead of all reads, which are of this program's schema.
    await store.replication?.raiseSchema()
    serviceGauges(metrics, { version: VERSION, startedAt: now(), now, store, guestLimit, database: dir.database, dataDir: dir.path })
    const newId = idGenerator(now)
    const instance = randomBytes(INSTANCE_BYTES).toString('hex')
    const { rateLimited: onRefused, signIn: onSignIn } = counters
    const windows = shared === undefined ? {} : { windows: shared.windows }
    const limits = createLimits(store, limitSettings, keys.rate, { onRefused, ...windows, ...(nodes && { nodes }) })
    const token = { lifetimeMs: config.tokenHours * HOUR_MS, issuer: config.tokenIssuer }
    const sessions = createSessions({ store, keys, settings: token, newId, instance })
    const code = { lifetimeMs: config.codeMinutes * MINUTE_MS, attemptsMax: config.codeAttempts }
    const codes = createCodes({ store, limits, keys, newId, settings: code })
    const invitations = createInvitations({ keys, limits, newId, emailOf: (id) => emailOf(store, id) })
    const accounts = createAccounts({
      ...{ store, codes, sessions, newId, onSignIn, invitations },
      emailHash: emailHashes.of,
      languageRecord: (code) => languageRecord(store, code),
      defaultConfig: remoteConfigSeed(),
    })
    // A node has what init made; what is missing comes back behind its start, as the log may not be there to be written.
    if (cluster === undefined) {
      const signing = keys.signing.map(({ id }) => id)
      await Promise.all([
        seedBasics(store, config),
        ...(own !== false ? [store.as(SYSTEM).writeMeta(SIGNING_KEYS_NOTE, signing)] : []),
      ])
    }
    const tickets = createTickets({ store, key: keys.ticket, newId })
    const passkeys = createPasskeys({ store, codes, sessions, onSignIn, challenges: createChallenges(keys.passkey) })
    const presence = createPresence(now)
    const auth = { keys, codes, limits, sessions, tickets, accounts, passkeys, emailHashes }
    return { ...auth, presence, secrets: all, store, guestLimit, newId, arrivals, instance, metrics, counters }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** In the directory that the caller has locked. */
function secretsOf(secrets: Secrets, dir: DataDir, lock: DataDirLock): ReturnType<typeof secretsInUse> {
  try {
    return secretsInUse(secrets, () => dir.secrets)
  } catch (error) {
    lock.release()
    throw error
  }
}
