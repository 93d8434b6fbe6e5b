/**
 * What a handler sees of a request, and what it gives back.
 *
 * A handler never touches the socket: it reads an Exchange and returns a Reply, or throws a Failure. So the rules that
 * hold for every reply (envelope, headers, HEAD, keep-alive) stand in one place, and a handler can be read alone.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import type { LogFields } from '../base/log.ts'
import type { OpenFile } from '../base/regular-file.ts'
import type { Query } from './query-string.ts'

export type Params = Readonly<Record<string, string>>

export interface Exchange {
  /** Unique for each request; also in the envelope, in the log, and in the header X-Request-Id. */
  readonly requestId: string
  /** As sent. A HEAD request reaches the handler of GET and still says HEAD. */
  readonly method: string
  /** The path as sent: percent-escapes undecoded, without the query string. */
  readonly path: string
  /** The `:name` parts of the route's path, decoded. */
  readonly params: Params
  readonly query: Query
  /** Names in lower case. Of a repeated header that takes one value, the first counts. */
  readonly headers: IncomingHttpHeaders
  /** The address to count and to log; see client-address.ts. */
  readonly clientAddress: string
  /** Aborts when the client is gone before its reply. Only made when it is read. */
  readonly signal: AbortSignal
  /** Adds fields to the access log line of this request, such as the id of the user. */
  note(fields: LogFields): void
  /** The length that the body may have; less than the server takes after limitBody(). */
  readonly bodyBytesMax: number
  /** Lets the body be shorter only. What is longer is refused as payloadTooLarge `from` such a client. */
  limitBody(bytesMax: number, from: string): void
  /** Counts bytes that the body brings in from elsewhere, as weighBody() counts its own; may throw as it does. */
  weigh(bytes: number): void
  /**
   * Has the body weighed when it is read: called with its length, before the first byte where that is announced, else
   * before it is parsed. What it throws refuses the request.
   */
  weighBody(weigh: (bytes: number) => void): void
  /**
   * Reads the body as one JSON object. Nothing is read before the first call, so that authorization comes first.
   * Throws invalidInput or payloadTooLarge; see body.ts.
   */
  readJson(options?: JsonBodyOptions): Promise<JsonObject>
}

export interface JsonBodyOptions {
  /** Takes any content type, and no body at all as `{}`. */
  readonly optional?: boolean
  /** Less than the server takes; what is longer is a payloadTooLarge. */
  readonly bytesMax?: number
}

export type ReplyHeaders = Readonly<Record<string, string>>

export type Reply =
  /** `data` is JSON text and goes into the success envelope as it is. */
  | { readonly kind: 'data'; readonly status: 200 | 201; readonly data: string; readonly headers?: ReplyHeaders }
  | { readonly kind: 'empty'; readonly status: 202 | 204 | 304; readonly headers?: ReplyHeaders }
  /** A body of any type, without the envelope. */
  | {
      readonly kind: 'raw'
      readonly status: number
      readonly contentType: string
      readonly body: string | Uint8Array
      readonly headers?: ReplyHeaders
    }
  /** A file that the handler has opened, sent piece by piece. The server closes it, whatever becomes of the reply. */
  | {
      readonly kind: 'file'
      readonly status: 200
      readonly contentType: string
      readonly file: OpenFile
      readonly headers?: ReplyHeaders
      /** Called once the file is closed. */
      readonly onClosed?: () => void
    }

export type Handler = (exchange: Exchange) => Reply | Promise<Reply>

/** 200 with the JSON text as `data`. */
export function ok(data: string, headers: ReplyHeaders = {}): Reply {
  return { kind: 'data', status: 200, data, headers }
}

/** 201 with the JSON text as `data`. */
export function created(data: string, headers: ReplyHeaders = {}): Reply {
  return { kind: 'data', status: 201, data, headers }
}

/** 202 without a body. */
export function accepted(): Reply {
  return { kind: 'empty', status: 202 }
}

/** 204. */
export function noContent(): Reply {
  return { kind: 'empty', status: 204 }
}

/** 304: the client has what a 200 with these headers would bring (RFC 9110 section 15.4.5). */
export function notModified(headers: ReplyHeaders): Reply {
  return { kind: 'empty', status: 304, headers }
}
