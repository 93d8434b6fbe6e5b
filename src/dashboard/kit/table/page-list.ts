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

/** A cursor; undefined begins at the top. */
export type Start = string | undefined

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
  /** The cursor behind the last page; null where there is no more. */
  readonly end: Start | null
}

export interface PageListOptions<T> {
  readonly isHidden: (item: T) => boolean
  readonly layout?: Layout | undefined
}

export type PageList<T extends { readonly id: string }> = ReturnType<typeof createPageList<T>>

export function createPageList<T extends { readonly id: string }>({
  isHidden,
  layout = { pages: [], end: undefined },
}: PageListOptions<T>) {
  let slots = layout.pages.map((page): Slot<T> => ({ ...page, items: undefined, isStale: false }))
  let end = layout.end
  const rowCount = (): number => slots.reduce((sum, { ids }) => sum + ids.length, 0)
  const isFull = (): boolean => rowCount() >= ROWS_MAX
  const isComplete = (): boolean => end === null || isFull()

  /** Undefined begins at the top. */
  function startOf(page: number): Start {
    return page < slots.length ? slots[page]?.start : (end ?? undefined)
  }

  function shown(items: readonly T[]): Pick<Slot<T>, 'items' | 'ids'> {
    const visible = items.filter((item) => !isHidden(item))
    return { items: visible, ids: visible.map(({ id }) => id) }
  }

  return {
    get rowCount() {
      return rowCount()
    },
    /** Whether there is nothing more to be read behind the last row. */
    get isComplete() {
      return isComplete()
    },
    /** Whether there is more than is shown. */
    get isFull() {
      return end !== null && isFull()
    },
    ids: (): readonly string[] => slots.flatMap(({ ids }) => ids),
    /** Undefined where the page of the row is not held. */
    itemAt(row: number): T | undefined {
      const { slot, offset } = find(slots, row)
      return slot?.items?.[offset]
    },
    idAt(row: number): string | undefined {
      const { slot, offset } = find(slots, row)
      return slot?.ids[offset]
    },
    /** Pages that have to be read to show these rows and what follows soon, in their order. */
    missing(firstRow: number, lastRow: number): readonly number[] {
      const unread = unreadPages(slots, pagesOf(slots, firstRow, lastRow))
      return lastRow >= rowCount() && !isComplete() ? [...unread, slots.length] : unread
    },
    startOf,
    /** Takes a page that was read from this start; one that is not awaited any more is ignored. */
    put(page: number, start: Start, { items, cursor, hasMore }: Page<T>): void {
      if (page > slots.length || startOf(page) !== start) return
      const next = hasMore ? cursor : null
      slots[page] = { start, ...shown(items), isStale: false }
      const follower = slots[page + 1]
      if (follower === undefined || next === null) {
        slots = slots.slice(0, page + 1)
        end = next
      } else if (follower.start !== next) {
        follower.start = next
        follower.isStale = true
      }
    },
    /** Releases the pages far from these rows. */
    letGo(firstRow: number, lastRow: number): void {
      const [first, last] = pagesOf(slots, firstRow, lastRow)
      const around = Math.max(0, Math.floor((PAGES_HELD - (last - first + 1)) / 2))
      for (const [page, slot] of slots.entries()) {
        if (page < first - around || page > last + around) slot.items = undefined
      }
    },
    /** Everything is to be read again. */
    expire(): void {
      for (const slot of slots) slot.isStale = true
    },
    /** Puts a newer item in the place of its row. False where no row is its. */
    update(item: T): boolean {
      const slot = slots.find(({ ids }) => ids.includes(item.id))
      if (slot?.items !== undefined) slot.items = slot.items.map((one) => (one.id === item.id ? item : one))
      return slot !== undefined
    },
    /** Takes out rows whose items are gone. */
    remove(gone: readonly string[]): void {
      for (const slot of slots) {
        if (!slot.ids.some((id) => gone.includes(id))) continue
        slot.ids = slot.ids.filter((id) => !gone.includes(id))
        if (slot.items !== undefined) slot.items = slot.items.filter(({ id }) => !gone.includes(id))
      }
    },
    /** Takes out the rows that are hidden by now. */
    sift(): void {
      for (const slot of slots) if (slot.items !== undefined) Object.assign(slot, shown(slot.items))
    },
    layout: (): Layout => ({ pages: slots.map(({ start, ids }) => ({ start, ids })), end }),
  }
}

type Rows = Pick<Slot<unknown>, 'ids'>
type PageRange = readonly [first: number, last: number]

/** The page of a row and the row's offset in it; without a page where no page has the row. */
function find<S extends Rows>(slots: readonly S[], row: number) {
  let offset = row
  for (const [page, slot] of slots.entries()) {
    if (offset < slot.ids.length) return { slot, page, offset }
    offset -= slot.ids.length
  }
  return { offset }
}

function pagesOf(slots: readonly Rows[], firstRow: number, lastRow: number): PageRange {
  const last = find(slots, lastRow).page ?? slots.length - 1
  return [find(slots, Math.max(0, firstRow)).page ?? last, last]
}

function unreadPages(slots: readonly Slot<unknown>[], [first, last]: PageRange): readonly number[] {
  return slots.flatMap(({ items, isStale }, page) => {
    return page >= first && page <= last && (items === undefined || isStale) ? [page] : []
  })
}
