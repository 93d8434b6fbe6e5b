/**
 * What the nodes of a site request from each other, beside the API: the keys for a one-time token, a copy of the
 * database, the files of pictures, and writes of clients. The first two are all that the site has. So all go over TLS or
 * over loopback only, and no session opens them.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { openRegularFile } from '../../base/regular-file.ts'
import { createSharedWindows, windowsMemory } from '../../base/shared-windows.ts'
import type { JoinTokens } from '../../cluster/join-tokens.ts'
import { createSignerCheck } from '../../cluster/node-requests.ts'
import { JOIN_PATH, PICTURES_PATH, SNAPSHOT_PATH, type Handover } from '../../cluster/peer-requests.ts'
import { downloadSlots } from '../../endpoints/download-slots.ts'
import { isLoopbackAddress, limitKey } from '../../http/client-address.ts'
import { ok, type Exchange, type HttpResponse } from '../../http/exchange.ts'
import type { Route } from '../../http/router.ts'
import { parseFileName, type PictureFiles } from '../../store/media/picture-files.ts'
import { keeperRoute, type KeeperRouteOptions } from './keeper-route.ts'
import { startBackupThread } from '../../store/backup/backup-thread.ts'

const BODY_BYTES_MAX = 1024
/** Requests with a token in a minute, of one client and of all. */
const TRIES_MAX = 10
const ALL_TRIES_MAX = 1_000
const SNAPSHOTS_DIRECTORY = 'snapshots'
const SQLITE_TYPE = 'application/vnd.sqlite3'
const BYTES_TYPE = 'application/octet-stream'

export interface NodeRoutesOptions extends Pick<KeeperRouteOptions, 'startedAt' | 'takesWrites' | 'position' | 'handlers' | 'bodyBytesMax'> {
  readonly directory: string
  readonly database: string
  /** The files of pictures. */
  readonly pictures: Pick<PictureFiles, 'read'>
  readonly site: string
  /** The id of this node. */
  readonly node: string
  readonly prefix: string
  readonly secrets: readonly [string, ...string[]]
  readonly signKey: Buffer
  readonly tokens: Pick<JoinTokens, 'redeem'>
  /** Whether every connection is encrypted, or ends at a proxy of this machine or of the operator. */
  readonly isEncrypted: boolean
  /** False for a node that has diverged: what it has must not become another node's. */
  readonly isInService: () => boolean
  readonly now: Clock
  readonly log: Log
}

export function nodeRoutes(options: NodeRoutesOptions): readonly Route[] {
  const { site, node: own, prefix, secrets, signKey, tokens, now, log } = options
  const countTry = tryLimit(now)
  const signerOf = createSignerCheck(signKey, now)
  const copies = createCopies(options)
  const requireSafe = ({ clientAddress }: Exchange): void => {
    if (options.isEncrypted || isLoopbackAddress(clientAddress)) return
    throw fail('forbidden', 'Nodes talk to each other over TLS: start this one with --tls-cert and --tls-key')
  }
  const handOver = async (exchange: Exchange): Promise<HttpResponse> => {
    requireSafe(exchange)
    const client = limitKey(exchange.clientAddress)
    countTry(client)
    exchange.setBodyTerms({ limit: { bytesMax: BODY_BYTES_MAX, isShort: true } })
    const { token } = await exchange.readJson()
    if (typeof token !== 'string' || !(await tokens.redeem(token))) {
      log.warn('cluster.join_refused', { client })
      throw fail('forbidden', 'The join token is wrong, used or expired: make one with "dateline cluster token" on a node')
    }
    log.info('cluster.joined', { client })
    return ok(JSON.stringify({ site, prefix, node: own, secrets } satisfies Handover), { 'Cache-Control': 'no-store' })
  }
  const sendSnapshot = async (exchange: Exchange): Promise<HttpResponse> => {
    requireSafe(exchange)
    const { method, path, headers } = exchange
    const node = signerOf({ method, path, to: own }, headers.authorization)
    if (node === undefined) throw fail('forbidden', 'Snapshots are for the nodes of this site')
    if (!options.isInService()) throw fail('networkError', 'This node has left service: ask another one for a snapshot')
    const { file, done } = await copies.make(node)
    log.info('cluster.snapshot_sent', { to: node, bytes: file.bytes })
    return { kind: 'file', status: 200, contentType: SQLITE_TYPE, file, onClosed: done }
  }
  /** What this node has itself: it asks no other, or two would ask each other. */
  const sendPicture = (exchange: Exchange): HttpResponse => {
    requireSafe(exchange)
    const { method, path, headers, params } = exchange
    if (signerOf({ method, path, to: own }, headers.authorization) === undefined) throw fail('forbidden', 'Files are sent here to the nodes of this site')
    const picture = parseFileName(params['name'] ?? '')
    const bytes = picture && options.pictures.read(picture)
    if (bytes === undefined) throw fail('notFound', 'This node does not have the picture')
    return { kind: 'raw', status: 200, contentType: BYTES_TYPE, body: bytes }
  }
  return [
    { method: 'POST', path: JOIN_PATH, handler: handOver },
    { method: 'GET', path: SNAPSHOT_PATH, handler: sendSnapshot },
    { method: 'GET', path: `${PICTURES_PATH}:name`, handler: sendPicture },
    keeperRoute({ ...options, signerOf, requireSafe }),
  ]
}

/** Copies of the database that are sent, bounded in number as downloads are, and removed when they are. */
function createCopies({ directory, database }: Pick<NodeRoutesOptions, 'directory' | 'database'>) {
  const slots = downloadSlots()
  return {
    async make(node: string) {
      const release = slots.take(node)
      const path = join(directory, SNAPSHOTS_DIRECTORY, `${randomBytes(8).toString('hex')}.db`)
      const done = (): void => {
        release()
        void rm(path, { force: true })
      }
      try {
        await mkdir(join(directory, SNAPSHOTS_DIRECTORY), { recursive: true, mode: 0o700 })
        const thread = startBackupThread()
        await thread.run({ kind: 'backup', database, target: path, keepsPictures: false }).finally(() => thread.end())
        const file = await openRegularFile(path)
        if (file === undefined) throw new Error('The copy is gone')
        return { file, done }
      } catch (error) {
        done()
        throw error
      }
    },
  }
}

/** Removes copies that a node which was killed left behind. */
export function removeCopies(directory: string): Promise<void> {
  return rm(join(directory, SNAPSHOTS_DIRECTORY), { recursive: true, force: true })
}

/** Tokens have 256 random bits: the limit is for the requests to etcd that guesses cause. */
function tryLimit(now: Clock): (client: string) => void {
  const memory = windowsMemory()
  const ofClient = createSharedWindows({ max: TRIES_MAX, windowMs: MINUTE_MS }, memory)
  const ofAll = createSharedWindows({ max: ALL_TRIES_MAX, windowMs: MINUTE_MS }, memory)
  return (client) => {
    if (ofClient(client, now(), 1) === undefined && ofAll('all', now(), 1) === undefined) return
    throw fail('tooManyRequests', 'Too many requests with join tokens: try again in a minute', { headers: { 'Retry-After': '60' } })
  }
}
