/** AWS Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). */
import { createHash, createHmac } from 'node:crypto'
import { compactDate } from '../base/dates.ts'
import type { AccessKey } from './place-address.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'

export interface SignedRequest {
  readonly method: string
  /** As it is sent, escaped by escapePath(). */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** All of them are signed; host is one of them. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string
}

export interface SigningScope {
  readonly key: AccessKey
  readonly region: string
  readonly service: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The value of Authorization. */
export function authorization(request: SignedRequest, { key, region, service, now }: SigningScope): string {
  const time = compactDate(now)
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const headers = Object.entries(request.headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = headers.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    request.path,
    queryText(request.query),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    request.bodyHash,
  ].join('\n')
  const signed = [ALGORITHM, time, scope, sha256(canonical)].join('\n')
  const signingKey = [time.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secret}`)
  const signature = createHmac('sha256', signingKey).update(signed).digest('hex')
  return `${ALGORITHM} Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
}

/** The query of a URL, in the order and with the escapes that are signed. */
export function queryText(query: SignedRequest['query']): string {
  return query
    .map(([name, value]) => [escaped(name), escaped(value)] as const)
    // By name, then by value: in a text of both, "-" would come before "=".
    .sort(([a, first], [b, second]) => (a === b ? (first < second ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** The path of a URL with the escapes that are signed: once for S3. */
export function escapePath(path: string): string {
  return path.split('/').map(escaped).join('/')
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** RFC 3986 section 2.3: all but unreserved characters are escaped. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
