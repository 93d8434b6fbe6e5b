/**
 * What may run on the main thread, by work and not by time: the same query on the same data runs in the same place,
 * however busy the machine is.
 *
 * Work is counted in steps of about 10 ns (query/steps.ts). A document of 2,000 characters takes about 1,100, so some
 * thousand of them are filtered and sorted here, in slices (inline-lane.ts); what takes more runs in a thread.
 */
import { LISTED_STEPS } from '../plan/executor.ts'
import type { Plan } from '../plan/plan.ts'

/** About 40 ms. */
const INLINE_STEPS_MAX = 4_000_000
/** About 10 ms: a scan is interrupted between documents, and a filter can look at each element of a long array. */
const DOCUMENT_STEPS_MAX = 1_000_000
/** About a millisecond: between two slices others are served. */
export const SLICE_STEPS = 100_000
/** Turns in a row that are left to new connections: a flood of them slows queries down, and does not stop them. */
export const ARRIVAL_TURNS_MAX = 8
/** What may run without a pause. */
export const SHORT_STEPS_MAX = 250_000
/** A range is prepared, sought and merged before the first row comes out. */
const INLINE_RANGES_MAX = 100
/** The expected steps of a row, with its document and without it. */
const DOCUMENT_ROW_STEPS = 1_100
const INDEX_ROW_STEPS = 60

/** Whether a plan is expected to be short enough to run beside other requests. */
export function runsInline(plan: Plan): boolean {
  return (plan.pages !== undefined || plan.ranges.length <= INLINE_RANGES_MAX) && expectedSteps(plan) <= INLINE_STEPS_MAX
}

/** Whether a plan is expected to be done without a pause. */
export function isShort(plan: Plan): boolean {
  return expectedSteps(plan) <= SHORT_STEPS_MAX
}

/** What one inline query may take. Past its steps the scan throws StepsExceeded, and the query runs in a thread. */
export function inlineBudget() {
  const steps = { taken: 0, max: DOCUMENT_STEPS_MAX }
  return {
    steps,
    /** Begins the budget of a document; to be called before each. */
    nextDocument(): void {
      steps.max = Math.min(INLINE_STEPS_MAX, steps.taken + DOCUMENT_STEPS_MAX)
    },
  }
}

function expectedSteps({ readsDocuments, expectedRows, listed }: Plan): number {
  return expectedRows * (readsDocuments ? DOCUMENT_ROW_STEPS : INDEX_ROW_STEPS) + listed * LISTED_STEPS
}
