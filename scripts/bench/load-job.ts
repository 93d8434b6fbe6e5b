/** What the load generator is told and what it answers, as messages between processes. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface LoadJob {
  readonly port: number
  /** The process whose CPU time is read. */
  readonly pid: number
  /**
   * Whole requests, sent in turn. `TIME_PLACE` in one of them becomes a date that no other request has had.
   * For a sign-in, the requests are two: for a code and with it, with `EMAIL_PLACE` and `CODE_PLACE` in them, and
   * `ID_PLACE` for the `otpId` of the first response.
   */
  readonly requests: readonly string[]
  readonly kind: 'requests' | 'signIns'
  readonly status: number
  /** How long is measured, WINDOW_MS where it is not given. */
  readonly windowMs?: number
  /** CONNECTIONS where it is not given. */
  readonly connections?: number
  /** Leaves the cores to the servers while no response is there. `loadBusy` is not measured then. */
  readonly sleeps?: boolean
  /** Emails that have an account, to sign in with in turn; without them, each sign-in is with a new one. */
  readonly emails?: readonly string[]
}

export interface LoadFigures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of all threads of the server. */
  readonly cpuMicros: number
  /** The share of the time that the server and the load generator were busy. */
  readonly serverBusy: number
  readonly loadBusy: number
}

export const TIME_PLACE = '{time}'
export const EMAIL_PLACE = '{email}'
export const CODE_PLACE = '{code}'
export const ID_PLACE = '{id}'

/** Fixed widths, since requests have a Content-Length. */
export const EMAIL_CHARS = 32
export const CODE_CHARS = 6
export const ID_CHARS = 15

export const CONNECTIONS = 64
export const WARM_UP_MS = 400
export const WINDOW_MS = 1_200

/** Throws where the load generator fails, such as at an unexpected status. */
export async function measureLoad(generator: ChildProcess, job: LoadJob): Promise<LoadFigures> {
  const waiting = new AbortController()
  const ended = once(generator, 'exit', { signal: waiting.signal }).then(() => {
    throw new Error('The load generator ended')
  })
  try {
    generator.send(job)
    const [figures] = (await Promise.race([once(generator, 'message', { signal: waiting.signal }), ended])) as [LoadFigures]
    return figures
  } finally {
    waiting.abort()
  }
}
