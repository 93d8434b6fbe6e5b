/** Waiting, where the caller decides how long. */

export type Pause = (ms: number) => Promise<void>

/** Resolves after so many milliseconds; keeps the process alive meanwhile. */
export const pause: Pause = (ms) => new Promise((resolve) => void setTimeout(resolve, ms))
