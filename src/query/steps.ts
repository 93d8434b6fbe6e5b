/**
 * Counts the work of matching documents, so that a limit on work can stand where a limit on time would depend on how
 * busy the machine is.
 *
 * A step is about one comparison: a character that a pattern looks at, or a state that it passes through. Many steps are
 * added at once, so that counting costs nothing beside the work.
 */

export interface Steps {
  taken: number
  /** Past this the work is given up. */
  readonly max: number
}

/** Thrown where the work passes its limit; the caller does it elsewhere, or rejects it. */
export class StepsExceeded extends Error {
  constructor(max: number) {
    super(`Gave up after ${max} steps`)
    this.name = 'StepsExceeded'
  }
}

/** Steps without a limit, for what runs in a thread or a command of its own. */
export function unlimitedSteps(): Steps {
  return { taken: 0, max: Number.POSITIVE_INFINITY }
}

/** Adds steps. Throws StepsExceeded past the limit. */
export function takeSteps(steps: Steps, count: number): void {
  steps.taken += count
  if (steps.taken > steps.max) throw new StepsExceeded(steps.max)
}
