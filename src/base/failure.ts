/**
 * What a caller can cause, as one error type.
 *
 * A Failure carries a stable code, the HTTP status that belongs to it, and a message for the person who sent the
 * request. Everything else that is thrown is a bug of ours: `http/server.ts` answers 500 and logs the stack.
 */

import { Decimal } from './decimal.ts'

/** The stable error codes of the API and the HTTP status of each. The README documents every one (tidy.test.ts). */
export const FAILURE_STATUS = {
  badRequest: 400,
  invalidInput: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  requestTimeout: 408,
  conflict: 409,
  preconditionFailed: 412,
  payloadTooLarge: 413,
  misdirectedRequest: 421,
  tooManyRequests: 429,
  headersTooLarge: 431,
  serverError: 500,
  networkError: 503,
} as const

export type FailureCode = keyof typeof FAILURE_STATUS

export interface FailureOptions {
  /** The true reason, for the log only. It never reaches the client. */
  readonly cause?: unknown
  /** Reply headers that belong to the failure, such as `Allow` or `Retry-After`. */
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
    this.status = FAILURE_STATUS[code]
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
  if (typeof value === 'string') return JSON.stringify(shortened(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'object' && !(value instanceof Decimal)) return 'an object'
  // A number may have as many digits as its text has room for.
  return shortened(String(value))
}

function shortened(text: string): string {
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text
}

const FOUND_CHARS_MAX = 60
