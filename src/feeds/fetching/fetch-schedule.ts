/**
 * When a feed is fetched next, from what its fetches brought. Pure: time and chance come in, and the state is a plain
 * object to store.
 *
 * A feed is asked more often while it changes and less often while it does not: its pace halves with a change and grows by
 * a quarter without one, so about one fetch in four brings something. The feed and its server can ask for longer, never for
 * shorter intervals. Failures double the wait. Whatever happens, the wait is between a quarter of an hour and a day.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import type { Validators } from '../../outbound/outbound-client.ts'
import type { FetchProblem } from '../../base/feed-note.ts'
import type { Failed, FetchOutcome, Gone } from './fetch.ts'
import { noteOf } from './fetch-problem.ts'

const INTERVAL_MIN_MS = 15 * MINUTE_MS
const INTERVAL_MAX_MS = DAY_MS
const FIRST_PACE_MS = HOUR_MS
/** Of an interval, so that feeds that were added together are not due together for ever. */
const JITTER = 0.1
/** Of the wait after a failure, so that the feeds of a server do not all come back at once. */
const FAILURE_JITTER = 0.25
/** Failures in a row after which the address that redirects led to is given up for the one that was entered. */
const MOVED_FAILURES_MAX = 3

export interface FetchState {
  /** Milliseconds since 1970; undefined where the feed has ended. */
  readonly nextFetchMs?: number
  readonly paceMs: number
  /** Failures in a row. */
  readonly failures: number
  readonly failingSinceMs?: number
  readonly lastSuccessMs?: number
  /** Of the last failure, while it lasts. */
  readonly problem?: FetchProblem
  readonly validators?: Validators
  /** Where to fetch in place of the feed's own address: permanent redirects led there twice. */
  readonly movedTo?: string
  /** Where they led once. */
  readonly redirectSeen?: string
}

/** A feed that is due at once. To be taken again where its address is edited. */
export const NEW_FEED_STATE: FetchState = { nextFetchMs: 0, paceMs: FIRST_PACE_MS, failures: 0 }

export interface FetchResult {
  readonly outcome: FetchOutcome
  /** Whether it brought an item that is new or has changed. */
  readonly hasChanged: boolean
  /** How often the feed says that it is updated. */
  readonly updateMinutes?: number | undefined
  readonly nowMs: number
  /** A random number from 0 up to, but without, 1. */
  readonly random: number
}

/** The state after a fetch. What was fetched but is no feed is to be given as a failure. */
export function nextFetchState(previous: FetchState, result: FetchResult): FetchState {
  const { outcome } = result
  switch (outcome.kind) {
    case 'fetched':
    case 'unchanged':
      return afterSuccess(previous, outcome, result)
    case 'gone': {
      // The address that was entered may lead elsewhere by now.
      if (previous.movedTo !== undefined) return afterFailure(withoutMove(previous), outcome, result)
      const { nextFetchMs, ...kept } = previous
      return { ...kept, ...failedOnceMore(previous, outcome, result.nowMs) }
    }
    case 'failed':
      // No fault of the feed: it stays due, or comes back soon.
      if (outcome.reason === 'stopped') return previous
      if (outcome.reason === 'busy') return { ...previous, nextFetchMs: result.nowMs + INTERVAL_MIN_MS }
      return afterFailure(previous, outcome, result)
  }
}

function afterSuccess(
  previous: FetchState,
  { permanentAddress, validators, freshMs = 0 }: Extract<FetchOutcome, { kind: 'fetched' | 'unchanged' }>,
  { hasChanged, updateMinutes = 0, nowMs, random }: FetchResult,
): FetchState {
  const paceMs = bounded(hasChanged ? previous.paceMs / 2 : previous.paceMs * 1.25)
  const intervalMs = bounded(Math.max(paceMs, freshMs, updateMinutes * MINUTE_MS))
  const isConfirmed = permanentAddress !== undefined && permanentAddress === previous.redirectSeen
  const movedTo = isConfirmed ? permanentAddress : previous.movedTo
  return {
    nextFetchMs: nowMs + bounded(Math.round(intervalMs * (1 + JITTER * random))),
    paceMs,
    failures: 0,
    lastSuccessMs: nowMs,
    ...(validators === undefined ? {} : { validators }),
    ...(movedTo === undefined ? {} : { movedTo }),
    ...(permanentAddress === undefined || isConfirmed ? {} : { redirectSeen: permanentAddress }),
  }
}

function afterFailure(
  previous: FetchState,
  outcome: Failed | Gone,
  { nowMs, random }: FetchResult,
): FetchState {
  const failed = failedOnceMore(previous, outcome, nowMs)
  const { status = undefined, retryAfterMs = 0 } = outcome.kind === 'failed' ? outcome : {}
  const kept = failed.failures >= MOVED_FAILURES_MAX ? withoutMove(previous) : previous
  const waitMs = bounded(INTERVAL_MIN_MS * 2 ** (failed.failures - 1)) * (1 - FAILURE_JITTER * random)
  return {
    ...kept,
    ...failed,
    nextFetchMs: nowMs + bounded(Math.round(Math.max(waitMs, retryAfterMs))),
    // Asked too often (429), a server is asked less often also once it responds again.
    paceMs: status === 429 ? bounded(previous.paceMs * 2) : previous.paceMs,
  }
}

function failedOnceMore(previous: FetchState, outcome: Failed | Gone, nowMs: number) {
  return { failures: previous.failures + 1, failingSinceMs: previous.failingSinceMs ?? nowMs, problem: noteOf(outcome) }
}

function withoutMove({ movedTo, redirectSeen, ...rest }: FetchState): FetchState {
  return rest
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, INTERVAL_MIN_MS), INTERVAL_MAX_MS)
}
