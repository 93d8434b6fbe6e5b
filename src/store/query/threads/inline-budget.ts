/**
 * What may run on the main thread, by work and not by time: the same query on the same data runs in the same place,
 * however busy the machine is. Everything else runs in a thread.
 *
 * Work is counted in steps of about 10 ns (query/steps.ts). A document of 2,000 characters takes about 1,100.
 */
import type { Steps } from '../../../query/steps.ts'
import { LISTED_STEPS } from '../executor.ts'
import type { Plan } from '../plan.ts'

/** About a millisecond: what one caller may do in a turn of the event loop, and a slice of longer work. */
export const SLICE_STEPS = 100_000
/** What may run without a pause: about 2.5 ms. */
export const SHORT_STEPS_MAX = 250_000
/** A plan that is expected to take more is not begun here. What is expected of text without statistics is often too much. */
const EXPECTED_STEPS_MAX = 4 * SHORT_STEPS_MAX
/** Turns in a row that are left to new connections: a flood of them slows queries down, and does not stop them. */
export const ARRIVAL_TURNS_MAX = 8
/** A range is prepared, sought and merged before the first row comes out. */
const INLINE_RANGES_MAX = 100
/** The expected steps of a row, with its document and without it. */
const DOCUMENT_ROW_STEPS = 1_100
const INDEX_ROW_STEPS = 60

/** Whether a plan is expected to be short enough to run at once. */
export function runsInline(plan: Plan): boolean {
  return (plan.pages !== undefined || plan.ranges.length <= INLINE_RANGES_MAX) && expectedSteps(plan) <= EXPECTED_STEPS_MAX
}

/** What one inline query may take. A scan that takes more ends, also within a document, and the query runs in a thread. */
export function inlineSteps(): Steps {
  return { taken: 0, max: SHORT_STEPS_MAX }
}

function expectedSteps({ readsDocuments, expectedRows, listed }: Plan): number {
  return expectedRows * (readsDocuments ? DOCUMENT_ROW_STEPS : INDEX_ROW_STEPS) + listed * LISTED_STEPS
}
