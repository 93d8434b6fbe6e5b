/** How each kind of field is shown in a cell. */
import type { Json } from '../../../client/client.ts'
import type { Field, Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { sortPath, type TableColumn } from '../../kit/table/table-column.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'
import { statusCell } from '../../kit/status-tag.ts'
import { columnFields, sortableFields } from './list-fields.ts'
import { listPicture } from './list-pictures.ts'
import type { ListState } from './list-state.ts'

/** Of a text in a cell; there is no room for more. */
const SHOWN_CHARS_MAX = 300

export function columnsOf(model: Model): readonly TableColumn<StoredDocument>[] {
  const sortable = sortableFields(model)
  return columnFields(model).map(({ name, field }, i) => ({
    key: name,
    title: fieldTitle(name),
    width: i === 0 ? 'minmax(0, 3.5fr)' : widthOf(name, field),
    sort: sortable.get(name),
    sortName: name === 'status' ? t('list.sortBy', { name: fieldTitle(name) }) : undefined,
    isDetail: name === 'status' || isDate(field),
    cell: (document) => [i === 0 && listPicture(model, document), (name === 'status' ? statusCell(document) : cellOf(field, document[name])) ?? (i === 0 && words(labelOf(document)))],
  }))
}

/** A column in a tab. The status of Scheduled has the time of publishing, and sorts by it; one that all rows have sorts nothing. */
export function columnIn(column: TableColumn<StoredDocument>, { filters, isScheduled }: ListState): TableColumn<StoredDocument> {
  if (column.key !== 'status') return column
  if (isScheduled) return { ...column, sort: 'publishAt', sortName: t('list.sortBy', { name: fieldTitle('publishAt') }) }
  return filters.get('status')?.length === 1 ? { ...column, sort: undefined } : column
}

/** For cards, which do not say what a date is: of all dates only that of the first sort by a date, in any case. */
export function withOneDate(
  shown: readonly TableColumn<StoredDocument>[],
  all: readonly TableColumn<StoredDocument>[],
  sorts: readonly (string | undefined)[],
): readonly TableColumn<StoredDocument>[] {
  const isDated = ({ key, isDetail }: TableColumn<StoredDocument>): boolean => isDetail === true && key !== 'status'
  const date = sorts.flatMap((sort) => all.find((one) => isDated(one) && one.key === sortPath(sort)) ?? [])[0]
  if (date === undefined) return shown
  const cards = shown.map((one) => (isDated(one) && one.key !== date.key ? { ...one, isDetail: false } : one))
  return cards.some(({ key }) => key === date.key) ? cards : [...cards, date]
}

function widthOf(name: string, field: Field): string {
  return name === 'status' || isDate(field) ? '8.5rem' : `minmax(0, ${name === 'description' ? 3 : 1.3}fr)`
}

/** Documents may hold anything under a name, from before the field was declared as it is. */
function cellOf(field: Field, value: Json | undefined): Child {
  if (value === undefined || value === null || value === '') return null
  if (isMembers(value)) return words(labelOf(value))
  if (typeof value !== 'string') return words(JSON.stringify(value))
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
