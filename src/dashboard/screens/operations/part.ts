/** What a part of the operations screen is, and how it reads from the service: again and again, the latest wins. */
import { DatelineError, type RequestOptions } from '../../../client/client.ts'
import type { ScreenContext } from '../../screen.ts'
import { fill, type Child } from '../../kit/dom.ts'
import { failureState, skeleton } from '../../kit/states.ts'

export interface PartContext extends ScreenContext {
  /** Takes the part out of the screen: the service has nothing like it. */
  readonly onMissing: () => void
}

export interface Part {
  readonly element: HTMLElement
  readonly search?: HTMLElement
}

export type OpenPart = (context: PartContext) => Part

export interface Reading<T> {
  /** Where it is shown. */
  readonly place: HTMLElement
  /** Lines of the skeleton. */
  readonly lines: number
  readonly read: (options: RequestOptions) => Promise<T>
  readonly show: (found: T) => Child
}

const NOT_FOUND = 404

export interface Reader {
  /** Reads again, in place of a request in flight. */
  load(): void
  /**
   * Looks again without anybody having asked: it waits for what is under way, however slow that is, and where nothing
   * could be read it leaves that there until something can.
   */
  refresh(): void
}

/** Reads now, and whenever it is asked to. What is shown stays until newer is there. */
export function readInto<T>({ signal, onMissing }: PartContext, { place, lines, read, show }: Reading<T>): Reader {
  let current: AbortController | undefined
  let shown: 'nothing' | 'found' | 'failure' = 'nothing'
  signal.addEventListener('abort', () => current?.abort())
  const load = async (isAsked: boolean): Promise<void> => {
    current?.abort()
    if (signal.aborted) return
    const mine = (current = new AbortController())
    if (shown !== 'found' && isAsked) fill(place, skeleton(lines))
    try {
      const found = await read({ signal: mine.signal })
      if (mine.signal.aborted) return
      keepingFocus(place, () => fill(place, show(found)))
      shown = 'found'
    } catch (error) {
      if (mine.signal.aborted) return
      if (error instanceof DatelineError && error.status === NOT_FOUND) return onMissing()
      if (shown === 'failure' && !isAsked) return
      shown = 'failure'
      fill(
        place,
        failureState(error, () => void load(true)),
      )
    } finally {
      if (current === mine) current = undefined
    }
  }
  void load(true)
  return {
    load: () => void load(true),
    refresh: () => void (current === undefined && load(false)),
  }
}

/** Redrawn content keeps the focus: elements with the same `data-key` are the same. */
function keepingFocus(place: HTMLElement, draw: () => void): void {
  const focused = place.contains(document.activeElement) ? document.activeElement : null
  const key = focused instanceof HTMLElement ? focused.dataset['key'] : undefined
  draw()
  if (focused === null) return
  const same = [...place.querySelectorAll<HTMLElement>('[data-key]')].find((one) => one.dataset['key'] === key)
  ;(same ?? place.closest('main'))?.focus({ preventScroll: true })
}
