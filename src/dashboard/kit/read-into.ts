/** Reading from the service into an element of the page, as often as wanted: the latest request wins. */
import { NotFound, type RequestOptions } from '../../client/client.ts'
import { fill, h, type Child } from './dom.ts'
import { keepFocus } from './focus.ts'
import { failureState, skeleton } from './states.ts'

export interface Reading<T> {
  readonly element: HTMLElement
  /** Lines of the skeleton; of several numbers, each is a card. */
  readonly lines: number | readonly number[]
  readonly read: (options: RequestOptions) => Promise<T>
  readonly show: (found: T) => Child
}

export interface ReadingContext {
  /** Ends the reading. */
  readonly signal: AbortSignal
  /** Runs in place of a failure where the service has nothing there. */
  readonly onMissing?: () => void
}

/** Reads now, and again by `load` and `refresh`. What is shown stays until newer is there. */
export function readInto<T>({ signal, onMissing }: ReadingContext, { element, lines, read, show }: Reading<T>) {
  let current: AbortController | undefined
  let shown: 'nothing' | 'found' | 'failure' = 'nothing'
  signal.addEventListener('abort', () => current?.abort())
  const work = async (isAsked: boolean): Promise<void> => {
    current?.abort()
    if (signal.aborted) return
    const mine = (current = new AbortController())
    if (shown !== 'found' && isAsked) fill(element, skeletons(lines)).ariaBusy = 'true'
    try {
      const found = await read({ signal: mine.signal })
      if (mine.signal.aborted) return
      keepFocus(element, () => fill(element, show(found)))
      shown = 'found'
    } catch (error) {
      if (mine.signal.aborted) return
      if (error instanceof NotFound && onMissing !== undefined) return onMissing()
      if (shown === 'failure' && !isAsked) return
      shown = 'failure'
      fill(element, failureState(error, load))
    } finally {
      if (current === mine) {
        current = undefined
        element.ariaBusy = null
      }
    }
  }
  const load = (): void => void work(true)
  load()
  return {
    /** Reads again, in place of a request in flight. */
    load,
    /** Reads again unasked: never in place of a request in flight, and a failure that is shown stays until it succeeds. */
    refresh: (): void => void (current === undefined && work(false)),
  }
}

function skeletons(lines: Reading<unknown>['lines']): Child {
  if (typeof lines === 'number') return skeleton(lines)
  return lines.map((count) => h('div', { class: 'card' }, skeleton(count)))
}
