/**
 * What serving threads tell each other about their reads, in memory that they share.
 *
 * - The number of commits of the thread that writes. A response leaves after its commit was counted, so that a request
 *   behind it, on whatever thread, is answered from a snapshot that has the commit.
 * - Which threads read. SQLite restarts its WAL, and can erase what it held, only in a moment without readers in it
 *   (sqlite.org/wal.html#avoiding_excessively_large_wal_files), and busy threads leave none: so the writer holds them
 *   back for as long as it moves the WAL, some milliseconds.
 */

/** The places of the shared cells. The flags of the threads follow. */
const [HELD, COMMITS, FLAGS] = [0, 1, 2]
/** A turn of a thread takes a few milliseconds. Those that take longer are not waited for: the WAL is moved later. */
const QUIET_MS_MAX = 20
/** A move never takes so long; a writer that ended must not keep others waiting. */
const HELD_MS_MAX = 1_000

export interface GateMemory {
  readonly cells: SharedArrayBuffer
  /** Of each thread: how many queries it has answered by itself. */
  readonly answers: SharedArrayBuffer
}

export function gateMemory(threads: number): GateMemory {
  return {
    cells: new SharedArrayBuffer((FLAGS + threads) * Int32Array.BYTES_PER_ELEMENT),
    answers: new SharedArrayBuffer(threads * Float64Array.BYTES_PER_ELEMENT),
  }
}

/** The gate as a thread that reads uses it. */
export type ReaderGate = ReturnType<typeof createReaderGate>

/** `thread` is the number of this one, from 0. */
export function createReaderGate(memory: GateMemory, thread: number) {
  const [cells, answers] = [new Int32Array(memory.cells), new Float64Array(memory.answers)]
  const listeners = new Set<() => void>()
  let isFollowing = false

  /** A wait cannot be cancelled. So there is one, however often listeners come and go between two commits. */
  async function follow(): Promise<void> {
    isFollowing = true
    let seen = Atomics.load(cells, COMMITS)
    while (listeners.size > 0) {
      await Atomics.waitAsync(cells, COMMITS, seen).value
      seen = Atomics.load(cells, COMMITS)
      for (const listener of [...listeners]) listener()
    }
    isFollowing = false
  }

  return {
    /** A number that differs after each commit of the service. */
    commits: (): number => Atomics.load(cells, COMMITS),
    /**
     * Calls a listener behind commits of the service, once for those of a moment. Returns how to stop.
     * https://tc39.es/ecma262/#sec-atomics.waitasync
     */
    onCommit(listener: () => void): () => void {
      listeners.add(listener)
      if (!isFollowing) void follow()
      return () => void listeners.delete(listener)
    },
    countAnswer: (): void => void (answers[thread] = (answers[thread] as number) + 1),
    /** Waits while the writer has no readers, and begins to read. */
    enter(): void {
      Atomics.store(cells, FLAGS + thread, 1)
      if (Atomics.load(cells, HELD) === 0) return
      Atomics.store(cells, FLAGS + thread, 0)
      Atomics.notify(cells, FLAGS + thread)
      Atomics.wait(cells, HELD, 1, HELD_MS_MAX)
      Atomics.store(cells, FLAGS + thread, 1)
    },
    leave(): void {
      Atomics.store(cells, FLAGS + thread, 0)
      if (Atomics.load(cells, HELD) === 1) Atomics.notify(cells, FLAGS + thread)
    },
  }
}

/** The gate as the thread that writes uses it. */
export type WriterGate = ReturnType<typeof createWriterGate>

export function createWriterGate(memory: GateMemory) {
  const [cells, answers] = [new Int32Array(memory.cells), new Float64Array(memory.answers)]
  return {
    countCommit(): void {
      Atomics.add(cells, COMMITS, 1)
      Atomics.notify(cells, COMMITS)
    },
    /** How many queries the other threads have answered. */
    answered: (): number => answers.reduce((sum, of) => sum + of, 0),
    /** Does the work while no other thread reads, as far as they all stop within QUIET_MS_MAX. */
    withoutReaders<T>(work: () => T): T {
      Atomics.store(cells, HELD, 1)
      try {
        const until = performance.now() + QUIET_MS_MAX
        for (let i = FLAGS; i < cells.length; i++) {
          if (Atomics.load(cells, i) === 1) Atomics.wait(cells, i, 1, Math.max(0, until - performance.now()))
        }
        return work()
      } finally {
        Atomics.store(cells, HELD, 0)
        Atomics.notify(cells, HELD)
      }
    },
    /** The thread has ended. */
    forget: (thread: number): void => void Atomics.store(cells, FLAGS + thread, 0),
  }
}
