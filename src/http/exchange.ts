/**
 * What a handler sees of a request, and what it returns.
 *
 * A handler never touches the socket: it reads an Exchange and returns an HttpResponse, or throws a Failure. So the rules
 * that hold for every response (envelope, headers, HEAD, keep-alive) are in one place, and a handler can be read alone.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Awaitable } from '../base/awaitable.ts'
import type { JsonObject } from '../base/json.ts'
import type { LogFields } from '../base/log.ts'
import type { OpenFile } from '../base/regular-file.ts'
import type { TextPart } from '../base/text-parts.ts'
import type { EnvelopeStart } from './coded-envelope.ts'
import type { Query } from './query-string.ts'

export type Params = Readonly<Record<string, string>>

export interface Exchange {
  /** Unique for each request; also in the envelope, in the log, and in the header X-Request-Id. */
  readonly requestId: string
  /** As sent. A HEAD request reaches the handler of GET and still says HEAD. */
  readonly method: string
  /** The path and the query string as sent. */
  readonly target: string
  /** The path as sent: percent-escapes undecoded, without the query string. */
  readonly path: string
  /** The `:name` parts of the route's path, decoded. */
  readonly params: Params
  readonly query: Query
  /** Names in lower case. Of a repeated header that takes one value, the first counts. */
  readonly headers: IncomingHttpHeaders
  /** The address for limits and the log; see client-address.ts. */
  readonly clientAddress: string
  /** Whether the other end of the connection is a trusted proxy, whose headers say who the client is. */
  readonly isFromProxy: boolean
  /**
   * Aborts when the client disconnects before its response. Made when it is first read. From then on a client that closed its
   * sending half gets interim responses (`100 Continue`) until its response.
   */
  readonly signal: AbortSignal
  /** Adds fields to the access log line of this request, such as the id of the user. */
  addLogFields(fields: LogFields): void
  /** The length that the body may have: the limit of its endpoint, or that of the server, or a lower one of the terms. */
  readonly bodyBytesMax: number
  /** Counts work as so many bytes of the body, with `weigh` of the terms; throws what that throws. */
  weigh(bytes: number): void
  /**
   * Counts bytes that the body adds from elsewhere, with `weigh` of the terms; throws what that throws. Resolves when a
   * body that is long with them may be processed.
   */
  growBody(bytes: number): Promise<void>
  /** Sets the limits of the body before it is read. Later terms add to earlier ones. */
  setBodyTerms(terms: BodyTerms): void
  /**
   * Reads the body as one JSON object. Nothing is read before the first call: authorization comes first.
   * Throws invalidInput, payloadTooLarge or unsupportedMediaType; see body.ts.
   */
  readJson(options?: JsonBodyOptions): Promise<JsonObject>
  /** Reads the body as it is: a file, or for another thread. Empty where none follows the header. Throws payloadTooLarge. */
  readBytes(): Promise<Buffer>
}

export interface BodyLimit {
  /** Past it, payloadTooLarge. */
  readonly bytesMax: number
  /** Usual clients send it in one piece: after some seconds it is a requestTimeout. */
  readonly isShort?: true
}

export interface BodyTerms {
  /** The user its memory counts for; without one, the client's address. */
  readonly caller?: string
  /** The caller may use the reserve of memory. */
  readonly usesReserve?: boolean
  /** A lower limit than that of the endpoint; past it, payloadTooLarge. */
  readonly bytesMax?: number
  /** The kind of caller that has this limit, where not every client has: `a guest`. */
  readonly from?: string
  /** That of its endpoint. */
  readonly limit?: BodyLimit
  /**
   * Called with the bytes of the body, and how many of them it was called with before: once where the length is
   * announced, else as they arrive. What it throws rejects the request.
   */
  readonly weigh?: (bytes: number, before: number) => void
}

export interface JsonBodyOptions {
  /** Takes any content type, and no body at all as `{}`. */
  readonly optional?: boolean
  /** Takes a JSON merge patch (RFC 7396) by its own type too. */
  readonly isPatch?: boolean
  /** Takes a JSON array in place of an object, and gives it as the member of this name. */
  readonly arrayAs?: string
  /** A long body leaves the lane when it is read: what follows does not process it. */
  readonly isDoneWhenRead?: boolean
}

export type DataText = string | readonly TextPart[]

export type ResponseHeaders = Readonly<Record<string, string>>

export type HttpResponse =
  /** `data` is JSON text, as a whole or in parts, and goes into the success envelope as it is. */
  | { readonly kind: 'data'; readonly status: 200 | 201; readonly data: DataText; readonly headers?: ResponseHeaders }
  /** The success envelope whose `data` is bytes already, which may be compressed. */
  | { readonly kind: 'prepared'; readonly status: 200; readonly start: EnvelopeStart; readonly headers: ResponseHeaders }
  | { readonly kind: 'empty'; readonly status: 202 | 204 | 304; readonly headers?: ResponseHeaders }
  /** A body of any type, without the envelope. */
  | {
      readonly kind: 'raw'
      readonly status: number
      readonly contentType: string
      readonly body: string | Uint8Array
      readonly headers?: ResponseHeaders
    }
  /** A file that the handler has opened, sent piece by piece. The server closes it in every case. */
  | {
      readonly kind: 'file'
      readonly status: 200 | 206
      readonly contentType: string
      readonly file: OpenFile
      readonly headers?: ResponseHeaders
      /** Called once the file is closed. */
      readonly onClosed?: () => void
    }
  /** A body without a length that stays open; the connection ends with it. Not across threads. */
  | {
      readonly kind: 'stream'
      readonly status: 200
      readonly contentType: string
      readonly headers?: ResponseHeaders
      readonly open: OpenStream
    }

/** The body of a response that stays open, as the handler writes it. */
export interface StreamSink {
  /** Bytes that were written and that the kernel has not taken: the client reads more slowly. */
  readonly unread: number
  /** Sends the bytes as they are, which may be those of other streams too. */
  write(bytes: Uint8Array): void
  /** Calls back once when nothing is unread. */
  whenDrained(proceed: () => void): void
  /** Ends the response behind what was written. */
  end(): void
  /** Ends the connection immediately; what the client has not read is lost. */
  cut(): void
}

/** Takes the sink of a response whose header leaves behind this call, and returns what is called once when the stream has ended, also where the client left. */
export type OpenStream = (sink: StreamSink) => () => void

export type Handler = (exchange: Exchange) => Awaitable<HttpResponse>

/** 200 with the JSON text as `data`. */
export function ok(data: DataText, headers: ResponseHeaders = {}): HttpResponse {
  return { kind: 'data', status: 200, data, headers }
}

/** 201 with the JSON text as `data`. */
export function created(data: string, headers: ResponseHeaders = {}): HttpResponse {
  return { kind: 'data', status: 201, data, headers }
}

/** 202 without a body. */
export function accepted(): HttpResponse {
  return { kind: 'empty', status: 202 }
}

/** 204. */
export function noContent(): HttpResponse {
  return { kind: 'empty', status: 204 }
}

/** 304: the client has what a 200 with these headers would bring (RFC 9110 section 15.4.5). */
export function notModified(headers: ResponseHeaders): HttpResponse {
  return { kind: 'empty', status: 304, headers }
}
