/**
 * Reads the pages of a list that are needed now, and ends requests for those that no longer are.
 *
 * After a failure no request is sent until the reader tries again: a service that does not answer is not called with every
 * step of a scroll wheel.
 */
import type { Page } from '../../../client/client.ts'
import { isAbort } from '../states.ts'
import type { PageList, Start } from './page-list.ts'

export type LoadPage<T> = (start: Start, signal: AbortSignal) => Promise<Page<T>>

export interface PageReaderOptions<T extends { readonly id: string }> {
  readonly pages: PageList<T>
  readonly load: LoadPage<T>
  readonly signal: AbortSignal
  readonly onRead: () => void
  readonly onFailure: (error: unknown) => void
}

export type PageReader = ReturnType<typeof createPageReader>

export function createPageReader<T extends { readonly id: string }>(options: PageReaderOptions<T>) {
  const { pages, load, signal, onRead, onFailure } = options
  const underWay = new Map<number, AbortController>()
  let isStopped = false

  async function read(page: number): Promise<void> {
    const own = new AbortController()
    underWay.set(page, own)
    const start = pages.startOf(page)
    try {
      const got = await load(start, AbortSignal.any([signal, own.signal]))
      if (own.signal.aborted || signal.aborted) return
      underWay.delete(page)
      pages.put(page, start, got)
      onRead()
    } catch (error) {
      if (own.signal.aborted || signal.aborted || isAbort(error)) return
      underWay.delete(page)
      isStopped = true
      onFailure(error)
    }
  }

  return {
    /** Reads these rows, and soon those after them, where they are missing. */
    want(firstRow: number, lastRow: number): void {
      if (isStopped || signal.aborted) return
      const missing = pages.missing(firstRow, lastRow)
      for (const [page, controller] of underWay) {
        if (missing.includes(page)) continue
        underWay.delete(page)
        controller.abort()
      }
      for (const page of missing) if (!underWay.has(page)) void read(page)
    },
    /** Aborts the requests in flight: their pages may be older than what is known by now. */
    startOver(): void {
      for (const controller of underWay.values()) controller.abort()
      underWay.clear()
    },
    /** Goes on after a failure. */
    retry(): void {
      isStopped = false
    },
  }
}
