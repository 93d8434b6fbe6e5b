/** What a table shows of an item, by what it is sorted, and where it stands in a row. */
import { h, type Child } from '../dom.ts'

export interface TableColumn<T> {
  readonly key: string
  readonly title: string
  /** A track of a CSS grid: `minmax(0, 3fr)`, `8rem`. */
  readonly width: string
  /** How it is sorted at first, such as `updatedAt:desc`; absent where that would be slow or mean nothing. */
  readonly sort?: string | undefined
  /** The name of the button that sorts, where the title alone is that of another button. */
  readonly sortName?: string | undefined
  /** Whether it stands in the second line where a row is a card. The first column is always the first line. */
  readonly isDetail?: boolean
  /** Whether it stands below the first column, in a line with others, and has no track. */
  readonly isBelow?: boolean
  cell(item: T): Child
}

/** The parts of a row in their order: the name, what stands below it, and the other columns. */
export function partsOf<T>([name, ...others]: readonly TableColumn<T>[], cell: (column: TableColumn<T>, kind: string) => HTMLElement): readonly Child[] {
  const below = others.filter(({ isBelow }) => isBelow)
  const own = others.filter(({ isBelow }) => isBelow !== true)
  return [
    name !== undefined && cell(name, 'cell main'),
    below.length > 0 && h('div', { class: 'below' }, below.map((one) => cell(one, 'cell'))),
    own.map((one) => cell(one, one.isDetail === true ? 'cell detail' : 'cell')),
  ]
}

/** The path of a sort such as `updatedAt:desc`; empty without one. */
export function sortPath(sort = ''): string {
  return sort.replace(/:desc$/, '')
}
