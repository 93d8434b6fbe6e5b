/** Each failure in words: when it comes, and the message of one as callers get it. */
import type { FailureCode } from '../base/failure.ts'

export interface FailureWords {
  readonly when: string
  readonly message: string
}

export const FAILURE_WORDS: Readonly<Record<FailureCode, FailureWords>> = {
  badRequest: {
    when: 'Model, filter, sort, limit or cursor cannot be read, or the request is no HTTP',
    message: 'Cannot read limit "many": expected a whole number, 0 or more',
  },
  invalidInput: {
    when: 'The body is no JSON object, or a member is missing or wrong; a code is wrong or expired',
    message: 'title: expected a string, found nothing',
  },
  unauthorized: {
    when: 'The token is missing, invalid, expired or signed out; the dashboard does not know the address',
    message: 'Sign in first: the access token is missing, invalid or expired',
  },
  forbidden: {
    when:
      "The role does not reach, the document is somebody else's, a limit of preferences is passed, or a foreign web " +
      'page asks',
    message: 'Only administrators may create a topic',
  },
  notFound: {
    when: 'No document has the id, or there is no such path',
    message: 'No headline has the id "66f000000000000000000599"',
  },
  methodNotAllowed: {
    when: 'The path or the model does not have the method; `Allow` says which it has',
    message: 'Nobody can create a dashboard_summary',
  },
  requestTimeout: {
    when: 'The request took too long to arrive: 30 s for all of it, 5 s for a body below `/auth`',
    message: 'Cannot wait any longer for the request: expected its headers within 15 s and all of it within 30 s',
  },
  conflict: {
    when: 'It exists already',
    message: 'A remote_config with the id "6643b1b7a4a4e6e1a8e7b1c2" exists already',
  },
  preconditionFailed: {
    when:
      'The document has changed since the version in `If-Match`, or is still the one in `If-None-Match`; `ETag` names ' +
      'the current one',
    message: 'Cannot meet If-Match: expected a version that it names, found "n4bQgYhMfWWaL-qgxVrQFa": read it again',
  },
  payloadTooLarge: {
    when:
      'The body is longer than 2 MiB, one of a guest than 256 KiB, one of a query than 512 KiB, or one below `/auth` ' +
      'than 16 KiB, or it comes in a ' +
      'flood of tiny chunks',
    message: 'Cannot take a request body of this size: expected at most 2097152 bytes',
  },
  misdirectedRequest: {
    when: 'The `Host` is no name of this service',
    message:
      'Cannot serve the host "rebound.example": expected localhost, an address of this machine, or a name of ' +
      '--allowed-hosts',
  },
  tooManyRequests: {
    when:
      'A limit is passed, 16 slow queries of one user wait already or one waited for 10 seconds, or several downloads of ' +
      'one user are under way; `Retry-After` says for how many seconds',
    message: 'Sign-in codes came too often: try again in 4 minutes',
  },
  headersTooLarge: {
    when: 'Request line and headers are longer than 64 KiB',
    message: 'Cannot take a request line and headers of this size: expected at most 65536 bytes',
  },
  serverError: {
    when: 'Our fault; the log has the reason under the `X-Request-Id` of the reply',
    message: 'Something went wrong on our side',
  },
  networkError: {
    when:
      'The database cannot be used now, or too many slow queries of all users or mails wait, or the bodies being received ' +
      'take all the memory for them; for these, `Retry-After` says for how many seconds',
    message: 'Too many slow queries of all callers are waiting: try again soon',
  },
}
