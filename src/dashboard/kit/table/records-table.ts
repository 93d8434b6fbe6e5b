/** A table of few rows; on narrow screens, each row is a card. Roles stand in it, since styles of cards take them away. */
import { h, type Child } from '../dom.ts'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => Child
  readonly kind?: 'number' | 'code' | 'actions'
}

export function recordsTable<T>(label: string, columns: readonly Column<T>[], rows: readonly T[]): HTMLElement {
  const head = columns.map(({ title, kind }) =>
    h('th', { role: 'columnheader', scope: 'col', class: kind }, kind === 'actions' ? spoken(title) : title),
  )
  const lines = rows.map((row) =>
    h(
      'tr',
      { role: 'row' },
      columns.map(({ title, cell, kind }) => h('td', { role: 'cell', class: kind, 'data-label': title }, cell(row))),
    ),
  )
  return h(
    'table',
    { class: 'records', role: 'table', 'aria-label': label },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, lines),
  )
}

function spoken(text: string): HTMLElement {
  return h('span', { class: 'spoken' }, text)
}
