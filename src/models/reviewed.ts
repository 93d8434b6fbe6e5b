/** Which documents publishers hand in for review: those of models that declare the date for it. */
import type { Model } from './schema.ts'

/** Of the note with which a draft is given back, in UTF-16 units. */
export const NOTE_CHARS_MAX = 2_000

export function isReviewed({ fields }: Model): boolean {
  return fields['handedInAt']?.kind === 'optional'
}
