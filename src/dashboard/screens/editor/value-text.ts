/** A value of a member as people read it. */
import type { Json } from '../../../client/client.ts'
import { isMembers, labelOf } from '../../any-documents.ts'
import { textOr } from '../../texts.ts'
import { dateTimeText } from '../../kit/moments.ts'

/** Stands for no value. */
export const EMPTY = '–'

/** As stored dates are written. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Dates in the reader's zone, values of a choice by their names, documents by theirs, other texts as they are, the rest as JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === '') return EMPTY
  if (typeof value === 'string') return DATE.test(value) ? dateTimeText(value) : textOr(`value.${value}`, value)
  return isMembers(value) && value['id'] !== undefined ? labelOf(value) : JSON.stringify(value, null, 2)
}
