/**
 * The rows of a long list as a chain of pages: which there are, where each begins, and which have to be read.
 *
 * A page is known by the cursor that it begins at, so a page whose items were let go can be read again at any time, and
 * however far the reader scrolls, only the pages nearby are held. Of the others the ids stay, which is what a selection
 * and the height of the table need. Documents come, go and change places meanwhile; so a page that ends elsewhere than
 * its follower begins makes the follower begin there and be read again, and no row is shown twice or left out for long.
 */
import type { Page } from '../../../client/client.ts'

/** Rows that are asked for at a time. */
export const PAGE_ROWS = 50
/** Pages whose items are held. */
const PAGES_HELD = 14
/** More rows than anybody scrolls through; a table twice as high would reach what browsers can lay out. */
const ROWS_MAX = 100_000

/** A cursor; undefined begins at the top, null is the end. */
export type Start = string | undefined
type End = string | null

interface Slot<T> {
  start: Start
  ids: readonly string[]
  items: readonly T[] | undefined
  /** Shown as it is until it has been read again. */
  isStale: boolean
}

/** Enough to build the list again: where its pages begin, and the ids in them. */
export interface Layout {
  readonly pages: readonly { readonly start: Start; readonly ids: readonly string[] }[]
  readonly end: Start | End
}

export interface PageList<T> {
  readonly rowCount: number
  /** Whether there is nothing more to be read behind the last row. */
  readonly isComplete: boolean
  /** Whether there is more than is shown. */
  readonly isFull: boolean
  ids(): readonly string[]
  /** Undefined where the page of the row is not held. */
  itemAt(row: number): T | undefined
  idAt(row: number): string | undefined
  /** Pages that have to be read to show these rows and what follows soon, in their order. */
  missing(firstRow: number, lastRow: number): readonly number[]
  startOf(page: number): Start
  /** Takes a page that was read from this start; one that is not awaited any more is ignored. */
  put(page: number, start: Start, read: Page<T>): void
  /** Releases the pages far from these rows. */
  letGo(firstRow: number, lastRow: number): void
  /** Everything is to be read again. */
  expire(): void
  /** Takes out the rows that are hidden by now. */
  sift(): void
  layout(): Layout
}

export interface PageListOptions<T> {
  readonly isHidden: (item: T) => boolean
  readonly layout?: Layout | undefined
}

export function createPageList<T extends { readonly id: string }>({
  isHidden,
  layout = { pages: [], end: undefined },
}: PageListOptions<T>): PageList<T> {
  let slots = layout.pages.map((page): Slot<T> => ({ ...page, items: undefined, isStale: false }))
  let end = layout.end
  let rowCount = countRows()

  function countRows(): number {
    return slots.reduce((sum, { ids }) => sum + ids.length, 0)
  }

  /** The page of a row and the row's place in it. */
  function find(row: number): { readonly slot: Slot<T>; readonly page: number; readonly place: number } | undefined {
    let place = row
    for (const [page, slot] of slots.entries()) {
      if (place < slot.ids.length) return { slot, page, place }
      place -= slot.ids.length
    }
    return undefined
  }

  function pagesOf(firstRow: number, lastRow: number): readonly [first: number, last: number] {
    const last = find(lastRow)?.page ?? slots.length - 1
    return [find(Math.max(0, firstRow))?.page ?? last, last]
  }

  function fillSlot(slot: Slot<T>, items: readonly T[]): void {
    slot.items = items.filter((item) => !isHidden(item))
    slot.ids = slot.items.map(({ id }) => id)
  }

  return {
    get rowCount() {
      return rowCount
    },
    get isComplete() {
      return end === null || rowCount >= ROWS_MAX
    },
    get isFull() {
      return end !== null && rowCount >= ROWS_MAX
    },
    ids: () => slots.flatMap(({ ids }) => ids),
    itemAt(row) {
      const found = find(row)
      return found?.slot.items?.[found.place]
    },
    idAt(row) {
      const found = find(row)
      return found?.slot.ids[found.place]
    },
    missing(firstRow, lastRow) {
      const [first, last] = pagesOf(firstRow, lastRow)
      const wanted: number[] = []
      for (let page = Math.max(0, first); page <= last; page++) {
        const slot = slots[page]
        if (slot !== undefined && (slot.items === undefined || slot.isStale)) wanted.push(page)
      }
      if (lastRow >= rowCount && !this.isComplete) wanted.push(slots.length)
      return wanted
    },
    startOf: (page) => (page < slots.length ? slots[page]?.start : (end ?? undefined)),
    put(page, start, { items, cursor, hasMore }) {
      if (page > slots.length || this.startOf(page) !== start) return
      const next = hasMore ? cursor : null
      let slot = slots[page]
      if (slot === undefined) slots.push((slot = { start, ids: [], items: undefined, isStale: false }))
      fillSlot(slot, items)
      slot.isStale = false
      const follower = slots[page + 1]
      if (follower === undefined || next === null) {
        slots = slots.slice(0, page + 1)
        end = next
      } else if (follower.start !== next) {
        follower.start = next
        follower.isStale = true
      }
      rowCount = countRows()
    },
    letGo(firstRow, lastRow) {
      const [first, last] = pagesOf(firstRow, lastRow)
      const around = Math.max(0, Math.floor((PAGES_HELD - (last - first + 1)) / 2))
      for (const [page, slot] of slots.entries()) {
        if (page < first - around || page > last + around) slot.items = undefined
      }
    },
    expire() {
      for (const slot of slots) slot.isStale = true
    },
    sift() {
      for (const slot of slots) if (slot.items !== undefined) fillSlot(slot, slot.items)
      rowCount = countRows()
    },
    layout: () => ({ pages: slots.map(({ start, ids }) => ({ start, ids })), end }),
  }
}
