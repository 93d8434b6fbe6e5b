/**
 * A write as one node sends it to another: a line of JSON, then the bytes of its body. The response is the same: a line, then
 * its content.
 */
import { isObject, parseJson } from '../../base/json.ts'
import type { LogFields } from '../../base/log.ts'
import { content } from '../../base/text-parts.ts'
import { LONG_BODY_BYTES } from '../../http/body.ts'
import type { DataText, HttpResponse } from '../../http/exchange.ts'
import type { ForwardedRequest } from '../../http/forwarded-exchange.ts'

/** The longest body that is sent. Longer ones wait for the lane of their own node: other writes of a request would wait with them. */
export const FORWARDED_BODY_BYTES_MAX = LONG_BODY_BYTES
/** In place of a response: the keeper has made nothing of the write, and its own node makes it. */
export const LEFT_TO_ITS_NODE = Buffer.alloc(0)

const LINE_FEED = 0x0a

export interface ForwardedWrite {
  readonly request: ForwardedRequest
  /** Undefined where none follows the header. */
  readonly body: { readonly bytes: Uint8Array<ArrayBuffer> } | undefined
}

export interface ForwardedResponse {
  readonly response: HttpResponse
  readonly logFields: LogFields | undefined
  /** Of the log, behind the write. */
  readonly position: number
}

export function encodeWrite({ request, body }: ForwardedWrite): Buffer {
  return frame({ request, hasBody: body !== undefined }, body?.bytes ?? EMPTY)
}

/** Undefined for what is no such write. */
export function decodeWrite(bytes: Buffer): ForwardedWrite | undefined {
  const { head, rest } = unframe(bytes)
  const request = head?.['request']
  if (!isObject(request) || typeof request['endpoint'] !== 'string') return undefined
  const body = head?.['hasBody'] === true ? { bytes: Uint8Array.from(rest) } : undefined
  return { request: request as unknown as ForwardedRequest, body }
}

/** Throws for a response that is sent piece by piece, which no write has. */
export function encodeResponse({ response, logFields, position }: ForwardedResponse): Buffer {
  switch (response.kind) {
    case 'empty':
      return frame({ response, logFields, position }, EMPTY)
    case 'data':
      return frame({ response: { ...response, data: undefined }, logFields, position }, bytesOf(response.data))
    case 'raw':
      return frame({ response: { ...response, body: undefined }, logFields, position }, Buffer.from(response.body))
    default:
      throw new Error(`Cannot send a response of the kind ${response.kind} to another node`)
  }
}

/** Undefined for what is no such response. */
export function decodeResponse(bytes: Buffer): ForwardedResponse | undefined {
  const { head, rest } = unframe(bytes)
  const response = head?.['response']
  const position = head?.['position']
  if (!isObject(response) || typeof position !== 'number') return undefined
  const { kind } = response
  const filled = kind === 'data' ? { ...response, data: rest.toString() } : kind === 'raw' ? { ...response, body: rest } : response
  return { response: filled as unknown as HttpResponse, logFields: head?.['logFields'] as LogFields | undefined, position }
}

const EMPTY = Buffer.alloc(0)

function frame(head: object, rest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), rest])
}

function unframe(bytes: Buffer) {
  const end = bytes.indexOf(LINE_FEED)
  try {
    const head = parseJson(bytes.toString('utf8', 0, Math.max(0, end)))
    return { head: isObject(head) ? head : undefined, rest: bytes.subarray(end + 1) }
  } catch {
    return { head: undefined, rest: EMPTY }
  }
}

function bytesOf(data: DataText): Buffer {
  if (typeof data === 'string') return Buffer.from(data)
  return Buffer.concat(data.map((part) => Buffer.from(content(part))))
}

