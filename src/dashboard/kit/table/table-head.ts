/** The head of a table: titles that sort where that is quick, and the box that chooses all rows. */
import { t } from '../../texts.ts'
import { button, fill, h } from '../dom.ts'
import { keepFocus } from '../focus.ts'
import { icon } from '../icons.ts'
import type { TableColumn, TableSort } from './table-column.ts'

export interface TableHeadOptions {
  readonly onSort: (sort: TableSort) => void
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
    show<T>(columns: readonly TableColumn<T>[], sort: TableSort | undefined): void {
      const pick = onAll !== undefined && h('div', { class: 'pick', role: 'columnheader' }, box)
      const titles = columns.map((column, i) => titleOf(column, { sort, onSort, isMain: i === 0 }))
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

interface TitleOptions {
  readonly sort: TableSort | undefined
  readonly onSort: (sort: TableSort) => void
  readonly isMain: boolean
}

function titleOf<T>({ title, sort: own }: TableColumn<T>, { sort, onSort, isMain }: TitleOptions): HTMLElement {
  const name = isMain ? 'cell main' : 'cell'
  if (own === undefined) return h('div', { class: name, role: 'columnheader' }, title)
  const { path } = own
  const isSorted = sort?.path === path
  const direction = isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'
  const descending = isSorted ? !sort.descending : own.descending
  return h(
    'div',
    { class: `${name} sortable`, role: 'columnheader', 'aria-sort': direction },
    button(
      [h('span', {}, title), isSorted && icon(sort.descending ? 'down' : 'up')],
      () => onSort({ path, descending }),
      { class: 'plain', 'data-key': path },
    ),
  )
}
