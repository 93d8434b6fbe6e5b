/**
 * Where the lines of the log wait until they are written.
 *
 * Whatever reads the log may stall: a program that never reads its child's stderr, a full disk, a terminal that is
 * stopped. The service goes on all the same, and holds a bounded number of bytes. Past it, lines are dropped, those of
 * level info first, and counted; once most of the held lines are written, they are taken again, and a line says how many
 * are missing. A line is written at the end of its turn of the event loop, and lines that follow within some milliseconds
 * together: each request has one, and must not cost a system call.
 */
import { LOG_LEVELS, type LogLevel } from './log-level.ts'

const HELD_BYTES_MAX = 4 * 1024 * 1024
/** Lines of a level are taken while less than this share of the bytes is held. */
const SHARE_OF_LEVEL: Readonly<Record<LogLevel, number>> = { debug: 0.75, info: 0.75, warn: 0.875, error: 1 }
/** Lines are taken again when no more than this share is held. */
const RESUME_SHARE = 0.25
const PIECE_BYTES = 64 * 1024
/** Lines that come sooner after a write wait for so long. */
const WRITE_PERIOD_MS = 10
/** After a write that wrote nothing, the next try: twice as late each time. */
const RETRY_MS = { min: 5, max: 250 }

/** What takes bytes. Both calls give how many were taken, which may be none, and throw where writing failed. */
export interface LogSink {
  /** Never waits for whatever reads them. */
  write(bytes: Uint8Array): number | Promise<number>
  /** Called when the event loop has ended; may wait for a disk. */
  writeAtExit(bytes: Uint8Array): number
}

export type LineCounts = Readonly<Record<LogLevel, number>>

export interface LogOutput {
  /** Takes a line that ends in a newline, or drops it. */
  add(line: string, level: LogLevel): void
  /** Writes what can be written now. */
  flush(): void
  /** Resolves when nothing is held, or after this time. */
  drained(ms: number): Promise<void>
  /** Writes what is held for at most this time, without the event loop. */
  flushAtExit(ms: number): void
  readonly heldBytes: number
  /** How many lines were dropped since the start. */
  readonly dropped: LineCounts
}

export interface LogOutputOptions {
  readonly sink: LogSink
  /** Called when lines are taken again: it may add a line that says how many are missing. */
  readonly onResume: (missing: LineCounts) => void
  readonly heldBytesMax?: number
}

interface Piece {
  readonly buffer: Buffer
  start: number
  end: number
}

export function createLogOutput({ sink, onResume, heldBytesMax = HELD_BYTES_MAX }: LogOutputOptions): LogOutput {
  const pieces: Piece[] = []
  const dropped: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 }
  let missing: Record<LogLevel, number> | undefined
  /** Of the most important level that is missing; -1 where none is. */
  let rankMissing = -1
  let heldBytes = 0
  let isScheduled = false
  /** What the sink was given and has not taken yet. */
  let bytesInFlight = 0
  let isBroken = false
  let retryMs = RETRY_MS.min
  let retry: NodeJS.Timeout | undefined
  let pause: NodeJS.Timeout | undefined
  let onDrained: () => void = () => {}

  function drop(level: LogLevel): void {
    missing ??= { debug: 0, info: 0, warn: 0, error: 0 }
    missing[level]++
    dropped[level]++
    rankMissing = Math.max(rankMissing, LOG_LEVELS.indexOf(level))
  }

  /** Once lines of a level are dropped, so are the next, or a slow reader would get one report after the other. */
  function hasRoom(bytes: number, level: LogLevel): boolean {
    if (isBroken || LOG_LEVELS.indexOf(level) <= rankMissing) return false
    return heldBytes + bytes <= heldBytesMax * SHARE_OF_LEVEL[level]
  }

  function append(line: string, bytes: number): void {
    let piece = pieces.at(-1)
    if (piece === undefined || piece.buffer.length - piece.end < bytes) {
      piece = { buffer: Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes)), start: 0, end: 0 }
      pieces.push(piece)
    }
    piece.end += piece.buffer.write(line, piece.end)
    heldBytes += bytes
  }

  function schedule(): void {
    if (isScheduled || bytesInFlight > 0 || retry !== undefined || pause !== undefined) return
    isScheduled = true
    setImmediate(writeAndPause)
  }

  function writeAndPause(): void {
    isScheduled = false
    writeOn()
    pause = setTimeout(() => {
      pause = undefined
      if (heldBytes > 0) writeAndPause()
    }, WRITE_PERIOD_MS).unref()
  }

  function writeOn(): void {
    while (bytesInFlight === 0 && retry === undefined) {
      const piece = pieces[0]
      if (piece === undefined || piece.start === piece.end) return
      try {
        const taken = sink.write(piece.buffer.subarray(piece.start, piece.end))
        if (typeof taken === 'number') written(piece, taken)
        else waitFor(piece, taken)
      } catch (error) {
        failed(error)
      }
    }
  }

  function waitFor(piece: Piece, taking: Promise<number>): void {
    bytesInFlight = piece.end - piece.start
    const settled = (): void => void (bytesInFlight = 0)
    taking
      .then((taken) => {
        settled()
        written(piece, taken)
      })
      .catch((error: unknown) => {
        settled()
        failed(error)
      })
      .finally(writeOn)
  }

  function written(piece: Piece, bytes: number): void {
    piece.start += bytes
    heldBytes -= bytes
    if (piece.start === piece.end) {
      // The next lines go into the same memory.
      if (pieces.length === 1 && piece.buffer.length === PIECE_BYTES) piece.start = piece.end = 0
      else pieces.shift()
    }
    if (bytes === 0) return tryLater()
    retryMs = RETRY_MS.min
    if (missing !== undefined && heldBytes <= heldBytesMax * RESUME_SHARE) resume(missing)
    if (heldBytes === 0) onDrained()
  }

  function resume(counts: LineCounts): void {
    missing = undefined
    rankMissing = -1
    onResume(counts)
  }

  function tryLater(): void {
    retry = setTimeout(() => {
      retry = undefined
      writeOn()
    }, retryMs).unref()
    retryMs = Math.min(2 * retryMs, RETRY_MS.max)
  }

  /** Where whatever reads is gone for good, nothing more is held. Another failure, as of a full disk, may pass. */
  function failed(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPIPE' && code !== 'EIO' && code !== 'EBADF') return tryLater()
    isBroken = true
    pieces.length = 0
    heldBytes = 0
    onDrained()
  }

  return {
    add(line, level) {
      const bytes = Buffer.byteLength(line)
      if (!hasRoom(bytes, level)) return drop(level)
      append(line, bytes)
      schedule()
    },
    flush: writeOn,
    async drained(ms) {
      writeOn()
      if (heldBytes === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onDrained = resolve
      const late = setTimeout(resolve, ms)
      await promise
      clearTimeout(late)
    },
    flushAtExit(ms) {
      const [first] = pieces
      if (bytesInFlight > 0 && first !== undefined) {
        sleep(ms / 4) // The pool of node writes on; its bytes count as written.
        written(first, bytesInFlight)
      }
      for (let leftMs = ms; heldBytes > 0 && leftMs > 0; ) {
        const piece = pieces[0]
        if (piece === undefined) return
        const taken = atExit(piece)
        if (taken > 0) written(piece, taken)
        else {
          sleep(RETRY_MS.min)
          leftMs -= RETRY_MS.min
        }
      }
    },
    get heldBytes() {
      return heldBytes
    },
    dropped,
  }

  function atExit(piece: Piece): number {
    try {
      return sink.writeAtExit(piece.buffer.subarray(piece.start, piece.end))
    } catch {
      return 0
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
