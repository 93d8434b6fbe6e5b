/**
 * Rate limits (contract of the API: 429 with `Retry-After`). Those on accounts are kept in the store and survive a
 * restart; that on data requests is in memory, which all threads share. Windows slide: the accepted events of the last window count.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import { fail, type Failure } from '../base/failure.ts'
import { createSharedWindows, windowsMemory, type WindowsMemory } from '../base/shared-windows.ts'
import { SYSTEM, type Actor, type CallerActor } from '../store/actor.ts'
import { mac } from './keys.ts'
import type { CodeFailure } from '../store/accounts/code-table.ts'
import type { InvitationRates, LimitedInvitation } from '../store/accounts/invitation-mails.ts'
import type { Rate } from '../store/accounts/rate-table.ts'
import type { Writable } from '../store/writes/writer.ts'

/** A body counts as another request for each so many bytes: two megabytes take as long as a hundred requests. */
export const BYTES_PER_REQUEST = 64 * 1024

/** Test mails of an administrator in an hour; no setting changes it. */
const TEST_MAILS_MAX = 10
/** Feeds that an administrator previews or fetches in an hour; no setting changes it. */
const FEED_REQUESTS_MAX = 200
/** Invitations of an administrator in an hour, and to an e-mail address in a day; no setting changes them. */
const INVITATIONS_BY_USER_MAX = 100
const INVITATIONS_TO_EMAIL_MAX = 3
/** Refreshed tokens of a user in an hour, each of which is kept as ended until it would have expired. */
const REFRESHES_MAX = 120

