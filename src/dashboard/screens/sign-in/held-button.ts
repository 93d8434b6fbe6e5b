/** A button that cannot be pressed for a while and counts down to when it can. */
import { t } from '../../texts.ts'
import { every, now } from '../../timing.ts'
import { fill } from '../../kit/dom.ts'
import { duration } from '../../kit/moments.ts'

const TICK_MS = 500

export function holdButton(button: HTMLButtonElement, label: string, signal: AbortSignal) {
  let until = 0
  let isBusy = false
  const draw = (): void => {
    const rest = Math.ceil((until - now()) / 1000) * 1000
    button.disabled = isBusy || rest > 0
    const words = rest > 0 ? t('signIn.again', { label, time: duration(rest) }) : label
    if (button.textContent !== words) fill(button, words)
  }
  draw()
  every(TICK_MS, signal, draw)
  return {
    /** Milliseconds since the epoch. */
    holdUntil(time: number): void {
      until = time
      draw()
    },
    /** While a request is in flight. */
    busy(next: boolean): void {
      isBusy = next
      draw()
    },
  }
}
