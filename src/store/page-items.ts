/**
 * The items of one page while a scan finds them: the best so far, in their order, and one more that tells that the
 * page is not the last.
 *
 * A page ends after `limit` items, or before the item that would take it past PAGE_BYTES_MAX; it has at least one item.
 * An item never moves forward while others are added, so one that does not fit now never will, and is dropped: memory
 * is bounded by one page, whatever the documents weigh.
 */
import type { Json } from '../base/json.ts'
import { comparePositions, type Position, type Sort } from '../query/order.ts'

/** Bytes of the documents of one page, as UTF-8. A single larger document still makes a page. */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024

export interface PageItem extends Position {
  readonly seq: number
  /** Undefined where the document has not been read yet. */
  readonly doc: string | undefined
}

export interface PageItems {
  /** Puts an item in its place, where it has one on this page. */
  add(item: PageItem): void
  /** The last item, where the page is full: what comes after it is not on the page. */
  readonly end: PageItem | undefined
  /** The items in order; one more than the page has where others follow. */
  readonly found: readonly PageItem[]
}

export function createPageItems({ sort, limit }: { readonly sort: Sort; readonly limit: number | undefined }): PageItems {
  const wanted = limit === undefined ? Number.POSITIVE_INFINITY : limit + 1
  const found: PageItem[] = []
  const sizes: number[] = []
  let bytes = 0
  const isFull = (): boolean => found.length >= wanted || (found.length > 1 && bytes > PAGE_BYTES_MAX)
  return {
    add(item) {
      if (isFull() && comparePositions(sort, found.at(-1) as PageItem, item) <= 0) return
      const place = placeOf(item, found, sort)
      const size = bytesAtLeast(item)
      found.splice(place, 0, item)
      sizes.splice(place, 0, size)
      bytes += size
      for (;;) {
        const without = bytes - (sizes.at(-1) ?? 0)
        if (found.length <= wanted && !(found.length > 2 && without > PAGE_BYTES_MAX)) return
        found.pop()
        sizes.pop()
        bytes = without
      }
    },
    get end() {
      return isFull() ? found.at(-1) : undefined
    },
    found,
  }
}

/** Binary insertion: the list is short, and most rows of a long scan fall off its end at the first comparison. */
function placeOf(item: PageItem, items: readonly PageItem[], sort: Sort): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePositions(sort, items[middle] as PageItem, item) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** A document that has not been read yet is no smaller than any of its keys. */
function bytesAtLeast({ doc, keys }: PageItem): number {
  if (doc !== undefined) return Buffer.byteLength(doc)
  return Math.max(0, ...keys.map((key: Json) => (typeof key === 'string' ? Buffer.byteLength(key) : 0)))
}
