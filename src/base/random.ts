/** Randomness is an argument where it decides about time or order; this file has the generator of the system. */
import { randomInt } from 'node:crypto'

/** Returns a number from 0 up to, but without, 1. */
export type Random = () => number

const STEPS = 2 ** 32

export const systemRandom: Random = () => randomInt(STEPS) / STEPS
