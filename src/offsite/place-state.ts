/** What is known of a place, as it is stored, and when its next snapshot is due. */
import type { JsonObject } from '../base/json.ts'
import { DAY_MS, MINUTE_MS } from '../base/duration.ts'
import type { ChangeChain } from '../store/pending/pending-changes.ts'
import type { FailureKind } from './offsite-worker.ts'

const RETRY_MS_FIRST = MINUTE_MS
const RETRY_MS_MAX = 30 * MINUTE_MS
const WHOLE_PROOF_EVERY_MS = 7 * DAY_MS

/** Times in milliseconds since the epoch. */
export interface PlaceState {
  readonly snapshot: { readonly at: number; readonly bytes: number; readonly items: number; readonly ms: number; readonly chain: string; readonly seq: number } | null
  /** The last change that is stored, and the one that may be: it is on the disk before it is sent. */
  readonly changes: { readonly chain: string; readonly seq: number; readonly at: number; readonly sending: number } | null
  /** When something was stored there and read back last. */
  readonly provedAt: number | null
  readonly wholeProofAt: number | null
  /** Why the last attempts failed, by what was tried. */
  readonly failures: Readonly<Partial<Record<Attempt, AttemptFailure>>>
  /** Since when some attempt has failed all the time; null while none does. */
  readonly failingSince: number | null
}

export type Attempt = 'snapshot' | 'changes' | 'pictures' | 'tidy'

export interface AttemptFailure {
  readonly kind: FailureKind
  readonly message: string
  readonly at: number
  /** When the first of these attempts failed, and how many did. */
  readonly since: number
  readonly count: number
}

const NO_STATE: PlaceState = { snapshot: null, changes: null, provedAt: null, wholeProofAt: null, failures: {}, failingSince: null }

export function readPlaceState(stored: JsonObject | undefined): PlaceState {
  return { ...NO_STATE, ...(stored as Partial<PlaceState> | undefined) }
}

/** The last change of the chain that the place has; 0 without one. */
export function reachedOf({ changes }: PlaceState, { id }: Pick<ChangeChain, 'id'>): number {
  return changes?.chain === id ? changes.seq : 0
}

export interface DueFacts {
  readonly state: PlaceState
  /** Undefined where the site records no changes. */
  readonly chain: ChangeChain | undefined
  readonly recordsChanges: boolean
  /** Whether changes are missing behind what the place has. */
  readonly hasGap: boolean
  readonly everyMs: number
  readonly now: number
}

/** Whether to make a snapshot now. */
export function isSnapshotDue({ state: { snapshot, failures }, chain, recordsChanges, hasGap, everyMs, now }: DueFacts): boolean {
  if (!mayTry(failures.snapshot, now)) return false
  // A date in the future is from a clock that was wrong.
  if (snapshot === null || snapshot.at > now + MINUTE_MS || now >= snapshot.at + everyMs) return true
  return recordsChanges && (hasGap || chain === undefined || chain.broken !== undefined || chain.id !== snapshot.chain)
}

/** Whether enough time has passed since the last failure of an attempt. */
export function mayTry(failure: AttemptFailure | undefined, now: number): boolean {
  return failure === undefined || now < failure.at || now >= failure.at + Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** (failure.count - 1))
}

export function isWholeProofDue({ wholeProofAt }: PlaceState, now: number): boolean {
  return wholeProofAt === null || now >= wholeProofAt + WHOLE_PROOF_EVERY_MS
}

/** What an attempt that failed changes. */
export function withFailure(
  { failures, failingSince }: PlaceState,
  attempt: Attempt,
  { kind, message, at }: Pick<AttemptFailure, 'kind' | 'message' | 'at'>,
): Pick<PlaceState, 'failures' | 'failingSince'> {
  const before = failures[attempt]
  const since = before?.since ?? at
  return { failures: { ...failures, [attempt]: { kind, message, at, since, count: (before?.count ?? 0) + 1 } }, failingSince: failingSince ?? since }
}

/** What an attempt changes that was no failure, and how long the place was failing where it is the last one that works again. */
export function withoutFailure(
  { failures, failingSince }: PlaceState,
  attempt: Attempt,
  now: number,
): { readonly change: Pick<PlaceState, 'failures' | 'failingSince'>; readonly failedMs: number | undefined } {
  const left = Object.fromEntries(Object.entries(failures).filter(([name]) => name !== attempt))
  if (Object.keys(left).length > 0) return { change: { failures: left, failingSince }, failedMs: undefined }
  return { change: { failures: left, failingSince: null }, failedMs: Math.max(0, now - (failingSince ?? failures[attempt]?.since ?? now)) }
}
