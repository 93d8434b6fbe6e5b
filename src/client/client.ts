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

export interface DraftOptions extends RequestOptions {
  /** Whether incomplete drafts are there for the call: they lack members, whatever the type says. */
  readonly incomplete?: boolean | undefined
}

export interface WriteOptions extends DraftOptions {
  /** The `etag` that the document had when you read it: after a change of another client you get a PreconditionFailed. */
  readonly ifMatch?: string | undefined
}

export interface RestoreOptions extends WriteOptions {
  /** The change of the history that left the version; without it, the document comes out of the trash. */
  readonly seq?: number | undefined
}

export interface RemoveOptions extends WriteOptions {
  /** The id of the document that takes its place in all copies; without it, they are kept. */
  readonly replaceBy?: string | undefined
}

export interface HistoryOptions extends DraftOptions {
  /** How many changes at most. */
  readonly limit?: number | undefined
  /** `cursor` of the page before. */
  readonly cursor?: string | null | undefined
}

interface RepeatableOptions extends RequestOptions {
  /**
   * A new text for each request, such as a UUID. Where there was no reply, the same call with the same key gives the first
   * response, and nothing is made twice.
   */
  readonly idempotencyKey?: string | undefined
}

export interface InviteAgainOptions extends RequestOptions {
  /** Of the mail that invites a user; without it, a language that the client accepts. */
  readonly language?: 'en' | 'de' | 'fr' | 'es' | 'ar' | undefined
}

export interface CreateOptions extends RepeatableOptions, InviteAgainOptions {
  /** Whether a mail invites a new user of the dashboard; without it, the settings of the service decide. */
  readonly invitation?: 'mail' | 'none' | undefined
}

export interface GetOptions extends DraftOptions {
  /** The members that the document has, such as `title,source.name`: the others are missing, whatever the type says. */
  readonly fields?: string | undefined
}

export interface CheckOptions extends DraftOptions {
  /** The document that the body would replace; without it the body would be a new one. */
  readonly id?: string | undefined
}

/** What makes a draft that lacks required members; only calls with `incomplete` find it. */
export type IncompleteDraft<M extends ModelName> = Bodies[M] extends { readonly status?: string | undefined }
  ? Partial<Bodies[M]> & { readonly status: 'draft' }
  : never

export interface BatchOptions extends RepeatableOptions, DraftOptions {}

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
  /** Words that the items have, in any order; the newest come first without a `sort`. At most 200 characters. */
  readonly search?: string | null | undefined
  /** Ids of users, separated by commas: items that one of them has changed. For publishers and administrators. */
  readonly changedBy?: string | null | undefined
  /** `updatedAt:desc,title:asc` */
  readonly sort?: string | undefined
}

export interface ListQuery extends Query {
  readonly limit?: number | undefined
  /** The members that the items have, such as `title,source.name`: the others are missing, whatever the type says. */
  readonly fields?: string | null | undefined
  /** Whether the page has a `total`. */
  readonly count?: boolean | null | undefined
  /** Whether the page has incomplete drafts too: they lack members, whatever the type says. */
  readonly incomplete?: boolean | null | undefined
  /** That of the page before; null, as that of the last page, and none begin at the first. */
  readonly cursor?: string | null | undefined
}

export interface IterateQuery extends Query {
  /** Items for which is asked at a time, 1 or more; 100 without it. A page of large documents has fewer. */
  readonly pageSize?: number | undefined
  /** Whether incomplete drafts are among them: they lack members, whatever the type says. */
  readonly incomplete?: boolean | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** For the page after this one; null where there is none. */
  readonly cursor: string | null
  readonly hasMore: boolean
  /** With `count`: how many there are on all pages, exact up to 10,000. */
  readonly total?: number
  /** Whether there are more than `total`. */
  readonly totalIsFloor?: boolean
  /** With `changedBy`: these users have changed more documents than are looked at, and the list lacks the earlier ones. */
  readonly isPartial?: boolean
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

/** A JSON merge patch (RFC 7396): members with their new values; null removes one, and an array is sent as a whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null }
    : T

export type Collection<M extends ModelName> = Pick<Methods<M>, Offers[M]>

/** One operation of a batch, with the `etag` that the document must have where it is to be changed or deleted. */
export type BatchOperation = {
  [M in ModelName]:
    | { readonly operation: 'create'; readonly model: M; readonly body: Bodies[M] }
    | {
        readonly operation: 'replace'
        readonly model: M
        readonly id: string
        readonly body: Replacements[M]
        readonly ifMatch?: string | undefined
      }
    | {
        readonly operation: 'patch'
        readonly model: M
        readonly id: string
        readonly body: MergePatch<Replacements[M]>
        readonly ifMatch?: string | undefined
      }
    | {
        readonly operation: 'delete'
        readonly model: M
        readonly id: string
        /** The document that takes its place in all copies. */
        readonly replaceBy?: string | undefined
        readonly ifMatch?: string | undefined
      }
    | {
        /** Takes a document out of the trash or, with the `seq` of a change, puts back the version that this left. */
        readonly operation: 'restore'
        readonly model: M
        readonly id: string
        readonly seq?: number | undefined
        readonly ifMatch?: string | undefined
      }
    /** Takes back the change that gave the etag in `ifMatch`, with the former `updatedAt`. */
    | { readonly operation: 'undo'; readonly model: M; readonly id: string; readonly ifMatch: string }
}[ModelName]

/** What became of an operation; a deletion has no document. */
export interface BatchResult {
  readonly status: 200 | 201 | 204
  readonly etag?: string
  readonly document?: Models[ModelName]
}

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
  /**
   * Runs up to 200 operations in one transaction, and gives the result of each in their order. Where one fails, nothing is
   * written, and the message begins with `operations[INDEX]`.
   */
  batch(body: { readonly operations: readonly BatchOperation[] }, options?: BatchOptions): Promise<readonly BatchResult[]>
  readonly dashboard: DashboardCalls
  readonly admin: AdminCalls
  /** The response to a request below `/api/v1/`, whose body is the caller's to read. Throws its failure. */
  open(path: string, options?: OpenOptions): Promise<Response>
}

export interface OpenOptions extends RequestOptions {
  readonly method?: 'GET' | 'POST' | undefined
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

  /** The newest position in the log of a cluster that a response had. Sent back, it lets this client read its writes at every node. */
  let newest = 0

