/** Choosing the columns of a list. The first names the row and stays. */
import type { StoredDocument } from '../../any-documents.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { t } from '../../texts.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { COLUMNS_MAX } from './list-state.ts'
import type { ListView } from './list-view.ts'

export function columnMenu(
  columns: readonly TableColumn<StoredDocument>[],
  { state, chooseColumns, signal }: ListView,
  onChange: () => void,
): HTMLElement {
  function content(): HTMLElement {
    const boxes = columns.map(({ key }) =>
      h('input', { type: 'checkbox', value: key, checked: state().columns.includes(key), on: { change } }),
    )
    limit()
    return h(
      'ul',
      {},
      boxes.map((box, i) => h('li', {}, h('label', { class: 'tick' }, box, columns[i]?.title))),
    )

    function change(): void {
      chooseColumns(boxes.filter(({ checked }) => checked).map(({ value }) => value))
      onChange()
      limit()
    }

    function limit(): void {
      const isFull = state().columns.length >= COLUMNS_MAX
      for (const [i, box] of boxes.entries()) box.disabled = i === 0 || (isFull && !box.checked)
    }
  }

  const label = t('list.columns')
  return dropDown({ label: [icon('columns'), h('span', {}, label)], name: label, content, signal }).element
}
