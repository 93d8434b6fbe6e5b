/** What a table shows of an item, by what it is sorted, and where it stands in a row. */
import type { Child } from '../dom.ts'

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

/** The path of a sort such as `updatedAt:desc`; empty without one. */
export function sortPath(sort = ''): string {
  return sort.replace(/:desc$/, '')
}
