/** How the cells of a row stand, in the head as in the rows: the name, in one box what stands below it, and the other columns. */
import { h, type Child } from '../dom.ts'
import type { TableColumn } from './table-column.ts'

/** `cell` makes the cell of a column with this class. */
export function rowParts<T>([name, ...others]: readonly TableColumn<T>[], cell: (column: TableColumn<T>, kind: string) => HTMLElement): readonly Child[] {
  const below = others.filter(({ isBelow }) => isBelow)
  const own = others.filter(({ isBelow }) => isBelow !== true)
  return [
    name !== undefined && cell(name, 'cell main'),
    below.length > 0 && h('div', { class: 'below' }, below.map((one) => cell(one, 'cell'))),
    own.map((one) => cell(one, one.isDetail === true ? 'cell detail' : 'cell')),
  ]
}