export const LIMIT_NAMES = [
  'codes_per_address',
  'codes_per_email',
  'wrong_codes_per_address',
  'wrong_codes_per_email',
  'guests_per_address',
  'data_per_user',
  'publications_per_address',
  'test_mails_per_user',
  'feed_requests_per_user',
  'token_refreshes_per_user',
  'invitations_per_user',
  'invitations_per_email',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Events per window; 0 turns a limit off. */
export interface LimitSettings {
  readonly codesPerEmail: number
  readonly codesPerAddress: number
  readonly wrongCodesPerAddress: number
  readonly wrongCodesPerEmail: number
  readonly guestsPerAddress: number
  readonly dataPerUser: number
  readonly publicationsPerAddress: number
}

export const NO_LIMITS: LimitSettings = {
  codesPerEmail: 0,
  codesPerAddress: 0,
  wrongCodesPerAddress: 0,
  wrongCodesPerEmail: 0,
  guestsPerAddress: 0,
  dataPerUser: 0,
  publicationsPerAddress: 0,
}

const WRONG_CODES_FOR = 'wrong codes'
/** Past the limit of an e-mail address: wrong tries in a day of clients at the codes that they requested, of one network and of all. */
const OWN_CODES_PER_NETWORK_MAX = 5
const OWN_CODES_PER_EMAIL_MAX = 50
const REACHED = {
  perClient: ['wrong_codes_per_address', 'from this address'],
  perEmail: ['wrong_codes_per_email', 'for this e-mail address'],
} as const

export type Limits = ReturnType<typeof createLimits>

interface LimitOptions {
  /** Called with the name of a limit for each event over it. */
  readonly onRefused?: (limit: LimitName) => void
  /** Of the data requests, where other threads count them as well. */
  readonly windows?: WindowsMemory
  /** How many nodes serve a user, each of which counts its own requests. */
  readonly nodes?: () => number
}

/** `settings` gives those in use, which may change at any time; `now` is in milliseconds. */
export function createLimits(
  store: Writable,
  settings: () => LimitSettings,
  key: Buffer,
  { onRefused = () => {}, windows = windowsMemory(), nodes = () => 1 }: LimitOptions = {},
) {
  const rate = (name: string, counted: string, max: number, windowMs: number): Rate | undefined =>
    max === 0 ? undefined : { key: mac(key, name, counted), max, windowMs }

  const clientKey = (client: string): Uint8Array => mac(key, 'tries of', client)
  const inRing = (ring: Rate['ring'], limit: Rate | undefined): Rate | undefined => limit && { ...limit, ring: ring ?? 'rate_hit' }

  /** Counts one event and throws tooManyRequests where it is one too many. */
  async function count(name: LimitName, limit: Rate | undefined, what: string, now: number, actor: Actor = SYSTEM) {
    if (limit === undefined) return
    const refused = await store.as(actor).countRates([limit], now)
    if (refused === undefined) return
    onRefused(name)
    throw tooMany(what, refused.retryAfterMs)
  }

  return {
    ...createDataLimit(() => settings().dataPerUser, { onRefused, windows, nodes }),
    ...createPublicationLimit(() => settings().publicationsPerAddress, { onRefused, windows, nodes }),
    requestCodeFrom(address: string, now: number): Promise<void> {
      const limit = rate('codes from', address, settings().codesPerAddress, HOUR_MS)
      return count('codes_per_address', limit, 'Sign-in codes from this address', now)
    },
    /**
     * Others cannot use up the codes of an e-mail address: past its limit, a network that has requested none in this window
     * gets one more, up to twice the limit.
     */
    async requestCodeFor(email: string, network: string, now: number): Promise<void> {
      const max = settings().codesPerEmail
      const window = (name: string, counted: string, most: number): Rate => ({ key: mac(key, name, counted), max: most, windowMs: 15 * MINUTE_MS })
      if (max === 0) return
      const own = window('codes of', `${network} ${email}`, Number.MAX_SAFE_INTEGER)
      const first = await store.as(SYSTEM).countRates([window('codes for', email, max), own], now)
      if (first === undefined) return
      const reserve = [{ ...own, max: 1 }, window('more codes for', email, max)]
      if ((await store.as(SYSTEM).countRates(reserve, now)) === undefined) return
      onRefused('codes_per_email')
      throw tooMany('Sign-in codes for this e-mail address', first.retryAfterMs)
    },
    guestFrom(address: string, now: number): Promise<void> {
      const limit = rate('guests from', address, settings().guestsPerAddress, HOUR_MS)
      return count('guests_per_address', limit, 'Guest sign-ins from this address', now)
    },
    /** Counts in the name of the administrator, and so throws what the store throws for a caller who no longer is one. */
    testMail(admin: CallerActor, now: number): Promise<void> {
      const limit = rate('test mails', admin.claim.userId, TEST_MAILS_MAX, HOUR_MS)
      return count('test_mails_per_user', limit, 'Test mails', now, admin)
    },
    /** The same for a look at another server, which a preview or a fetch is. */
    feedRequest(admin: CallerActor, now: number): Promise<void> {
      const limit = rate('feed requests', admin.claim.userId, FEED_REQUESTS_MAX, HOUR_MS)
      return count('feed_requests_per_user', limit, 'Previews and fetches of feeds', now, admin)
    },
    /** Counts in the name of the user, and so throws what the store throws for a token that has ended. */
    tokenRefresh(user: CallerActor, now: number): Promise<void> {
      const limit = rate('token refreshes', user.claim.userId, REFRESHES_MAX, HOUR_MS)
      return count('token_refreshes_per_user', limit, 'Token refreshes', now, user)
    },
    /** How the store counts invitations by mail: of one user, or the operator, and to one e-mail address. */
    invitations: ({ by, email }: { readonly by: string; readonly email: string }): InvitationRates => ({
      perUser: { key: mac(key, 'invitations of', by), max: INVITATIONS_BY_USER_MAX, windowMs: HOUR_MS },
      perEmail: { key: mac(key, 'invitations to', email), max: INVITATIONS_TO_EMAIL_MAX, windowMs: DAY_MS },
    }),
    /** The failure where the store found one of those limits reached. */
    tooManyInvitations({ limit, retryAfterMs }: LimitedInvitation): Failure {
      onRefused(limit === 'perUser' ? 'invitations_per_user' : 'invitations_per_email')
      return tooMany(limit === 'perUser' ? 'Invitations by mail' : 'Invitations to this e-mail address', retryAfterMs)
    },
    /** How the store counts wrong codes of a client address for an e-mail address when it compares them. */
    wrongCodes: ({ email, client, network }: { readonly email: string; readonly client: string; readonly network: string }) => ({
      client: clientKey(client),
      rates: {
        perClient: inRing('client_try', rate('wrong codes from', client, settings().wrongCodesPerAddress, HOUR_MS)),
        perEmail: inRing('email_try', rate(WRONG_CODES_FOR, email, settings().wrongCodesPerEmail, DAY_MS)),
        requester: [
          { ring: 'email_try', key: mac(key, 'own codes of', `${network} ${email}`), max: OWN_CODES_PER_NETWORK_MAX, windowMs: DAY_MS },
          { ring: 'email_try', key: mac(key, 'own codes for', email), max: OWN_CODES_PER_EMAIL_MAX, windowMs: DAY_MS },
        ] satisfies readonly Rate[],
      },
    }),
    /** Names a client where the tries at one code are counted, which is never off, and with the codes that it requests. */
    clientKey,
    /** Where the wrong codes of an e-mail address are counted, also where that limit is off. */
    wrongCodesOf: (email: string): Pick<Rate, 'ring' | 'key'> => ({ ring: 'email_try', key: mac(key, WRONG_CODES_FOR, email) }),
    /** The failure where the store found one of those limits reached. */
    tooManyWrongCodes({ limit, retryAfterMs }: CodeFailure & { readonly kind: 'limited' }): Failure {
      const [name, whose] = REACHED[limit]
      onRefused(name)
      return tooMany(`Wrong codes ${whose}`, retryAfterMs)
    },
  }
}

/** The limit on data requests, which each thread counts by itself. `perUser` gives the one in use. */
export function createDataLimit(perUser: () => number, options: Required<LimitOptions>) {
  const count = minuteLimit(perUser, { name: 'data_per_user', what: 'Requests of this user' }, options)
  /** Never more than the limit has room for: a request that is rejected once may come again later. */
  const weightOf = (bytes: number): number => Math.min(perUser() - 1, Math.floor(bytes / BYTES_PER_REQUEST))
  return {
    dataRequest: (caller: string, now: number): void => count(caller, now, 1),
    /**
     * Counts the body of a request that is counted already, or what its references add: one more for each 64 KiB of
     * `bytes`, of which the first `before` have been counted. A body of many names and values counts as a longer one.
     */
    dataBody(caller: string, now: number, bytes: number, before = 0): void {
      const weight = weightOf(bytes) - weightOf(before)
      if (weight > 0) count(caller, now, weight)
    },
  }
}

/** The limit of readers without an account, which each thread counts by itself as well. */
export function createPublicationLimit(perAddress: () => number, options: Required<LimitOptions>) {
  const count = minuteLimit(perAddress, { name: 'publications_per_address', what: 'Requests from this address' }, options)
  return {
    /** Counts a request for a publication. Throws tooManyRequests. The memory is that of data requests, whose callers have other names. */
    publicationRequest: (address: string, now: number): void => count(`p ${address}`, now, 1),
  }
}

/** Returns the function that counts events of a minute in memory. It throws tooManyRequests past `max`, which is read at each event. */
function minuteLimit(
  max: () => number,
  { name, what }: { readonly name: LimitName; readonly what: string },
  { onRefused, windows, nodes }: Required<LimitOptions>,
) {
  const limit = {
    get max(): number {
      return max()
    },
    windowMs: MINUTE_MS,
  }
  const waitFor = createSharedWindows(limit, windows)
  return (caller: string, now: number, weight: number): void => {
    // Each of three nodes counts a request as three: together they admit what one would.
    const retryAfterMs = waitFor(caller, now, Math.min(Math.max(1, max() - 1), weight * nodes()))
    if (retryAfterMs === undefined) return
    onRefused(name)
    throw tooMany(what, retryAfterMs)
  }
}

function tooMany(what: string, retryAfterMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return fail('tooManyRequests', `${what} came too often: try again in ${wait}`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