  /** Sends a request and gives its reply, whatever the status. */
  const send = async ({ method, path, body, bytes, ifMatch, ifNoneMatch, idempotencyKey, signal, token }: Call): Promise<Response> => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    if (language !== undefined) headers['accept-language'] = language
    if (body !== undefined) headers['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    if (bytes !== undefined) headers['content-type'] = 'application/octet-stream'
    const tag = headerText('If-Match', ifMatch)
    if (tag !== undefined) headers['if-match'] = strongTag(tag)
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch
    const key = headerText('Idempotency-Key', idempotencyKey)
    if (key !== undefined) headers['idempotency-key'] = `"${key}"`
    const sent = newest
    if (sent > 0) headers['x-dateline-position'] = String(sent)
    // What JSON cannot hold is the caller's mistake, and no failure of the network.
    const text = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await orNetworkError({ method, path, signal }, () =>
      fetchNow(base + path, {
        method,
        headers,
        redirect: 'error',
        ...(text === undefined ? {} : { body: text }),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
    const position = Number(response.headers.get('x-dateline-position'))
    // A node never answers from before the position that was sent, unless the log was created again.
    if (position > 0 && Number.isSafeInteger(position)) newest = position < sent ? position : Math.max(newest, position)
    return response
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

    async batch({ operations }, { idempotencyKey, incomplete, signal } = {}) {
      const body = { operations: operations.map(sentOperation) }
      const call: Call = { method: 'POST', path: withQuery('data/batch', { incomplete }), body, idempotencyKey, signal }
      const { results } = await transport.data<{ results: readonly BatchResult[] }>(call)
      if (!Array.isArray(results) || results.length !== operations.length) throw unreadable(call)
      return results.map(({ etag, ...result }) => (etag === undefined ? result : { ...result, etag: versionTag(etag) }))
    },

    dashboard: dashboardCalls(transport),
    admin: adminCalls(transport),

    async open(path, { method = 'GET', signal } = {}) {
      const call = { method, path, signal, token }
      const response = await send(call)
      if (!response.ok) throw await failureOf(call, response)
      return response
    },
  }
}

export interface ChangesQuery<M extends ModelName = ModelName> {
  /** All without it. */
  readonly models?: readonly M[] | undefined
  /** Which documents to follow; one that does not match any more is deleted for this client. */
  readonly filter?: Filter | undefined
  /** `next` of an earlier change or page; `now` leaves out what was before. */
  readonly since?: string | undefined
  /** Whether incomplete drafts are among them: they lack members, whatever the type says. */
  readonly incomplete?: boolean | undefined
}

/** A document as it is now, or the news that it was deleted, or is not shown to this client any more. */
export type Change<M extends ModelName = ModelName> = {
  readonly [N in M]: ChangeHead<N> &
    ({ readonly deleted: false; readonly document: Models[N] } | { readonly deleted: true; readonly document?: undefined })
}[M]

interface ChangeHead<M extends ModelName> {
  /** Grows with each change of any document. */
  readonly seq: number
  readonly model: M
  readonly id: string
  readonly at: string
  /** Who changed it, for publishers and administrators. */
  readonly by?: string
}

export interface ChangesPage<M extends ModelName = ModelName> {
  readonly items: readonly Change<M>[]
  readonly next: string
  readonly hasMore: boolean
}

/** A document that is being edited, and the ids of the other users who edit it. */
export interface EditedBy {
  readonly model: string
  readonly id: string
  readonly people: readonly string[]
}

/** For publishers and administrators: what their user edits, which others are told for as long as the stream is open. */
export interface EditingQuery {
  /** A model and an id each, such as `headline:66f000000000000000000501`; at most 8. */
  readonly editing?: readonly string[] | undefined
  /** Hears who else edits these documents, first when the stream opens, and then whenever that changes. */
  readonly onPresence?: ((edited: readonly EditedBy[]) => void) | undefined
}

/** Behind `resync` changes are missing: read the lists again. `next` is where to go on after this event. */
export type ChangeEvent<M extends ModelName = ModelName> =
  | { readonly kind: 'change'; readonly change: Change<M>; readonly next: string }
  | { readonly kind: 'resync'; readonly next: string }

/**
 * Changes since a place, each document once. Throws a failure with the code `resyncRequired` where the service does not have
 * all of them any more. `wait` is how many seconds to wait for a change where there is none.
 */
export async function readChanges<M extends ModelName>(
  client: Pick<Client, 'open'>,
  { models, filter, since, incomplete, limit, wait }: ChangesQuery<M> & { readonly limit?: number | undefined; readonly wait?: number | undefined } = {},
  options?: RequestOptions,
): Promise<ChangesPage<M>> {
  const path = withQuery('changes', { since, models: models?.join(), filter, incomplete, limit, wait })
  const data = await dataOf(client, { method: 'GET', path, signal: options?.signal })
  if (!Array.isArray(data['items']) || typeof data['next'] !== 'string') throw unreadable({ method: 'GET', path })
  return data as unknown as ChangesPage<M>
}

/** A ticket that opens one stream within a minute: `new EventSource('/api/v1/changes/stream?ticket=' + ticket)`. */
export async function changeTicket(client: Pick<Client, 'open'>, options?: RequestOptions): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
  return (await dataOf(client, { method: 'POST', path: 'changes/ticket', signal: options?.signal })) as { ticket: string; expiresAt: string }
}

async function dataOf(client: Pick<Client, 'open'>, call: Call & { readonly method: 'GET' | 'POST' }): Promise<Members> {
  const response = await client.open(call.path, call)
  const text = await readText(call, response, REPLY_BYTES_MAX)
  const data = text === undefined ? undefined : parseObject(text, JSON.parse)?.['data']
  if (!isObject(data)) throw unreadable(call, response)
  return data
}

/**
 * Follows changes for as long as the loop runs. A stream that ends is opened again where it was, after a pause that grows with
 * each failure; what another try cannot mend, such as the end of the session, is thrown.
 */
export async function* changes<M extends ModelName>(
  client: Pick<Client, 'open'>,
  { models, filter, since = 'now', incomplete, editing = [], onPresence }: ChangesQuery<M> & EditingQuery = {},
  { signal }: RequestOptions = {},
): AsyncGenerator<ChangeEvent<M>, void, undefined> {
  // Of a first connection that fails, the changes of meanwhile must not be lost.
  let next = since === 'now' ? (await readChanges(client, { models, since: 'now', incomplete }, { signal })).next : since
  for (let failures = 0; ; failures++) {
    let failure: unknown
    try {
      const path = withQuery('changes/stream', { models: models?.join(), filter, since: next, incomplete, editing: editing.length === 0 ? undefined : editing.join() })
      for await (const { id, event, data } of eventsOf({ method: 'GET', path, signal }, await client.open(path, { signal }))) {
        failures = 0
        next = id
        if (event === 'presence') onPresence?.(data['items'] as readonly EditedBy[])
        else if (event === 'resync') yield { kind: 'resync', next }
        else yield { kind: 'change', change: data as unknown as Change<M>, next }
      }
    } catch (error) {
      failure = error
    }
    await pauseBehind(failure, failures, signal)
  }
}

const PAUSE_MS = { min: 1_000, max: 30_000 }
/** Three of the comments that the service sends every 15 seconds: a lost network may leave a connection open for hours. */
const SILENT_MS_MAX = 45_000

/** Waits longer with each failure in a row; `undefined` stands for a stream that ended. Throws what another try cannot mend. */
async function pauseBehind(failure: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (failure !== undefined && (signal?.aborted === true || !isPassing(failure))) throw failure
  const waitMs = (isPassing(failure) ? (failure.retryAfterSeconds ?? 0) : 0) * 1000
  await pause(Math.max(waitMs, Math.min(PAUSE_MS.max, PAUSE_MS.min * 2 ** failures)), signal)
}

function isPassing(error: unknown): error is DatelineError {
  return error instanceof DatelineError && (error.status === 0 || error.status >= 500 || error.status === 429)
}

/** Rejects with the reason of the signal. Clients that have lost the same server come back one after the other. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms * (0.5 + Math.random() / 2))
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** The events of a stream (HTML standard, section 9.2.6), until it ends. Leaving the loop closes it. */
async function* eventsOf(call: Call, response: Response): AsyncGenerator<{ id: string; event: string; data: Members }> {
  const reader = response.body?.getReader()
  if (reader === undefined || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    leave(response.body)
    throw unreadable(call, response)
  }
  const decoder = new TextDecoder()
  let [rest, event, id, lines] = ['', '', '', [] as string[]]
  try {
    for (;;) {
      const { done, value } = await orNetworkError(call, () => beforeSilence(reader.read()))
      if (done) return
      rest += decoder.decode(value, { stream: true })
      if (rest.length > REPLY_BYTES_MAX) throw unreadable(call, response)
      // A CR at the end may be the first half of a line break.
      const whole = rest.split(/\r\n|\n|\r(?!$)/)
      rest = whole.pop() ?? ''
      for (const line of whole) {
        const [, name = '', text = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? []
        if (name === 'data') lines.push(text)
        else if (name === 'event') event = text
        else if (name === 'id') id = text
        if (line !== '') continue
        const data = lines.length === 0 ? undefined : parseObject(lines.join('\n'), JSON.parse)
        if (lines.length > 0 && data === undefined) throw unreadable(call, response)
        if (data !== undefined) yield { id, event, data }
        event = ''
        lines = []
      }
    }
  } finally {
    leave(reader)
  }
}

/** Rejects where a stream has been silent for too long. */
async function beforeSilence<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The stream was silent for ${SILENT_MS_MAX / 1000} seconds`)), SILENT_MS_MAX)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}

/** Where a mirror keeps its documents, by their ids, and how far it has come. */
export interface MirrorStore<T> {
  /** Where the copy was last in step; undefined before the first time. */
  next(): string | undefined | Promise<string | undefined>
  setNext(next: string): unknown
  ids(): Iterable<string> | Promise<Iterable<string>>
  put(id: string, document: T): unknown
  remove(id: string): unknown
}

/** A mirror in a Map, which lasts as long as the program. */
export function mapStore<T>(documents: Map<string, T>): MirrorStore<T> {
  let place: string | undefined
  return {
    next: () => place,
    setNext: (next) => void (place = next),
    ids: () => [...documents.keys()],
    put: (id, document) => void documents.set(id, document),
    remove: (id) => void documents.delete(id),
  }
}

export interface MirrorOptions<T> {
  /** Which documents to copy; all that lists show without it. */
  readonly filter?: Filter | undefined
  readonly store: MirrorStore<T>
}

/**
 * Keeps a copy of the documents of a model in step, for as long as the loop runs: each event is one that the store has
 * taken. `resync` stands for a copy that was read again from the lists, as it is at the first time, and where the service
 * does not have all changes any more. Only the first reading throws where the service cannot be reached.
 */
export async function* mirror<M extends ModelName>(
  client: Client,
  model: M,
  { filter, store }: MirrorOptions<Models[M]>,
  options: RequestOptions = {},
): AsyncGenerator<ChangeEvent<M>, void, undefined> {
  const models = [model]
  /** Changes of meanwhile come again behind the place that is read first. */
  const readAll = async (): Promise<ChangeEvent<M>> => {
    const { next } = await readChanges(client, { models, since: 'now' }, options)
    const gone = new Set(await store.ids())
    const methods = client.data(model) as unknown as Pick<Methods<M>, 'iterate'>
    for await (const document of methods.iterate({ filter }, options)) {
      const { id } = document as { readonly id: string }
      gone.delete(id)
      await store.put(id, document)
    }
    for (const id of gone) await store.remove(id)
    await store.setNext(next)
    return { kind: 'resync', next }
  }
  /** A service that has just been restored may start again meanwhile. */
  const readAgain = async (): Promise<ChangeEvent<M>> => {
    for (let failures = 0; ; failures++) {
      try {
        return await readAll()
      } catch (error) {
        await pauseBehind(error, failures, options.signal)
      }
    }
  }
  let since = await store.next()
  if (since === undefined) {
    const event = await readAll()
    yield event
    since = event.next
  }
  for await (const event of changes(client, { models, filter, since }, options)) {
    if (event.kind === 'resync') {
      yield await readAgain()
      continue
    }
    const { change } = event
    if (change.deleted) await store.remove(change.id)
    else await store.put(change.id, change.document)
    await store.setNext(event.next)
    yield event
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1/`, escaped. */
  readonly path: string
  readonly body?: object | undefined
  /** A file, in place of a body of JSON. */
  readonly bytes?: Blob | Uint8Array<ArrayBuffer> | undefined
  readonly ifMatch?: string | undefined
  readonly idempotencyKey?: string | undefined
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
  const { filter, search, changedBy, sort, limit, cursor, fields, count, incomplete } = query
  const path = withQuery('data', { model, filter, search, changedBy, sort, limit, cursor, fields, count, incomplete })
  if (base.length + path.length <= URL_CHARS_MAX) return { method: 'GET', path, signal }
  return { method: 'POST', path: withQuery('data/query', { model }), body: queryBody(query), signal }
}

function queryBody({ filter, search, changedBy, sort, limit, cursor, fields, count, incomplete }: ListQuery): object {
  filterText(filter)
  const [words, users, selected, counts] = [search ?? undefined, changedBy ?? undefined, fields ?? undefined, count ?? undefined]
  return { filter, search: words, changedBy: users, sort, limit, cursor: cursor ?? undefined, fields: selected, count: counts, incomplete: incomplete ?? undefined }
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
  parameters: Readonly<Record<string, string | number | boolean | Filter | null | undefined>>,
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

function sentOperation(operation: BatchOperation): object {
  if (!('ifMatch' in operation) || operation.ifMatch === undefined) return operation
  return { ...operation, ifMatch: strongTag(operation.ifMatch) }
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
  ApiTokens,
  AuditRecords,
  Backup,
  Backups,
  CheckedBackup,
  ClusterStatus,
  DashboardOverview,
  DashboardSetup,
  DocumentCounts,
  DocumentHistory,
  DocumentProblems,
  DocumentUsage,
  DocumentsUsage,
  DuplicateDocuments,
  FeedHealth,
  FeedHealths,
  FeedItems,
  FeedPreview,
  FirstRestoreProgress,
  FirstRestored,
  FoundSite,
  HeadlineOrigins,
  ImportPreview,
  ImportedPiece,
  Invitation,
  LastRestore,
  LogLines,
  MailTest,
  NewApiToken,
  OpmlReport,
  OutboxMessages,
  OutboxRetry,
  Passkey,
  PasskeyCreation,
  PasskeyRequest,
  Passkeys,
  PasskeysRemoved,
  People,
  PersonCode,
  Picture,
  PicturePage,
  PictureUsage,
  PublicationPreview,
  PublicationSecret,
  PublicationStates,
  QueryPlan,
  ReviewQueue,
  ReviewState,
  RulePreview,
  SameStories,
  SampleAdded,
  SavedView,
  SavedViews,
  ServiceSettings,
  ServiceStatus,
  SessionsEnded,
  TrashedDocuments,
  UserSessions,
} from '../models/responses.ts'

export interface CountsQuery {
  /** Which documents to list, as the text of a `Filter` in JSON; all without it. */
  readonly filter?: Filter | undefined
  /**
   * Words that documents must have, in any order: headlines in title, excerpt, and the names of source, topic and
   * country. Case and accents do not count, and a part of a word is enough: `alegraes` finds `Ålegræsset`. Two letters
   * are looked for at the beginning of words, and one as a word. The newest come first unless `sort` says otherwise.
   */
  readonly search?: string | undefined
  /**
   * Ids of users, separated by commas, at most 20: only documents that one of them has created or changed, as far back
   * as the log of changes goes. For publishers and administrators. It looks at the last 5,000 changes of a user and
   * finds up to 1,000 documents, which several users share. If there are more, the list has `isPartial` true, and a
   * count `totalIsFloor`. An export has all, and is refused above 200,000.
   */
  readonly changedBy?: string | undefined
  /**
   * Whether incomplete drafts are there for this request: documents of status `draft` that lack required members. For
   * callers who may write the model. Without it they are in no list and no count, and have no id.
   */
  readonly incomplete?: boolean | undefined
}

export interface TrashQuery {
  /**
   * How many at most; 20 without it and never more than 100, unless the service is set otherwise. A page ends before
   * its documents pass 8 MiB, and then has fewer with `hasMore` true; it always has one.
   */
  readonly limit?: number | undefined
  /** `cursor` of the page before. */
  readonly cursor?: string | null | undefined
  /**
   * Whether incomplete drafts are there for this request: documents of status `draft` that lack required members. For
   * callers who may write the model. Without it they are in no list and no count, and have no id.
   */
  readonly incomplete?: boolean | undefined
}

export interface DuplicatesQuery {
  /** The address, as it is typed. */
  readonly url: string
  /** The id of the document that has the address, which is no duplicate of itself. */
  readonly except?: string | undefined
  /**
   * Whether incomplete drafts are there for this request: documents of status `draft` that lack required members. For
   * callers who may write the model. Without it they are in no list and no count, and have no id.
   */
  readonly incomplete?: boolean | undefined
}

export interface LogQuery {
  /** The least important level. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
  /** How many of the newest. */
  readonly limit?: number | undefined
  /** Words that a line has to have, in its event or its fields, in any case. */
  readonly text?: string | undefined
  /** The beginning of a path, with or without its method: only requests to it. */
  readonly route?: string | undefined
  /** Only lines since this time. */
  readonly from?: string | undefined
  /** Only lines up to this time. */
  readonly to?: string | undefined
}

export interface AuditQuery {
  /** Which records to list, as the text of a `Filter` in JSON; all without it. */
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

export interface PicturesQuery {
  /** How many of the newest. */
  readonly limit?: number | undefined
  /** `cursor` of the page before. */
  readonly cursor?: string | null | undefined
  /** Whether only pictures are listed that no document names. */
  readonly unused?: boolean | undefined
  /** Only pictures whose description has these words, in any order and any case, without regard to accents. */
  readonly search?: string | undefined
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
   * existing one. A code is void for a client after five wrong tries, and after fifteen for all but the client that
   * requested it. A client with too many wrong codes in an hour gets 429, even for a right one. Past the limit of an
   * e-mail address, a code works for the client that requested it, and others get 429.
   */
  verifyCode(
    body: { readonly email: string; readonly code: string; readonly isDashboardLogin?: boolean | undefined },
    options?: RequestOptions,
  ): Promise<SignedIn>
  /** Sign in as a guest. No body is needed; a JSON body must be an object. */
  anonymous(options?: RequestOptions): Promise<SignedIn>
  /** Read the user of the token. */
  me(options?: RequestOptions): Promise<Models['user']>
  /**
   * Exchange the token for a new one of the same lifetime; the old one is no longer accepted. No body is needed. At
   * most 120 times an hour.
   */
  refreshToken(options?: RequestOptions): Promise<SignedIn>
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
  /**
   * Get what a browser needs to sign in with a passkey. For `PublicKeyCredential.parseRequestOptionsFromJSON()`. The
   * challenge works once, for five minutes.
   */
  passkeyRequest(options?: RequestOptions): Promise<PasskeyRequest>
  /** Sign in with a passkey. For users with a role in the dashboard, at the page where the passkey was made. */
  signInWithPasskey(
    body: { readonly id: string; readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string; readonly userHandle?: string | undefined },
    options?: RequestOptions,
  ): Promise<SignedIn>
  /**
   * Get what a browser needs to make a passkey for you. For `PublicKeyCredential.parseCreationOptionsFromJSON()`. The
   * challenge works once, for five minutes.
   */
  passkeyCreation(options?: RequestOptions): Promise<PasskeyCreation>
  /** List your passkeys, newest first. */
  passkeys(options?: RequestOptions): Promise<Passkeys>
  /**
   * Add a passkey, with a fresh code. The code is one of `POST /auth/request-code`: it proves again who adds the
   * passkey. At most 20 for a user.
   */
  addPasskey(
    body: { readonly code: string; readonly name: string; readonly clientDataJSON: string; readonly attestationObject: string },
    options?: RequestOptions,
  ): Promise<Passkey>
  /** Remove one of your passkeys. */
  removePasskey(passkey: string, options?: RequestOptions): Promise<void>
  /**
   * Sign in as the user that the proxy names. Where the service has `--auth-header`: the header names the e-mail
   * address, and counts only on a connection from a trusted proxy, and for no page of another site. An account is made
   * where there is none; roles are those that are stored. 403 without that setting.
   */
  proxy(options?: RequestOptions): Promise<SignedIn>
  /**
   * Become the first administrator, with the token of the address that the service printed. The token is valid for an
   * hour, until it is used, and while there is no administrator. It is checked before the e-mail address, so that a
   * request without one tells whether it is valid.
   */
  setup(body: { readonly token: string; readonly email: string }, options?: RequestOptions): Promise<SignedIn>
  /**
   * See which site a place of off-site backups holds, before it is restored. For the reader of the set-up address,
   * while the service is empty: without documents, and without accounts but those of guests. Neither keys nor identity
   * are stored or logged. Private addresses need `--outbound-allow`. Not on a node of a cluster.
   */
  lookForSite(
    body: { readonly token: string; readonly place: string; readonly keys: string; readonly identity: string; readonly at: string },
    options?: RequestOptions,
  ): Promise<FoundSite>
  /**
   * Restore a site from a place of off-site backups, and restart the service with it. For the reader of the set-up
   * address, while the service is empty: without documents, and without accounts but those of guests. Neither keys nor
   * identity are stored or logged. Private addresses need `--outbound-allow`. Not on a node of a cluster. The response
   * comes when the site is there, and the service restarts within seconds. Sign in then as on the site before.
   */
  restoreSite(
    body: { readonly token: string; readonly place: string; readonly keys: string; readonly identity: string; readonly at: string },
    options?: RequestOptions,
  ): Promise<FirstRestored>
  /** Read how far the restore of a site has come. */
  siteProgress(body: { readonly token: string }, options?: RequestOptions): Promise<FirstRestoreProgress>
}

export interface DashboardCalls {
  /**
   * List drafts that were handed in for review, the longest waiting first. A draft is handed in by any date in its
   * `handedInAt`, and withdrawn by null. Publish it by a `PATCH` of `status` with `If-Match` and the `etag` from here:
   * then what is published is what you saw. At most 25, and `total` counts all.
   */
  reviews(options?: RequestOptions): Promise<ReviewQueue>
  /**
   * Count items by status, and headlines by hour. Hours are in UTC: those of the last 31 days with a headline, by its
   * `createdAt`.
   */
  overview(options?: RequestOptions): Promise<DashboardOverview>
  /**
   * Read what up to 200 publishers and administrators are called. A name is the `displayName` of a `user`, which the
   * user and administrators change. Ids of other users are left out, unless an administrator asks.
   */
  people(body: { readonly ids: readonly (string)[] }, options?: RequestOptions): Promise<People>
  /** Read what a sign-in page needs. */
  setup(options?: RequestOptions): Promise<DashboardSetup>
  /** List your saved views, by their names. */
  views(options?: RequestOptions): Promise<SavedViews>
  /** Save a list of the dashboard under a name. At most 50 for a user. */
  addView(
    body: { readonly name: string; readonly model: 'headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user' | 'user_app_settings' | 'user_content_preferences' | 'remote_config'; readonly query: string },
    options?: RequestOptions,
  ): Promise<SavedView>
  /** Rename or change one of your saved views. */
  replaceView(
    view: string,
    body: { readonly name: string; readonly model: 'headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user' | 'user_app_settings' | 'user_content_preferences' | 'remote_config'; readonly query: string },
    options?: RequestOptions,
  ): Promise<SavedView>
  /** Delete one of your saved views. */
  removeView(view: string, options?: RequestOptions): Promise<void>
}

export interface AdminCalls {
  /** List the passkeys of a user, newest first. */
  passkeys(id: string, options?: RequestOptions): Promise<Passkeys>
  /** Remove all passkeys of a user. */
  removePasskeys(id: string, options?: RequestOptions): Promise<PasskeysRemoved>
  /**
   * Download all documents of a list as CSV or JSON lines. In the order of the list, as they are at one moment. It
   * takes the parameters of a list but those of its pages; incomplete drafts are in it with `incomplete`, for those who
   * may write the model. `import` reads the file; in CSV, a text that a spreadsheet would run as a formula has an
   * apostrophe in front, which `import` removes. At most 1 GiB and two minutes; 4 downloads at the same time, 2 of one
   * user.
   */
  exportList(
    body: { readonly model: 'headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user' | 'user_app_settings' | 'user_content_preferences' | 'remote_config'; readonly format: 'csv' | 'ndjson'; readonly filter?: Filter | null | undefined; readonly search?: string | null | undefined; readonly changedBy?: string | null | undefined; readonly sort?: string | null | undefined; readonly incomplete?: boolean | null | undefined },
    options?: RequestOptions,
  ): Promise<Blob>
  /** Read the status of the service. */
  status(options?: RequestOptions): Promise<ServiceStatus>
  /** Read the nodes of the cluster, its log and the servers of etcd. 404 where the service runs alone. */
  cluster(options?: RequestOptions): Promise<ClusterStatus>
  /**
   * Read the newest log lines, or search in them. Only those in memory: at most 1,000 lines and 1 MiB, with warnings
   * and errors apart.
   */
  log(query?: LogQuery, options?: RequestOptions): Promise<LogLines>
  /**
   * List the audit trail, newest first. Filters and sorts by `time`, `event`, `actor`, `documentId` and `emailHash` are
   * fast. Records are kept for `--audit-days`, and nothing in the API changes them.
   */
  audit(query?: AuditQuery, options?: RequestOptions): Promise<AuditRecords>
  /** Read the settings in use and their origin, with secrets masked. */
  settings(options?: RequestOptions): Promise<ServiceSettings>
  /**
   * Change settings, which apply immediately and are stored in the database. A JSON merge patch: null removes a stored
   * value. A flag, a variable or the settings file wins over it (409). Where the change is one of mail, a test mail
   * goes to your own address first, and nothing is stored unless the mail server accepts it. Another `mail` ends the
   * stored password, unless the same change brings one. Tokens of the API cannot change settings.
   */
  changeSettings(
    body: { readonly appName?: string | number | null | undefined; readonly publicUrl?: string | number | null | undefined; readonly invitationUrl?: string | number | null | undefined; readonly review?: 'on' | 'off' | null | undefined; readonly mail?: string | number | null | undefined; readonly mailPassword?: string | number | null | undefined; readonly mailFrom?: string | number | null | undefined; readonly mailTls?: 'starttls' | 'starttls-if-offered' | 'none' | null | undefined; readonly backupEvery?: string | number | null | undefined; readonly backupKeep?: number | string | null | undefined; readonly offsite?: string | number | null | undefined; readonly offsiteKeys?: string | number | null | undefined; readonly offsiteEvery?: string | number | null | undefined; readonly offsiteKeep?: string | number | null | undefined; readonly codesPerEmail?: number | string | null | undefined; readonly codesPerAddress?: number | string | null | undefined; readonly wrongCodesPerAddress?: number | string | null | undefined; readonly wrongCodesPerEmail?: number | string | null | undefined; readonly guestsPerAddress?: number | string | null | undefined; readonly dataPerUser?: number | string | null | undefined; readonly auditDays?: number | string | null | undefined; readonly guestDays?: number | string | null | undefined; readonly guestsMb?: number | string | null | undefined; readonly mediaMax?: number | string | null | undefined; readonly historyDays?: number | string | null | undefined; readonly trashDays?: number | string | null | undefined },
    options?: WriteOptions,
  ): Promise<ServiceSettings>
  /**
   * Send a test mail with other mail settings, which are not stored, and read the SMTP dialogue. A mail that was not
   * accepted is a 200 as well, with `advice`. A setting that is left out is the one in use, and null tries the value
   * that holds without the stored one. If that is no mail server, the service prints the mail in its terminal.
   */
  testMailSettings(
    body: { readonly to: string; readonly settings: { readonly mail?: string | number | null | undefined; readonly mailPassword?: string | number | null | undefined; readonly mailFrom?: string | number | null | undefined; readonly mailTls?: 'starttls' | 'starttls-if-offered' | 'none' | null | undefined } },
    options?: RequestOptions,
  ): Promise<MailTest>
  /** Load the sample content, as "dateline seed" does; existing documents stay as they are. */
  loadSample(options?: RequestOptions): Promise<SampleAdded>
  /** List waiting mail and that of the last seven days, newest first. */
  outbox(query?: OutboxQuery, options?: RequestOptions): Promise<OutboxMessages>
  /**
   * Send a test mail now, and read the SMTP dialogue. It takes half a minute at most. A mail that was not accepted is a
   * 200 as well, with `advice`.
   */
  testMail(body: { readonly to: string }, options?: RequestOptions): Promise<MailTest>
  /** Retry a waiting mail now. */
  retryMail(id: string, options?: RequestOptions): Promise<OutboxRetry>
  /** List the backups, newest first. A token of the API with the scope `backups` is enough. */
  backups(options?: RequestOptions): Promise<Backups>
  /**
   * Make a backup; the response follows when it is made and verified. `--backup-keep` says how many of these are kept,
   * beside as many automatic ones.
   */
  makeBackup(options?: RequestOptions): Promise<Backup>
  /**
   * Store a snapshot at each place of off-site backups. The response comes before they are stored; `backups.offsite` of
   * `GET /admin/status` tells how that ends.
   */
  makeOffsiteBackups(options?: RequestOptions): Promise<void>
  /**
   * Download a backup. A token of the API with the scope `backups` is enough. At most 4 at the same time, 2 of one
   * user.
   */
  downloadBackup(name: string, options?: RequestOptions): Promise<Blob>
  /**
   * Check whether a backup can be restored, and see what it holds. Reads all of it, and needs room for a copy beside
   * the database.
   */
  checkBackup(name: string, options?: RequestOptions): Promise<CheckedBackup>
  /**
   * Replace the database with a backup, and restart the service. The service checks the backup first. From then on
   * writes are 503 with `Retry-After`, and the service restarts within seconds. `X-Dateline-Instance` changes then, and
   * `GET /admin/restore` shows the outcome. The previous database is kept in the data directory, and is put back if the
   * service cannot open the backup. Accounts that were deleted after the backup come back, but for guests without their
   * sessions; sessions that ended after it stay ended. Tokens of the API and passkeys that the database in use does not
   * have are removed. Not for tokens of the API. 409 on a node of a cluster; the message says what to do there.
   */
  restoreBackup(name: string, body: { readonly confirm: string }, options?: RequestOptions): Promise<CheckedBackup>
  /** Read how the last restore over the API ended. */
  lastRestore(options?: RequestOptions): Promise<LastRestore>
  /** See the first rows of a file, and which columns its own stand for. */
  previewImport(
    body: { readonly model: 'headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user_app_settings' | 'user_content_preferences' | 'remote_config'; readonly format: 'csv' | 'ndjson'; readonly rows: string },
    options?: RequestOptions,
  ): Promise<ImportPreview>
  /**
   * Import rows of a file: insert documents, or replace those with the same id. For a file in pieces: send the next one
   * from `bytes` behind the start of this one, with `nextLine` as its `line`. Each row is checked like the document of
   * a request; one that cannot be taken is in `rejected`, and the others are stored. After `stopped` the rest of the
   * file cannot be read. With `dryRun`, `sameAddress` names the new rows whose address is stored already, or is that of
   * an earlier row of the piece; they are taken all the same. If the service fails after it has stored some rows,
   * `failed` says why; the counts, `bytes` and `nextLine` are those of the stored rows. A failure before that is an
   * error. With `Idempotency-Key`, the same piece again within 24 hours goes on where it has come, whatever became of
   * the first response, and no row comes twice. Users are imported by the command `import`.
   */
  importRows(
    body: { readonly model: 'headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user_app_settings' | 'user_content_preferences' | 'remote_config'; readonly format: 'csv' | 'ndjson'; readonly rows: string; readonly columns?: readonly (string)[] | undefined; readonly separator?: ',' | ';' | '	' | undefined; readonly hasHeader?: boolean | undefined; readonly isLast?: boolean | undefined; readonly line?: number | undefined; readonly keep?: boolean | undefined; readonly incomplete?: boolean | undefined; readonly asDrafts?: boolean | undefined; readonly dryRun?: boolean | undefined },
    options?: CreateOptions,
  ): Promise<ImportedPiece>
  /**
   * See how all feeds are doing. Feeds are documents of the model `feed`, which administrators write; pause one with
   * `paused`. At most 5,000.
   */
  feeds(options?: RequestOptions): Promise<FeedHealths>
  /** Download all feeds as OPML, which readers of feeds import. */
  feedsAsOpml(options?: RequestOptions): Promise<Blob>
  /** See the newest items of a feed, at most 100, and what became of each. */
  feedItems(feed: string, options?: RequestOptions): Promise<FeedItems>
  /** Try rules on the newest hundred items, without effect on any. */
  previewFeedRules(
    body: { readonly feed?: string | null | undefined; readonly rules: readonly (object)[] },
    options?: RequestOptions,
  ): Promise<RulePreview>
  /** See which feeds and items headlines are from, of up to 200 headlines. */
  headlineOrigins(body: { readonly ids: readonly (string)[] }, options?: RequestOptions): Promise<HeadlineOrigins>
  /**
   * Find headlines of other feeds that tell the story of a headline. They have the same title but for case, punctuation
   * and spaces, were created on the same day (UTC), and have the same topic. To merge one, delete it with `replaceBy`,
   * or without where it is incomplete.
   */
  sameStories(headline: string, options?: RequestOptions): Promise<SameStories>
  /**
   * Set the password of a feed with basic authentication, or remove it. It is stored encrypted, and no response,
   * export, version, audit record or log has it. It is sent to the origin of the address that the feed has now: set it
   * again after a move to another one. `username` of the feed is the user.
   */
  setFeedPassword(feed: string, body: { readonly password: string | null }, options?: RequestOptions): Promise<void>
  /**
   * See what the feed at an address, or of a site, would bring. The feeds that the page of a site names come first,
   * then usual addresses of feeds. Nothing is stored. The service connects to addresses of the public internet, and to
   * what `--outbound-allow` names.
   */
  previewFeed(
    body: { readonly address: string; readonly source?: object | null | undefined; readonly topic?: object | null | undefined; readonly country?: object | null | undefined; readonly arrival?: 'published' | 'draft' | 'review' | undefined },
    options?: RequestOptions,
  ): Promise<FeedPreview>
  /**
   * Fetch a feed now; the response follows when its items are stored. Also one that is paused. On a node of a cluster
   * that does not fetch, a feed that is not paused becomes due, and the response tells its health until then.
   */
  fetchFeed(feed: string, options?: RequestOptions): Promise<FeedHealth>
  /**
   * Add the feeds of an OPML file, with a report by line. At most 1000. A feed whose address another one has is left
   * alone. A site that is the address of a source makes it its source, and a group with the name of a topic its topic.
   */
  importFeeds(
    body: { readonly opml: string; readonly source: object; readonly topic?: object | null | undefined; readonly country?: object | null | undefined; readonly arrival?: 'published' | 'draft' | 'review' | undefined; readonly keepsPictures?: boolean | undefined; readonly dryRun?: boolean | undefined },
    options?: RequestOptions,
  ): Promise<OpmlReport>
  /**
   * See the addresses of all publications. Publications are documents of the model `publication`, which administrators
   * write; hide one with `isPaused`. At most 500.
   */
  publications(options?: RequestOptions): Promise<PublicationStates>
  /** See what readers of a publication would get, without storing it. */
  previewPublication(body: { readonly publication: object }, options?: RequestOptions): Promise<PublicationPreview>
  /**
   * Make a new secret address of a publication, which only this response has. The former one ends immediately. It leads
   * to the publication while `visibility` is `secret`.
   */
  makePublicationSecret(publication: string, options?: RequestOptions): Promise<PublicationSecret>
  /**
   * Send a picture, and get its address for `imageUrl`, `iconUrl` or `logoUrl`. The body is the file: JPEG, PNG, WebP,
   * GIF or AVIF, at most 10 MiB and 50 megapixels. Its bytes decide, whatever its type is said to be. Exif, XMP,
   * comments and all that follows the picture are removed. The same picture has the same address again. One that no
   * document, earlier version or document of the trash names is deleted after 30 days. At most 4 are taken at the same
   * time, 2 of one user.
   */
  uploadPicture(bytes: Blob | Uint8Array<ArrayBuffer>, options?: RequestOptions): Promise<Picture>
  /**
   * List the pictures, those first that came last. A page with `unused` true, or with `search`, looks at the next 1,000
   * pictures: it may have no items, and a `cursor` all the same.
   */
  pictures(query?: PicturesQuery, options?: RequestOptions): Promise<PicturePage>
  /**
   * Read what is known of a picture, and which documents name it. The first 100 documents, without those of single
   * users.
   */
  picture(hash: string, options?: RequestOptions): Promise<PictureUsage>
  /** Say what a picture shows, and what of it must stay in sight where it is cut. */
  describePicture(
    hash: string,
    body: { readonly alt: string; readonly focus: { readonly x: number; readonly y: number } | null },
    options?: RequestOptions,
  ): Promise<Picture>
  /** Delete a picture that no document names; those of single users do not count. */
  removePicture(hash: string, options?: RequestOptions): Promise<void>
  /** List the sessions of a user, newest first. */
  sessions(id: string, options?: RequestOptions): Promise<UserSessions>
  /** End all sessions and other tokens of a user. */
  endSessions(id: string, options?: RequestOptions): Promise<SessionsEnded>
  /** End one session of a user, which may be your own. */
  endSession(id: string, session: string, options?: RequestOptions): Promise<void>
  /** Read what became of the mail that invited a user. */
  invitation(id: string, options?: RequestOptions): Promise<Invitation>
  /**
   * Invite a publisher or an administrator by another mail. It takes the place of one that waits. 100 mails of an
   * administrator in an hour, and three to an e-mail address in a day, those of new users included.
   */
  inviteAgain(id: string, options?: InviteAgainOptions): Promise<Invitation>
  /** List the tokens of the API, newest first. */
  apiTokens(options?: RequestOptions): Promise<ApiTokens>
  /**
   * Make a token of the API, whose text only this response has. It acts for you, with at most your roles of the moment.
   * With `models` or `methods` it reaches the data endpoint only, with `scopes` only what these are for. A token cannot
   * make tokens, sign in, end sessions, delete your account, or give a role in the dashboard.
   */
  makeApiToken(
    body: { readonly name: string; readonly role?: 'none' | 'publisher' | 'admin' | null | undefined; readonly models?: readonly ('headline' | 'topic' | 'source' | 'country' | 'language' | 'feed' | 'feed_rules' | 'publication' | 'user' | 'user_app_settings' | 'user_content_preferences' | 'remote_config' | 'dashboard_summary')[] | null | undefined; readonly methods?: readonly ('read' | 'create' | 'replace' | 'delete')[] | null | undefined; readonly scopes?: readonly ('metrics' | 'backups')[] | null | undefined; readonly days?: number | null | undefined },
    options?: RequestOptions,
  ): Promise<NewApiToken>
  /** Revoke a token of the API immediately. */
  revokeApiToken(id: string, options?: RequestOptions): Promise<void>
  /**
   * Make a sign-in code for a user, to be given by hand. For where no mail arrives. It works once, with `POST
   * /auth/verify-code`. Guests have no address to sign in with.
   */
  makeCode(id: string, options?: RequestOptions): Promise<PersonCode>
}

interface DocumentCalls<M extends ModelName> {
  /**
   * Create a document. A body of status `draft` may lack required members: it makes an incomplete draft, which only
   * requests with `incomplete=true` find. With `Idempotency-Key`, the same request of the same caller within 24 hours
   * gets the first response again. A user with a role in the dashboard is invited by mail where `--invitation-url` is
   * set.
   */
  create(body: Bodies[M] | IncompleteDraft<M>, options?: CreateOptions): Promise<Stored<Models[M]>>
  /**
   * Count documents by status. Counts what a list with these parameters has on all pages. Give the filter without
   * `status`. The numbers of a whole model and of its statuses are exact, others up to 10,000, where `totalIsFloor` is
   * true.
   */
  counts(query?: CountsQuery, options?: RequestOptions): Promise<DocumentCounts>
  /**
   * Explain a query: its index, its SQL, the rows it reads. The query runs on the stored data and is aborted shortly
   * before its deadline.
   */
  explain(query?: ListQuery, options?: RequestOptions): Promise<QueryPlan>
  /**
   * Validate a document without writing it. Lists up to fifty problems of creating the document or, with `id`, of
   * replacing that one. `path` is empty for the body as a whole. A draft may be stored with problems of the codes
   * `required` and `blank` at its own members.
   */
  check(body: object, options?: CheckOptions): Promise<DocumentProblems>
  /**
   * Read a document. With `If-None-Match`, 304 without a body where the client has the current version. With the
   * setting `--public-remote-config`, `remote_config` is read without a token.
   */
  get(id: string, options?: GetOptions): Promise<Stored<Models[M]>>
  /**
   * Replace a document. `If-Match` with the ETag of the version that was read prevents lost updates. With
   * `incomplete=true`, a body of status `draft` may lack required members.
   */
  replace(id: string, body: Replacements[M] | IncompleteDraft<M>, options?: WriteOptions): Promise<Stored<Models[M]>>
  /**
   * Change members of a document. A JSON merge patch (RFC 7396): members that are sent replace or extend the stored
   * ones, null removes one, arrays are replaced as a whole. Where a document embeds another, `{"id": …}` alone is a
   * reference and replaces the copy. The result is checked like the body of a `PUT`, on the document as it is when it
   * is written.
   */
  patch(id: string, body: MergePatch<Replacements[M]>, options?: WriteOptions): Promise<Stored<Models[M]>>
  /**
   * Delete a document. Content goes to the trash, out of every list, and can be restored for `--trash-days`. Copies of
   * it in other documents are kept or, with `replaceBy`, become copies of another document, in the background.
   */
  remove(id: string, options?: RemoveOptions): Promise<void>
  /**
   * List what was deleted and can be restored, deleted last first. A deleted document stays for `--trash-days`. Content
   * has it; users, settings and preferences have none.
   */
  trash(query?: TrashQuery, options?: RequestOptions): Promise<TrashedDocuments>
  /** Delete a document of the trash for good, with its earlier versions. */
  eraseTrashed(id: string, options?: DraftOptions): Promise<void>
  /**
   * List the changes of a document, newest first. Earlier versions are kept for `--history-days`. Content has it;
   * users, settings and preferences have none. A page ends early where the versions are long.
   */
  history(id: string, options?: HistoryOptions): Promise<DocumentHistory>
  /** Read a document as a change left it. */
  version(id: string, seq: string, options?: DraftOptions): Promise<Stored<Models[M]>>
  /**
   * Put back a deleted document or, with `seq`, an earlier version. All present rules are checked. A deleted document
   * comes back as it was, its times included; an earlier version becomes a new one. `If-Match` with the ETag of the
   * version that was read prevents lost updates.
   */
  restore(id: string, options?: RestoreOptions): Promise<Stored<Models[M]>>
  /**
   * Count the documents that hold copies of a document. Exact up to 100,000, where `totalIsFloor` is true. Copies
   * follow the changes of a document in the background; `following` tells how far they are.
   */
  usage(id: string, options?: DraftOptions): Promise<DocumentUsage>
  /**
   * Count the documents that hold copies of any of up to 200 documents. A document with copies of several counts for
   * each. Exact up to 100,000, where `totalIsFloor` is true.
   */
  usageOfMany(body: { readonly ids: readonly (string)[] }, options?: RequestOptions): Promise<DocumentsUsage>
  /**
   * Find documents that have an address already. Of headlines and sources, by `url`: at most five, published ones
   * first. Addresses are the same with `http` or `https`, with or without a slash at the end, with any fragment, and
   * with any `utm_…`, `fbclid` and `gclid`. Several documents may have one address; this only tells of them.
   */
  duplicates(query: DuplicatesQuery, options?: RequestOptions): Promise<DuplicateDocuments>
  /** Read the note with which a draft was given back. */
  review(id: string, options?: RequestOptions): Promise<ReviewState>
  /** Give a draft that was handed in back to its author, with a note. */
  giveBack(id: string, body: { readonly note: string }, options?: WriteOptions): Promise<Stored<Models[M]>>
}

function authCalls({ data, done, signIn }: Transport): AuthCalls {
  return {
    requestCode: async (body, { signal } = {}) =>
      done({ method: 'POST', path: 'auth/request-code', body, signal }, 202),
    verifyCode: async (body, { signal } = {}) => signIn({ method: 'POST', path: 'auth/verify-code', body, signal }),
    anonymous: async ({ signal } = {}) => signIn({ method: 'POST', path: 'auth/anonymous', body: {}, signal }),
    me: async ({ signal } = {}) => data({ method: 'GET', path: 'auth/me', signal }),
    refreshToken: async ({ signal } = {}) => signIn({ method: 'POST', path: 'auth/refresh-token', signal }),
    signOut: async ({ signal } = {}) => done({ method: 'POST', path: 'auth/sign-out', signal }, 204),
    sessions: async ({ signal } = {}) => data({ method: 'GET', path: 'auth/sessions', signal }),
    endOtherSessions: async ({ signal } = {}) => data({ method: 'DELETE', path: 'auth/sessions', signal }),
    endSession: async (session, { signal } = {}) =>
      done({ method: 'DELETE', path: `auth/sessions/${step(session)}`, signal }, 204),
    deleteAccount: async ({ signal } = {}) => done({ method: 'DELETE', path: 'auth/delete-account', signal }, 204),
    passkeyRequest: async ({ signal } = {}) => data({ method: 'POST', path: 'auth/passkeys/request', signal }),
    signInWithPasskey: async (body, { signal } = {}) =>
      signIn({ method: 'POST', path: 'auth/passkeys/sign-in', body, signal }),
    passkeyCreation: async ({ signal } = {}) => data({ method: 'POST', path: 'auth/passkeys/creation', signal }),
    passkeys: async ({ signal } = {}) => data({ method: 'GET', path: 'auth/passkeys', signal }),
    addPasskey: async (body, { signal } = {}) => data({ method: 'POST', path: 'auth/passkeys', body, signal }),
    removePasskey: async (passkey, { signal } = {}) =>
      done({ method: 'DELETE', path: `auth/passkeys/${step(passkey)}`, signal }, 204),
    proxy: async ({ signal } = {}) => signIn({ method: 'POST', path: 'auth/proxy', signal }),
    setup: async (body, { signal } = {}) => signIn({ method: 'POST', path: 'auth/setup', body, signal }),
    lookForSite: async (body, { signal } = {}) =>
      data({ method: 'POST', path: 'auth/setup/restore/look', body, signal }),
    restoreSite: async (body, { signal } = {}) => data({ method: 'POST', path: 'auth/setup/restore', body, signal }),
    siteProgress: async (body, { signal } = {}) =>
      data({ method: 'POST', path: 'auth/setup/restore/progress', body, signal }),
  }
}

function dashboardCalls({ data, done }: Transport): DashboardCalls {
  return {
    reviews: async ({ signal } = {}) => data({ method: 'GET', path: 'reviews', signal }),
    overview: async ({ signal } = {}) => data({ method: 'GET', path: 'dashboard/overview', signal }),
    people: async (body, { signal } = {}) => data({ method: 'POST', path: 'dashboard/people', body, signal }),
    setup: async ({ signal } = {}) => data({ method: 'GET', path: 'dashboard/setup', signal }),
    views: async ({ signal } = {}) => data({ method: 'GET', path: 'dashboard/views', signal }),
    addView: async (body, { signal } = {}) => data({ method: 'POST', path: 'dashboard/views', body, signal }),
    replaceView: async (view, body, { signal } = {}) =>
      data({ method: 'PUT', path: `dashboard/views/${step(view)}`, body, signal }),
    removeView: async (view, { signal } = {}) =>
      done({ method: 'DELETE', path: `dashboard/views/${step(view)}`, signal }, 204),
  }
}

function adminCalls({ data, done, file, page }: Transport): AdminCalls {
  return {
    passkeys: async (id, { signal } = {}) => data({ method: 'GET', path: `admin/users/${step(id)}/passkeys`, signal }),
    removePasskeys: async (id, { signal } = {}) =>
      data({ method: 'DELETE', path: `admin/users/${step(id)}/passkeys`, signal }),
    exportList: async (body, { signal } = {}) =>
      file({ method: 'POST', path: 'data/export', body, signal }, 'application/octet-stream'),
    status: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/status', signal }),
    cluster: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/cluster', signal }),
    log: async ({ level, limit, text, route, from, to } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('admin/log', { level, limit, text, route, from, to }), signal }),
    audit: async ({ filter, email, sort, limit, cursor } = {}, { signal } = {}) =>
      page({ method: 'GET', path: withQuery('admin/audit', { filter, email, sort, limit, cursor }), signal }, cursor),
    settings: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/settings', signal }),
    changeSettings: async (body, { ifMatch, signal } = {}) =>
      data({ method: 'PATCH', path: 'admin/settings', body, ifMatch, signal }),
    testMailSettings: async (body, { signal } = {}) =>
      data({ method: 'POST', path: 'admin/settings/test', body, signal }),
    loadSample: async ({ signal } = {}) => data({ method: 'POST', path: 'admin/sample', signal }),
    outbox: async ({ state, limit } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('admin/outbox', { state, limit }), signal }),
    testMail: async (body, { signal } = {}) => data({ method: 'POST', path: 'admin/outbox/test', body, signal }),
    retryMail: async (id, { signal } = {}) => data({ method: 'POST', path: `admin/outbox/${step(id)}/retry`, signal }),
    backups: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/backups', signal }),
    makeBackup: async ({ signal } = {}) => data({ method: 'POST', path: 'admin/backups', signal }),
    makeOffsiteBackups: async ({ signal } = {}) =>
      done({ method: 'POST', path: 'admin/offsite-backups', body: {}, signal }, 202),
    downloadBackup: async (name, { signal } = {}) =>
      file({ method: 'GET', path: `admin/backups/${step(name)}`, signal }, 'application/vnd.sqlite3'),
    checkBackup: async (name, { signal } = {}) =>
      data({ method: 'POST', path: `admin/backups/${step(name)}/check`, body: {}, signal }),
    restoreBackup: async (name, body, { signal } = {}) =>
      data({ method: 'POST', path: `admin/backups/${step(name)}/restore`, body, signal }),
    lastRestore: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/restore', signal }),
    previewImport: async (body, { signal } = {}) =>
      data({ method: 'POST', path: 'admin/import/preview', body, signal }),
    importRows: async (body, { idempotencyKey, signal } = {}) =>
      data({ method: 'POST', path: 'admin/import', body, idempotencyKey, signal }),
    feeds: async ({ signal } = {}) => data({ method: 'GET', path: 'feeds', signal }),
    feedsAsOpml: async ({ signal } = {}) => file({ method: 'GET', path: 'feeds/opml', signal }, 'text/x-opml'),
    feedItems: async (feed, { signal } = {}) => data({ method: 'GET', path: `feeds/${step(feed)}/items`, signal }),
    previewFeedRules: async (body, { signal } = {}) => data({ method: 'POST', path: 'feeds/rules', body, signal }),
    headlineOrigins: async (body, { signal } = {}) => data({ method: 'POST', path: 'feeds/origins', body, signal }),
    sameStories: async (headline, { signal } = {}) =>
      data({ method: 'GET', path: `feeds/stories/${step(headline)}`, signal }),
    setFeedPassword: async (feed, body, { signal } = {}) =>
      done({ method: 'PUT', path: `admin/feeds/${step(feed)}/password`, body, signal }, 204),
    previewFeed: async (body, { signal } = {}) => data({ method: 'POST', path: 'admin/feeds/preview', body, signal }),
    fetchFeed: async (feed, { signal } = {}) =>
      data({ method: 'POST', path: `admin/feeds/${step(feed)}/fetch`, body: {}, signal }),
    importFeeds: async (body, { signal } = {}) => data({ method: 'POST', path: 'admin/feeds/opml', body, signal }),
    publications: async ({ signal } = {}) => data({ method: 'GET', path: 'publications', signal }),
    previewPublication: async (body, { signal } = {}) =>
      data({ method: 'POST', path: 'admin/publications/preview', body, signal }),
    makePublicationSecret: async (publication, { signal } = {}) =>
      data({ method: 'POST', path: `admin/publications/${step(publication)}/secret`, signal }),
    uploadPicture: async (bytes, { signal } = {}) => data({ method: 'POST', path: 'media', bytes, signal }),
    pictures: async ({ limit, cursor, unused, search } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('media', { limit, cursor, unused, search }), signal }),
    picture: async (hash, { signal } = {}) => data({ method: 'GET', path: `media/${step(hash)}`, signal }),
    describePicture: async (hash, body, { signal } = {}) =>
      data({ method: 'PUT', path: `media/${step(hash)}`, body, signal }),
    removePicture: async (hash, { signal } = {}) =>
      done({ method: 'DELETE', path: `admin/media/${step(hash)}`, signal }, 204),
    sessions: async (id, { signal } = {}) => data({ method: 'GET', path: `admin/users/${step(id)}/sessions`, signal }),
    endSessions: async (id, { signal } = {}) =>
      data({ method: 'DELETE', path: `admin/users/${step(id)}/sessions`, signal }),
    endSession: async (id, session, { signal } = {}) =>
      done({ method: 'DELETE', path: `admin/users/${step(id)}/sessions/${step(session)}`, signal }, 204),
    invitation: async (id, { signal } = {}) =>
      data({ method: 'GET', path: `admin/users/${step(id)}/invitation`, signal }),
    inviteAgain: async (id, { language, signal } = {}) =>
      data({ method: 'POST', path: withQuery(`admin/users/${step(id)}/invitation`, { language }), body: {}, signal }),
    apiTokens: async ({ signal } = {}) => data({ method: 'GET', path: 'admin/tokens', signal }),
    makeApiToken: async (body, { signal } = {}) => data({ method: 'POST', path: 'admin/tokens', body, signal }),
    revokeApiToken: async (id, { signal } = {}) =>
      done({ method: 'DELETE', path: `admin/tokens/${step(id)}`, signal }, 204),
    makeCode: async (id, { signal } = {}) => data({ method: 'POST', path: `admin/users/${step(id)}/code`, signal }),
  }
}

function documentCalls<M extends ModelName>(model: M, { data, done, stored }: Transport): DocumentCalls<M> {
  return {
    create: async (body, { invitation, language, idempotencyKey, signal } = {}) =>
      stored({ method: 'POST', path: withQuery('data', { model, invitation, language }), body, idempotencyKey, signal }),
    counts: async ({ filter, search, changedBy, incomplete } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('data/counts', { model, filter, search, changedBy, incomplete }), signal }),
    explain: async (query = {}, { signal } = {}) =>
      data({ method: 'POST', path: withQuery('data/explain', { model }), body: queryBody(query), signal }),
    check: async (body, { id, incomplete, signal } = {}) =>
      data({ method: 'POST', path: withQuery('data/check', { model, id, incomplete }), body, signal }),
    get: async (id, { fields, incomplete, signal } = {}) =>
      stored({ method: 'GET', path: withQuery(`data/${step(id)}`, { model, fields, incomplete }), signal }),
    replace: async (id, body, { incomplete, ifMatch, signal } = {}) =>
      stored({ method: 'PUT', path: withQuery(`data/${step(id)}`, { model, incomplete }), body, ifMatch, signal }),
    patch: async (id, body, { incomplete, ifMatch, signal } = {}) =>
      stored({ method: 'PATCH', path: withQuery(`data/${step(id)}`, { model, incomplete }), body, ifMatch, signal }),
    remove: async (id, { replaceBy, incomplete, ifMatch, signal } = {}) =>
      done({ method: 'DELETE', path: withQuery(`data/${step(id)}`, { model, replaceBy, incomplete }), ifMatch, signal }, 204),
    trash: async ({ limit, cursor, incomplete } = {}, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('data/trash', { model, limit, cursor, incomplete }), signal }),
    eraseTrashed: async (id, { incomplete, signal } = {}) =>
      done({ method: 'DELETE', path: withQuery(`data/trash/${step(id)}`, { model, incomplete }), signal }, 204),
    history: async (id, { limit, cursor, incomplete, signal } = {}) =>
      data({ method: 'GET', path: withQuery(`data/${step(id)}/history`, { model, limit, cursor, incomplete }), signal }),
    version: async (id, seq, { incomplete, signal } = {}) =>
      stored({ method: 'GET', path: withQuery(`data/${step(id)}/history/${step(seq)}`, { model, incomplete }), signal }),
    restore: async (id, { seq, incomplete, ifMatch, signal } = {}) =>
      stored({ method: 'POST', path: withQuery(`data/${step(id)}/restore`, { model, seq, incomplete }), body: {}, ifMatch, signal }),
    usage: async (id, { incomplete, signal } = {}) =>
      data({ method: 'GET', path: withQuery(`data/${step(id)}/usage`, { model, incomplete }), signal }),
    usageOfMany: async (body, { signal } = {}) =>
      data({ method: 'POST', path: withQuery('data/usage', { model }), body, signal }),
    duplicates: async ({ url, except, incomplete }, { signal } = {}) =>
      data({ method: 'GET', path: withQuery('data/duplicates', { model, url, except, incomplete }), signal }),
    review: async (id, { signal } = {}) =>
      data({ method: 'GET', path: withQuery(`data/${step(id)}/review`, { model }), signal }),
    giveBack: async (id, body, { ifMatch, signal } = {}) =>
      stored({ method: 'POST', path: withQuery(`data/${step(id)}/return`, { model }), body, ifMatch, signal }),
  }
}

// #endregion
