/** Starts the thread of ordinary traffic, hands it the codes that come by mail, and reads its figures. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Person } from './ordinary-requests.ts'

export interface TrafficSetup {
  readonly port: number
  readonly seed: number
  readonly readers: readonly Person[]
  readonly editors: readonly Person[]
  readonly administrator: Person
  /** Addresses whose clients keep their connections. */
  readonly keptAddresses: readonly string[]
  readonly headlineIds: readonly string[]
  readonly topicIds: readonly string[]
  readonly sourceIds: readonly string[]
}

export interface MinuteOfTraffic {
  readonly requests: number
  /** 503 with Retry-After, which a flooded service may send. */
  readonly waits: number
  /** Actions left out, since too many were under way. */
  readonly skipped: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly failures: readonly string[]
  /** What missed a deadline or the patience of a client. */
  readonly lateness: readonly string[]
}

export type ToTraffic =
  | { readonly kind: 'code'; readonly email: string; readonly code: string }
  | { readonly kind: 'minute' }
  | { readonly kind: 'close' }

export type FromTraffic =
  | { readonly kind: 'code'; readonly email: string }
  | { readonly kind: 'minute'; readonly report: MinuteOfTraffic }

export interface Traffic extends AsyncDisposable {
  /** What happened since the last call. */
  minute(): Promise<MinuteOfTraffic>
}

export function startTraffic(setup: TrafficSetup, codeFor: (email: string) => Promise<string>): Traffic {
  const worker = new Worker(new URL('traffic-thread.ts', import.meta.url), { workerData: setup })
  const send = (message: ToTraffic): void => worker.postMessage(message)
  let resolveMinute: (report: MinuteOfTraffic) => void = () => {}
  worker.on('message', (message: FromTraffic) => {
    if (message.kind === 'minute') resolveMinute(message.report)
    else {
      const { email } = message
      codeFor(email).then(
        (code) => send({ kind: 'code', email, code }),
        // A wrong code: the request fails and is reported.
        () => send({ kind: 'code', email, code: 'none' }),
      )
    }
  })
  return {
    minute: () =>
      new Promise((resolve) => {
        resolveMinute = resolve
        send({ kind: 'minute' })
      }),
    async [Symbol.asyncDispose]() {
      const gone = once(worker, 'exit')
      send({ kind: 'close' })
      await gone
    },
  }
}
