/**
 * A client of the service: what its API offers as methods with types, and its failures as classes.
 *
 * One file of standard TypeScript that wants `fetch` and nothing else: browsers, Node from 18 on, Deno and Bun run it.
 * scripts/client.ts prints the types that it imports in front of it.
 *
 * The token goes into one header of requests to the configured URL, and nowhere else: redirects are rejected, and
 * no error has it in its text. Responses are checked: a proxy or a hotel's sign-in page may have sent them.
 */
import type { Bodies, ModelName, Models, Offers, Replacements } from './client-types.ts'

/** Proxies and browsers take URLs of this many characters everywhere; a longer query goes as a body. */
const URL_CHARS_MAX = 4_096
/** A page of 100 documents as large as a body may be, and some more. */
const REPLY_BYTES_MAX = 256 * 1024 * 1024
/** The service's own errors are far shorter; a proxy's error page is cut. */
const FAILURE_BYTES_MAX = 64 * 1024
/** Page size of iterate(): the maximum of the service unless it is configured otherwise. */
const PAGE_SIZE = 100
/** Responses that are kept to be confirmed by the service, which then sends no body: so many, of so many characters. */
const KEPT_RESPONSES_MAX = 100
const KEPT_CHARS_MAX = 4 * 1024 * 1024
/** Of a foreign text that stands in a message of ours. */
const SHOWN_CHARS_MAX = 60

export interface ClientOptions {
  /**
   * Where the service is, such as `https://news.example.org` or `https://example.org/news`. Without one, requests go
   * to where the page is that this runs in.
   */
  readonly url?: string | undefined
  /** The token of an earlier sign-in. */
  readonly token?: string | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** In place of `JSON.parse` for replies: for numbers that a double cannot hold, say. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Languages of sign-in mails, as in the header Accept-Language: `de-CH, fr;q=0.8`. */
  readonly language?: string | undefined
}

/** What the client wants of `fetch`; runtimes put members of their own on theirs, which others cannot have. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What each request takes. There is no deadline but yours: `{ signal: AbortSignal.timeout(5000) }`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
}

export interface WriteOptions extends RequestOptions {
  /** The `etag` that the document had when you read it: after a change of another client you get a PreconditionFailed. */
  readonly ifMatch?: string | undefined
}

export interface CheckOptions extends RequestOptions {
  /** The document that the body would replace; without it the body would be a new one. */
  readonly id?: string | undefined
}

/** Anything that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** Tests of one field, in MongoDB's language. All of them must hold. */
export interface Operators {
  readonly $eq?: Json
  readonly $ne?: Json
  readonly $gt?: Json
  readonly $gte?: Json
  readonly $lt?: Json
  readonly $lte?: Json
  readonly $in?: readonly Json[]
  readonly $nin?: readonly Json[]
  readonly $all?: readonly (Json | Operators)[]
  readonly $size?: number
  readonly $elemMatch?: Operators | Filter
  readonly $exists?: boolean
  readonly $type?: string | number | readonly (string | number)[]
  readonly $mod?: readonly [divisor: number, remainder: number]
  readonly $regex?: string
  readonly $options?: string
  readonly $not?: Operators
}

/** A value that a field must equal; an object of members, none of which is an operator. */
export type Value =
  | Exclude<Json, object>
  | readonly Json[]
  | { readonly [member: string]: Json; readonly [operator: `$${string}`]: never }

/** What combines filters. An operator of fields has no meaning beside it. */
export interface Combined extends Partial<Readonly<Record<keyof Operators, never>>> {
  readonly $and?: readonly Filter[]
  readonly $or?: readonly Filter[]
  readonly $nor?: readonly Filter[]
}

/**
 * Dotted paths of fields with what they must be: `{ status: 'active', 'source.language.code': { $in: ['en'] } }`.
 * `undefined` is rejected, here and when it is sent: JSON would leave it out, and more would be found than was meant.
 */
export type Filter = Combined & { readonly [path: string]: Value | Operators | readonly Filter[] }

export interface Query {
  /** The key `q` in it searches titles and names. */
  readonly filter?: Filter | undefined
  /** `updatedAt:desc,title:asc` */
  readonly sort?: string | undefined
}

export interface ListQuery extends Query {
  readonly limit?: number | undefined
  /** That of the page before; null, as that of the last page, and none begin at the first. */
  readonly cursor?: string | null | undefined
}

