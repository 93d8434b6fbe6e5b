/**
 * The items of one page during a scan: the first ones so far, in order, and one more that shows that the page is not the
 * last.
 *
 * A page ends after `limit` items, or before the item that would take it past PAGE_BYTES_MAX; it has at least one item.
 * An item never moves forward while others are added, so one that does not fit now never will, and is dropped: memory
 * is bounded by one page, whatever the documents weigh.
 */
import { comparePositions, type Position, type Sort } from '../../query/order.ts'

/** Bytes of the documents of one page, as UTF-8. A single larger document still makes a page. */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024

export interface PageItem extends Position {
  readonly seq: number
  /** Of the document, or fewer; 0 where it has not been read yet. */
  readonly bytes: number
}

export function createPageItems({ sort, limit }: { readonly sort: Sort; readonly limit: number | undefined }) {
  const wanted = limit === undefined ? Number.POSITIVE_INFINITY : limit + 1
  const found: PageItem[] = []
  let bytes = 0
  const isFull = (): boolean => found.length >= wanted || (found.length > 1 && bytes > PAGE_BYTES_MAX)
  const insert = (item: PageItem): boolean => {
    const last = found.at(-1)
    if (last === undefined || comparePositions(sort, last, item) <= 0) {
      if (isFull()) return false
      found.push(item)
    } else {
      found.splice(positionIn(item, found, sort), 0, item)
    }
    bytes += bytesAtLeast(item)
    return true
  }
  return {
    /** Inserts an item, where it belongs on this page. */
    add(item: PageItem): void {
      if (!insert(item)) return
      for (let last = found.at(-1); last !== undefined; last = found.at(-1)) {
        const without = bytes - bytesAtLeast(last)
        if (found.length <= wanted && !(found.length > 2 && without > PAGE_BYTES_MAX)) return
        found.pop()
        bytes = without
      }
    },
    /** The last item, where the page is full: what comes after it is not on the page. */
    get end(): PageItem | undefined {
      return isFull() ? found.at(-1) : undefined
    },
    /** The items in order; one more than the page has where others follow. */
    found: found as readonly PageItem[],
  }
}

/** Binary search: the list is short, and most rows of a long scan fall off its end before they come here. */
function positionIn(item: PageItem, items: readonly PageItem[], sort: Sort): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePositions(sort, items[middle] as PageItem, item) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A bound from below, which drops no item that belongs on the page: a document that has not been read yet is no smaller
 * than any of its keys.
 */
function bytesAtLeast({ bytes, keys }: PageItem): number {
  if (bytes > 0) return bytes
  let longest = 0
  for (const key of keys) if (typeof key === 'string' && key.length > longest) longest = key.length
  return longest
}
