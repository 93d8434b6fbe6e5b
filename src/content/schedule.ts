/**
 * Publishes and archives documents at their times: a draft at `publishAt`, what is active at `unpublishAt`.
 *
 * What is due is looked up by an index over those times and looked at again in the transaction that changes it, where the
 * change takes its time away: so it happens once, after a restart, on two nodes, and whatever the clock does. Timers do not
 * follow a clock that is set, so the time is looked at twice a second while something is scheduled.
 *
 * While review is on, what a publisher has scheduled before is handed in at its time instead; see review.ts.
 */
import type { Clock } from '../base/clock.ts'
import { concern, type Concern } from '../base/concern.ts'
import { isoDate } from '../base/dates.ts'
import { HOUR_MS } from '../base/duration.ts'
import type { JsonObject } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import { ProblemFailure } from '../base/problem.ts'
import { repeat } from '../base/repeating.ts'
import { systemReason } from '../base/system-error.ts'
import { MODELS } from '../models/registry.ts'
import type { Model } from '../models/schema.ts'
import { withDates } from './rules/publication.ts'
import { isReviewed, isScheduled } from '../models/workflow.ts'
import { isApproved, type ReviewSetting } from './rules/review.ts'
import { validateDocument } from './rules/validate.ts'
import type { DueDocument } from '../store/documents/document-tables.ts'
import type { QueryCaller } from '../store/query/find-query.ts'
import type { Steps } from '../store/writes/document-writes.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'

/** How often the clock is looked at while something is scheduled. */
const TICK_MS = 500
const MIN_TICK_MS = 5
/** How often the index is looked at for what another process has scheduled, such as an import beside the service. */
const LOOK_MS = 15_000
/** Documents of one transaction. */
const STEP_MAX = 50
/** Failures that are remembered, and when one is tried again. */
const FAILURES_MAX = 1_000
const RETRY_MS = HOUR_MS
/** Of the records that tell in which role a draft was changed. */
const QUERY_CALLER: QueryCaller = { id: 'the schedule', class: 'dashboard' }
/** When a write that failed as a whole is tried again. */
const RETRY_WRITE_MS = 1_000

/** Why a document could not be published; `text` is the one that failed. */
interface ScheduleFailure {
  readonly id: string
  readonly text: string
  readonly at: number
  readonly reason: string
}