export interface IterateQuery extends Query {
  /** Items for which is asked at a time, 1 or more; 100 without it. A page of large documents has fewer. */
  readonly pageSize?: number | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** For the page after this one; null where there is none. */
  readonly cursor: string | null
  readonly hasMore: boolean
}

export interface Stored<T> {
  readonly document: T
  /** Names this state of the document, for `ifMatch`; undefined where something on the way took it out. */
  readonly etag: string | undefined
}

/** All methods there are for documents; a model has those that its declaration offers. */
export interface Methods<M extends ModelName> extends DocumentCalls<M> {
  list(query?: ListQuery, options?: RequestOptions): Promise<Page<Models[M]>>
  /** All items, page after page; leaving the loop ends it. */
  iterate(query?: IterateQuery, options?: RequestOptions): AsyncGenerator<Models[M], void, undefined>
}

export type Collection<M extends ModelName> = Pick<Methods<M>, Offers[M]>

export interface SignedIn {
  readonly user: Models['user']
  readonly token: string
}

export interface Client {
  /**
   * The token that requests carry; set it to stay signed in, or to undefined to forget it. `verifyCode` and `anonymous`
   * keep the one that they get; `signOut` and `deleteAccount` forget it.
   */
  token: string | undefined
  readonly auth: AuthCalls
  data<M extends ModelName>(model: M): Collection<M>
  readonly dashboard: DashboardCalls
  readonly admin: AdminCalls
}

interface ErrorDetails {
  readonly status: number
  readonly code: string
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly problems?: Problems | undefined
  readonly cause?: unknown
}

type Problems = DocumentProblems['problems']

/**
 * Whatever goes wrong with a request is one of these, except what an AbortSignal ends, which is the signal's reason,
 * and a body that JSON cannot hold, a TypeError. Another copy of this file has classes of its own: compare `name` and
 * `code`.
 */
export class DatelineError extends Error {
  override readonly name: string = 'DatelineError'
  /** The HTTP status; 0 where there was no reply. */
  readonly status: number
  /** The service's stable code, such as `invalidInput`; `noReply` and `unreadableReply` are ours. */
  readonly code: string
  /** What the service's log calls the request. */
  readonly requestId: string | undefined
  /** How long to wait before the next try, where the service says so. */
  readonly retryAfterSeconds: number | undefined
  /** Where a document was rejected: the first problem found, as check() lists them all. Otherwise empty. */
  readonly problems: Problems

