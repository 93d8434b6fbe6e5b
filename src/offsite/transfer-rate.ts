/** A bound on bytes per second, over all that one thread sends and reads. */
import type { Pause } from '../base/pause.ts'

/** Timers are not exact below this. */
const PAUSE_MS_MIN = 20
const PIECE_BYTES = 64 * 1024
const RANGE_BYTES = { min: 256 * 1024, max: 8 * 1024 * 1024 }
/** A range takes so long at the bound. */
const RANGE_SECONDS = 4

export type TransferRate = ReturnType<typeof createTransferRate>

/** `perSecond` undefined is no bound. */
export function createTransferRate(perSecond: number | undefined, pause: Pause) {
  let owedMs = 0

  /** Resolves when further bytes may follow these. */
  const take = async (bytes: number): Promise<void> => {
    if (perSecond === undefined) return
    owedMs += (bytes / perSecond) * 1_000
    if (owedMs < PAUSE_MS_MIN) return
    const ms = owedMs
    owedMs = 0
    await pause(ms)
  }
  return {
    take,
    /** The bytes in pieces, none faster than the bound. */
    async *paced(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const piece = bytes.subarray(at, at + PIECE_BYTES)
        await take(piece.length)
        yield piece
      }
    },
    /** How much to read at once. */
    rangeBytes: Math.min(RANGE_BYTES.max, Math.max(RANGE_BYTES.min, (perSecond ?? Infinity) * RANGE_SECONDS)),
    /** Milliseconds that a transfer takes at the bound. */
    msFor: (bytes: number): number => (perSecond === undefined ? 0 : (bytes / perSecond) * 1_000),
  }
}
