/**
 * How often somebody may ask (contract of the API: 429 with `Retry-After`).
 *
 * Limits on accounts are kept in the store and survive a restart. The limit on data requests is far higher and is
 * counted for every request, so it is kept in memory: a restart gives everybody a fresh minute, which harms nobody.
 * Windows slide: what counts are the accepted events of the last window, refused ones are not counted.
 */
import { setNewest } from '../base/bounded-map.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import { fail, type Failure } from '../base/failure.ts'
import { SYSTEM, type Actor, type CallerActor } from '../store/actor.ts'
import type { CodeClaim, CodeRefusal, Rate, Writable } from '../store/store.ts'
import { mac } from './keys.ts'

/** Beyond this many callers at once, the one that was idle longest is forgotten. */
const WINDOWS_MAX = 100_000
/**
 * What a body may bring before it counts as another request. Reading two megabytes takes as long as answering a hundred
 * requests, and they are held in memory while they arrive: a limit on the number alone would let one guest keep the
 * service from everybody else. Longer bodies are rare: the preferences of a reader with everything are 300 KB.
 */
const BYTES_PER_REQUEST = 64 * 1024

/** Test mails of an administrator in an hour; no setting changes it. */
const TEST_MAILS_MAX = 10

/** Every limit by its name. */
export const LIMIT_NAMES = [
  'codes_per_address',
  'codes_per_email',
  'wrong_codes_per_address',
  'wrong_codes_per_email',
  'guests_per_address',
  'data_per_user',
  'test_mails_per_user',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Events per window; 0 switches a limit off. */
export interface LimitSettings {
  readonly codesPerEmail: number
  readonly codesPerAddress: number
  readonly wrongCodesPerAddress: number
  readonly wrongCodesPerEmail: number
  readonly guestsPerAddress: number
  readonly dataPerUser: number
}

export const NO_LIMITS: LimitSettings = {
  codesPerEmail: 0,
  codesPerAddress: 0,
  wrongCodesPerAddress: 0,
  wrongCodesPerEmail: 0,
  guestsPerAddress: 0,
  dataPerUser: 0,
}

export interface Limits {
  /** Each counts one event and throws tooManyRequests where it is one too many. `now` in milliseconds. */
  requestCodeFrom(address: string, now: number): Promise<void>
  requestCodeFor(email: string, now: number): Promise<void>
  guestFrom(address: string, now: number): Promise<void>
  dataRequest(caller: string, now: number): void
  /**
   * Counts the body of a request that is counted already, or what its references bring in: one more for each 64 KiB of
   * `bytes`, of which the first `before` have been counted. A body of many names and values counts as a longer one.
   */
  dataBody(caller: string, now: number, bytes: number, before?: number): void
  /** Counted in the name of the administrator, and so throws what the store throws of one who is none any more. */
  testMail(admin: CallerActor, now: number): Promise<void>
  /** How the store counts wrong codes of a client address for an e-mail address, as it compares them. */
  wrongCodes(tried: { readonly email: string; readonly client: string }): WrongCodes
  /** Names an e-mail address where its wrong codes are counted, also where that limit is off. */
  wrongCodesKey(email: string): Uint8Array
  /** The failure where the store found one of those limits reached. */
  tooManyWrongCodes(reached: CodeRefusal & { readonly kind: 'limited' }): Failure
}

export interface WrongCodes {
  /** Names the client where the tries at one code are counted, which is never off. */
  readonly client: Uint8Array
  readonly rates: CodeClaim['rates']
}

const WRONG_CODES_FOR = 'wrong codes'
const REACHED = {
  perClient: ['wrong_codes_per_address', 'from this address'],
  perEmail: ['wrong_codes_per_email', 'for this e-mail address'],
} as const

/** `onRefused` hears the name of a limit for each event that it refused. */
export function createLimits(
  store: Writable,
  settings: LimitSettings,
  key: Buffer,
  onRefused: (limit: LimitName) => void = () => {},
): Limits {
  const rate = (name: string, who: string, max: number, windowMs: number): Rate | undefined =>
    max === 0 ? undefined : { key: mac(key, name, who), max, windowMs }
  const count = async (
    name: LimitName,
    limit: Rate | undefined,
    { what, now, actor = SYSTEM }: { readonly what: string; readonly now: number; readonly actor?: Actor },
  ): Promise<void> => {
    if (limit === undefined) return
    const retryAfterMs = await store.as(actor).countRate(limit, now)
    if (retryAfterMs === undefined) return
    onRefused(name)
    throw tooMany(what, retryAfterMs)
  }
  const data = createWindows(settings.dataPerUser, MINUTE_MS)
  const countData = (caller: string, now: number, weight: number): void => {
    const retryAfterMs = data(caller, now, weight)
    if (retryAfterMs === undefined) return
    onRefused('data_per_user')
    throw tooMany('Requests of this user', retryAfterMs)
  }
  return {
    requestCodeFrom: (address, now) =>
      count(
        'codes_per_address',
        rate('codes from', address, settings.codesPerAddress, HOUR_MS),
        { what: 'Sign-in codes from this address', now },
      ),
    requestCodeFor: (email, now) =>
      count(
        'codes_per_email',
        rate('codes for', email, settings.codesPerEmail, 15 * MINUTE_MS),
        { what: 'Sign-in codes for this e-mail address', now },
      ),
    guestFrom: (address, now) =>
      count(
        'guests_per_address',
        rate('guests from', address, settings.guestsPerAddress, HOUR_MS),
        { what: 'Guest sign-ins from this address', now },
      ),
    dataRequest: (caller, now) => countData(caller, now, 1),
    // Never more than the limit has room for: what is refused once may come again later.
    dataBody(caller, now, bytes, before = 0) {
      const weightOf = (length: number): number =>
        Math.min(settings.dataPerUser - 1, Math.floor(length / BYTES_PER_REQUEST))
      const weight = weightOf(bytes) - weightOf(before)
      if (weight > 0) countData(caller, now, weight)
    },
    testMail: (actor, now) =>
      count('test_mails_per_user', rate('test mails', actor.claim.userId, TEST_MAILS_MAX, HOUR_MS), {
        what: 'Test mails',
        now,
        actor,
      }),
    wrongCodes: ({ email, client }) => ({
      client: mac(key, 'tries of', client),
      rates: {
        perClient: rate('wrong codes from', client, settings.wrongCodesPerAddress, HOUR_MS),
        perEmail: rate(WRONG_CODES_FOR, email, settings.wrongCodesPerEmail, DAY_MS),
      },
    }),
    wrongCodesKey: (email) => mac(key, WRONG_CODES_FOR, email),
    tooManyWrongCodes({ limit, retryAfterMs }) {
      const [name, whose] = REACHED[limit]
      onRefused(name)
      return tooMany(`Wrong codes ${whose}`, retryAfterMs)
    },
  }
}

/** The 429 that says how long to wait. `what` begins the sentence. */
function tooMany(what: string, retryAfterMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return fail('tooManyRequests', `${what} came too often: try again in ${wait}`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/**
 * Counts events in memory, each of them `weight` times, which is at most the limit; gives milliseconds to wait, or
 * undefined when the event was allowed and counted.
 */
function createWindows(
  max: number,
  windowMs: number,
): (who: string, now: number, weight: number) => number | undefined {
  // Times of the accepted events of each caller, oldest first. A Map keeps the order of use for forgetting.
  const windows = new Map<string, number[]>()
  return (who, now, weight) => {
    if (max === 0) return undefined
    const times = windows.get(who) ?? []
    setNewest(windows, who, times, WINDOWS_MAX)
    let gone = 0
    while (gone < times.length && (times[gone] as number) <= now - windowMs) gone++
    times.splice(0, gone)
    const tooMany = times.length + weight - max
    if (tooMany > 0 && weight > 0) return (times[tooMany - 1] as number) + windowMs - now
    for (let i = 0; i < weight; i++) times.push(now)
    return undefined
  }
}
