/**
 * What node's HTTP parser refuses by itself, before there is a request to answer: bytes that are no HTTP, a header
 * that is too large, a client that is too slow. It gets the same JSON as every other error, written by hand.
 */
import { STATUS_CODES } from 'node:http'
import { fail } from '../../base/failure.ts'
import type { Failure } from '../../base/failure.ts'
import { errorBody } from './envelope.ts'
import { NOTHING_ALLOWED } from './response-writer.ts'

export interface ParserLimits {
  readonly headerBytesMax: number
  readonly headersMs: number
  readonly requestMs: number
}

/** The failure that belongs to the error of a `clientError` event. The parser's own words go to the log only. */
export function parserFailure(error: NodeJS.ErrnoException, limits: ParserLimits): Failure {
  const options = { cause: error.code ?? error.message }
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return fail(
        'headersTooLarge',
        `Cannot take a request line and headers of this size: expected at most ${limits.headerBytesMax} bytes`,
        options,
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fail('payloadTooLarge', 'Cannot take chunk extensions of this size: expected none', options)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail(
        'requestTimeout',
        `Cannot wait any longer for the request: expected its headers within ${limits.headersMs / 1000} s ` +
          `and all of it within ${limits.requestMs / 1000} s`,
        options,
      )
    default:
      return fail('badRequest', 'Cannot read the request: it is not well-formed HTTP', options)
  }
}

/** The whole response as text, ASCII throughout; after it the connection ends. */
export function failureMessage(
  failure: Failure,
  { requestId, instance }: { readonly requestId: string; readonly instance: string },
): string {
  const { status, headers } = failure
  const body = errorBody(failure)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    `X-Dateline-Instance: ${instance}`,
    'X-Content-Type-Options: nosniff',
    `Content-Security-Policy: ${NOTHING_ALLOWED}`,
    'Vary: Origin',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
