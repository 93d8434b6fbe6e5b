/**
 * A lock for the write transactions of two threads of this process. SQLite's own lock keeps them apart; this one lets the
 * thread that serves wait without blocking its event loop, where SQLite would sleep until the file is free
 * (sqlite.org/c3ref/busy_timeout.html).
 */
const [HELD, WANTED] = [0, 1]
/** After so long, the serving thread leaves the waiting to SQLite. */
const WAIT_MS_MAX = 2_000

export type WriteLock = ReturnType<typeof createWriteLock>

/** `memory` is that of the other thread's lock. */
export function createWriteLock(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
  const cells = new Int32Array(memory)
  const wake = (cell: number): void => {
    Atomics.store(cells, cell, 0)
    Atomics.notify(cells, cell)
  }
  return {
    memory,
    /** For the serving thread: resolves when the other has ended its transaction; undefined where it has none. */
    whenFree(): Promise<unknown> | undefined {
      if (Atomics.load(cells, HELD) === 0) return undefined
      Atomics.store(cells, WANTED, 1)
      const waiting = Atomics.waitAsync(cells, HELD, 1, WAIT_MS_MAX)
      return waiting.async ? waiting.value : undefined
    },
    /** For the serving thread, behind its transaction: the other may begin one. */
    served: (): void => wake(WANTED),
    /** For the other thread: runs work that writes, once the serving thread wants to write no longer. */
    async hold<T>(work: () => Promise<T>): Promise<T> {
      Atomics.wait(cells, WANTED, 1, WAIT_MS_MAX)
      Atomics.store(cells, HELD, 1)
      try {
        return await work()
      } finally {
        wake(HELD)
      }
    },
    /** For the serving thread, when the other one has ended: perhaps in a transaction, which SQLite has rolled back. */
    free: (): void => wake(HELD),
  }
}
