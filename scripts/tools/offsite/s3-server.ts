/**
 * A server of S3 on a free port, with its objects in memory: signatures are checked, lists have pages, and uploads have parts. A script
 * may make it misbehave, request by request, as real ones do on bad days.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TlsOptions } from 'node:tls'
import { authorization, sha256 } from '../../../src/offsite/s3-signing.ts'
import { portFor } from '../listening.ts'
import type { Cleanup } from '../temporary-directory.ts'

/** What goes wrong with a request: an error, which may come behind what it did; a cut response; or none. */
export type Fault =
  | { readonly kind: 'error'; readonly status: number; readonly code?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The request has its effect, and the connection ends without a response. */
  | { readonly kind: 'lost' }
  /** The connection ends before the request has an effect. */
  | { readonly kind: 'cut' }
  /** Half of the body of the response. */
  | { readonly kind: 'truncated' }
  /** A bit of the body of an object is changed. */
  | { readonly kind: 'flipped' }
  /** A list is that of some requests ago. */
  | { readonly kind: 'stale' }
  /** The request has its effect when this resolves. */
  | { readonly kind: 'held'; readonly until: Promise<unknown> }
  /** The response comes after some milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }

export interface S3Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** How many requests came before. */
  readonly nth: number
}

export interface S3ServerOptions {
  readonly bucket?: string
  readonly keys?: Readonly<Record<string, string>>
  readonly region?: string
  readonly now?: () => number
  readonly pageObjects?: number
  readonly fault?: (call: S3Call) => Fault | undefined
  readonly tls?: TlsOptions
  /** Whether the host has the bucket. */
  readonly isVirtual?: boolean
}

export type S3Server = Awaited<ReturnType<typeof s3Server>>

const SKEW_MS_MAX = 15 * 60_000

