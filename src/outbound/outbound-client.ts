/**
 * Requests to other servers: GET with redirects, and others without. Every hop is looked up, checked and connected to by the rules for
 * outbound connections (outbound-rules.ts). One client serves the whole process, since it also takes care that a host has
 * one connection at a time.
 */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { VERSION } from '../base/version.ts'
import { basicAuthorization, type Credentials } from './basic-credentials.ts'
import { CODINGS_ACCEPTED } from './content-coding.ts'
import { createHostSlots, type SlotLimits } from './host-slots.ts'
import { OutboundError } from './outbound-error.ts'
import { bareHost } from './outbound-proxy.ts'
import { exchangeOver, type OutboundRequest, type OutboundResponse, type ResponseLimits } from './outbound-response.ts'
import { type OutboundRules, type Resolve, systemResolve } from './outbound-rules.ts'
import { openOutbound, proxyHeaders, proxyRejected } from './outbound-socket.ts'
import { createTimeBudget } from './time-budget.ts'

const ADDRESS_CHARS_MAX = 2_000
const SHOWN_CHARS_MAX = 200

export interface OutboundLimits extends ResponseLimits, SlotLimits {
  /** For all hops of one request, without the wait for its turns. */
  readonly totalMs: number
  readonly redirects: number
}

const LIMITS: OutboundLimits = {
  totalMs: 30_000,
  redirects: 5,
  wireBytes: 5 * 1024 * 1024,
  unpackedBytes: 20 * 1024 * 1024,
  perHost: 1,
  total: 8,
}

export interface ClientOptions {
  readonly rules: OutboundRules
  /** The value of User-Agent, which a setting may change. */
  readonly userAgent: () => string
  readonly resolve?: Resolve
  readonly limits?: Partial<OutboundLimits>
}

type Hop = Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'limits' | 'wantsBody'>

/** Room for the head of a response and its framing. */
const HEAD_BYTES = 64 * 1024

export interface OutboundSend extends Pick<OutboundRequest, 'method' | 'headers' | 'body'> {
  /** Without user and password. */
  readonly url: string
  /** Of the response. */
  readonly bodyBytesMax: number
  readonly totalMs: number
  readonly signal?: AbortSignal | undefined
}

export interface OutboundGet {
  /** User and password in it are left out; those of the request are `credentials`. */
  readonly address: string
  readonly accept: string
  /** Sent to the server of the address alone, in Basic authentication. */
  readonly credentials?: Credentials | undefined
  /** Conditions, which are sent to this address alone: another resource may have the same ETag. */
  readonly validators?: Validators | undefined
  /** Of the response, in place of what a feed may have. */
  readonly bodyBytesMax?: number
  readonly signal?: AbortSignal | undefined
}

/** What a server said about the version that it sent (RFC 9110 section 8.8). */
export interface Validators {
  /** The address that sent it, behind all redirects. */
  readonly address: string
  readonly etag?: string
  readonly lastModified?: string
}

export interface Arrival extends OutboundResponse {
  /** The address behind all redirects, without user and password. */
  readonly address: string
  /** Where the permanent redirects (301, 308) led that came before any other; undefined where there were none. */
  readonly permanentAddress?: string
}

export type OutboundClient = ReturnType<typeof createOutboundClient>

