/** Requests that wait until there is a change for them. */
import type { ChangePage, ChangePages } from './change-pages.ts'
import { followRights, type Following } from './following.ts'

interface Waiter extends Following {
  readonly limit: number
  readonly settle: (result: { readonly page: ChangePage } | { readonly error: unknown }) => void
}

/** `onChange` is called when one is added or has left. */
export function createChangeWaits(pages: ChangePages, onChange: () => void) {
  const waiters = new Set<Waiter>()

  function answer(waiter: Waiter): void {
    if (!waiters.has(waiter)) return
    try {
      // The cursor of an empty page still has the former rights, so the next request is told to start over.
      if (followRights(pages, waiter)) return waiter.settle(nothing(waiter))
      const page = pages.read(waiter.view, waiter.seq, waiter.limit)
      waiter.seq = page.next
      if (page.items.length > 0 || page.hasMore) waiter.settle({ page })
    } catch (error) {
      waiter.settle({ error })
    }
  }
  const nothing = ({ seq }: Waiter): { readonly page: ChangePage } => ({ page: { items: [], next: seq, hasMore: false } })

  return {
    size: () => waiters.size,
    /** A job for each: returns whether there is more to do for it. */
    jobs: () =>
      [...waiters].map((waiter) => (): boolean => {
        answer(waiter)
        return false
      }),
    /** The first page with a change behind the seq; an empty one when the signal aborts. Rejects when the session ends. */
    wait(reading: Following, limit: number, signal: AbortSignal): Promise<ChangePage> {
      const { promise, resolve, reject } = Promise.withResolvers<ChangePage>()
      const waiter: Waiter = {
        ...reading,
        limit,
        settle(result) {
          waiters.delete(waiter)
          signal.removeEventListener('abort', giveUp)
          if ('page' in result) resolve(result.page)
          else reject(result.error as Error)
          onChange()
        },
      }
      const giveUp = (): void => waiter.settle(nothing(waiter))
      if (signal.aborted) giveUp()
      else {
        waiters.add(waiter)
        signal.addEventListener('abort', giveUp)
        onChange()
      }
      return promise
    },
    /** Answers all with nothing. */
    close: (): void => [...waiters].forEach((waiter) => waiter.settle(nothing(waiter))),
  }
}