  constructor(message: string, { status, code, requestId, retryAfterSeconds, problems = [], cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.problems = problems
  }
}

/** 400, and every other 4xx without a class of its own: the same request will be rejected again. */
export class BadRequest extends DatelineError {
  override readonly name = 'BadRequest'
}
/** 401: the client is not signed in, or no longer. */
export class Unauthorized extends DatelineError {
  override readonly name = 'Unauthorized'
}
/** 403 */
export class Forbidden extends DatelineError {
  override readonly name = 'Forbidden'
}
/** 404, and an id that cannot stand in a path. */
export class NotFound extends DatelineError {
  override readonly name = 'NotFound'
}
/** 409 */
export class Conflict extends DatelineError {
  override readonly name = 'Conflict'
}
/** 412: the document was changed since it was read. */
export class PreconditionFailed extends DatelineError {
  override readonly name = 'PreconditionFailed'
}
/** 429: see retryAfterSeconds. */
export class TooManyRequests extends DatelineError {
  override readonly name = 'TooManyRequests'
}
/** 500 and above, also of a proxy in front of the service. */
export class ServerError extends DatelineError {
  override readonly name = 'ServerError'
}
/** There was no reply, or only a part of it: `cause` is what fetch says. Whether the service acted is not known. */
export class NetworkError extends DatelineError {
  override readonly name = 'NetworkError'
}
/** A reply of success that is not the service's. */
export class UnreadableReply extends DatelineError {
  override readonly name = 'UnreadableReply'
}

/** Throws a TypeError for an address, a token or languages that cannot be such. */
export function createClient(options: ClientOptions = {}): Client {
  const base = baseOf(options.url)
  const fetchNow: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const parse = options.parse ?? ((text) => JSON.parse(text) as unknown)
  const language = headerText('Accept-Language', options.language)
  let token = checkedToken(options.token)

  const kept = keptResponses()
  /** What a session has read ends with it, here as well. */
  const useToken = (next: string | undefined): void => {
    if (next !== token) kept.clear()
    token = next
  }

  /** Sends a request and gives its reply, whatever the status. */
  const send = async ({ method, path, body, ifMatch, ifNoneMatch, signal, token }: Call): Promise<Response> => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    if (language !== undefined) headers['accept-language'] = language
    if (body !== undefined) headers['content-type'] = 'application/json'
    const tag = headerText('If-Match', ifMatch)
    if (tag !== undefined) headers['if-match'] = strongTag(tag)
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch
    // What JSON cannot hold is the caller's mistake, and no failure of the network.
    const text = body === undefined ? undefined : JSON.stringify(body)
    return orNetworkError({ method, path, signal }, () =>
      fetchNow(base + path, {
        method,
        headers,
        redirect: 'error',
        ...(text === undefined ? {} : { body: text }),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
  }

  /** For replies with data. The type is the service's promise; only the outermost form is looked at. */
  const fetchData = async <T extends object>(request: Call): Promise<{ data: T; etag: string | undefined }> => {
    const call = { ...request, token }
    const before = kept.of(call)
    const response = await send({ ...call, ifNoneMatch: before?.etag })
    const isKnown = before !== undefined && response.status === 304
    if (!response.ok && !isKnown) throw await failureOf(call, response)
    const text = isKnown ? before.text : await readText(call, response, REPLY_BYTES_MAX)
    const reply = text === undefined ? undefined : parseObject(text, parse)
    const data = reply?.['data']
    if (!isObject(data)) throw unreadable(call, response)
    const etag = isKnown ? before.etag : (response.headers.get('etag') ?? undefined)
    if (isKnown) leave(response.body)
    else if (text !== undefined && call.token === token) kept.keep(call, response, text)
    return { data: data as T, etag: etag === undefined ? undefined : versionTag(etag) }
  }

  /** For empty responses. Any other success is not the service's: nothing was done. */
  const fetchEmpty = async (request: Call, status: 202 | 204): Promise<void> => {
    const call = { ...request, token }
    const response = await send(call)
    if (!response.ok) throw await failureOf(call, response)
    leave(response.body)
    if (response.status !== status) throw unreadable(call, response)
  }

  const transport: Transport = {
    data: async (call) => (await fetchData<never>(call)).data,
    async page(call, cursor) {
      const { data } = await fetchData<never>(call)
      if (!isPage(data, cursor)) throw unreadable(call)
      return data
    },
    async stored(call) {
      const { data, etag } = await fetchData<never>(call)
      return { document: data, etag }
    },
    async signIn(call) {
      const { data } = await fetchData<SignedIn>(call)
      if (!isToken(data.token) || !isObject(data.user)) throw unreadable(call)
      useToken(data.token)
      return data
    },
    done: fetchEmpty,
    async file(request, type) {
      const call = { ...request, token }
      const response = await send(call)
      if (!response.ok) throw await failureOf(call, response)
      if (response.headers.get('content-type')?.split(';')[0] !== type) {
        leave(response.body)
        throw unreadable(call, response)
      }
      return orNetworkError(call, () => response.blob())
    },
  }
  const auth = authCalls(transport)

  return {
    get token() {
      return token
    },
    set token(next) {
      useToken(checkedToken(next))
    },

    auth: {
      ...auth,
      async signOut(options) {
        try {
          await auth.signOut(options)
        } catch (error) {
          // The session had ended already.
          if (!(error instanceof Unauthorized)) throw error
        }
        useToken(undefined)
      },
      async deleteAccount(options) {
        await auth.deleteAccount(options)
        useToken(undefined)
      },
    },

    data<M extends ModelName>(model: M): Collection<M> {
      const methods: Methods<M> = {
        ...documentCalls(model, transport),
        list: async (query = {}, { signal } = {}) =>
          transport.page(listCall(model, { query, base, signal }), query.cursor),
        async *iterate({ pageSize = PAGE_SIZE, ...query } = {}, options) {
          if (pageSize < 1) throw new TypeError(`Cannot ask for ${pageSize} items at a time: expected 1 or more`)
          let cursor: string | null = null
          // Cursors that come back in a circle would never end. One is remembered, the next after twice as many pages,
          // which finds every circle in constant memory (Brent's algorithm).
          let remembered: string | null = null
          let [pages, rememberAt] = [0, 1]
          do {
            const page: Page<Models[M]> = await methods.list({ ...query, limit: pageSize, cursor }, options)
            yield* page.items
            cursor = page.hasMore ? page.cursor : null
            if (cursor !== null && cursor === remembered) throw unreadable(listCall(model, { query, base }))
            if (++pages === rememberAt) [remembered, rememberAt] = [cursor, rememberAt * 2]
          } while (cursor !== null)
        },
      }
      return methods
    },

    dashboard: dashboardCalls(transport),
    admin: adminCalls(transport),
  }
}

/** What the methods of single endpoints send their requests by, and what they expect of the response. */
interface Transport {
  /** `data` of the response. */
  data<T extends object>(call: Call): Promise<T>
  /** A page that leads on, unless it is the last. */
  page<T extends Page<unknown>>(call: Call, cursor: ListQuery['cursor']): Promise<T>
  /** A document with its ETag. */
  stored<T>(call: Call): Promise<Stored<T>>
  /** A user and a token, which is kept. */
  signIn(call: Call): Promise<SignedIn>
  /** An empty response of this status. */
  done(call: Call, status: 202 | 204): Promise<void>
  /** A file of this type, of any size. */
  file(call: Call, type: string): Promise<Blob>
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api/v1/`, escaped. */
  readonly path: string
  readonly body?: object | undefined
  readonly ifMatch?: string | undefined
  /** The version that the client has kept. */
  readonly ifNoneMatch?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** What it carries, so that the reply cannot put it into the text of an error. */
  readonly token?: string | undefined
}

/** In the URL where it fits there, so that it can be seen and tried by hand; else in a body. */
function listCall(
  model: ModelName,
  { query, base, signal }: { readonly query: ListQuery; readonly base: string; readonly signal?: Call['signal'] },
): Call {
  const { filter, sort, limit, cursor } = query
  const path = withQuery('data', { model, filter, sort, limit, cursor })
  if (base.length + path.length <= URL_CHARS_MAX) return { method: 'GET', path, signal }
  return { method: 'POST', path: withQuery('data/query', { model }), body: queryBody(query), signal }
}

function queryBody({ filter, sort, limit, cursor }: ListQuery): object {
  filterText(filter)
  return { filter, sort, limit, cursor: cursor ?? undefined }
}

/** The filter as JSON. What JSON leaves out or makes null is rejected: another filter would be asked for. */
function filterText(filter: Filter | undefined): string | undefined {
  if (filter === undefined) return undefined
  return JSON.stringify(filter, (name, value: unknown) => {
    const isLost = value === undefined || typeof value === 'function' || typeof value === 'symbol'
    if (!isLost && (typeof value !== 'number' || Number.isFinite(value))) return value
    const found = isLost ? typeof value : String(value)
    throw new TypeError(
      `Cannot send a filter with ${JSON.stringify(name)}: expected what JSON can hold, found ${found}`,
    )
  })
}

function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | Filter | null | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    const text = typeof value === 'object' && value !== null ? filterText(value) : value?.toString()
    if (text !== undefined) query.set(name, text)
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The address that paths are put behind. In a page it is relative, so that the page may lie below any path. */
function baseOf(url: string | undefined): string {
  if (url === undefined || url === '') {
    if (!('location' in globalThis)) throw new TypeError('Cannot find the service: expected a url outside of web pages')
    return 'api/v1/'
  }
  const parsed = parseUrl(url)
  if (!/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`Cannot use a url of the scheme ${parsed.protocol} expected http: or https:`)
  }
  // fetch refuses them anyway, with all of the URL in its message.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError('Cannot use a url with a user or a password in it: expected none')
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}/api/v1/`
}

function parseUrl(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new TypeError('Cannot read the url: expected one such as https://news.example.org')
  }
}

/** The characters of a bearer token (RFC 6750 section 2.1). fetch would put any other into the text of its error. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\w.~+/-]+=*$/.test(token)
}

function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || isToken(token)) return token
  throw new TypeError('Cannot use the token: expected letters, digits and -._~+/ only')
}

/** fetch refuses any other characters, in words that would be taken for a failure of the network (RFC 9110 5.5). */
function headerText(name: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  throw new TypeError(`Cannot send the header ${name}: expected one line of Latin letters and signs`)
}

/** An entity tag that was made weak on the way, as proxies do that compress, never matches (RFC 9110 13.1.1). */
function strongTag(etag: string): string {
  return etag.replace(/^W\//, '')
}

/** An id as one step of a path. `.` and `..` lead elsewhere, however they are escaped (WHATWG URL, section 4.4). */
function step(id: string): string {
  if (id !== '' && id !== '.' && id !== '..' && isWellFormed(id)) return encodeURIComponent(id)
  throw new NotFound(`Cannot find ${JSON.stringify(id)}: it is no id`, { status: 404, code: 'notFound' })
}

/** Whether each surrogate has its other half. String.isWellFormed() is too new for Node 18. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function nameOf({ method, path }: Call): string {
  return `${method} /api/v1/${path.replace(/\?.*$/s, '')}`
}

/** Failures of the network become ours; what the caller's signal ends stays what it is. */
async function orNetworkError<T>(call: Call, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (call.signal?.aborted === true) throw cause
    throw new NetworkError(`Cannot reach the service: no reply to ${nameOf(call)}`, {
      ...{ status: 0, code: 'noReply', cause },
    })
  }
}

/** The body as text; undefined past the limit, with the rest unread. */
async function readText(call: Call, response: Response, bytesMax: number): Promise<string | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  return orNetworkError(call, async () => {
    const decoder = new TextDecoder()
    let text = ''
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.length
      if (bytes > bytesMax) {
        leave(reader)
        return undefined
      }
      text += decoder.decode(value, { stream: true })
    }
  })
}

