/**
 * One fetch of a feed: a conditional GET (RFC 9110 section 13), and what its response means for the feed. It never throws
 * for what a server does: each failure is an outcome with one sentence for the editor.
 */
import type { Clock } from '../../base/clock.ts'
import { type Credentials, credentialsOf } from '../../outbound/basic-credentials.ts'
import { type Arrival, isSameServer, type OutboundClient, type Validators } from '../../outbound/outbound-client.ts'
import { OutboundError, type OutboundErrorKind } from '../../outbound/outbound-error.ts'
import { freshMs, retryAfterMs } from './response-times.ts'

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/json;q=0.9, application/xml;q=0.9, ' +
  'text/xml;q=0.9, text/html;q=0.5, */*;q=0.1'
/** A longer validator is not kept, nor is a longer type: no server that means well sends one. */
const HEADER_CHARS_MAX = 500

export interface FetchRequest {
  /** The feed's own address. */
  readonly address: string
  /** Where to fetch in its place, as the state of its schedule says. */
  readonly movedTo?: string | undefined
  /** A secret: it is in no outcome, and goes to the server of the feed's own address alone. */
  readonly credentials?: Credentials | undefined
  /** Those of the last outcome that had some. */
  readonly validators?: Validators | undefined
}

export interface FetchOptions {
  readonly client: OutboundClient
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
}

interface Answered {
  /** The address behind all redirects. */
  readonly address: string
  /** Where permanent redirects (301, 308) led from the address of the request. */
  readonly permanentAddress?: string
  /** To send next time. */
  readonly validators?: Validators
  /** How long the server calls this version fresh, in milliseconds. */
  readonly freshMs?: number
}

export interface Fetched extends Answered {
  readonly kind: 'fetched'
  readonly bytes: Uint8Array
  readonly contentType?: string
}

/** The feed is the one that the validators of the request are from. */
export interface Unchanged extends Answered {
  readonly kind: 'unchanged'
}

/** The feed has ended, as its server says (410). */
export interface Gone {
  readonly kind: 'gone'
  readonly problem: string
}

export interface Failed {
  readonly kind: 'failed'
  /** `not-a-feed` is for the caller: a page came where a feed was. */
  readonly reason: OutboundErrorKind | 'status' | 'not-a-feed'
  /** What was found, and what helps, in one sentence without a full stop. */
  readonly problem: string
  /** Of the response, where one came. */
  readonly status?: number
  /** How long the server asks to wait (429, 503), in milliseconds. */
  readonly retryAfterMs?: number
}

export type FetchOutcome = Fetched | Unchanged | Gone | Failed

/** Fetches a feed once. Rejects for a bug of ours alone. */
export async function fetchFeed(request: FetchRequest, { client, now, signal }: FetchOptions): Promise<FetchOutcome> {
  try {
    const { address, movedTo = address, validators } = request
    const credentials = credentialsFor(movedTo, request)
    const arrival = await client.get({ address: movedTo, accept: ACCEPT, credentials, validators, signal })
    return outcomeOf(arrival, { address: movedTo, validators, hasCredentials: credentials !== undefined }, now())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { kind: 'failed', reason: error.kind, problem: error.message }
  }
}

/** An attacker who controls a server could move its feeds elsewhere, and have their secrets sent there. */
function credentialsFor(target: string, { address, credentials }: FetchRequest): Credentials | undefined {
  const [own, moved] = [URL.parse(address), URL.parse(target)]
  if (own === null || moved === null) return undefined
  return isSameServer(own, moved) ? (credentials ?? credentialsOf(own)) : undefined
}

interface Sent {
  readonly address: string
  readonly validators: Validators | undefined
  readonly hasCredentials: boolean
}

/** Without user, password and fragment, which are not sent. */
function isSameAddress(one: string, other: string): boolean {
  const sent = (address: string): string => {
    const url = new URL(address)
    return `${url.origin}${url.pathname}${url.search}`
  }
  return sent(one) === sent(other)
}

function outcomeOf(arrival: Arrival, { address: asked, validators: sent, hasCredentials }: Sent, nowMs: number): FetchOutcome {
  const { status, headers, body, address, permanentAddress } = arrival
  const fresh = freshMs(headers)
  const answered = {
    address,
    ...(permanentAddress === undefined ? {} : { permanentAddress }),
    ...(fresh === undefined ? {} : { freshMs: fresh }),
  }
  if (body !== undefined) {
    const contentType = bounded(headers['content-type'])
    const validators = validatorsOf(arrival)
    return {
      kind: 'fetched',
      ...answered,
      bytes: body,
      ...(contentType === undefined ? {} : { contentType }),
      ...(validators === undefined ? {} : { validators }),
    }
  }
  if (status === 304 && sent?.address === address) {
    // A 304 has the validators that a 200 would have (RFC 9110 section 15.4.5), but often leaves one out.
    return { kind: 'unchanged', ...answered, validators: { ...sent, ...validatorsOf(arrival) } }
  }
  // Where a redirect led there, the address itself may lead elsewhere tomorrow.
  if (status === 410 && isSameAddress(asked, address)) {
    return { kind: 'gone', problem: 'The server says that the feed has ended (410): delete it, or enter its new address' }
  }
  const wait = retryAfterMs(headers['retry-after'], nowMs)
  return {
    kind: 'failed',
    reason: 'status',
    problem: problemOf(status, hasCredentials),
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  }
}

function validatorsOf({ address, headers }: Arrival): Validators | undefined {
  const [etag, lastModified] = [bounded(headers.etag), bounded(headers['last-modified'])]
  if (etag === undefined && lastModified === undefined) return undefined
  return { address, ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

function bounded(header: string | undefined): string | undefined {
  return header !== undefined && header !== '' && header.length <= HEADER_CHARS_MAX ? header : undefined
}

function problemOf(status: number, hasCredentials: boolean): string {
  const found = `The server responded with ${status}`
  switch (status) {
    case 401:
      return hasCredentials ? `${found}: it does not accept the user and the password of the feed: correct them` : `${found}: enter the user and the password that it asks for`
    case 403:
    case 451:
      return `${found}, which forbids the service to read the feed: ask its administrator to allow it, or delete the feed`
    case 404:
      return `${found}, so there is no feed at this address: look for its new address on the site`
    case 429:
      return `${found}, so it is asked too often: the service waits for as long as it says`
    case 304:
      return `${found} to a request without conditions: its administrator has to correct it`
    default:
      return status >= 500 ? `${found}, so it has a fault: the service retries by itself` : `${found}, expected 200: check the address of the feed`
  }
}
