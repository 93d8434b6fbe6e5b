/**
 * Where the lines of the log wait until they are written.
 *
 * The reader of the log may stall: a program that never reads its child's stderr, a full disk, a terminal that is stopped.
 * The service goes on, and holds a bounded number of bytes. Past it, lines are dropped, those of level info first, and
 * counted; once most of the held lines are written, they are taken again, and a line says how many are missing. A line is
 * written at the end of its turn of the event loop, and lines that follow within some milliseconds together: each request
 * has one, and must not cost a system call.
 */
import { createLineDrops, type LineCounts } from './line-drops.ts'
import type { LogLevel } from './log-level.ts'
import { within } from './pause.ts'
import { errorCode } from './system-error.ts'

const HELD_BYTES_MAX = 4 * 1024 * 1024
/** Lines that come sooner after a write wait for so long. */
const WRITE_PERIOD_MS = 10
/** So many bytes are written without waiting for others. */
const BATCH_BYTES = 64 * 1024
/** After a write that wrote nothing, the next try: twice as late each time. */
const RETRY_MS = { min: 5, max: 250 }

/** What takes bytes. Both calls return how many were taken, which may be none, and throw where writing failed. */
export interface LogSink {
  /** Never waits for the reader. */
  write(bytes: Uint8Array): number | Promise<number>
  /** Called when the event loop has ended; may wait for a disk. */
  writeAtExit(bytes: Uint8Array): number
}

interface LogOutputOptions {
  readonly sink: LogSink
  /** Called when lines are taken again: it may add a line that says how many are missing. */
  readonly onResume: (missing: LineCounts) => void
  readonly heldBytesMax?: number
}

export type LogOutput = ReturnType<typeof createLogOutput>

export function createLogOutput({ sink, onResume, heldBytesMax = HELD_BYTES_MAX }: LogOutputOptions) {
  const held = createLineBuffer()
  const drops = createLineDrops(heldBytesMax)
  /** The reader is gone for good: nothing is held any more. */
  let isBroken = false
  let onDrained: () => void = () => {}
  const writer = createWriter(held, sink, { onWritten, onBroken })

  function onWritten(): void {
    const missing = drops.resume(held.bytes)
    if (missing !== undefined) onResume(missing)
    if (held.bytes === 0) onDrained()
  }

  function onBroken(): void {
    isBroken = true
    held.clear()
    onDrained()
  }

  return {
    /** Takes a line that ends in a newline, or drops it. */
    add(line: string, level: LogLevel): void {
      const bytes = Buffer.byteLength(line)
      if (isBroken || drops.isDue(level, held.bytes + bytes)) return drops.count(level)
      held.append(line, bytes)
      writer.schedule()
    },
    /** Writes what can be written now. */
    flush: writer.write,
    /** Resolves when nothing is held, or after this time. */
    async drained(ms: number): Promise<void> {
      writer.write()
      if (held.bytes === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onDrained = resolve
      await within(ms, promise)
    },
    /** Writes what is held for at most this time, without the event loop. */
    flushAtExit(ms: number): void {
      writer.skipInFlight(ms / 4)
      for (let leftMs = ms; held.bytes > 0 && leftMs > 0; ) {
        const taken = writeAtExit(sink, held.first() ?? NOTHING)
        if (taken > 0) writer.written(taken)
        else {
          sleep(RETRY_MS.min)
          leftMs -= RETRY_MS.min
        }
      }
    },
    get heldBytes() {
      return held.bytes
    },
    dropped: drops.dropped,
  }
}

/** Writes what is held, at the pace of the sink. */
function createWriter(
  held: ReturnType<typeof createLineBuffer>,
  sink: LogSink,
  { onWritten, onBroken }: { readonly onWritten: () => void; readonly onBroken: () => void },
) {
  let isScheduled = false
  /** Given to the sink, which has not taken them yet. */
  let bytesInFlight = 0
  let retryMs = RETRY_MS.min
  let retry: NodeJS.Timeout | undefined
  let pause: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || bytesInFlight > 0 || retry !== undefined || pause !== undefined) return
    isScheduled = true
    setImmediate(writeAndPause)
  }

  function writeAndPause(): void {
    isScheduled = false
    write()
    pause = setTimeout(() => {
      pause = undefined
      if (held.bytes > 0) writeAndPause()
    }, WRITE_PERIOD_MS).unref()
  }

  function write(): void {
    while (bytesInFlight === 0 && retry === undefined) {
      const bytes = held.first()
      if (bytes === undefined) return
      try {
        const taken = sink.write(bytes)
        if (typeof taken === 'number') written(taken)
        else void settle(taken, bytes.length)
      } catch (error) {
        failed(error)
      }
    }
  }

  async function settle(taking: Promise<number>, bytes: number): Promise<void> {
    bytesInFlight = bytes
    try {
      written(await taking.finally(() => (bytesInFlight = 0)))
    } catch (error) {
      failed(error)
    }
    // Lines that came meanwhile wait for the end of the pause: a write of each few would cost more than they do.
    if (pause === undefined || held.bytes >= BATCH_BYTES) write()
  }

  function written(bytes: number): void {
    held.remove(bytes)
    if (bytes === 0) return tryLater()
    retryMs = RETRY_MS.min
    onWritten()
  }

  function tryLater(): void {
    retry = setTimeout(() => {
      retry = undefined
      write()
    }, retryMs).unref()
    retryMs = Math.min(2 * retryMs, RETRY_MS.max)
  }

  function failed(error: unknown): void {
    if (isReaderGone(error)) onBroken()
    else tryLater()
  }

  return {
    schedule,
    write,
    written,
    /** At the exit, counts bytes in flight as written: node's thread pool goes on with them for this time. */
    skipInFlight(ms: number): void {
      if (bytesInFlight === 0 || held.bytes === 0) return
      sleep(ms)
      written(bytesInFlight)
    },
  }
}

const NOTHING = new Uint8Array(0)

/** Whether the reader is gone for good. Another error, as of a full disk, may pass. */
function isReaderGone(error: unknown): boolean {
  return ['EPIPE', 'EIO', 'EBADF'].includes(errorCode(error))
}

function writeAtExit(sink: LogSink, bytes: Uint8Array): number {
  try {
    return sink.writeAtExit(bytes)
  } catch {
    return 0
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

// Lines that wait to be written, in a few large buffers: many of them are written at once.

const PIECE_BYTES = 64 * 1024

interface Piece {
  readonly buffer: Buffer
  start: number
  end: number
}

function createLineBuffer() {
  const pieces: Piece[] = []
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    /** Adds a line of this length. */
    append(line: string, length: number): void {
      let piece = pieces.at(-1)
      if (piece === undefined || piece.buffer.length - piece.end < length) {
        piece = { buffer: Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, length)), start: 0, end: 0 }
        pieces.push(piece)
      }
      piece.end += piece.buffer.write(line, piece.end)
      bytes += length
    },
    /** The bytes to write next; undefined where there are none. */
    first(): Uint8Array | undefined {
      const piece = pieces[0]
      return piece === undefined || piece.start === piece.end ? undefined : piece.buffer.subarray(piece.start, piece.end)
    },
    /** Removes so many of the first bytes, which were written. */
    remove(count: number): void {
      const piece = pieces[0]
      if (piece === undefined) return
      piece.start += count
      bytes -= count
      if (piece.start < piece.end) return
      // The next lines go into the same memory.
      if (pieces.length === 1 && piece.buffer.length === PIECE_BYTES) piece.start = piece.end = 0
      else pieces.shift()
    },
    clear(): void {
      pieces.length = 0
      bytes = 0
    },
  }
}
