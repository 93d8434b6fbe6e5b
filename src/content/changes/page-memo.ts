/** The pages of one round, as the events of a stream: read and written once for all streams that see the same. */
import { eventText } from '../../http/event-stream.ts'
import { writeChangeCursor } from './change-cursor.ts'
import { itemText, type ChangePages } from './change-pages.ts'
import type { PageBounds, PageReading, ChangePage, ChangeView } from './page-reading.ts'

/** How a kind of stream writes changes. */
export interface EventFormat {
  /** The same for all streams of the kind. */
  readonly name: string
  /** The events of a page that has items. */
  events(page: ChangePage, view: ChangeView, history: string): string
  /** The event for a client that has to start over, and goes on behind a seq. Without one, the stream ends. */
  resync(seq: number, view: ChangeView, history: string): string | undefined
}

/** An event for each item; the last one stands for all that the client does not see behind it as well. */
export const CHANGE_EVENTS: EventFormat = {
  name: 'changes',
  events: ({ items, next }, view, history) =>
    items
      .map((item, i) => {
        const seq = i === items.length - 1 ? next : item.record.seq
        return eventText({ id: writeChangeCursor(seq, view.rights, history), data: itemText(item, view) })
      })
      .join(''),
  resync(seq, { rights }, history) {
    const next = writeChangeCursor(seq, rights, history)
    return eventText({ id: next, event: 'resync', data: JSON.stringify({ next }) })
  },
}

interface EventPage {
  /** Empty where nothing changed. */
  readonly bytes: Uint8Array
  readonly next: number
  readonly hasMore: boolean
}

export interface MemoReading {
  /** Undefined where the page is not read to its end yet. */
  readonly page: EventPage | undefined
  /** The steps that this call has taken, of a page that others may share. */
  readonly steps: number
}

export type PageMemo = ReturnType<typeof createPageMemo>

/** `onRead` is called for each page that is read. */
export function createPageMemo(pages: Pick<ChangePages, 'start' | 'range'>, bounds: PageBounds, onRead: () => void) {
  const known = new Map<string, { readonly reading: PageReading; page: EventPage | undefined }>()
  const begin = (view: ChangeView, after: number) => {
    onRead()
    return { reading: pages.start(view, after, bounds), page: undefined as EventPage | undefined }
  }
  return (view: ChangeView, after: number, format: EventFormat, mayGoOn: () => boolean): MemoReading => {
    const key = `${format.name} ${after} ${view.key}`
    const found = known.get(key) ?? begin(view, after)
    if (found.page !== undefined) return { page: found.page, steps: 0 }
    // What throws is begun again for the next stream.
    known.delete(key)
    const before = found.reading.spent()
    const page = found.reading.advance(mayGoOn)
    if (page !== undefined) {
      const text = page.items.length === 0 ? '' : format.events(page, view, pages.range().history)
      found.page = { bytes: Buffer.from(text), next: page.next, hasMore: page.hasMore }
    }
    known.set(key, found)
    return { page: found.page, steps: found.reading.spent() - before }
  }
}
