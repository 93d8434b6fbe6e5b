/** Choosing the columns of a list. The first names the row and stays. */
import { fieldTitle } from '../../model-titles.ts'
import { h } from '../../kit/dom.ts'
import { COLUMNS_MAX } from './list-state.ts'
import type { ListView } from './list-view.ts'

export function columnPanel({ columns, rules, tickColumns }: Pick<ListView, 'columns' | 'rules' | 'tickColumns'>, onChange: () => void): HTMLElement {
  const shown = columns()
  const boxes = rules.columns.map((one) => h('input', { type: 'checkbox', value: one.name, checked: shown.includes(one), on: { change } }))
  limit()
  return h(
    'ul',
    {},
    boxes.map((box) => h('li', {}, h('label', { class: 'tick' }, box, fieldTitle(box.value)))),
  )

  function change(): void {
    tickColumns(boxes.filter(({ checked }) => checked).map(({ value }) => value))
    onChange()
    limit()
  }

  function limit(): void {
    const isFull = columns().length >= COLUMNS_MAX
    for (const [i, box] of boxes.entries()) box.disabled = i === 0 || (isFull && !box.checked)
  }
}
