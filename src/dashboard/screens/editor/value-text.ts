/** A value of a member as people read it. */
import type { Json } from '../../../client/client.ts'
import { isMembers, labelOf } from '../../any-documents.ts'
import { textOr } from '../../texts.ts'

/** Values of a choice by their names, documents by theirs, other texts as they are, the rest as JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === '') return '–'
  if (typeof value === 'string') return textOr(`value.${value}`, value)
  return isMembers(value) && value['id'] !== undefined ? labelOf(value) : JSON.stringify(value, null, 2)
}
