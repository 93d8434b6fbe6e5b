/** Waiting for what a page will do in its own time: asked again and again, never slept for, and never for ever. */

export const PATIENCE_MS = 5000
/** Between two questions, so that the page gets to work too. */
const PAUSE_MS = 15

export interface Waited<Value> {
  /** What was wanted, or undefined where the time ran out. */
  readonly value: Value | undefined
  /** How the last attempt ended. */
  readonly last: unknown
}

/**
 * Asks until the answer is neither undefined, null nor false. What the question throws counts as no answer: an element
 * may be gone by the time it is looked at.
 */
export async function until<Value>(
  question: () => Promise<Value> | Value,
  milliseconds = PATIENCE_MS,
): Promise<Waited<NonNullable<Exclude<Value, false>>>> {
  const end = performance.now() + milliseconds
  let last: unknown
  do {
    try {
      const answer = await question()
      if (answer !== undefined && answer !== null && answer !== false)
        return { value: answer as NonNullable<Exclude<Value, false>>, last: answer }
      last = answer
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  } while (performance.now() < end)
  return { value: undefined, last }
}
