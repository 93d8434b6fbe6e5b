/** How each kind of field is shown in a cell. */
import type { Json } from '../../../client/client.ts'
import type { Field, Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'
import { statusTag } from '../../kit/status-tag.ts'
import { columnFields, sortableFields } from './list-fields.ts'

/** Of a text in a cell; there is no room for more. */
const SHOWN_CHARS_MAX = 300

export function columnsOf(model: Model): readonly TableColumn<StoredDocument>[] {
  const sortable = sortableFields(model)
  return columnFields(model).map(({ name, field }, i) => ({
    key: name,
    title: fieldTitle(name),
    width: i === 0 ? 'minmax(0, 3fr)' : widthOf(name, field),
    sort: sortable.get(name),
    isDetail: name === 'status' || isDate(field),
    cell: (document) => cellOf(name, field, document[name]),
  }))
}

function widthOf(name: string, field: Field): string {
  return name === 'status' || isDate(field) ? '8.5rem' : 'minmax(0, 1.3fr)'
}

/** Documents may hold anything under a name, from before the field was declared as it is. */
function cellOf(name: string, field: Field, value: Json | undefined): Child {
  if (value === undefined || value === null) return null
  if (isMembers(value)) return words(labelOf(value))
  if (typeof value !== 'string') return words(JSON.stringify(value))
  if (name === 'status') return statusTag(value)
  if (field.kind === 'choice') return words(valueTitle(value))
  return isDate(field) ? ago(value) : words(value)
}

/** Its direction ends with it, whatever marks of direction are in it. */
export function words(text: string): HTMLElement {
  const shown = text.slice(0, SHOWN_CHARS_MAX)
  return h('bdi', { title: shown }, shown)
}

function isDate(field: Field): boolean {
  return field.kind === 'date' || (field.kind === 'generated' && field.as === 'date')
}
