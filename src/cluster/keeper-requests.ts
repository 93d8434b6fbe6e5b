/**
 * Sends writes to the keeper, over connections that stay open. Those of one turn of the event loop are one request.
 *
 * Which of three things is true decides what may follow: there is a response; or the keeper certainly has nothing of the
 * request, or refused it, so that the write may be made elsewhere; or it is unknown, and the write must not be made again.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { setNewest } from '../base/bounded-map.ts'
import type { Clock } from '../base/clock.ts'
import { isObject, parseJson } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import { nextTurn } from '../base/pause.ts'
import { joinParts, LENGTH_BYTES, splitParts, WRITES_BYTES_MAX, WRITES_MAX, writesPath } from './keeper-message.ts'
import { signRequest } from './node-requests.ts'
import { bytesOf, sendToPeer } from './peer-requests.ts'

/** Writes on their way to the keeper, and connections that they use. */
const IN_FLIGHT_MAX = 512
const SOCKETS_MAX = 64
/** Whose connections are kept, after the keeper has changed. */
const KEEPERS_MAX = 8
/** How long a connection may take to be made. */
const CONNECT_MS = 500
/** A keeper that is silent for so long is asked whether it lives, and has as long to say so. */
const SILENT_MS = 1_000
/** A keeper that lives has no longer, which is more than a write waits for the log. */
const RESPONSE_MS_MAX = 6_500
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024
/** How long no write is sent to a keeper that failed. */
const AVOIDED_MS = 1_000
const HEALTH_PATH = '/healthz'

export interface KeeperNode {
  readonly node: string
  readonly url: string
  /** When it was started, as it says itself. */
  readonly startedAt: number
}

export type KeeperOutcome = { readonly kind: 'response'; readonly body: Buffer } | { readonly kind: 'unsent' | 'unknown' }

export interface KeeperRequestsOptions {
  /** This node. */
  readonly node: string
  readonly signKey: Buffer
  /** PEM of an authority that is trusted beside those of the system. */
  readonly ca: string | undefined
  readonly now: Clock
  /** Milliseconds of a clock that is never set. */
  readonly ticks: Clock
  readonly log: Log
}

export type KeeperRequests = ReturnType<typeof createKeeperRequests>

