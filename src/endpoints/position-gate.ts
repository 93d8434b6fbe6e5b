/**
 * Requests that want a state of the replicated log: a client sends the position of its last response back, and reads
 * what it wrote whichever node serves it; `Consistency: strong` asks for a linearizable read.
 *
 * Both are found out before the session of the request, which may have begun on another node. So strangers can make
 * requests wait: the wait is bounded in time, and the number of those that wait, in all and of one client. A position
 * that the log does not have, forged or of a log that was created again, waits for nothing: the node that has all of the log
 * has all that the client can have seen.
 */
import type { Awaitable } from '../base/awaitable.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import { nextTurn } from '../base/pause.ts'
import { limitKey } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'

const WAIT_MS_MAX = 2_000
/** The other nodes have nearly every entry sooner; past it, the log is asked whether it has the position at all. */
const USUAL_LAG_MS = 100
const WAITING_MAX = 1_024
const WAITING_PER_CLIENT_MAX = 64
const RETRY_SECONDS = '1'
const DIVERGED_RETRY_SECONDS = '5'

/** What a node tells of the log; the store has it. */
export interface ReplicatedState {
  position(): number
  /** Resolves when the position is applied. Rejects when the signal aborts. */
  reached(position: number, signal?: AbortSignal): Promise<void>
  /** Linearizable: resolves when all that was in the log when it was called is applied. */
  newest(signal?: AbortSignal): Promise<number>
  state(): { readonly kind: 'in-step' | 'behind' | 'no-quorum' } | { readonly kind: 'diverged'; readonly reason: string }
}

export type PositionGate = ReturnType<typeof createPositionGate>

export function createPositionGate(replication: ReplicatedState) {
  const waiting = new Map<string, number>()
  let waitingInAll = 0
  const newest = createSharedRead((signal) => abortable(replication.newest(signal), signal))

  async function wait(client: string, work: (signal: AbortSignal) => Promise<unknown>, behind: string): Promise<void> {
    const count = waiting.get(client) ?? 0
    if (waitingInAll >= WAITING_MAX || count >= WAITING_PER_CLIENT_MAX) throw tryAgain('Too many requests wait for this node')
    waitingInAll++
    waiting.set(client, count + 1)
    try {
      await work(AbortSignal.timeout(WAIT_MS_MAX))
    } catch (error) {
      throw tryAgain(behind, error)
    } finally {
      waitingInAll--
      const left = (waiting.get(client) ?? 1) - 1
      if (left === 0) waiting.delete(client)
      else waiting.set(client, left)
    }
  }

  async function reach(position: number, signal: AbortSignal): Promise<void> {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(USUAL_LAG_MS)])
    const isHere = await replication.reached(position, soon).then(
      () => true,
      () => false,
    )
    if (!isHere) await abortable(newest(), signal)
  }

  return {
    /** Resolves when the request may be served. Throws badRequest for malformed headers, and a 503 for a node that is behind. */
    admit({ headers, clientAddress }: Pick<Exchange, 'headers' | 'clientAddress'>): Awaitable<void> {
      if (replication.state().kind === 'diverged') throw notInService()
      const position = readPosition(headers['x-dateline-position'])
      const isStrong = readConsistency(headers['consistency'])
      if (isStrong) {
        const strong = 'Cannot read the newest state: the log has no quorum, or this node is behind'
        return wait(limitKey(clientAddress), (signal) => abortable(newest(), signal), strong)
      }
      if (position <= replication.position()) return undefined
      const behind = `Cannot serve the request: this node is behind position ${position}`
      return wait(limitKey(clientAddress), (signal) => reach(position, signal), behind)
    },
    /** The headers of responses, names and values in turn. */
    headers(): readonly string[] {
      const position = String(replication.position())
      if (replication.state().kind !== 'no-quorum') return ['X-Dateline-Position', position]
      return ['X-Dateline-Position', position, 'X-Dateline-Quorum', 'lost']
    },
  }
}

/**
 * Shares reads of the log: a request that arrives while one runs gets the next one, which begins after its arrival and so
 * is linearizable for it. Any number of requests cause one read at a time.
 */
function createSharedRead(read: (signal: AbortSignal) => Promise<number>): () => Promise<number> {
  let running: Promise<unknown> | undefined
  let next: Promise<number> | undefined
  const start = async (): Promise<number> => {
    // Requests of one turn of the event loop share the first read, too.
    await (running ?? nextTurn())
    next = undefined
    const started = read(AbortSignal.timeout(WAIT_MS_MAX))
    running = started.catch(() => {}).finally(() => (running = undefined))
    return started
  }
  return () => (next ??= start())
}

/** Settles as the promise does, or rejects when the signal aborts. */
function abortable<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    void pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** 0 without the header. Node joins several of them with commas, which are no number. */
function readPosition(value: string | readonly string[] | undefined): number {
  if (value === undefined) return 0
  const text = String(value)
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(position)) return position
  throw fail(
    'badRequest',
    `Cannot read the header X-Dateline-Position: expected the whole number that a response had, found ${describe(text)}`,
  )
}

function readConsistency(value: string | readonly string[] | undefined): boolean {
  if (value === undefined) return false
  if (String(value).trim().toLowerCase() === 'strong') return true
  throw fail('badRequest', `Cannot read the header Consistency: expected strong, found ${describe(String(value))}`)
}

function tryAgain(message: string, cause?: unknown): Failure {
  return fail('networkError', `${message}: try again, or at another node`, { cause, headers: { 'Retry-After': RETRY_SECONDS } })
}

/** Why is in the log and for administrators: every client that can reach the port reads this. */
function notInService(): Failure {
  return fail('networkError', 'Cannot serve requests: this node has left service: ask another one', {
    headers: { 'Retry-After': DIVERGED_RETRY_SECONDS },
  })
}
