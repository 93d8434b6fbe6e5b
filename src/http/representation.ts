/**
 * What a read is sent as, for data, pages and files alike: 304 to a client that has the version, else the body in a coding that
 * the client reads.
 *
 * Each coding of the same content is a representation with a tag of its own (RFC 9110 section 8.8.3.3). Files were compressed
 * when they were built. Data is compressed with gzip off the event loop: data that is kept once, and every response waits for
 * that; data for one client only where the process has time to spare, as it would cost the machine more than the rest of the
 * request.
 */
import { performance } from 'node:perf_hooks'
import { withValue, type Awaitable } from '../base/awaitable.ts'
import { bytesOf } from '../base/text-parts.ts'
import { compressStart, envelopeStart, type EnvelopeStart } from './coded-envelope.ts'
import { chooseCoding, CODINGS, codingChoice, type Coding } from './accept-encoding.ts'
import { codedTag, keptTags } from './entity-tag.ts'
import { notModified, type DataText, type Exchange, type HttpResponse, type ResponseHeaders } from './exchange.ts'
import { compressBody, createCompression, type KeptBody, type KeptForms } from './kept-forms.ts'

/** Shorter data gains less than a packet. */
const CODED_BYTES_MIN = 1024
/** Longer kept data is compressed as quickly as other: a stranger could ask for one large page after the other. */
const KEPT_EFFORT_BYTES_MAX = 256 * 1024
/** The event loop is judged by its share of work since the last sample. */
const SAMPLE_MS = 100
const BUSY_SHARE = 0.5
const VARY = 'Accept-Encoding'

/** Data that is kept in memory as the start of its envelope. */
export type KeptEnvelope = KeptForms<EnvelopeStart>

/** `onGrowth` is called with the bytes of each form that is added. */
export function keepEnvelope(data: DataText, onGrowth: (bytes: number) => void): KeptEnvelope {
  return { plain: envelopeStart(data), coded: {}, onGrowth }
}

export type Content =
  /** Put together for one client. */
  | { readonly kind: 'text'; readonly data: DataText }
  | { readonly kind: 'kept'; readonly kept: KeptEnvelope }
  /** The client has the version of the tag. */
  | { readonly kind: 'known' }
  /** Without the envelope, in the codings that clients ask for. */
  | { readonly kind: 'body'; readonly kept: KeptBody }
  /** Without the envelope, with the codings that it was built in. */
  | { readonly kind: 'file'; readonly type: string; readonly body: Uint8Array; readonly coded: ReadonlyMap<Coding, Uint8Array> }

interface BuiltFile {
  readonly body: Uint8Array
  /** The body compressed; undefined where that makes it no smaller. */
  readonly brotli?: Uint8Array | undefined
  readonly gzip?: Uint8Array | undefined
}

export function fileContent(type: string, { body, brotli, gzip }: BuiltFile): Content {
  const coded = new Map<Coding, Uint8Array>()
  if (brotli !== undefined) coded.set('br', brotli)
  if (gzip !== undefined) coded.set('gzip', gzip)
  return { kind: 'file', type, body, coded }
}

export interface Facts {
  /** Of the content as it is; of content that the client has, the tag by which it knows it. */
  readonly tag: string | undefined
  readonly caching: string
  readonly headers?: ResponseHeaders
}

export type Represent = (request: Pick<Exchange, 'headers'>, content: Content, facts: Facts) => Awaitable<HttpResponse>

/** `isBusy` tells whether the process has no time to spare. */
export function createRepresentation(isBusy: () => boolean = loadMeter()): Represent {
  const codingOfData = codingChoice(['gzip'])
  const codingOfBody = codingChoice(CODINGS)
  const compression = createCompression()

  return ({ headers: sent }, content, facts) => {
    const accept = sent['accept-encoding']?.toString()
    switch (content.kind) {
      case 'known':
        return notModified(headersOf(facts, undefined))
      case 'kept': {
        const { plain } = content.kept
        const { length } = plain.bytes
        if (length < CODED_BYTES_MIN || codingOfData(accept) === undefined) return prepared(plain, facts)
        const form = compression.formOf(content.kept, 'gzip', () => compressStart(plain, length > KEPT_EFFORT_BYTES_MAX ? 'once' : 'kept'))
        return withValue(form, (made = plain) => prepared(made, facts))
      }
      case 'text': {
        const { data } = content
        const isLong = accept !== undefined && (typeof data === 'string' ? data.length : bytesOf(data)) >= CODED_BYTES_MIN
        if (!isLong || codingOfData(accept) === undefined || compression.isFull() || isBusy()) {
          return { kind: 'data', status: 200, data, headers: headersOf(facts, undefined) }
        }
        const start = envelopeStart(data)
        return compression.run(compressStart(start, 'once')).then((made = start) => prepared(made, facts))
      }
      case 'body': {
        const { kept } = content
        const coding = kept.plain.bytes.length < CODED_BYTES_MIN ? undefined : codingOfBody(accept)
        const isPlain = coding === undefined || (kept.effort === 'once' && isBusy())
        const form = isPlain ? undefined : compression.formOf(kept, coding, () => compressBody(kept, coding))
        return withValue(form, (made): HttpResponse => {
          const headers = { ...headersOf(facts, made && coding), 'Last-Modified': kept.lastModified }
          return { kind: 'raw', status: 200, contentType: kept.type, body: (made ?? kept.plain).bytes, headers }
        })
      }
      case 'file': {
        const { type: contentType, body, coded } = content
        const coding = chooseCoding(accept, [...coded.keys()])
        const headers = headersOf(facts, coding)
        if (facts.tag !== undefined && keptTags(sent['if-none-match'])(codedTag(facts.tag, coding)) !== undefined) {
          return { kind: 'raw', status: 304, contentType, body: '', headers }
        }
        return { kind: 'raw', status: 200, contentType, body: (coding && coded.get(coding)) ?? body, headers }
      }
    }
  }
}

function prepared(start: EnvelopeStart, facts: Facts): HttpResponse {
  return { kind: 'prepared', status: 200, start, headers: headersOf(facts, start.gzipped && 'gzip') }
}

function headersOf({ tag, caching, headers }: Facts, coding: Coding | undefined): ResponseHeaders {
  if (tag !== undefined && coding === undefined && headers === undefined) return { ETag: tag, Vary: VARY, 'Cache-Control': caching }
  const own: Record<string, string> = {}
  if (tag !== undefined) own['ETag'] = codedTag(tag, coding)
  if (coding !== undefined) own['Content-Encoding'] = coding
  own['Vary'] = VARY
  own['Cache-Control'] = caching
  return headers === undefined ? own : { ...own, ...headers }
}

/** Measures by the event loop's own account of its time: what passed since the last sample is work and waiting. */
function loadMeter(): () => boolean {
  let [last, isBusy] = [performance.eventLoopUtilization(), false]
  return () => {
    const now = performance.eventLoopUtilization()
    if (now.active + now.idle - last.active - last.idle < SAMPLE_MS) return isBusy
    isBusy = performance.eventLoopUtilization(now, last).utilization > BUSY_SHARE
    last = now
    return isBusy
  }
}
