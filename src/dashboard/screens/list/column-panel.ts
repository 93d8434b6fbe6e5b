/** Choosing the columns of a list. The first names the row and stays. */
import type { StoredDocument } from '../../any-documents.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { h } from '../../kit/dom.ts'
import { columnsTicked } from './column-choice.ts'
import { COLUMNS_MAX } from './list-state.ts'
import type { ListView } from './list-view.ts'

export function columnPanel(
  columns: readonly TableColumn<StoredDocument>[],
  { columns: shown, state, rules, chooseColumns }: Pick<ListView, 'columns' | 'state' | 'rules' | 'chooseColumns'>,
  onChange: () => void,
): HTMLElement {
  const boxes = columns.map(({ key }) =>
    h('input', { type: 'checkbox', value: key, checked: shown().includes(key), on: { change } }),
  )
  limit()
  return h(
    'ul',
    {},
    boxes.map((box, i) => h('li', {}, h('label', { class: 'tick' }, box, columns[i]?.title))),
  )

  function change(): void {
    const ticked = boxes.filter(({ checked }) => checked).map(({ value }) => value)
    chooseColumns(columnsTicked(ticked, state(), rules))
    onChange()
    limit()
  }

  function limit(): void {
    const isFull = shown().length >= COLUMNS_MAX
    for (const [i, box] of boxes.entries()) box.disabled = i === 0 || (isFull && !box.checked)
  }
}