export function createKeeperRequests({ node, signKey, ca, now, ticks, log }: KeeperRequestsOptions) {
  const agents = new Map<string, Agent>()
  const avoided = new Map<string, number>()
  const probes = new Map<string, Promise<boolean>>()
  const counts: Record<KeeperOutcome['kind'], number> = { response: 0, unsent: 0, unknown: 0 }
  let inFlight = 0
  let isFailing = false
  /** What the next request to a keeper takes. */
  let next: { readonly keeper: KeeperNode; readonly writes: Buffer[]; bytes: number; readonly outcome: Promise<readonly KeeperOutcome[]> } | undefined

  const agentFor = (url: string): Agent => {
    const known = agents.get(url)
    if (known !== undefined) return known
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX, ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }) }
    const agent = new (process.getBuiltinModule(isTls(url) ? 'node:https' : 'node:http').Agent)(options)
    // Requests to the keeper before go on.
    setNewest(agents, url, agent, KEEPERS_MAX)
    return agent
  }
  /** Whether a node answers; requests share one question. */
  const isAlive = (url: string): Promise<boolean> => {
    const running = probes.get(url)
    if (running !== undefined) return running
    const asked = sendToPeer({ url, ca, signal: AbortSignal.timeout(SILENT_MS) }, { method: 'GET', path: HEALTH_PATH })
      .then((response) => (response.resume(), true), () => false)
      .finally(() => probes.delete(url))
    probes.set(url, asked)
    return asked
  }
  const open = (keeper: KeeperNode, body: Buffer): ClientRequest => {
    const { node: to, url, startedAt } = keeper
    const path = writesPath(startedAt, body)
    const authorization = signRequest(signKey, { method: 'POST', path, to }, node, now())
    const headers = { authorization, 'content-type': 'application/octet-stream', 'content-length': body.length }
    const options: RequestOptions = { method: 'POST', agent: agentFor(url), headers }
    return process.getBuiltinModule(isTls(url) ? 'node:https' : 'node:http').request(new URL(path, url), options)
  }
  const exchange = async (keeper: KeeperNode, body: Buffer): Promise<KeeperOutcome> => {
    const request = open(keeper, body)
    const state = watchConnection(request, isTls(keeper.url))
    const stopWatching = endWhenSilent(request, { isConnected: () => state.isConnected, isAlive: () => isAlive(keeper.url), ticks })
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve).on('error', reject).end(body)
      })
      const received = await bytesOf(response, RESPONSE_BYTES_MAX)
      if (response.statusCode === 200) return { kind: 'response', body: received }
      return { kind: isRefusal(response.statusCode, received) ? 'unsent' : 'unknown' }
    } catch {
      request.destroy()
      return { kind: state.isConnected ? 'unknown' : 'unsent' }
    } finally {
      stopWatching()
    }
  }
  const avoid = ({ node }: KeeperNode): void => setNewest(avoided, node, ticks() + AVOIDED_MS, KEEPERS_MAX)
  /** The outcome of each write of a request. */
  const sendAll = async (keeper: KeeperNode, writes: readonly Buffer[]): Promise<readonly KeeperOutcome[]> => {
    const outcome = await exchange(keeper, joinParts(writes))
    counts[outcome.kind] += writes.length
    if (outcome.kind !== 'response') avoid(keeper)
    const fails = outcome.kind !== 'response'
    if (fails && !isFailing) log.warn('cluster.keeper_unreachable', { keeper: keeper.node, url: keeper.url })
    isFailing = fails
    if (outcome.kind !== 'response') return writes.map(() => outcome)
    const parts = splitParts(outcome.body, writes.length)
    return writes.map((_, i) => (parts?.[i] === undefined ? { kind: 'unknown' } : { kind: 'response', body: parts[i] }))
  }
  const joinNext = (keeper: KeeperNode, write: Buffer) => {
    const hasRoom = next !== undefined && next.writes.length < WRITES_MAX && next.bytes + write.length + LENGTH_BYTES <= WRITES_BYTES_MAX
    if (next === undefined || !hasRoom || next.keeper.url !== keeper.url) {
      const writes: Buffer[] = []
      const outcome = nextTurn().then(() => {
        if (next?.writes === writes) next = undefined
        return sendAll(keeper, writes)
      })
      next = { keeper, writes, bytes: 0, outcome }
    }
    next.bytes += write.length + LENGTH_BYTES
    return { outcome: next.outcome, at: next.writes.push(write) - 1 }
  }
  return {
    /** Writes by what is known of them. */
    counts: counts as Readonly<typeof counts>,
    /** Whether writes may be sent to a keeper now. */
    takes: ({ node: keeper }: KeeperNode): boolean => inFlight < IN_FLIGHT_MAX && (avoided.get(keeper) ?? 0) <= ticks(),
    /** To be called where the keeper could not make a write: for a second, this node makes those to come itself. */
    avoid,
    /** Sends a write. Never rejects. */
    async send(keeper: KeeperNode, write: Buffer): Promise<KeeperOutcome> {
      inFlight++
      try {
        const { outcome, at } = joinNext(keeper, write)
        return (await outcome)[at] ?? { kind: 'unknown' }
      } finally {
        inFlight--
      }
    },
    close(): void {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

/** What the keeper answers to a request that it has had before: something between the nodes has sent it twice. */
const REPEATED_STATUS = 409

/** Whether the keeper itself has refused a request, ahead of its writes: all of those have the status 200. */
function isRefusal(status: number | undefined, body: Buffer): boolean {
  if (status === undefined || status === REPEATED_STATUS || !(status === 503 || (status >= 400 && status < 500))) return false
  try {
    const parsed = parseJson(body.toString())
    return isObject(parsed) && isObject(parsed['error']) && typeof parsed['error']['code'] === 'string'
  } catch {
    return false
  }
}

function isTls(url: string): boolean {
  return url.startsWith('https:')
}

/** Whether a request has a connection, over which it may have been sent. */
function watchConnection(request: ClientRequest, isSecure: boolean): { isConnected: boolean } {
  const state = { isConnected: false }
  request.on('socket', (socket: Socket) => {
    if (!socket.connecting) state.isConnected = true
    else socket.once(isSecure ? 'secureConnect' : 'connect', () => (state.isConnected = true))
  })
  return state
}

interface Watched {
  readonly isConnected: () => boolean
  readonly isAlive: () => Promise<boolean>
  readonly ticks: Clock
}

/** Ends a request whose connection is not made, or whose peer does not live; returns a function that stops this. */
function endWhenSilent(request: ClientRequest, { isConnected, isAlive, ticks }: Watched): () => void {
  const begun = ticks()
  const end = (): void => void request.destroy(new Error('the keeper does not answer'))
  const look = (): void => {
    if (!isConnected() || ticks() - begun >= RESPONSE_MS_MAX) return end()
    timer = setTimeout(() => void ask(), SILENT_MS - CONNECT_MS)
  }
  const ask = async (): Promise<void> => {
    const lives = await isAlive()
    if (isOver) return
    if (!lives) return end()
    timer = setTimeout(look, CONNECT_MS)
  }
  let isOver = false
  let timer = setTimeout(look, CONNECT_MS)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