export function createOutboundClient({ rules, userAgent, resolve = systemResolve, limits: given = {} }: ClientOptions) {
  const limits = { ...LIMITS, ...given }
  const inTurn = createHostSlots(limits)
  let context: SecureContext | undefined
  /** Made once: parsing Node's own certificates, a hundred and more, takes time. */
  const secureContext = (): SecureContext => {
    context ??= createSecureContext(rules.ca.length > 0 ? { ca: [...getCACertificates('default'), ...rules.ca] } : {})
    return context
  }
  const connecting = { rules, resolve, secureContext }

  const limitsFor = (bodyBytesMax: number | undefined): ResponseLimits =>
    bodyBytesMax === undefined ? limits : { wireBytes: bodyBytesMax + HEAD_BYTES, unpackedBytes: bodyBytesMax }

  async function hop(url: URL, { headers, ...request }: Hop, signal: AbortSignal): Promise<OutboundResponse> {
    const socket = await openOutbound(url, connecting, signal)
    const proxy = rules.proxyFor(url)
    const isForwarded = proxy !== undefined && url.protocol === 'http:'
    const target = `${url.pathname}${url.search}`
    const asked = {
      host: bareHost(url),
      target: isForwarded ? `${url.origin}${target}` : target,
      headers: { host: url.host, ...headers, ...(isForwarded ? proxyHeaders(proxy) : {}) },
      ...request,
    }
    const response = await exchangeOver(socket, asked, signal)
    if (isForwarded && response.status === 407) throw proxyRejected(response.status)
    return response
  }

  return {
    /** Resolves with any response that is no redirect; with its body for 200 and 203. Rejects with an OutboundError. */
    async get({ address, accept, credentials, validators, bodyBytesMax, signal }: OutboundGet): Promise<Arrival> {
      const budget = createTimeBudget(limits.totalMs, signal)
      let url = readAddress(address)
      let secret = credentials
      let permanent: string | undefined
      let isPermanent = true
      for (let redirects = 0; ; redirects++) {
        const headers = {
          accept,
          'accept-encoding': CODINGS_ACCEPTED,
          'user-agent': userAgent(),
          ...(secret === undefined ? {} : { authorization: basicAuthorization(secret) }),
          ...conditions(url, validators),
        }
        const asked = url
        const get = { method: 'GET', headers, limits: limitsFor(bodyBytesMax), wantsBody: (status: number) => status === 200 || status === 203 } as const
        const response = await inTurn(bareHost(asked), signal, () => budget.spend((ending) => hop(asked, get, ending)))
        const next = redirectOf(url, response)
        if (next === undefined) {
          return { ...response, address: url.href, ...(permanent === undefined ? {} : { permanentAddress: permanent }) }
        }
        if (redirects === limits.redirects) {
          throw new OutboundError('redirect', `There were more than ${limits.redirects} redirects, the last one to ${shownAddress(next)}: its administrator has to correct them`)
        }
        isPermanent &&= response.status === 301 || response.status === 308
        if (isPermanent) permanent = next.href
        if (!isSameServer(url, next)) secret = undefined
        url = next
      }
    },
    /** Sends one request. Resolves with any response, redirects included, and its body. Rejects with an OutboundError. */
    async send({ url, totalMs, signal, ...request }: OutboundSend): Promise<OutboundResponse> {
      const headers = { ...request.headers, 'user-agent': userAgent() }
      const asked = { ...request, headers, limits: limitsFor(request.bodyBytesMax), wantsBody: () => true }
      return createTimeBudget(totalMs, signal).spend((ending) => hop(readAddress(url), asked, ending))
    },
  }
}

/** Names the program and, for the administrator of the other server, the site that asks. */
export function userAgentOf(siteAddress: string | undefined): string {
  return siteAddress === undefined ? `Dateline/${VERSION}` : `Dateline/${VERSION} (+${siteAddress})`
}

/** The URL of a text, without user and password. Throws an OutboundError. */
function readAddress(text: string): URL {
  const url = text.length > ADDRESS_CHARS_MAX ? null : URL.parse(text)
  if (url === null || !isWeb(url)) {
    throw new OutboundError('address', `The address is no http:// or https:// URL of at most ${ADDRESS_CHARS_MAX} characters: correct it`)
  }
  return withoutSecrets(url)
}

/** The address that a response redirects to; undefined for any other response. Throws an OutboundError. */
function redirectOf(from: URL, { status, headers }: OutboundResponse): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  const location = headers.location === undefined ? '' : utf8(headers.location)
  const url = location === '' || location.length > ADDRESS_CHARS_MAX ? null : URL.parse(location, from)
  if (url === null || !isWeb(url) || url.href.length > ADDRESS_CHARS_MAX) {
    throw new OutboundError('redirect', `The server responded with ${status} and no address of http:// or https:// to go on to: its administrator has to correct it`)
  }
  // What was asked for inside TLS does not come without it: a machine in between could change it, and the redirect of the
  // next time as well.
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('redirect', `The server redirects from https to the unencrypted ${shownAddress(url)}: use that address if this is acceptable`)
  }
  return withoutSecrets(url)
}

/** The conditions of RFC 9110 section 13.1 for the resource that gave the validators. */
function conditions(url: URL, validators: Validators | undefined): Readonly<Record<string, string>> {
  if (validators === undefined || validators.address !== url.href) return {}
  const { etag, lastModified } = validators
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  }
}

/** Whether a secret for one may go to the other: the same origin, or the same host once it has moved to https. */
export function isSameServer(from: URL, to: URL): boolean {
  return from.origin === to.origin || (from.hostname === to.hostname && from.port === '' && to.port === '' && to.protocol === 'https:')
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

/** A redirect cannot set a user: the service would log in with what a stranger chose. */
function withoutSecrets(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}

/** For a message. A query may be a secret of its reader. */
function shownAddress({ origin, pathname, search }: URL): string {
  const text = `${origin}${pathname}${search === '' ? '' : '?…'}`
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text
}

/** Node reads headers as Latin-1; servers that leave a Location unescaped write UTF-8. */
function utf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? header : text
}
