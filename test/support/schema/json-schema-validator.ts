/** What the files about JSON Schema share: how a value is validated, and the message where it does not fit. */

export interface Misfit {
  /** From the value that is validated to what does not fit, as `.items[0].id`. */
  readonly path: string
  readonly words: string
}

export interface Run {
  /** Collects the names of members that some schema has evaluated; only where `unevaluatedProperties` needs them. */
  readonly evaluated: Set<string> | undefined
}

export type Validate = (value: unknown, run: Run) => readonly Misfit[]

export const FITS: readonly Misfit[] = []
export type Members = Readonly<Record<string, unknown>>

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function misfit(words: string): readonly Misfit[] {
  return [{ path: '', words }]
}

/** A value in a message; long ones are cut. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