export async function s3Server(t: Cleanup, options: S3ServerOptions = {}) {
  const { bucket = 'backups', keys = { AKID: 'secret/key+of=tests' }, region = 'us-east-1', now = Date.now, pageObjects = 1_000, fault, tls, isVirtual = false } = options
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer>; readonly at: number }>()
  const calls: S3Call[] = []
  let earlier: readonly string[] = []

  const check = (request: IncomingMessage, url: URL, body: Buffer): [number, string] | undefined => {
    const given = request.headers.authorization ?? ''
    const [, id = '', signed = ''] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/.*SignedHeaders=([^,]+), Signature=[0-9a-f]{64}$/.exec(given) ?? []
    const secret = keys[id]
    if (secret === undefined) return [403, 'InvalidAccessKeyId']
    const time = String(request.headers['x-amz-date'])
    const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    if (!(Math.abs(at - now()) <= SKEW_MS_MAX)) return [403, 'RequestTimeTooSkewed']
    if (!given.includes(`/${region}/s3/`)) return [400, 'AuthorizationHeaderMalformed']
    const bodyHash = sha256(body)
    if (request.headers['x-amz-content-sha256'] !== bodyHash) return [400, 'XAmzContentSHA256Mismatch']
    const headers = Object.fromEntries(signed.split(';').map((name) => [name, String(request.headers[name])]))
    const query = [...url.searchParams].map(([name, value]) => [name, value] as const)
    const wanted = authorization({ method: String(request.method), path: url.pathname, query, headers, bodyHash }, { key: { id, secret }, region, service: 's3', now: at })
    return wanted === given ? undefined : [403, 'SignatureDoesNotMatch']
  }
  const answer = (method: string, key: string, query: URLSearchParams, request: IncomingMessage, body: Buffer): [number, Record<string, string>, Buffer | string] => {
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (key === '' && query.has('uploads')) {
      const rows = [...uploads].map(([id, { key: name, at }]) => `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`)
      return xml(`<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`)
    }
    if (key === '') return list(query)
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${uploads.size + 1}-${calls.length}`
      uploads.set(id, { key, parts: new Map(), at: now() })
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (query.has('uploadId') && upload === undefined) return failure(404, 'NoSuchUpload')
    if (method === 'PUT' && upload !== undefined) {
      upload.parts.set(Number(query.get('partNumber')), body)
      return [200, { etag: tagOf(body) }, '']
    }
    if (method === 'POST' && upload !== undefined) {
      const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)]
      const parts = wanted.map(([, number]) => upload.parts.get(Number(number)))
      const isWhole = wanted.every(([, , tag], i) => parts[i] !== undefined && tagOf(parts[i]) === tag) && parts.slice(0, -1).every((part) => (part?.length ?? 0) >= 5 * 1024 * 1024)
      if (!isWhole) return failure(400, 'InvalidPart')
      objects.set(key, Buffer.concat(parts as Buffer[]))
      uploads.delete(query.get('uploadId') ?? '')
      return xml('<CompleteMultipartUploadResult/>')
    }
    if (method === 'DELETE' && upload !== undefined) return uploads.delete(query.get('uploadId') ?? '') ? [204, {}, ''] : failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      objects.set(key, body)
      return [200, { etag: tagOf(body) }, '']
    }
    if (method === 'DELETE') return objects.delete(key) ? [204, {}, ''] : [204, {}, '']
    const object = objects.get(key)
    if (object === undefined) return failure(404, 'NoSuchKey')
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? []
    if (first === undefined) return [200, { etag: tagOf(object) }, object]
    const part = object.subarray(Number(first), Number(last) + 1)
    return part.length === 0 ? failure(416, 'InvalidRange') : [206, { etag: tagOf(object), 'content-range': `bytes ${first}-${Number(first) + part.length - 1}/${object.length}` }, part]
  }
  const list = (query: URLSearchParams): [number, Record<string, string>, string] => {
    const stale = faultOf(calls.at(-1))?.kind === 'stale'
    const all = (stale ? earlier : [...objects.keys()]).filter((name) => name.startsWith(query.get('prefix') ?? '') && objects.has(name)).sort()
    earlier = [...objects.keys()]
    const from = Number(query.get('continuation-token') ?? 0)
    const page = all.slice(from, from + pageObjects)
    const isLast = from + pageObjects >= all.length
    const rows = page.map((name) => `<Contents><Key>${name}</Key><Size>${objects.get(name)?.length}</Size></Contents>`)
    const more = isLast ? '' : `<NextContinuationToken>${from + pageObjects}</NextContinuationToken>`
    return xml(`<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${!isLast}</IsTruncated>${rows.join('')}${more}</ListBucketResult>`)
  }
  const faultOf = (call: S3Call | undefined): Fault | undefined => (call === undefined ? undefined : fault?.(call))
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = new URL(request.url ?? '', 'http://host')
    const call = { method: String(request.method), path: url.pathname, query: url.searchParams, nth: calls.length }
    calls.push(call)
    const wrong = faultOf(call)
    if (wrong?.kind === 'cut') return void request.socket.destroy()
    if (wrong?.kind === 'held') await wrong.until
    if (wrong?.kind === 'slow') await new Promise((resolve) => void setTimeout(resolve, wrong.ms))
    if (wrong?.kind === 'error') return send(response, wrong.status, wrong.headers ?? {}, wrong.body ?? failure(wrong.status, wrong.code ?? 'InternalError')[2])
    const refused = check(request, url, body)
    const path = decodeURIComponent(url.pathname)
    const key = isVirtual ? path.slice(1) : path.slice(bucket.length + 2)
    const isHere = isVirtual ? request.headers.host?.startsWith(`${bucket}.`) === true : path === `/${bucket}` || path.startsWith(`/${bucket}/`)
    const [status, headers, content] = refused !== undefined ? failure(...refused) : isHere ? answer(call.method, key, url.searchParams, request, body) : failure(404, 'NoSuchBucket')
    if (wrong?.kind === 'lost') return void request.socket.destroy()
    const bytes = Buffer.from(content)
    if (wrong?.kind === 'flipped' && bytes.length > 0) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    if (wrong?.kind !== 'truncated') return send(response, status, headers, bytes)
    response.writeHead(status, { ...headers, date: new Date(now()).toUTCString(), 'content-length': bytes.length })
    response.write(bytes.subarray(0, bytes.length >> 1), () => void request.socket.destroy())
  }
  const send = (response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, content: Buffer | string): void =>
    void response.writeHead(status, { ...headers, date: new Date(now()).toUTCString(), 'content-length': Buffer.byteLength(content) }).end(content)
  const failure = (status: number, code: string): [number, Record<string, string>, string] => {
    const more = code === 'AuthorizationHeaderMalformed' ? `<Region>${region}</Region>` : ''
    return [status, {}, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It is &lt;so&gt;</Message>${more}</Error>`]
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => void serve(request, response).catch(() => request.socket.destroy())
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  const port = await portFor(t, server)
  return { port, endpoint: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, objects, uploads, calls }
}

function xml(text: string): [number, Record<string, string>, string] {
  return [200, { 'content-type': 'application/xml' }, text]
}

/** Of an object that is read in many ranges, the tag is made once. */
const tags = new WeakMap<Buffer, string>()

function tagOf(bytes: Buffer): string {
  const tag = tags.get(bytes) ?? `"${createHash('md5').update(bytes).digest('hex')}"`
  tags.set(bytes, tag)
  return tag
}
