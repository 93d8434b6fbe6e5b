/** The pages of one round, as the events of a stream: read and written once for all streams that see the same. */
import { eventText } from '../../http/server/event-stream.ts'
import { writeChangeCursor } from './change-cursor.ts'
import { itemText, type ChangePage, type ChangePages, type ChangeView } from './change-pages.ts'

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

export type PageMemo = ReturnType<typeof createPageMemo>

/** `onRead` is called for each page that is read. */
export function createPageMemo(pages: ChangePages, limit: number, onRead: () => void) {
  const known = new Map<string, EventPage>()
  return (view: ChangeView, after: number, format: EventFormat): EventPage => {
    const key = `${format.name} ${after} ${view.key}`
    let found = known.get(key)
    if (found === undefined) {
      onRead()
      const page = pages.read(view, after, limit)
      const text = page.items.length === 0 ? '' : format.events(page, view, pages.range().history)
      known.set(key, (found = { bytes: Buffer.from(text), next: page.next, hasMore: page.hasMore }))
    }
    return found
  }
}
