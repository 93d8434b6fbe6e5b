/**
 * The end of a gRPC call: a status code and a text (https://grpc.github.io/grpc/core/md_doc_statuscodes.html), in the
 * trailers or, where the server has nothing else to say, in the headers.
 */
import type { IncomingHttpHeaders } from 'node:http2'

/** In the order of their numbers, from 0. */
const CODES = [
  'ok',
  'cancelled',
  'unknown',
  'invalidArgument',
  'deadlineExceeded',
  'notFound',
  'alreadyExists',
  'permissionDenied',
  'resourceExhausted',
  'failedPrecondition',
  'aborted',
  'outOfRange',
  'unimplemented',
  'internal',
  'unavailable',
  'dataLoss',
  'unauthenticated',
] as const

export type GrpcCode = (typeof CODES)[number]

const MESSAGE_CHARS_MAX = 300

/** A call that failed. `isSent` is false where the server certainly did not carry it out. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly code: GrpcCode
  readonly isSent: boolean

  constructor(code: GrpcCode, message: string, { isSent = true, cause }: { isSent?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.isSent = isSent
  }
}

/**
 * The status in headers or trailers; undefined where they have none. The text is one of the server: cut and made
 * visible.
 */
export function statusOf(headers: IncomingHttpHeaders): { readonly code: GrpcCode; readonly text: string } | undefined {
  const status = headers['grpc-status']
  if (status === undefined) return undefined
  return { code: CODES[Number(status)] ?? 'unknown', text: readableText(headers['grpc-message']) }
}

/** Percent-encoded UTF-8 (PROTOCOL-HTTP2, Status-Message); what cannot be decoded is kept as it is. */
function readableText(value: string | readonly string[] | undefined): string {
  let text = String(value ?? '')
  try {
    text = decodeURIComponent(text)
  } catch {
    // A message is for people: a wrong encoding makes it harder to read, and nothing else.
  }
  return text.slice(0, MESSAGE_CHARS_MAX).replace(/\p{C}/gu, '?')
}

/**
 * What an HTTP status without a gRPC status means (doc/http-grpc-status-mapping.md): a proxy answered in place of etcd.
 */
export function codeOfHttpStatus(status: number): GrpcCode {
  const code = HTTP_CODES[status]
  if (code !== undefined) return code
  return 'unknown'
}

const HTTP_CODES: Readonly<Record<number, GrpcCode>> = {
  400: 'internal',
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'unimplemented',
  429: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}