/** Responses of this client, for a runtime that has no cache of its own, by their path; all of one token. */
function keptResponses() {
  const entries = new Map<string, { readonly etag: string; readonly text: string }>()
  let chars = 0
  const remove = (key: string): void => {
    chars -= entries.get(key)?.text.length ?? 0
    entries.delete(key)
  }
  return {
    of: (call: Call) => (call.method === 'GET' ? entries.get(call.path) : undefined),
    /** Keeps the text of a response that names its version and may be stored, and drops the oldest past the limits. */
    keep(call: Call, { headers }: Response, text: string): void {
      const [etag, key] = [headers.get('etag'), call.path]
      remove(key)
      if (call.method !== 'GET' || etag === null || /\bno-store\b/i.test(headers.get('cache-control') ?? '')) return
      entries.set(key, { etag, text })
      chars += text.length
      for (const oldest of entries.keys()) {
        if (entries.size <= KEPT_RESPONSES_MAX && chars <= KEPT_CHARS_MAX) return
        remove(oldest)
      }
    },
    clear(): void {
      entries.clear()
      chars = 0
    },
  }
}

/** The tag of a version, whatever the coding that its response came in. */
function versionTag(etag: string): string {
  return etag.replace(/^((?:W\/)?"[\w-]{22})-(?:zstd|br|gzip)"$/, '$1"')
}

/** Reads no more of a reply. How that goes is not waited for: what there is to know of it is known. */
function leave(rest: Pick<ReadableStream, 'cancel'> | null): void {
  rest?.cancel().catch(() => {})
}

type Members = { readonly [name: string]: unknown }

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseObject(text: string, parse: (text: string) => unknown): Members | undefined {
  try {
    const value = parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A page that is not the last must lead on, or a loop over the pages never ends. */
function isPage({ items, cursor, hasMore }: Page<unknown>, sent: ListQuery['cursor']): boolean {
  if (!Array.isArray(items)) return false
  if (hasMore === false) return cursor === null || typeof cursor === 'string'
  return typeof cursor === 'string' && cursor !== sent && items.length > 0
}

async function failureOf(call: Call, response: Response): Promise<DatelineError> {
  const Kind = kindOf(response.status)
  const text = await readText(call, response, FAILURE_BYTES_MAX)
  const error = text === undefined ? undefined : parseObject(text, JSON.parse)?.['error']
  if (!isObject(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string') {
    return unreadable(call, response, Kind)
  }
  const code = hidden(call, error['code'])
  const problems = problemsOf(call, error)
  return new Kind(hidden(call, error['message']), { ...given(call, response), code, problems })
}

/** The problems in an error. Entries of another form are a proxy's and left out. */
function problemsOf(call: Call, { problems }: Members): Problems {
  if (!Array.isArray(problems)) return []
  return problems.filter(isProblem).map(({ path, code, params, message }) => ({
    path: hidden(call, path),
    code,
    params: Object.fromEntries(Object.entries(params).map(([name, text]) => [name, hidden(call, String(text))])),
    message: hidden(call, message),
  }))
}

function isProblem(value: unknown): value is Problems[number] {
  if (!isObject(value) || !isObject(value['params'])) return false
  return [value['path'], value['code'], value['message']].every((text) => typeof text === 'string')
}

/** Text of a reply without the token: what shows the headers of a request in its page would put it into logs. */
function hidden({ token }: Call, text: string): string {
  return token === undefined ? text : text.replaceAll(token, '…')
}

function kindOf(status: number): typeof DatelineError {
  switch (status) {
    case 401:
      return Unauthorized
    case 403:
      return Forbidden
    case 404:
      return NotFound
    case 409:
      return Conflict
    case 412:
      return PreconditionFailed
    case 429:
      return TooManyRequests
    default:
      return status >= 500 ? ServerError : BadRequest
  }
}

/** What the headers say; a proxy may have written them. */
function given(call: Call, { status, headers }: Response): Omit<ErrorDetails, 'code'> {
  const seconds = headers.get('retry-after') ?? ''
  const requestId = headers.get('x-request-id')
  return {
    status,
    requestId: requestId === null ? undefined : hidden(call, requestId),
    retryAfterSeconds: /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined,
  }
}

/** A reply that is not the service's keeps the class of its status; of its content only the type is told. */
function unreadable(call: Call, response?: Response, Kind: typeof DatelineError = UnreadableReply): DatelineError {
  const type = hidden(call, response?.headers.get('content-type') ?? 'JSON').slice(0, SHOWN_CHARS_MAX)
  const status = response?.status ?? 200
  return new Kind(
    `Cannot read the reply to ${nameOf(call)}: expected one of the service, found ${type} with the status ${status}`,
    { ...(response === undefined ? { status } : given(call, response)), code: 'unreadableReply' },
  )
}

// #region endpoints, written by `npm run generate`

import type {
  AuditRecords,
  Backup,
  Backups,
  DashboardOverview,
  DashboardSetup,
  DocumentProblems,
  LogLines,
  MailTest,
  OutboxMessages,
  OutboxRetry,
  QueryPlan,
  ServiceSettings,
  ServiceStatus,
  SessionsEnded,
  UserSessions,
} from '../models/responses.ts'

export interface LogQuery {
  /** The least important level. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
  /** How many of the newest. */
  readonly limit?: number | undefined
}

export interface AuditQuery {
  /** Which records to list, as JSON; all without it. */
  readonly filter?: Filter | undefined
  /** Only what was done with this e-mail address: codes, sign-ins and invitations. */
  readonly email?: string | undefined
  /** Dotted paths, each with `:desc` for the greatest first; `time:desc,id:desc` without it. */
  readonly sort?: string | undefined
  /**
   * How many at most; 20 without it and never more than 100, unless the service is set otherwise. A page ends before
   * its documents pass 8 MiB, and then has fewer with `hasMore` true; it always has one.
   */
  readonly limit?: number | undefined
  /** `cursor` of the page before, with the same filter and sort. */
  readonly cursor?: string | null | undefined
}

export interface OutboxQuery {
  /** Only mails in this state. */
  readonly state?: 'waiting' | 'sending' | 'delivered' | 'failed' | 'expired' | 'superseded' | undefined
  /** How many of the newest. */
  readonly limit?: number | undefined
}

export interface AuthCalls {
  /**
   * Send a sign-in code by e-mail. The response is the same whether or not the e-mail address has an account. With
   * `isDashboardLogin` it must have one, with a role for the dashboard.
   */
  requestCode(
    body: { readonly email: string; readonly isDashboardLogin?: boolean | undefined },
    options?: RequestOptions,
  ): Promise<void>
  /**
   * Sign in with a code. A guest who sends the token of the guest session becomes the account, or is merged into an
   * existing one. A code is void for a client after five wrong tries, and for all clients after fifteen. A client with
   * too many wrong codes in an hour gets 429, even for a right one.
   */
  verifyCode(
    body: { readonly email: string; readonly code: string; readonly isDashboardLogin?: boolean | undefined },
    options?: RequestOptions,
  ): Promise<SignedIn>
  /** Sign in as a guest. No body is needed; a JSON body must be an object. */
  anonymous(options?: RequestOptions): Promise<SignedIn>
  /** Read the user of the token. */
  me(options?: RequestOptions): Promise<Models['user']>
  /** End the session; the token is no longer accepted. */
  signOut(options?: RequestOptions): Promise<void>
  /** List your sessions, newest first. */
  sessions(options?: RequestOptions): Promise<UserSessions>
  /** End all of your sessions but the current one. */
  endOtherSessions(options?: RequestOptions): Promise<SessionsEnded>
  /** End one of your sessions, which may be the current one. */
  endSession(session: string, options?: RequestOptions): Promise<void>
  /** Delete your account and everything that belongs to it. */
  deleteAccount(options?: RequestOptions): Promise<void>
}

export interface DashboardCalls {
  /**
   * Count items by status, and headlines by hour. Hours are in UTC: those of the last 31 days with a headline, by its
   * `createdAt`.
   */
  overview(options?: RequestOptions): Promise<DashboardOverview>
  /** Read what a sign-in page needs. */
  setup(options?: RequestOptions): Promise<DashboardSetup>
}

export interface AdminCalls {
  /** Read the status of the service. */
  status(options?: RequestOptions): Promise<ServiceStatus>
  /** Read the settings in use and their origin, with secrets masked. */
  settings(options?: RequestOptions): Promise<ServiceSettings>
  /** Read the newest log lines. */
  log(query?: LogQuery, options?: RequestOptions): Promise<LogLines>
  /**
   * List the audit trail, newest first. Filters and sorts by `time`, `event`, `actor`, `documentId` and `emailHash` are
   * fast. Records are kept for `--audit-days`, and nothing in the API changes them.
   */
  audit(query?: AuditQuery, options?: RequestOptions): Promise<AuditRecords>
  /** List waiting mail and that of the last seven days, newest first. */
  outbox(query?: OutboxQuery, options?: RequestOptions): Promise<OutboxMessages>
  /**
   * Send a test mail now, and read the SMTP dialogue. It takes half a minute at most. A mail that was not accepted is a
   * 200 as well, with `advice`.
   */
  testMail(body: { readonly to: string }, options?: RequestOptions): Promise<MailTest>
  /** Retry a waiting mail now. */
  retryMail(id: string, options?: RequestOptions): Promise<OutboxRetry>
  /** List the backups, newest first. */
  backups(options?: RequestOptions): Promise<Backups>
  /**
   * Make a backup; the response follows when it is made and verified. `--backup-keep` says how many of these are kept,
   * beside as many automatic ones.
   */
  makeBackup(options?: RequestOptions): Promise<Backup>
  /** Download a backup. At most 4 at the same time, 2 of one user. */
  downloadBackup(name: string, options?: RequestOptions): Promise<Blob>
  /** List the sessions of a user, newest first. */
  sessions(id: string, options?: RequestOptions): Promise<UserSessions>
  /** End all sessions and other tokens of a user. */
  endSessions(id: string, options?: RequestOptions): Promise<SessionsEnded>
  /** End one session of a user, which may be your own. */
  endSession(id: string, session: string, options?: RequestOptions): Promise<void>
}

interface DocumentCalls<M extends ModelName> {
  /** Create a document. */
  create(body: Bodies[M], options?: RequestOptions): Promise<Stored<Models[M]>>
  /**
   * Explain a query: its index, its SQL, the rows it reads. The query runs on the stored data and is aborted shortly
   * before its deadline.
   */
  explain(query?: ListQuery, options?: RequestOptions): Promise<QueryPlan>
  /**
   * Validate a document without writing it. Lists up to fifty problems of creating the document or, with `id`, of
   * replacing that one. `path` is empty for the body as a whole.
   */
  check(body: object, options?: CheckOptions): Promise<DocumentProblems>
  /**
   * Read a document. With `If-None-Match`, 304 without a body where the client has the current version. With the
   * setting `--public-remote-config`, `remote_config` is read without a token.
   */
  get(id: string, options?: RequestOptions): Promise<Stored<Models[M]>>
  /** Replace a document. `If-Match` with the ETag of the version that was read prevents lost updates. */
  replace(id: string, body: Replacements[M], options?: WriteOptions): Promise<Stored<Models[M]>>
  /** Delete a document. */
  remove(id: string, options?: WriteOptions): Promise<void>
}

function authCalls({ data, done, signIn }: Transport): AuthCalls {
  return {
    requestCode: async (body, { signal } = {}) =>
      done({ method: 'POST', path: 'auth/request-code', body, signal }, 202),
    verifyCode: async (body, { signal } = {}) => signIn({ method: 'POST', path: 'auth/verify-code', body, signal }),
    anonymous: async ({ signal } = {}) => signIn({ method: 'POST', path: 'auth/anonymous', body: {}, signal }),
    me: async ({ signal } = {}) => data({ method: 'GET', path: 'auth/me', signal }),
    signOut: async ({ signal } = {}) => done({ method: 'POST', path: 'auth/sign-out', signal }, 204),
    sessions: async ({ signal } = {}) => data({ method: 'GET', path: 'auth/sessions', signal }),
    endOtherSessions: async ({ signal } = {}) => data({ method: 'DELETE', path: 'auth/sessions', signal }),
    endSession: async (session, { signal } = {}) =>
      done({ method: 'DELETE', path: `auth/sessions/${step(session)}`, signal }, 204),
    deleteAccount: async ({ signal } = {}) => done({ method: 'DELETE', path: 'auth/delete-account', signal }, 204),
  }
}

function dashboardCalls({ data }: Transport): DashboardCalls {
  return {
    overview: async ({ signal } = {}) => data({ method: 'GET', path: 'dashboard/overview', signal }),
    setup: async ({ signal } = {}) => data({ method: 'GET', path: 'dashboard/setup', signal }),
  }
}

function adminCalls({ data, done, file, page }: Transport): AdminCalls {
  return {
    status: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/status', signal }),
    settings: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/settings', signal }),
    log: async ({ level, limit } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('admin/log', { level, limit }), signal }),
    audit: async ({ filter, email, sort, limit, cursor } = {}, { signal } = {}) =>
      page({ method: 'GET', path: withQuery('admin/audit', { filter, email, sort, limit, cursor }), signal }, cursor),
    outbox: async ({ state, limit } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('admin/outbox', { state, limit }), signal }),
    testMail: async (body, { signal } = {}) => data({ method: 'POST', path: 'admin/outbox/test', body, signal }),
    retryMail: async (id, { signal } = {}) => data({ method: 'POST', path: `admin/outbox/${step(id)}/retry`, signal }),
    backups: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/backups', signal }),
    makeBackup: async ({ signal } = {}) => data({ method: 'POST', path: 'admin/backups', signal }),
    downloadBackup: async (name, { signal } = {}) =>
      file({ method: 'GET', path: `admin/backups/${step(name)}`, signal }, 'application/vnd.sqlite3'),
    sessions: async (id, { signal } = {}) => data({ method: 'GET', path: `admin/users/${step(id)}/sessions`, signal }),
    endSessions: async (id, { signal } = {}) =>
      data({ method: 'DELETE', path: `admin/users/${step(id)}/sessions`, signal }),
    endSession: async (id, session, { signal } = {}) =>
      done({ method: 'DELETE', path: `admin/users/${step(id)}/sessions/${step(session)}`, signal }, 204),
  }
}

function documentCalls<M extends ModelName>(model: M, { data, done, stored }: Transport): DocumentCalls<M> {
  return {
    create: async (body, { signal } = {}) =>
      stored({ method: 'POST', path: withQuery('data', { model }), body, signal }),
    explain: async (query = {}, { signal } = {}) =>
      data({ method: 'POST', path: withQuery('data/explain', { model }), body: queryBody(query), signal }),
    check: async (body, { id, signal } = {}) =>
      data({ method: 'POST', path: withQuery('data/check', { model, id }), body, signal }),
    get: async (id, { signal } = {}) =>
      stored({ method: 'GET', path: withQuery(`data/${step(id)}`, { model }), signal }),
    replace: async (id, body, { ifMatch, signal } = {}) =>
      stored({ method: 'PUT', path: withQuery(`data/${step(id)}`, { model }), body, ifMatch, signal }),
    remove: async (id, { ifMatch, signal } = {}) =>
      done({ method: 'DELETE', path: withQuery(`data/${step(id)}`, { model }), ifMatch, signal }, 204),
  }
}

// #endregion
