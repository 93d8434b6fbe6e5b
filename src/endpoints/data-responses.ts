/**
 * From the results of reads to responses: 304 to a client that has the version, else the data in a coding that the client reads.
 *
 * Each coding of the same data is a representation with a tag of its own (RFC 9110 section 8.8.3.3). A cache may keep
 * what everybody signed in may read, and has to ask each time whether it is still right (`no-cache`); a document that
 * only its owner may read is not stored.
 */
import { bytesOf } from '../base/text-parts.ts'
import { mayBeKept } from '../content/reads/read-dependencies.ts'
import type { ReadResult } from '../content/reads/reads.ts'
import { envelopeStart, type EnvelopeStart } from '../http/coding/coded-envelope.ts'
import type { EnvelopeCoder } from '../http/coding/envelope-coder.ts'
import { codedTag } from '../http/request/entity-tag.ts'
import { notModified, type Exchange, type HttpResponse, type ResponseHeaders } from '../http/request/exchange.ts'
import type { Model } from '../models/schema.ts'

const VARY = 'Accept-Encoding'
const ASKED_AGAIN = 'private, no-cache'
const NOT_STORED = 'no-store'

/** The response to a read. */
export function respondTo(
  { method, headers: sent }: Pick<Exchange, 'method' | 'headers'>,
  result: ReadResult,
  model: Model,
  coder: EnvelopeCoder,
): HttpResponse | Promise<HttpResponse> {
  // A tag in the response to a POST would name what another request brings.
  const isPosted = method === 'POST'
  const stored = mayBeKept(model) && !isPosted ? ASKED_AGAIN : NOT_STORED
  if (result.kind === 'known') return notModified({ ETag: result.tag, Vary: VARY, 'Cache-Control': stored })
  const tag = isPosted ? undefined : result.tag
  const accept = sent['accept-encoding']?.toString()
  const prepared = (start: EnvelopeStart): HttpResponse => ({
    kind: 'prepared',
    status: 200,
    start,
    headers: headersOf(tag && codedTag(tag, start.coding), stored, start.coding),
  })
  if (result.kind === 'kept') {
    const { plain } = result.start
    const coding = coder.codingFor(accept, plain.bytes.length)
    if (coding === undefined) return prepared(plain)
    const start = coder.kept(result.start, coding)
    return start instanceof Promise ? start.then(prepared) : prepared(start)
  }
  const { data } = result
  const coding = coder.codingFor(accept, typeof data === 'string' ? data.length : bytesOf(data))
  if (coding !== undefined && coder.mayCompress()) {
    return coder.once(envelopeStart(data), coding).then(prepared)
  }
  return { kind: 'data', status: 200, data, headers: headersOf(tag, stored, undefined) }
}

function headersOf(tag: string | undefined, stored: string, coding: EnvelopeStart['coding']): ResponseHeaders {
  return {
    ...(tag === undefined ? {} : { ETag: tag }),
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
    Vary: VARY,
    'Cache-Control': stored,
  }
}
