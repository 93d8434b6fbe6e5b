/** The publication status that every content model has. */
import { choice, type ChoiceField } from './schema.ts'

export const STATUSES = ['active', 'draft', 'archived'] as const
export type Status = (typeof STATUSES)[number]

/** A new document is active unless it says otherwise. */
export const status = (): ChoiceField<(typeof STATUSES)[number]> & { readonly initial: 'active' } =>
  choice(STATUSES, {
    initial: 'active',
    description: 'Whether it is published; apps show what is active',
  })
