/** Columns of a list as its table draws them. */
import type { Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { arePicturesShown, pictureField, shownPicture } from '../../pictures.ts'
import { sortPath, type TableColumn } from '../../kit/table/table-column.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'
import { ago } from '../../kit/moments.ts'
import { statusCell } from '../../kit/status-tag.ts'
import type { ListColumn, PlacedColumn } from './list-columns.ts'

/** Of a text in a cell; there is no room for more. */
const SHOWN_CHARS_MAX = 300

/** `sort` is how it sorts in the tab that is shown. */
export function tableColumn(model: Model, column: PlacedColumn, sort: string | undefined): TableColumn<StoredDocument> {
  const { name, kind, isDetail, isBelow, isWide } = column
  return {
    key: name,
    title: fieldTitle(name),
    width: kind === 'name' ? 'minmax(0, 5fr)' : kind === 'value' ? `minmax(0, ${isWide ? 3 : 1.3}fr)` : '8.5rem',
    sort,
    // What it sorts by need not be what its title says.
    sortName: kind === 'computed' ? t('list.sortBy', { name: fieldTitle(sortPath(sort)) }) : undefined,
    isDetail,
    isBelow,
    cell: (document) => {
      const cell = cellOf(column, column.value(document))
      if (kind === 'name') return [listPicture(model, document), cell ?? words(labelOf(document))]
      // No title of a column says what it is.
      if (isBelow && cell !== null && kind !== 'computed') cell.title = t('pair', { name: fieldTitle(name), value: cell.title })
      return cell
    },
  }
}

/** Documents may hold anything under a name, from before the field was declared as it is. */
function cellOf({ field, kind }: ListColumn, value: Json | undefined): HTMLElement | null {
  if (value === undefined || value === null || value === '') return null
  if (isMembers(value)) return kind === 'computed' ? statusCell(value) : words(labelOf(value))
  if (typeof value !== 'string') return words(JSON.stringify(value))
  if (field.kind === 'choice') return words(valueTitle(value))
  return kind === 'date' ? ago(value) : words(value)
}

/** Its direction ends with it, whatever marks of direction are in it. */
export function words(text: string): HTMLElement {
  const shown = text.slice(0, SHOWN_CHARS_MAX)
  return h('bdi', { title: shown }, shown)
}

/** The small picture at the name of a row. Null where none are shown, and for a model that has none. */
function listPicture(model: Model, document: StoredDocument): HTMLElement | null {
  const field = pictureField(model)
  const url = field === undefined ? undefined : shownPicture(document, field)
  if (field === undefined || (url === undefined && !arePicturesShown())) return null
  return letteredPicture({ kind: field === 'imageUrl' ? 'thumb wide' : 'thumb', name: labelOf(document), url })
}
