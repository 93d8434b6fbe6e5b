/** The head of a table: titles that sort where that is quick, and the box that chooses all rows. */
import { t } from '../../texts.ts'
import { button, fill, h } from '../dom.ts'
import { keepFocus } from '../focus.ts'
import { icon } from '../icons.ts'
import { rowParts } from './row-parts.ts'
import { sortPath, type TableColumn } from './table-column.ts'

export interface TableHeadOptions {
  readonly onSort: (sort: string) => void
  /** Absent where rows cannot be chosen. */
  readonly onAll?: ((isChosen: boolean) => void) | undefined
}

export function tableHead({ onSort, onAll }: TableHeadOptions) {
  const box = h('input', {
    type: 'checkbox',
    'aria-label': t('table.chooseAll'),
    on: { change: () => onAll?.(box.checked) },
  })
  const row = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 })
  return {
    element: h('div', { class: 'table-head', role: 'rowgroup' }, row),
    show<T>(columns: readonly TableColumn<T>[], sort: string | undefined): void {
      const pick = onAll !== undefined && h('div', { class: 'pick', role: 'columnheader' }, box)
      const titles = rowParts(columns, (column, kind) => titleOf(column, kind, sort, onSort))
      // A reader who sorts by the keyboard stays at the title.
      keepFocus(row, () => fill(row, pick, titles))
    },
    /** How many of the rows are chosen. */
    showChosen(chosen: 'none' | 'some' | 'all'): void {
      box.checked = chosen === 'all'
      box.indeterminate = chosen === 'some'
    },
  }
}

function titleOf<T>(
  { title, sort: own, sortName }: TableColumn<T>,
  name: string,
  sort: string | undefined,
  onSort: (sort: string) => void,
): HTMLElement {
  if (own === undefined) return h('div', { class: name, role: 'columnheader' }, title)
  const path = sortPath(own)
  const isSorted = sortPath(sort) === path
  const isDescending = sort !== path
  const direction = isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'
  const next = isSorted ? (isDescending ? path : `${path}:desc`) : own
  return h(
    'div',
    { class: `${name} sortable`, role: 'columnheader', 'aria-sort': direction },
    button(
      [h('span', {}, title), isSorted && icon(isDescending ? 'down' : 'up')],
      () => onSort(next),
      { class: 'plain', 'data-key': path, 'aria-label': sortName },
    ),
  )
}
