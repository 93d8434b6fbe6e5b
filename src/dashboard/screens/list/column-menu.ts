/** Choosing the columns of a list. The first names the row and stays. */
import type { StoredDocument } from '../../any-documents.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { t } from '../../texts.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { COLUMNS_MAX } from './list-state.ts'

export interface ColumnMenuOptions {
  readonly columns: readonly TableColumn<StoredDocument>[]
  readonly shown: () => readonly string[]
  readonly choose: (keys: readonly string[]) => void
  readonly signal: AbortSignal
}

export function columnMenu({ columns, shown, choose, signal }: ColumnMenuOptions): HTMLElement {
  const boxes = new Map<string, HTMLInputElement>()
  const change = (): void => {
    choose([...boxes].filter(([, box]) => box.checked).map(([key]) => key))
    limit()
  }
  const limit = (): void => {
    const isFull = shown().length >= COLUMNS_MAX
    for (const [i, box] of [...boxes.values()].entries()) box.disabled = i === 0 || (isFull && !box.checked)
  }
  return dropDown({
    label: [icon('columns'), h('span', {}, t('list.columns'))],
    name: t('list.columns'),
    content() {
      boxes.clear()
      const rows = columns.map(({ key, title }) => {
        const box = h('input', { type: 'checkbox', checked: shown().includes(key), on: { change } })
        boxes.set(key, box)
        return h('li', {}, h('label', { class: 'tick' }, box, title))
      })
      limit()
      return h('ul', {}, rows)
    },
    signal,
  }).element
}
