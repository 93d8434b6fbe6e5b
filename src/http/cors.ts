/**
 * Cross-origin reads by web pages (the CORS protocol of the Fetch Standard, section 3.3).
 *
 * The web client sends every request with credentials mode on, for which browsers refuse the wildcard: the response
 * names the origin and allows credentials. Errors have the same headers, or a page sees a network error in place of the
 * message. Every response has `Vary: Origin`: a shared cache that kept the response to one origin, or to none, must not
 * use it for another.
 */
import { splitCommaList } from '../base/comma-list.ts'

/**
 * What browsers send for pages without an origin of their own: pages of files, but also frames in a sandbox and `data:` URLs
 * of every web site (WHATWG HTML, "opaque origin").
 */
export const OPAQUE_ORIGIN = 'null'
/** What Electron and the web view of Android send for pages of files; no page of the web can. */
const FILE_ORIGIN = 'file://'

/** `local` is any port of http://localhost and http://127.0.0.1, as a web page in development has. */
export type CorsPolicy = 'local' | readonly string[]

/** Returns the headers of a response, names and values in turn, for the `Origin` of its request; of most requests the same array. */
export type CorsHeaders = (origin: string | undefined) => readonly string[]

/**
 * Reads a comma-separated list of origins, such as `https://app.example.org,http://localhost:3000`.
 * `null` and `file://` are what pages of files send. An empty list is a policy too: no page may read a response. Throws an Error that names the first bad entry.
 */
export function parseOrigins(list: string): readonly string[] {
  const origins = splitCommaList(list)
  for (const origin of origins) {
    if (origin === '*') {
      throw new Error('expected origins by name, found "*", which browsers reject for requests with credentials')
    }
    if (origin !== OPAQUE_ORIGIN && origin !== FILE_ORIGIN && !ORIGIN.test(origin)) {
      throw new Error(`expected scheme://host or scheme://host:port in lower case, null or file://, found "${origin}"`)
    }
  }
  return origins
}

/** Whether pages of an origin may read the responses. */
export function originCheck(policy: CorsPolicy): (origin: string) => boolean {
  return policy === 'local' ? (origin) => LOCAL_ORIGIN.test(origin) : allowList(policy)
}

export function corsHeaders(policy: CorsPolicy): CorsHeaders {
  const isAllowed = originCheck(policy)
  let latest: { readonly origin: string; readonly headers: readonly string[] } | undefined
  return (origin) => {
    if (origin === undefined || !isAllowed(origin)) return FOREIGN
    if (latest?.origin !== origin) latest = { origin, headers: headersFor(origin) }
    return latest.headers
  }
}

const PREFLIGHT_SECONDS = 86_400
const FOREIGN: readonly string[] = ['Vary', 'Origin']
/** What a browser sends as Origin: no path, no user, no default port (WHATWG URL section 4.7). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/
const LOCAL_ORIGIN = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/

/** One set for preflights and for all other responses: browsers ignore what does not apply. */
const ALLOWANCES: readonly string[] = Object.entries({
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Origin, Content-Type, Authorization, Accept, If-Match, If-None-Match, X-Dateline-Position, Consistency, ' +
    'Idempotency-Key, Cache-Control, Last-Event-ID',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Dateline-Instance, X-Dateline-Position, X-Dateline-Quorum, Retry-After, ETag',
  'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
}).flat()

function headersFor(origin: string): readonly string[] {
  // What every web site can send must not be read with what the browser adds, such as the cookie of a proxy that signs users in.
  const credentials = origin === OPAQUE_ORIGIN ? [] : ['Access-Control-Allow-Credentials', 'true']
  return [...FOREIGN, 'Access-Control-Allow-Origin', origin, ...credentials, ...ALLOWANCES]
}

function allowList(origins: readonly string[]): (origin: string) => boolean {
  const allowed = new Set(origins)
  return (origin) => allowed.has(origin)
}
