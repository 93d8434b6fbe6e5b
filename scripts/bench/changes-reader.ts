/**
 * The readers of streams, a program of its own, so that the time of a write is the server's: opens streams as it is told,
 * and says how long after the start of a write each of them had its event.
 */
import { connect } from 'node:net'

export interface OpenStreams {
  readonly kind: 'open'
  readonly port: number
  readonly path: string
  /** One stream for each. */
  readonly tokens: readonly string[]
}

/** A write is about to be sent; `at` is of the clock that processes share, in ms since the epoch. */
export interface AwaitEvents {
  readonly kind: 'await'
  readonly at: number
}

/** How long after the write each stream had its event, in ms; empty where streams were opened. */
export type Reached = readonly number[]

interface Follower {
  /** When the latest event arrived. */
  at: number
  events: number
}

const followers: Follower[] = []
let [arrived, begun] = [0, 0]
let onAll = (): void => {}

process.on('disconnect', () => process.exit())
process.on('message', (job: OpenStreams | AwaitEvents) => {
  void answer(job).then((reached) => process.send?.(reached))
})

async function answer(job: OpenStreams | AwaitEvents): Promise<Reached> {
  if (job.kind === 'open') {
    for (const token of job.tokens) followers.push(await follow(job, token))
    return []
  }
  begun++
  const wanted = begun * followers.length
  if (arrived < wanted) await new Promise<void>((resolve) => (onAll = () => arrived >= wanted && resolve()))
  return followers.map(({ at }) => at - job.at)
}

/** Resolves when the header of the stream is there. */
function follow({ port, path }: OpenStreams, token: string): Promise<Follower> {
  const { promise, resolve, reject } = Promise.withResolvers<Follower>()
  const follower: Follower = { at: 0, events: 0 }
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  socket.once('data', (head: Buffer) => {
    if (!head.toString('latin1').startsWith('HTTP/1.1 200')) reject(new Error(head.toString('latin1').slice(0, 200)))
    socket.on('data', (bytes: Buffer) => {
      const events = bytes.toString('latin1').split('\ndata: ').length - 1
      if (events === 0) return
      arrived += events
      follower.at = performance.timeOrigin + performance.now()
      onAll()
    })
    resolve(follower)
  })
  socket.once('error', reject)
  return promise
}
