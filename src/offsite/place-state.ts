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

const NO_STATE: PlaceState = { snapshot: null, changes: null, provedAt: null, wholeProofAt: null, failures: {} }

export function readPlaceState(stored: JsonObject | undefined): PlaceState {
  return { ...NO_STATE, ...(stored as Partial<PlaceState> | undefined) }
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
  const failure = failures.snapshot
  if (failure !== undefined && now >= failure.at && now < failure.at + Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** (failure.count - 1))) return false
  // A date in the future is from a clock that was wrong.
  if (snapshot === null || snapshot.at > now + MINUTE_MS || now >= snapshot.at + everyMs) return true
  return recordsChanges && (hasGap || chain === undefined || chain.broken !== undefined || chain.id !== snapshot.chain)
}

export function isWholeProofDue({ wholeProofAt }: PlaceState, now: number): boolean {
  return wholeProofAt === null || now >= wholeProofAt + WHOLE_PROOF_EVERY_MS
}

/** The failures behind an attempt that failed. */
export function withFailure({ failures }: PlaceState, attempt: Attempt, { kind, message, at }: Pick<AttemptFailure, 'kind' | 'message' | 'at'>): PlaceState['failures'] {
  const before = failures[attempt]
  return { ...failures, [attempt]: { kind, message, at, since: before?.since ?? at, count: (before?.count ?? 0) + 1 } }
}

export function withoutFailure({ failures }: PlaceState, attempt: Attempt): PlaceState['failures'] {
  return Object.fromEntries(Object.entries(failures).filter(([name]) => name !== attempt))
}