export interface ScheduleOptions {
  readonly store: Pick<Store, 'documents' | 'history'>
  /** The service, which carries out what is due. */
  readonly own: Pick<Writer, 'together'>
  readonly live: () => ReviewSetting
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export function startSchedule({ store, own, live, isOnDuty = () => true, now, log }: ScheduleOptions) {
  const models = MODELS.filter(isScheduled)
  const failures = new Map<string, ScheduleFailure>()
  let [stopped, isWanted, hasFailed] = [false, false, false]
  let nextAt: number | undefined
  /** Until the index is looked at again. */
  let ticksLeft = 0

  const isKnownFailure = ({ id, text }: DueDocument): boolean => {
    const failure = failures.get(id)
    return failure !== undefined && failure.text === text && now() < failure.at + RETRY_MS
  }
  /** Changes what is due, in several transactions; then `nextAt` is the first time that is to come. */
  const carryOut = async (model: Model, overdue: Set<string>): Promise<void> => {
    let after: DueDocument | undefined
    while (!stopped) {
      const page = store.documents.dueDocuments(model, after, STEP_MAX)
      const at = now()
      const due = page.filter((one) => one.at <= at)
      const tried = due.filter((one) => !isKnownFailure(one))
      const handsIn = live().review && isReviewed(model)
      const judged: Judged[] = []
      for (const one of tried) {
        const outcome = !handsIn ? 'free' : (await isApproved(store, model, one.id, QUERY_CALLER)) ? 'approved' : 'unapproved'
        judged.push({ ...one, judged: outcome })
      }
      if (tried.length > 0) keepFailures(await own.together((_, steps) => changeDue(steps, model, judged, at)), at)
      for (const { id } of due) if (failures.has(id)) overdue.add(id)
      after = due.at(-1)
      if (due.length === STEP_MAX) continue
      const next = page[due.length]
      nextAt = earlier(nextAt, next?.at)
      return
    }
  }
  const keepFailures = (outcomes: readonly Outcome[], at: number): void => {
    for (const { document, reason } of outcomes) {
      failures.delete(document.id)
      if (reason === undefined) continue
      if (failures.size < FAILURES_MAX) failures.set(document.id, { id: document.id, text: document.text, at, reason })
      log.error('schedule.failed', { id: document.id, reason })
    }
  }
  const look = async (): Promise<void> => {
    nextAt = undefined
    const overdue = new Set<string>()
    for (const model of models) {
      if (isOnDuty()) await carryOut(model, overdue)
      else nextAt = earlier(nextAt, store.documents.dueDocuments(model, undefined, 1)[0]?.at)
    }
    // What was deleted, or has another time now.
    if (!stopped) for (const id of failures.keys()) if (!overdue.has(id)) failures.delete(id)
    hasFailed = false
  }
  /** Looks at the clock, and at the index where something is due or may have come. Returns when to look at the clock again. */
  const tick = async (): Promise<number> => {
    const isDue = nextAt !== undefined && now() >= nextAt && isOnDuty()
    if (isWanted || isDue || nextAt === undefined || ticksLeft === 0) {
      [isWanted, ticksLeft] = [false, LOOK_MS / TICK_MS]
      await look()
    } else ticksLeft--
    // A process that is not on duty looks whether it is; what is due stays due for it.
    const soonest = isOnDuty() ? MIN_TICK_MS : TICK_MS
    return nextAt === undefined ? LOOK_MS : Math.min(TICK_MS, Math.max(soonest, nextAt - now()))
  }
  const onError = (error: unknown): number => {
    if (!hasFailed) log.error('schedule.failed', { reason: systemReason(error) })
    hasFailed = true
    isWanted = true
    return RETRY_WRITE_MS
  }
  const ticks = repeat(tick, { onError })
  /** What is committed while the index is looked at may be due before all that this look has seen: another one follows. */
  const run = (): Promise<void> => {
    isWanted = true
    return ticks.wake()
  }
  const stopListening = store.history.onChanges(() => void run(), { ofOthers: false, models })

  return {
    /** Carries out what is due; resolves when that is done. */
    run,
    /** What needs attention: documents that could not be published. */
    concerns(): readonly Concern[] {
      const [first] = failures.values()
      if (first === undefined) return []
      const more = failures.size === 1 ? '' : `, and ${failures.size - 1} more`
      const message = `${first.id} was not published at its time${more}: ${first.reason}`
      return [concern('notPublished', message, { count: failures.size, detail: `${first.id}: ${first.reason}` })]
    },
    async stop(): Promise<void> {
      stopped = true
      stopListening()
      await ticks.stop()
    },
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

interface Outcome {
  readonly document: DueDocument
  /** Why it stays as it is. */
  readonly reason?: string
}

/** Whether an administrator stands behind the text that was found; free where none has to. */
interface Judged extends DueDocument {
  readonly judged: 'free' | 'approved' | 'unapproved'
}

/** Runs in a transaction, maybe twice: what it finds is remembered by its caller. */
function changeDue(steps: Steps, model: Model, due: readonly Judged[], at: number): readonly Outcome[] {
  return due.map((document): Outcome => {
    try {
      let isDone = false
      while (!isDone) {
        isDone = true
        steps.carryOut(model, document.id, (stored, text) => {
          // Another change came meanwhile, with a round of its own.
          if (document.judged !== 'free' && stored['status'] === 'draft' && text !== document.text) return undefined
          const next = changed(model, stored, { at, handsIn: document.judged === 'unapproved' })
          isDone = next === undefined
          return next
        })
      }
      return { document }
    } catch (error) {
      if (!(error instanceof ProblemFailure)) throw error
      return { document, reason: error.message }
    }
  })
}

/** The document with the next change of its schedule; undefined where none is due. Throws where it is not valid. */
function changed(model: Model, stored: JsonObject, { at, handsIn }: { readonly at: number; readonly handsIn: boolean }): JsonObject | undefined {
  const now = isoDate(at)
  const { id, createdAt, status, publishAt, unpublishAt } = stored
  if (status === 'draft' && typeof publishAt === 'string' && publishAt <= now) {
    if (handsIn) return withDates({ ...stored, updatedAt: now }, { handedInAt: stored['handedInAt'] ?? now, publishAt: null })
    const generated = { id: String(id), createdAt: String(createdAt), updatedAt: now }
    const valid = validateDocument(model, { ...stored, status: 'active' }, { generated, stored })
    return withDates(valid, { publishedAt: stored['publishedAt'] ?? now, publishAt: null })
  }
  if (status === 'active' && typeof unpublishAt === 'string' && unpublishAt <= now) {
    return withDates({ ...stored, status: 'archived', updatedAt: now }, { publishAt: null, unpublishAt: null })
  }
  return undefined
}
