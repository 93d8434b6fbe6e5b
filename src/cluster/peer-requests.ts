/**
 * Requests to another node: its keys for a token, a snapshot of its database, and the files of pictures. They go over TLS, or over loopback:
 * parseNodeUrl() admits no other URL.
 */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { rootCertificates } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { isObject, parseJson } from '../base/json.ts'
import { signRequest } from './node-requests.ts'

export const JOIN_PATH = '/cluster/join'
export const SNAPSHOT_PATH = '/cluster/snapshot'
/** Before the name of a file. */
export const PICTURES_PATH = '/cluster/media/'
/** Before the run of the node and the hash of the body. */
export const WRITES_PATH = '/cluster/writes/'

/** A peer makes its copy before it sends the first byte. */
const SILENT_MS_MAX = 10 * 60_000
const TEXT_BYTES_MAX = 1024 * 1024

/** Another node cannot be used; the message is one sentence for the operator. */
export class PeerError extends Error {
  override readonly name = 'PeerError'
}

export interface Peer {
  readonly url: string
  /** PEM of an authority that is trusted beside those of the system. */
  readonly ca: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a member hands over for a token. */
export interface Handover {
  readonly site: string
  readonly prefix: string
  /** The member itself. */
  readonly node: string
  /** The secrets of the site, of which the first signs. */
  readonly secrets: readonly [string, ...string[]]
}

/** Redeems a token. Rejects with PeerError. */
export async function requestHandover(peer: Peer, token: string): Promise<Handover> {
  const response = await sendToPeer(peer, { method: 'POST', path: JOIN_PATH, body: JSON.stringify({ token }) })
  const data = bodyOf(await textOf(response))
  const { site, prefix, node, secrets } = isObject(data) ? data : {}
  const isWhole = [site, prefix, node].every((value) => typeof value === 'string')
  const hasSecrets = Array.isArray(secrets) && secrets.length > 0 && secrets.every((one) => typeof one === 'string')
  if (isWhole && hasSecrets) return data as unknown as Handover
  throw new PeerError(`Cannot join at ${peer.url}: its response is not that of a node`)
}

export interface SnapshotRequest {
  /** The node that asks, and the one that is asked. */
  readonly node: string
  readonly to: string
  readonly signKey: Buffer
  readonly now: Clock
  /** The file to write; it must not exist, and is removed again where the download fails. */
  readonly file: string
  /** Gets the part that has come, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** Downloads the database of a peer as it is now, with its position in it. Rejects with PeerError. */
export async function downloadSnapshot(peer: Peer, snapshot: SnapshotRequest): Promise<void> {
  const { node, to, signKey, now, file, onProgress } = snapshot
  const [method, path] = ['GET', SNAPSHOT_PATH]
  const authorization = signRequest(signKey, { method, path, to }, node, now())
  const response = await sendToPeer(peer, { method, path, headers: { authorization } })
  const bytes = Number(response.headers['content-length'])
  let received = 0
  response.on('data', (chunk: Buffer) => {
    received += chunk.length
    onProgress?.(bytes > 0 ? received / bytes : 0)
  })
  try {
    await pipeline(response, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
    if (received !== bytes) throw new Error(`expected ${bytes} bytes, received ${received}`)
  } catch (error) {
    await rm(file, { force: true })
    throw failed(peer, error)
  }
}

export interface PictureRequest extends Pick<SnapshotRequest, 'node' | 'to' | 'signKey' | 'now'> {
  /** `HASH.webp` */
  readonly name: string
  readonly bytesMax: number
}

/** Downloads the file of a picture. Rejects with PeerError. */
export async function downloadPicture(peer: Peer, { node, to, signKey, now, name, bytesMax }: PictureRequest): Promise<Buffer> {
  const [method, path] = ['GET', `${PICTURES_PATH}${name}`]
  const response = await sendToPeer(peer, { method, path, headers: { authorization: signRequest(signKey, { method, path, to }, node, now()) } })
  try {
    return await bytesOf(response, bytesMax)
  } catch (error) {
    throw failed(peer, error)
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Redirects are not followed: they would take a token elsewhere. */
export async function sendToPeer(peer: Peer, { method, path, headers = {}, body }: Sent): Promise<IncomingMessage> {
  const url = new URL(path, peer.url)
  const isTls = url.protocol === 'https:'
  const options: RequestOptions & { ca?: readonly string[] } = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    timeout: SILENT_MS_MAX,
    agent: false,
    ...(peer.signal === undefined ? {} : { signal: peer.signal }),
    ...(peer.ca === undefined ? {} : { ca: [...rootCertificates, peer.ca] }),
  }
  const { request } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, options as RequestOptions, resolve)
    sent.on('timeout', () => sent.destroy(new Error('it does not answer')))
    sent.on('error', (error) => reject(failed(peer, error)))
    sent.end(body)
  })
  if (response.statusCode === 200) return response
  const text = await textOf(response).catch(() => '')
  throw new PeerError(`Cannot use the node at ${peer.url}: it answers ${response.statusCode}${reasonIn(text)}`)
}

async function textOf(response: IncomingMessage): Promise<string> {
  return (await bytesOf(response, TEXT_BYTES_MAX)).toString()
}

/** The body of a response. Throws PeerError for one that is longer. */
export async function bytesOf(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new PeerError('Cannot read the response of the node: it is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function bodyOf(text: string): unknown {
  try {
    const body = parseJson(text)
    return isObject(body) ? body['data'] : undefined
  } catch {
    return undefined
  }
}

/** The message of an error of ours; nothing of what else may stand behind the URL. */
function reasonIn(text: string): string {
  try {
    const body = parseJson(text)
    const error = isObject(body) ? body['error'] : undefined
    const message = isObject(error) ? error['message'] : undefined
    return typeof message === 'string' ? `: ${message.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 300)}` : ''
  } catch {
    return ''
  }
}

function failed({ url }: Peer, error: unknown): PeerError {
  if (error instanceof PeerError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PeerError(`Cannot use the node at ${url}: ${reason}`, { cause: error })
}
