/** Opens a screen when the URL changes, and steps back where the reader decides to stay. */
import { countSteps, replaceHref } from './screen-url.ts'

export interface NavigationHooks {
  /** Whether the reader may leave what is shown; asks where something would be lost. */
  readonly mayLeave: () => boolean | Promise<boolean>
  /** Shows the screen of the current URL. */
  readonly show: () => void
  readonly signal: AbortSignal
}

export function followNavigation({ mayLeave, show, signal }: NavigationHooks): void {
  let shown = location.hash
  const stepsTaken = countSteps()
  /** History entries between the URL and the screen that the reader has not left. */
  let away: number | undefined
  let isAsking = false
  addEventListener('hashchange', (event) => void move(event), { signal })

  /** The URL has changed already. */
  async function move({ oldURL }: HashChangeEvent): Promise<void> {
    const steps = stepsTaken()
    if (away !== undefined) {
      away += steps
      // A reader who steps on has been asked already.
      if (isAsking) return
      away = undefined
      if (location.hash !== shown) restoreShown()
      return
    }
    // A screen may have put its state into the URL since it was opened.
    if (oldURL !== '') shown = new URL(oldURL).hash
    if (location.hash === shown) return
    away = steps
    isAsking = true
    const isLeft = await mayLeave()
    isAsking = false
    if (signal.aborted) return
    if (!isLeft) return comeBack(away)
    away = undefined
    shown = location.hash
    show()
  }

  function comeBack(steps: number): void {
    if (steps !== 0) return history.go(-steps)
    away = undefined
    restoreShown()
  }

  function restoreShown(): void {
    replaceHref(shown === '' ? './' : shown)
  }
}
