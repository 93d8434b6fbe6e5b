/**
 * Whether a series of measurements grows without bound. What grows once and then stays, such as caches that fill, is no
 * fault; a leak is higher in the last third of the run than in the first, and still higher than in the middle.
 */
import { median } from '../tools/percentile.ts'

export interface GrowthLimit {
  readonly name: string
  readonly unit: string
  /** What may be added between the first and the last third, as a share of the first and as an amount. */
  readonly share: number
  readonly amount: number
}

/** Fewer measurements than this cannot be told apart. */
export const MEASUREMENTS_MIN = 6
/** Of the growth from the first to the last third, what comes after the middle third where it goes on evenly. */
const LATER_SHARE_MIN = 0.25

export interface Growth {
  readonly first: number
  readonly last: number
  /** Why it counts as growth without bound; undefined where it does not. */
  readonly fault: string | undefined
}

/** Compares the medians of the thirds of a series. Too short a series never fails. */
export function growthOf(series: readonly number[], { name, unit, share, amount }: GrowthLimit): Growth {
  const third = Math.floor(series.length / 3)
  const [first, middle, last] = [
    series.slice(0, third),
    series.slice(third, series.length - third),
    series.slice(series.length - third),
  ].map(median) as [number, number, number]
  if (series.length < MEASUREMENTS_MIN) return { first, last, fault: undefined }
  const [grown, allowed] = [last - first, first * share + amount]
  const goesOn = last - middle > grown * LATER_SHARE_MIN
  if (grown <= allowed || !goesOn) return { first, last, fault: undefined }
  const shown = [first, middle, last].map((value) => value.toFixed(1)).join(' → ')
  return { first, last, fault: `${name} grows: ${shown} ${unit}, wanted at most ${allowed.toFixed(1)} ${unit} more` }
}
