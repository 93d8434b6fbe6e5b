/**
 * Expected errors, as one type, with a stable code and its HTTP status. Everything else that is thrown is a bug of
 * ours: `http/serving.ts` responds with 500 and logs the stack.
 */
import { Decimal } from './decimal.ts'

/** The stable error codes of the API: the HTTP status of each, when it comes, and the message of one. */
export const FAILURES = {
  badRequest: {
    status: 400,
    when: 'Model, filter, sort, limit or cursor cannot be read, or the request is not valid HTTP',
    message: 'Cannot read limit "many": expected a whole number, 0 or more',
  },
  invalidInput: {
    status: 400,
    when: 'The body is not a JSON object, or a member is missing or wrong; a code is wrong or expired',
    message: 'title: expected a string, found nothing',
  },
  unauthorized: {
    status: 401,
    when: 'The token is missing, invalid, expired or signed out; the dashboard does not know the e-mail address',
    message: 'Sign in first: the access token is missing, invalid or expired',
  },
  forbidden: {
    status: 403,
    when:
      'The role does not allow it, the document belongs to another user, a limit of preferences is exceeded, or a ' +
      'foreign web page sends the request',
    message: 'Only administrators may create a topic',
  },
  notFound: {
    status: 404,
    when: 'No document has the id, or the path does not exist',
    message: 'No headline has the id "66f000000000000000000599"',
  },
  methodNotAllowed: {
    status: 405,
    when: 'The path or the model does not have the method; `Allow` lists the methods it has',
    message: 'Cannot create a dashboard_summary: the model does not support it',
  },
  requestTimeout: {
    status: 408,
    when: 'The request took too long to arrive: 30 s in all, 5 s for a body below `/auth`',
    message: 'Cannot wait any longer for the request: expected its headers within 15 s and all of it within 30 s',
  },
  conflict: {
    status: 409,
    when: 'The document exists already, or its state does not allow the change',
    message: 'A remote_config with the id "6643b1b7a4a4e6e1a8e7b1c2" exists already',
  },
  resyncRequired: {
    status: 410,
    when:
      'The change log no longer has all changes, or the rights of the caller have changed. `resync` is true; read all ' +
      'lists, and continue from `next`',
    message:
      'Cannot go on from there: the log does not have all changes since, so start over from "next" and read the lists',
  },
  preconditionFailed: {
    status: 412,
    when:
      'The document has changed since the version in `If-Match`, or is still the one in `If-None-Match`; `ETag` ' +
      'names the current version',
    message: 'Cannot meet If-Match: expected a version that it names, found "n4bQgYhMfWWaL-qgxVrQFa": read it again',
  },
  payloadTooLarge: {
    status: 413,
    when:
      'The body is longer than 2 MiB (guests 256 KiB, queries 512 KiB, pictures 10 MiB, below `/auth` 16 KiB), or in too many ' +
      'tiny chunks',
    message: 'Cannot take a request body of this size: expected at most 2097152 bytes',
  },
  unsupportedMediaType: {
    status: 415,
    when: 'The body is compressed; the service reads only bodies without a coding, as `Accept-Encoding` says',
    message: 'Cannot read a request body with Content-Encoding "gzip": expected none',
  },
  idempotencyKeyReused: {
    status: 422,
    when: 'The `Idempotency-Key` was used for another request within 24 hours',
    message: 'Cannot use this Idempotency-Key: another request has used it: send a new one with each request',
  },
  misdirectedRequest: {
    status: 421,
    when: 'The `Host` is not a name of this service: see `--allowed-hosts`',
    message:
      'Cannot serve the host "rebound.example": expected localhost, an address of this machine, or a name of ' +
      '--allowed-hosts',
  },
  tooManyRequests: {
    status: 429,
    when:
      'A limit is exceeded, 16 slow queries of one user are waiting, one waited for 10 seconds, or several downloads of ' +
      'one user are running. `Retry-After` has the seconds',
    message: 'Sign-in codes came too often: try again in 4 minutes',
  },
  upgradeRequired: {
    status: 426,
    when: 'An offline client syncs with a version of the data that this service does not have: update its app',
    message: 'Cannot sync version "1": expected 0: update the app',
  },
  headersTooLarge: {
    status: 431,
    when: 'Request line and headers exceed 64 KiB',
    message: 'Cannot take a request line and headers of this size: expected at most 65536 bytes',
  },
  serverError: {
    status: 500,
    when: "A bug; the log has the reason under the response's `X-Request-Id`",
    message: 'Something went wrong on our side',
  },
  networkError: {
    status: 503,
    when:
      'The database cannot be used (full disk, damage), too many slow queries or mails are waiting, request bodies take ' +
      'all their memory, or guests use all of `--guests-mb`. Where a retry helps, `Retry-After` has the seconds',
    message: 'Too many slow queries of all callers are waiting: try again soon',
  },
} as const satisfies Readonly<Record<string, { status: number; when: string; message: string }>>

export type FailureCode = keyof typeof FAILURES

export interface FailureOptions {
  /** The reason, for the log only. It never reaches the client. */
  readonly cause?: unknown
  /** Response headers of the failure, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
}

export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.status = FAILURES[code].status
    this.headers = options.headers ?? {}
  }
}

/** Makes the Failure to throw: `throw fail('notFound', 'No topic has the id …')`. */
export function fail(code: FailureCode, message: string, options?: FailureOptions): Failure {
  return new Failure(code, message, options)
}

/** Marks a branch that the types rule out; reaching it is our bug. */
export function assertNever(value: never): never {
  throw new Error(`Unreachable branch reached with ${JSON.stringify(value)}`)
}

/** A short text of any value for a message: `7`, `"abc"`, `an array`, `nothing`. Long texts are cut. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(shortText(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'object' && !(value instanceof Decimal)) return 'an object'
  // A number may have as many digits as its text has room for.
  return shortText(String(value))
}

/** The beginning of a text that may be as long as a body. */
export function shortText(text: string): string {
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text
}

const FOUND_CHARS_MAX = 60
