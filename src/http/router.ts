/**
 * From method and path to a handler.
 *
 * The paths of the table are a tree of their segments. Where two match the same request, the one that names more from the
 * left goes first (`/data/query` before `/data/:id`); two of the same shape are an error at start. So the order of the
 * table does not matter.
 */
import { describe, fail } from '../base/failure.ts'
import type { Handler, Params } from './exchange.ts'
import { decodePercent } from './query-string.ts'

export interface Route {
  /** GET also serves HEAD; every path has OPTIONS without a route. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Segments as they are, or `:name` for any text: `/api/v1/data/:id`. A slash at the end is another path. */
  readonly path: string
  readonly handler: Handler
}

export interface Routed {
  /** The path of the table that matched; empty where none did. */
  readonly path: string
  readonly handler: Handler
  readonly params: Params
}

export type Router = ReturnType<typeof createRouter>

/** Throws an Error that names the routes when two of them differ only in the names of parameters. */
export function createRouter(routes: readonly Route[]) {
  const entries = entriesOf(routes)
  const tree = createPathTree<Entry>()
  for (const entry of entries) tree.add(segments(entry.path), entry)
  const methods = allowed(entries.flatMap((entry) => [...entry.handlers.keys()]))
  return {
    /** The methods of all paths, as an `Allow` header names them. */
    methods,
    /** Throws notFound or methodNotAllowed (with `Allow`). */
    route(method: string, path: string): Routed {
      const values: string[] = []
      const entry = tree.find(path, values)
      if (entry !== undefined) {
        const handler = entry.handlers.get(method)
        if (handler === undefined) throw wrongMethod(method, path, entry.allow)
        return { path: entry.path, handler, params: paramsOf(entry.names, values) }
      }
      // The asterisk form is about the server as a whole (RFC 9110 section 9.3.7).
      if (method === 'OPTIONS') return path === '*' ? optionsRoute(methods) : OPTIONS_UNKNOWN
      throw fail('notFound', `Cannot ${method} ${describe(path)}: there is no such path`)
    },
  }
}

/** One path of the table with all its methods. */
interface Entry {
  readonly path: string
  readonly names: readonly string[]
  readonly handlers: ReadonlyMap<string, Handler>
  readonly allow: string
}

const NO_PARAMS: Params = {}
const SEGMENT = /^(?::[A-Za-z]\w*|[A-Za-z0-9._~-]+)$/
const OPTIONS_UNKNOWN: Routed = { path: '', handler: () => ({ kind: 'empty', status: 204 }), params: NO_PARAMS }

function entriesOf(routes: readonly Route[]): readonly Entry[] {
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
  return paths.map((path) => entryOf(path, table.get(path) ?? new Map<string, Handler>()))
}

/** The path with one character for every parameter, which sorts after every name of a segment. */
function shapeOf(path: string): string {
  return segments(path)
    .map((segment) => (segment.startsWith(':') ? '\u{10ffff}' : segment))
    .join('/')
}

function entryOf(path: string, own: ReadonlyMap<string, Handler>): Entry {
  const handlers = new Map(own)
  const get = own.get('GET')
  if (get !== undefined) handlers.set('HEAD', get)
  const allow = allowed([...handlers.keys()])
  handlers.set('OPTIONS', optionsRoute(allow).handler)
  const names = segments(path)
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1))
  return { path, names, handlers, allow }
}

function segments(path: string): readonly string[] {
  const parts = path.slice(1).split('/')
  const named = parts.length > 1 && parts.at(-1) === '' ? parts.slice(0, -1) : parts
  if (!path.startsWith('/') || (path !== '/' && !named.every((part) => SEGMENT.test(part)))) {
    throw new Error(`Cannot add route "${path}": wanted "/" and segments of letters, digits, "-", ".", "_" or ":name"`)
  }
  return parts
}

function paramsOf(names: readonly string[], values: readonly string[]): Params {
  if (names.length === 0) return NO_PARAMS
  const params: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const sent = values[i] ?? ''
    // A broken escape names no document: the handler reports that, after authorization.
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

// Values under paths, as a tree of their segments: a look-up compares each segment with those that are beside one another.

interface PathNode<T> {
  /** Few: comparing a part of the path with each takes less time than to cut it out and look it up in a map. */
  readonly named: { readonly name: string; readonly node: PathNode<T> }[]
  /** For any text that is not empty. */
  any: PathNode<T> | undefined
  /** Of the path that ends here. */
  value: T | undefined
}

function createPathTree<T>() {
  const root = emptyNode<T>()
  return {
    /** Adds the path of these segments, of which those with a colon in front stand for any text. */
    add(segments: readonly string[], value: T): void {
      let node = root
      for (const segment of segments) {
        const isAny = segment.startsWith(':')
        const known = isAny ? node.any : node.named.find(({ name }) => name === segment)?.node
        const next = known ?? emptyNode<T>()
        if (isAny) node.any = next
        else if (known === undefined) node.named.push({ name: segment, node: next })
        node = next
      }
      node.value = value
    },
    /** The value of a path; `texts` gets what stands for any text. Of two paths, the one that names more from the left. */
    find: (path: string, texts: string[]): T | undefined => (path.startsWith('/') ? find(root, path, 1, texts) : undefined),
  }
}

function emptyNode<T>(): PathNode<T> {
  return { named: [], any: undefined, value: undefined }
}

/** Looks below a node for the rest of the path, which begins at `from`. Never deeper than the longest path of the tree. */
function find<T>(node: PathNode<T>, path: string, from: number, texts: string[]): T | undefined {
  const slash = path.indexOf('/', from)
  const length = (slash === -1 ? path.length : slash) - from
  const same = node.named.find(({ name }) => name.length === length && path.startsWith(name, from))
  const named = findIn(same?.node, path, slash, texts)
  if (named !== undefined || length === 0 || node.any === undefined) return named
  texts.push(path.slice(from, from + length))
  const found = findIn(node.any, path, slash, texts)
  if (found === undefined) texts.pop()
  return found
}

function findIn<T>(next: PathNode<T> | undefined, path: string, slash: number, texts: string[]): T | undefined {
  if (next === undefined) return undefined
  return slash === -1 ? next.value : find(next, path, slash + 1, texts)
}
