/** Waits for a condition of a page, which is evaluated again and again for a bounded time. */

/** A machine that is busy with other work may take many seconds for what takes milliseconds alone. */
export const PATIENCE_MS = 30_000
/** Between two evaluations, so that the page gets to work too. */
const PAUSE_MS = 15

export interface Waited<Value> {
  /** What was wanted, or undefined where the time ran out. */
  readonly value: Value | undefined
  /** How the last attempt ended. */
  readonly last: unknown
}

/**
 * Evaluates until the value is neither undefined, null nor false. What the condition throws counts as no value: an element
 * may be gone by the time it is looked at.
 */
export async function until<Value>(
  condition: () => Promise<Value> | Value,
  milliseconds = PATIENCE_MS,
): Promise<Waited<NonNullable<Exclude<Value, false>>>> {
  const end = performance.now() + milliseconds
  let last: unknown
  do {
    try {
      const found = await condition()
      if (found !== undefined && found !== null && found !== false)
        return { value: found as NonNullable<Exclude<Value, false>>, last: found }
      last = found
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  } while (performance.now() < end)
  return { value: undefined, last }
}
