/** Requests that wait until there is a change for them. */
import type { ChangePages } from './change-pages.ts'
import { followRights, turnOf, type Following } from './following.ts'
import type { PageReading, ChangePage } from './page-reading.ts'
import type { Job } from './rounds.ts'

interface Waiter extends Following {
  readonly limit: number
  /** The page that is being read. */
  reading: PageReading | undefined
  readonly settle: (result: { readonly page: ChangePage } | { readonly error: unknown }) => void
}

/** `onChange` is called when one is added or has left. */
export function createChangeWaits(pages: Pick<ChangePages, 'start' | 'view' | 'rights'>, onChange: () => void) {
  const waiters = new Set<Waiter>()

  function answer(waiter: Waiter, mayGoOn: () => boolean): 'unfinished' | 'done' {
    if (!waiters.has(waiter)) return 'done'
    try {
      // The cursor of an empty page still has the former rights, so the next request is told to start over.
      if (followRights(pages, waiter)) waiter.settle(nothing(waiter))
      else return read(waiter, mayGoOn)
    } catch (error) {
      waiter.settle({ error })
    }
    return 'done'
  }
  function read(waiter: Waiter, mayGoOn: () => boolean): 'unfinished' | 'done' {
    waiter.reading ??= pages.start(waiter.view, waiter.seq, waiter)
    const page = waiter.reading.advance(mayGoOn)
    if (page === undefined) return 'unfinished'
    waiter.reading = undefined
    waiter.seq = page.next
    if (page.items.length > 0 || page.hasMore) waiter.settle({ page })
    return 'done'
  }
  const nothing = ({ seq }: Waiter): { readonly page: ChangePage } => ({ page: { items: [], next: seq, hasMore: false, steps: 0 } })

  return {
    size: () => waiters.size,
    /** A job for each. */
    jobs: (): Job[] => [...waiters].map((waiter) => ({ ...turnOf(waiter), run: (mayGoOn) => answer(waiter, mayGoOn) })),
    /** The first page with a change behind the seq; an empty one when the signal aborts. Rejects when the session ends. */
    wait(reading: Following, limit: number, signal: AbortSignal): Promise<ChangePage> {
      const { promise, resolve, reject } = Promise.withResolvers<ChangePage>()
      const waiter: Waiter = {
        ...reading,
        limit,
        reading: undefined,
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
