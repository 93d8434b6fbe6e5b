/** Limits how many streams and waiting requests are open at the same time, over all threads. */
import { fail } from '../base/failure.ts'
import type { SharedCounts } from '../base/shared-counts.ts'

/** What one user may have open of a kind of stream, and what a request past it gets. */
export interface StreamShare {
  readonly name: string
  readonly perUserMax: number
  readonly code: 'tooManyRequests' | 'networkError'
}

/** A browser opens six connections to a server at most, and a user may have a second device. */
export const CHANGE_STREAMS: StreamShare = { name: 'changes', perUserMax: 8, code: 'tooManyRequests' }
/** A guess: how long the others stay is unknown. */
const RETRY_AFTER_S = 15

export type StreamSlots = ReturnType<typeof createStreamSlots>

/** `counts` is what all threads share. */
export function createStreamSlots(max: number, counts: Pick<SharedCounts, 'add' | 'addToTotal' | 'of' | 'total'>) {
  const add = (key: string, by: number): void => {
    counts.add(key, by)
    counts.addToTotal(by)
  }
  return {
    inUse: (): number => counts.total(),
    /** Throws the failure of the share where a user has all of theirs, or all are in use. */
    require(user: string, { name, perUserMax, code }: StreamShare): void {
      const isOwn = counts.of(`${name} ${user}`) >= perUserMax
      if (!isOwn && counts.total() < max) return
      const what = isOwn ? `${perUserMax} streams of one user` : `${max} streams`
      throw fail(code, `Cannot open a stream: at most ${what} can be open, waiting requests included: close one`, {
        headers: { 'Retry-After': String(RETRY_AFTER_S) },
      })
    },
    /** Takes one, and returns what gives it back; undefined where another request was faster. */
    take(user: string, { name, perUserMax }: StreamShare): (() => void) | undefined {
      const key = `${name} ${user}`
      add(key, 1)
      let isHeld = true
      const free = (): void => {
        if (isHeld) add(key, -1)
        isHeld = false
      }
      // Counted before it is compared: threads that take at the same time never have one too many.
      if (counts.of(key) <= perUserMax && counts.total() <= max) return free
      free()
      return undefined
    },
  }
}
