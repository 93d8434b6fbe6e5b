/**
 * From method and path to a handler.
 *
 * Each path of the table is one anchored RegExp, tried in turn: with a few dozen paths nothing cleverer is measurable
 * beside the parsing of HTTP. Where two paths match the same request, the one that names more from the left goes first
 * (`/data/query` before `/data/:id`); two that do so alike are an error at start-up. So the order of the table means
 * nothing.
 */
import { describe, fail } from '../../base/failure.ts'
import type { Handler, Params } from '../request/exchange.ts'
import { decodePercent } from '../request/percent-decoding.ts'

export interface Route {
  /** GET also serves HEAD; OPTIONS is answered for every path and needs no route. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Segments in lower case, or `:name` for any text: `/api/v1/data/:id`. No trailing slash. */
  readonly path: string
  readonly handler: Handler
}

export interface Routed {
  /** The path of the table that matched; empty where none did. */
  readonly path: string
  readonly handler: Handler
  readonly params: Params
}

export interface Router {
  /** Every method that some path has, as an `Allow` header names them. */
  readonly methods: string
  /** Throws notFound or methodNotAllowed (with `Allow`). */
  route(method: string, path: string): Routed
}

/** Throws an Error that names the routes when two of them are the same but for the names of parameters. */
export function createRouter(routes: readonly Route[]): Router {
  const places = placesOf(routes)
  const methods = allowed(places.flatMap((place) => [...place.handlers.keys()]))
  return {
    methods,
    route(method, path) {
      for (const place of places) {
        const match = place.pattern.exec(path)
        if (match === null) continue
        const handler = place.handlers.get(method)
        if (handler === undefined) throw wrongMethod(method, path, place.allow)
        return { path: place.path, handler, params: paramsOf(place.names, match) }
      }
      // The asterisk form asks about the server as a whole (RFC 9110 section 9.3.7).
      if (method === 'OPTIONS') return path === '*' ? optionsRoute(methods) : OPTIONS_UNKNOWN
      throw fail('notFound', `Cannot ${method} ${describe(path)}: there is no such path`)
    },
  }
}

/** One path of the table with all its methods. */
interface Place {
  readonly path: string
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly handlers: ReadonlyMap<string, Handler>
  readonly allow: string
}

const NO_PARAMS: Params = {}
const SEGMENT = /^(?::[A-Za-z]\w*|[A-Za-z0-9._~-]+)$/
const OPTIONS_UNKNOWN: Routed = { path: '', handler: () => ({ kind: 'empty', status: 204 }), params: NO_PARAMS }

function placesOf(routes: readonly Route[]): readonly Place[] {
  const table = new Map<string, Map<string, Handler>>()
  for (const { method, path, handler } of routes) {
    const handlers = table.get(path) ?? new Map<string, Handler>()
    if (handlers.has(method)) throw new Error(`Cannot add route ${method} "${path}": it exists already`)
    table.set(path, handlers.set(method, handler))
  }
  const paths = [...table.keys()].sort((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1))
  for (const [i, path] of paths.entries()) {
    const rival = paths[i - 1]
    if (rival !== undefined && shapeOf(rival) === shapeOf(path)) {
      throw new Error(`Cannot add route "${path}": "${rival}" matches the same paths`)
    }
  }
  return paths.map((path) => placeOf(path, table.get(path) ?? new Map<string, Handler>()))
}

/** The path with one sign for every parameter, which sorts behind all that a segment can be named. */
function shapeOf(path: string): string {
  return segments(path)
    .map((segment) => (segment.startsWith(':') ? '\u{10ffff}' : segment))
    .join('/')
}

function placeOf(path: string, own: ReadonlyMap<string, Handler>): Place {
  const handlers = new Map(own)
  const get = own.get('GET')
  if (get !== undefined) handlers.set('HEAD', get)
  const allow = allowed([...handlers.keys()])
  handlers.set('OPTIONS', optionsRoute(allow).handler)
  const parts = segments(path)
  const pattern = parts.map((part) => (part.startsWith(':') ? '([^/]+)' : RegExp.escape(part))).join('/')
  const names = parts.filter((part) => part.startsWith(':')).map((part) => part.slice(1))
  return { path, pattern: new RegExp(`^/${pattern}$`), names, handlers, allow }
}

function segments(path: string): readonly string[] {
  const parts = path.slice(1).split('/')
  if (!path.startsWith('/') || (path !== '/' && !parts.every((part) => SEGMENT.test(part)))) {
    throw new Error(`Cannot add route "${path}": wanted "/" and segments of letters, digits, "-", ".", "_" or ":name"`)
  }
  return parts
}

function paramsOf(names: readonly string[], match: RegExpExecArray): Params {
  if (names.length === 0) return NO_PARAMS
  const params: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const sent = match[i + 1] ?? ''
    // What cannot be decoded names nothing, which its handler says, once it is clear who asks.
    params[name] = decodePercent(sent) ?? sent
  }
  return params
}

function optionsRoute(allow: string): Routed {
  return { path: '', handler: () => ({ kind: 'empty', status: 204, headers: { Allow: allow } }), params: NO_PARAMS }
}

function wrongMethod(method: string, path: string, allow: string): Error {
  const message = `Cannot ${method} ${describe(path)}: this path has only ${allow}`
  return fail('methodNotAllowed', message, { headers: { Allow: allow } })
}

const METHODS_IN_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function allowed(methods: readonly string[]): string {
  return METHODS_IN_ORDER.filter((method) => method === 'OPTIONS' || methods.includes(method)).join(', ')
}
