/**
 * One endpoint of the API as one value, of which the router's table, the OpenAPI document, `/docs`, the typed client
 * and the tables of the guides are made. A handler gets the service as an argument, so that declarations
 * exist without a running service.
 */
import type { Session } from '../auth/sessions.ts'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { FailureCode } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import type { BodyLimit, Exchange, HttpResponse } from '../http/exchange.ts'
import type { ScopeName } from '../models/caller.ts'
import type { Operation, RecordField, ValueOf } from '../models/schema.ts'
import type { ParameterName } from './parameters.ts'

/** Who may call, and which limit counts the request; guard.ts enforces it. */
export type Access = OpenAccess | SignedInAccess

/** Without a session: every client, or every client within the limit of its address for requests of that kind. */
type OpenAccess = 'public' | 'visitor' | 'codeRequest' | 'guestSignIn'
/** With one: every user, within the limit of data requests too, publishers and administrators, or administrators. */
type SignedInAccess = 'user' | 'limitedUser' | 'editor' | 'administrator'

export type Tag = 'Accounts' | 'Data' | 'Dashboard' | 'Administration' | 'Operation'

/** A JSON schema under its name in `components.schemas`. */
export interface NamedSchema {
  readonly kind: 'schema'
  readonly name: string
  readonly schema: JsonSchema
}

/** `data` of the response is text that the handler has already: a document, a page, or a user. */
export interface TextResponse {
  readonly kind: 'text'
  readonly schema: 'Document' | 'Page' | 'User' | 'BatchResults' | 'ChangePage' | RecordField
  /** The response names the version of its document in an ETag. */
  readonly tagged?: true
}

/** A body of any type, without the envelope. */
export interface RawResponse {
  readonly kind: 'raw'
  readonly type: string
  readonly schema: JsonSchema
  /** The response names the file to save it as. */
  readonly named?: true
}

type Response = RecordField | TextResponse | RawResponse

/** Another response than that of success: its status, its meaning, and the schema of its body where it has one. */
export interface OtherResponse {
  readonly status: 304 | 503
  readonly description: string
  readonly body?: NamedSchema
}

/** What clients send without having signed in, or in a form: reading two megabytes takes a good part of a second. */
export const SHORT_BODY: BodyLimit = { bytesMax: 16 * 1024, isShort: true }

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface Declaration {
  readonly access: Access
  /** Names the endpoint in the OpenAPI document. */
  readonly id: string
  /** What it does, in a sentence without a full stop. */
  readonly summary: string
  readonly description?: string
  /** A token is used where the access wants none. */
  readonly token?: 'optional'
  /** Tokens of the API with this scope reach it too. */
  readonly scope?: ScopeName
  /** Tokens that are narrowed to models and methods reach it: it checks that for each document. */
  readonly reach?: 'documents'
  /** On other nodes of a cluster, the request goes to the keeper: it writes documents, and its response is short. */
  readonly byKeeper?: true
  /** The operation of a model that a document's `access` allows or forbids. */
  readonly operation?: Operation
  /** Who may, where neither `access` nor `operation` says all. */
  readonly whoMay?: string
  readonly parameters?: readonly ParameterName[]
  /**
   * `document` is that of the model, `patch` a merge patch of it, `draft` one that need not be valid, `empty` an object
   * that may be left out, `bytes` a file.
   */
  readonly body?: RecordField | NamedSchema | 'document' | 'patch' | 'draft' | 'empty' | 'bytes'
  /** Of the body, where it is not what the server takes of others. */
  readonly bodyLimit?: BodyLimit
  readonly others?: readonly OtherResponse[]
  /** Those besides what the access and every request can bring. */
  readonly errors?: readonly FailureCode[]
  /** Group and name of the method in the typed client; a name that two endpoints share is not generated. */
  readonly client?: `${'auth' | 'data' | 'dashboard' | 'admin'}.${string}`
}

/** Requests that are served without a session, within the limit of visitors. */
interface VisitorException<S> {
  readonly applies: (service: S, exchange: Exchange) => boolean
  readonly serve: (service: S, exchange: Exchange) => Awaitable<HttpResponse>
}

export interface Described extends Declaration {
  readonly method: Method
  readonly path: string
  readonly tag: Tag
  readonly status: 200 | 201 | 202 | 204
  /** Undefined where the response is empty. */
  readonly response: Response | undefined
}

export interface Endpoint<S> extends Described {
  readonly forVisitors?: VisitorException<S>
  /** There is a session where the access wants one. */
  readonly serve: (service: S, exchange: Exchange, session: Session | undefined) => Awaitable<HttpResponse>
}

type Caller<A extends Access> = A extends OpenAccess ? undefined : Session
/** A handler gives the value of a record, which is written as JSON, or the whole of any other response. */
type Handled<R extends Response | undefined> = R extends RecordField ? ValueOf<R> : R extends undefined ? void : HttpResponse

interface Definition<S, A extends Access, R extends Response | undefined> extends Declaration {
  /** Parts of the path that begin with a colon are parameters. */
  readonly route: `${Method} /${string}`
  readonly access: A
  /** 200 where not said otherwise, 204 for an empty response. */
  readonly status?: 201 | 202
  readonly response?: R
  readonly forVisitors?: VisitorException<S>
}

type Handle<S, Session, Value> = (service: S, exchange: Exchange, session: Session) => Awaitable<Value>

/** Gives the function that declares endpoints of a tag, whose handlers get a service, or some parts of one. */
export function endpointOn<S>(tag: Tag) {
  return <const A extends Access, R extends Response | undefined = undefined>(definition: Definition<S, A, R>) => ({
    handle: (handle: Handle<S, Caller<A>, Handled<R>>): Endpoint<S> =>
      served(tag, definition, handle as Handle<S, never, unknown>),
  })
}

function served<S>(
  tag: Tag,
  { route, response, status, ...declaration }: Definition<S, Access, Response | undefined>,
  handle: Handle<S, never, unknown>,
): Endpoint<S> {
  const [method, path] = route.split(' ') as [Method, string]
  const empty = response === undefined ? (status === 202 ? 202 : 204) : undefined
  const responseOf = (handled: unknown): HttpResponse => {
    if (empty !== undefined) return { kind: 'empty', status: empty }
    if (response?.kind !== 'record') return handled as HttpResponse
    return { kind: 'data', status: status === 201 ? 201 : 200, data: JSON.stringify(handled) }
  }
  return {
    ...declaration,
    ...{ tag, method, path, response },
    status: empty ?? status ?? 200,
    serve: (service, exchange, session) => withValue(handle(service, exchange, session as never), responseOf),
  }
}
