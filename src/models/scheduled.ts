/** Which documents change their status at a time: those of models that declare the dates for it. */
import type { Model } from './schema.ts'

export function isScheduled({ fields }: Model): boolean {
  return fields['publishAt']?.kind === 'optional'
}
