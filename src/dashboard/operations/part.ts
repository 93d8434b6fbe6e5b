/** What a part of the operations screen is, and how it reads from the service: again and again, the latest wins. */
import { DatelineError, type RequestOptions } from '../../client/client.ts'
import type { ScreenContext } from '../screen.ts'
import { fill, type Child } from '../view/dom.ts'
import { failureState, skeleton } from '../view/states.ts'

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

/** Reads now, and whenever the function that comes back is called. What is shown stays until newer is there. */
export function readInto<T>({ signal, onMissing }: PartContext, { place, lines, read, show }: Reading<T>): () => void {
  let current = new AbortController()
  let isShown = false
  signal.addEventListener('abort', () => current.abort())
  const load = async (): Promise<void> => {
    current.abort()
    const { signal: mine } = (current = new AbortController())
    if (signal.aborted) return
    if (!isShown) fill(place, skeleton(lines))
    try {
      const found = await read({ signal: mine })
      if (mine.aborted) return
      keepingFocus(place, () => fill(place, show(found)))
      isShown = true
    } catch (error) {
      if (mine.aborted) return
      if (error instanceof DatelineError && error.status === NOT_FOUND) return onMissing()
      isShown = false
      fill(
        place,
        failureState(error, () => void load()),
      )
    }
  }
  void load()
  return () => void load()
}

/** What is drawn anew has the focus again where it had it: elements with the same `data-key` are the same. */
function keepingFocus(place: HTMLElement, draw: () => void): void {
  const focused = place.contains(document.activeElement) ? document.activeElement : null
  const key = focused instanceof HTMLElement ? focused.dataset['key'] : undefined
  draw()
  if (focused === null) return
  const same = [...place.querySelectorAll<HTMLElement>('[data-key]')].find((one) => one.dataset['key'] === key)
  ;(same ?? place.closest('main'))?.focus({ preventScroll: true })
}
