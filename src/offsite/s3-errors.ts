/** What S3 servers answer in the place of success, as one sentence with its remedy. */
import type { OutboundResponse } from '../outbound/outbound-response.ts'
import type { S3Address } from './place-address.ts'
import { PlaceError } from './place.ts'
import { readXml, textOfChild } from './s3-xml.ts'

const CODE_CHARS_MAX = 60
const SKEW_TOLD_MS = 60_000

export interface S3Failure {
  readonly error: PlaceError
  /** The code of the response, such as `NoSuchKey`; empty where it has none. */
  readonly code: string
  /** Whether the same request may succeed soon. */
  readonly isPassing: boolean
}

/** Codes of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, and of other servers. */
const FULL: readonly string[] = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'StorageFull', 'ServiceQuotaExceededException']
const CLOCK: readonly string[] = ['RequestTimeTooSkewed', 'RequestExpired']
const BAD_KEY: readonly string[] = ['InvalidAccessKeyId', 'InvalidAccessKey', 'NotSignedUp']
const PASSING: readonly string[] = ['SlowDown', 'RequestTimeout', 'RequestTimeTooLong', 'InternalError', 'ServiceUnavailable', 'OperationAborted']

/** `now` is the time of this machine when the response came. */
export function s3Failure({ status, headers, body }: OutboundResponse, { name, bucket, keyId, region }: S3Address, now: number): S3Failure {
  const root = body === undefined || body.length === 0 ? undefined : readXml(body.toString('utf8'))
  const code = (root?.name === 'Error' ? textOfChild(root, 'Code') : undefined)?.replace(/[^\w.-]/g, '?').slice(0, CODE_CHARS_MAX) ?? ''
  const shown = code === '' ? String(status) : `${status} ${code}`
  const error = ((): PlaceError => {
    const skewMs = Math.abs(Date.parse(headers.date ?? '') - now)
    if (CLOCK.includes(code) || (status === 403 && skewMs > 15 * SKEW_TOLD_MS)) {
      const minutes = Number.isFinite(skewMs) ? `${Math.round(skewMs / SKEW_TOLD_MS)} minutes` : 'too much'
      return new PlaceError('clock', `${name}: the clock of this machine differs from that of the server by ${minutes}: set it, such as by NTP`)
    }
    const wanted = headers['x-amz-bucket-region'] ?? textOfChild(root, 'Region')
    const isElsewhere = status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed' || code === 'PermanentRedirect'
    if (isElsewhere && typeof wanted === 'string' && /^[a-z0-9-]{1,40}$/.test(wanted) && wanted !== region) {
      return new PlaceError('region', `${name}: the bucket is in the region ${wanted}, found region=${region} in the address: write region=${wanted}`)
    }
    if (status >= 300 && status < 400) return new PlaceError('region', `${name}: the server redirects to another one (${shown}): check endpoint and region in the address`)
    if (code === 'NoSuchBucket') return new PlaceError('address', `${name}: there is no bucket ${JSON.stringify(bucket)}: make it, or correct the address`)
    if (BAD_KEY.includes(code)) return new PlaceError('denied', `${name}: the server does not know the access key ${keyId ?? 'of offsiteKeys'}: check its id`)
    if (code === 'SignatureDoesNotMatch') return new PlaceError('denied', `${name}: the secret of the access key is not that of the server: set it again, and check the region`)
    if (FULL.includes(code) || status === 507) return new PlaceError('full', `${name}: the place is full (${shown}): make room there, raise its quota, or keep fewer with --offsite-keep`)
    // A part behind the end was asked for, and none of ours is empty.
    if (status === 416) return new PlaceError('damaged', `${name}: the object is empty or cut off (${shown})`)
    if (status === 404) return new PlaceError('missing', `${name}: there is no such object (${shown})`)
    if (status === 401 || status === 403) {
      return new PlaceError('denied', `${name}: the server denies this (${shown}): let the access key list, read, write and delete objects of the bucket`)
    }
    if ((status >= 500 && status !== 501) || status === 429 || PASSING.includes(code)) return new PlaceError('network', `${name}: the server cannot serve now (${shown}): the service retries by itself`)
    return new PlaceError('protocol', `${name}: the server responded with ${shown}: check the endpoint in the address`)
  })()
  return { error, code, isPassing: error.kind === 'network' }
}
