/**
 * Signed requests to one bucket, repeated where a server is busy or a connection fails. Every request that is made here may be
 * repeated: objects are written as a whole, and an upload that was completed is found by its object.
 */
import type { Clock } from '../base/clock.ts'
import { compactDate } from '../base/dates.ts'
import type { Pause } from '../base/pause.ts'
import type { OutboundClient, OutboundSend } from '../outbound/outbound-client.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { OutboundResponse } from '../outbound/outbound-response.ts'
import type { AccessKey, S3Address } from './place-address.ts'
import { PlaceError } from './place.ts'
import { s3Failure } from './s3-errors.ts'
import { authorization, escapePath, queryText, sha256, type SignedRequest } from './s3-signing.ts'
import type { TransferRate } from './transfer-rate.ts'

const ATTEMPTS_MAX = 5
const RETRY_MS_FIRST = 500
/** Of a response that is no object. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024
const TOTAL_MS = 60_000
/** Slower than this, a transfer is given up and repeated. */
const BYTES_PER_MS_MIN = 32
/** Kinds of errors that another attempt may not have. */
const PASSING: readonly OutboundError['kind'][] = ['dns', 'connect', 'timeout', 'truncated', 'busy', 'protocol', 'proxy']

export interface S3Request {
  readonly method: OutboundSend['method']
  /** Of an object, without the prefix; undefined for the bucket. */
  readonly key?: string | undefined
  readonly query?: SignedRequest['query']
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Of the response, where it is an object. */
  readonly bodyBytesMax?: number
}

export interface S3Options {
  readonly address: S3Address
  readonly key: AccessKey
  readonly client: Pick<OutboundClient, 'send'>
  readonly rate: TransferRate
  readonly pause: Pause
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
}

/** Resolves with a response of success. Rejects with a PlaceError, whose cause is the code of S3. */
export function createS3Requests({ address, key, client, rate, pause, now, signal }: S3Options) {
  const { bucket, prefix, endpoint, region, style, name } = address
  const base = new URL(endpoint)
  const host = style === 'virtual' ? `${bucket}.${base.host}` : base.host
  const root = style === 'virtual' ? '' : `/${bucket}`

  const attempt = async ({ method, key: object, query = [], headers = {}, body, bodyBytesMax = RESPONSE_BYTES_MAX }: S3Request): Promise<OutboundResponse> => {
    const path = escapePath(object === undefined ? root || '/' : `${root}/${prefix === '' ? '' : `${prefix}/`}${object}`)
    const time = now()
    const bodyHash = sha256(body ?? '')
    const signed = { ...headers, host, 'x-amz-content-sha256': bodyHash, 'x-amz-date': compactDate(time) }
    const text = queryText(query)
    const length = method === 'PUT' || method === 'POST' ? { 'content-length': String(body?.length ?? 0) } : {}
    return client.send({
      method,
      url: `${base.protocol}//${host}${path}${text === '' ? '' : `?${text}`}`,
      headers: { ...signed, ...length, authorization: authorization({ method, path, query, headers: signed, bodyHash }, { key, region, service: 's3', now: time }) },
      body: body === undefined || body.length === 0 ? undefined : rate.paced(body),
      bodyBytesMax,
      totalMs: TOTAL_MS + Math.max(body?.length ?? 0, bodyBytesMax) / BYTES_PER_MS_MIN + 2 * rate.msFor(body?.length ?? 0),
      signal,
    })
  }
  return async (request: S3Request): Promise<OutboundResponse> => {
    for (let tries = 1; ; tries++) {
      let error: PlaceError
      try {
        const response = await attempt(request)
        const isError = response.status >= 300 || (request.bodyBytesMax === undefined && response.body?.subarray(0, 500).includes('<Error>') === true)
        if (!isError) return response
        const failure = s3Failure(response, address, now())
        error = new PlaceError(failure.error.kind, failure.error.message, failure.code)
        if (!failure.isPassing) throw error
      } catch (caught) {
        if (!(caught instanceof OutboundError)) throw caught
        error = new PlaceError('network', `${name}: ${caught.message}`, caught)
        if (!PASSING.includes(caught.kind)) throw error
      }
      if (tries === ATTEMPTS_MAX) throw error
      await pause(RETRY_MS_FIRST * 2 ** (tries - 1))
    }
  }
}
