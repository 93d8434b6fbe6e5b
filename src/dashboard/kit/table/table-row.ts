/** One row of a table, at its place. What an item says is text only; one that is not there yet is a grey line. */
import { h } from '../dom.ts'
import { t } from '../../texts.ts'
import { rowParts } from './row-parts.ts'
import type { TableColumn } from './table-column.ts'

/** Rows are counted from 1, and the head is the first (WAI-ARIA, aria-rowindex). */
const ROWS_BEFORE = 2

export interface RowOptions<T> {
  readonly item: T | undefined
  readonly row: number
  readonly columns: readonly TableColumn<T>[]
  readonly label: (item: T) => string
  readonly href?: ((item: T) => string) | undefined
  /** Whether it is chosen; undefined where rows cannot be chosen. */
  readonly isChosen?: boolean | undefined
}

export function tableRow<T>({ item, row, columns, label, href, isChosen }: RowOptions<T>): HTMLElement {
  const box = item !== undefined && h('input', { type: 'checkbox', tabindex: -1, 'aria-label': t('table.choose', { label: label(item) }) })
  const parts = rowParts(columns, (column, kind) => {
    const shown = item === undefined ? h('i', { class: 'line' }) : column.cell(item)
    const isLink = column === columns[0] && item !== undefined && href !== undefined
    return h('div', { class: kind, role: 'gridcell' }, isLink ? h('a', { href: href(item), tabindex: -1 }, shown) : shown)
  })
  const element = h(
    'div',
    { class: item === undefined ? 'row empty' : 'row', role: 'row', tabindex: -1, 'aria-rowindex': row + ROWS_BEFORE },
    isChosen !== undefined && h('div', { class: 'pick', role: 'gridcell' }, box),
    parts,
  )
  // Without the name of the box, which says the title once more.
  element.ariaLabelledByElements = [...element.querySelectorAll('.cell')]
  if (item === undefined) element.setAttribute('aria-busy', 'true')
  if (isChosen !== undefined) markChosen(element, isChosen)
  return element
}

/** The row that an element is in. */
export function rowOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element && target.closest('[aria-rowindex]')
  return row ? Number(row.ariaRowIndex) - ROWS_BEFORE : undefined
}

export function markChosen(element: HTMLElement, isChosen: boolean): void {
  element.setAttribute('aria-selected', String(isChosen))
  const box = element.querySelector('input')
  if (box !== null) box.checked = isChosen
}
