/** Follows the address from place to place, and takes a step back where the reader would rather stay. */
import { countSteps, noteHref } from './places.ts'

export interface AddressHooks {
  /** Whether the reader may leave what is shown; asks where something would be lost. */
  readonly mayLeave: () => boolean | Promise<boolean>
  /** Shows the place that the address has now. */
  readonly show: () => void
  readonly signal: AbortSignal
}

export function followAddress({ mayLeave, show, signal }: AddressHooks): void {
  let shown = location.hash
  const stepsTaken = countSteps()
  /** How many steps the address is away from the place that the reader has not left. */
  let away: number | undefined
  let isAsking = false
  addEventListener('hashchange', (event) => void move(event), { signal })

  /** The address has changed already. */
  async function move({ oldURL }: HashChangeEvent): Promise<void> {
    const steps = stepsTaken()
    if (away !== undefined) {
      away += steps
      // A reader who steps on has been asked already.
      if (isAsking) return
      away = undefined
      if (location.hash !== shown) noteShown()
      return
    }
    // A screen may have noted its state in the address since it was opened.
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
    noteShown()
  }

  function noteShown(): void {
    noteHref(shown === '' ? './' : shown)
  }
}
