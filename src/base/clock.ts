/** Time is an argument everywhere else; this file is the only caller of the system clock (tidy.test.ts). */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
