/** The editorial workflow of documents: their publication status, the review of drafts, and changes of status at a time. */
import { choice, type ChoiceField, type Model } from './schema.ts'

/** The publication status that every content model has. */
export const STATUSES = ['active', 'draft', 'archived'] as const
export type Status = (typeof STATUSES)[number]

/** A new document is active unless it says otherwise. */
export const status = (): ChoiceField<(typeof STATUSES)[number]> & { readonly initial: 'active' } =>
  choice(STATUSES, {
    initial: 'active',
    description: 'Whether it is published; apps show what is active',
  })

/** Of the note with which a draft is given back, in UTF-16 units. */
export const NOTE_CHARS_MAX = 2_000

/** Whether publishers hand in documents for review: the model declares the date for it. */
export function isReviewed({ fields }: Model): boolean {
  return fields['handedInAt']?.kind === 'optional'
}

/** Whether documents change their status at a time: the model declares the dates for it. */
export function isScheduled({ fields }: Model): boolean {
  return fields['publishAt']?.kind === 'optional'
}
