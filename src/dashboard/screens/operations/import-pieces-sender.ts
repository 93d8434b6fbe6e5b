/**
 * Sends a file in pieces: each ends behind a line, and the next one begins where the service has come. So a file of any size
 * takes the memory of one piece, and only the service knows where a row of CSV ends. A piece that is sent again, after its
 * response was lost, has the same key, by which the service goes on where it has come.
 */
import type { ImportedPiece } from '../../../models/responses.ts'
import { encodingOf, TELLING_BYTES, type TextEncoding } from '../../../models/text-encoding.ts'

const PIECE_BYTES = 128 * 1024
/** What the service takes at most: a row that is longer ends the import there. */
const PIECE_BYTES_MAX = 1024 * 1024
const PREVIEW_BYTES = 64 * 1024
const LINE_FEED = 0x0a
/** The file for the rejected rows is bounded, too. */
const REJECTED_MAX = 100_000

/** Bytes of the file are no UTF-8, though its beginning is. */
export class NotUtf8 extends Error {}

/** The file as UTF-8, and the encoding that it has; the browser keeps a large one on the disk. */
export async function asUtf8(file: Blob): Promise<{ readonly file: Blob; readonly encoding: TextEncoding }> {
  const encoding = encodingOf(new Uint8Array(await file.slice(0, TELLING_BYTES).arrayBuffer()))
  if (encoding === 'utf-8') return { file, encoding }
  const text = file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream())
  return { file: await new Response(text).blob(), encoding }
}

export interface ImportTotals extends Omit<ImportedPiece, 'columns' | 'separator' | 'failed'> {}

interface Piece {
  readonly rows: string
  readonly line: number
  readonly isLast: boolean
}

/** A piece that the service could not finish: it is sent again to go on. */
export class PieceFailed extends Error {}

interface Sending {
  readonly send: (piece: Piece, key: string) => Promise<ImportedPiece>
  /** A text for this import of the file, the same where it is gone on with. */
  readonly importKey: string
  /** Whether pieces are as large as they may be: rows of one piece see each other in a check. */
  readonly isLarge: boolean
  /** Gets the totals up to here. */
  readonly onPiece: (totals: ImportTotals) => void
  /** Where an earlier run has come, to go on behind it. */
  readonly from: ImportTotals | undefined
  /** Asked before each piece: one that is under way is waited for, since the service may have stored it already. */
  readonly isStopped: () => boolean
}

/** The beginning of a file, up to the end of a line. Throws NotUtf8. */
export async function firstText(file: Blob): Promise<string> {
  return textOf(await bytesOf(file, 0, PREVIEW_BYTES))
}

const NOTHING: ImportTotals = { bytes: 0, nextLine: 1, inserted: 0, replaced: 0, unchanged: 0, rejected: [], sameAddress: [], stopped: null }

/** Throws NotUtf8, PieceFailed, and what `send` throws; what was written until then stays. */
export async function sendPieces(file: Blob, { send, importKey, isLarge, onPiece, from: totals = NOTHING, isStopped }: Sending): Promise<void> {
  const usual = isLarge ? PIECE_BYTES_MAX : PIECE_BYTES
  let size = usual
  while (totals.bytes < file.size && totals.stopped === null && !isStopped()) {
    const bytes = await bytesOf(file, totals.bytes, size)
    const isLast = totals.bytes + bytes.length >= file.size
    const piece = { rows: textOf(bytes), line: totals.nextLine, isLast }
    const key = `${importKey} ${totals.bytes} ${bytes.length}`
    const first = await send(piece, key)
    const done = first.failed === null ? first : await send(piece, key)
    if (done.failed !== null) throw new PieceFailed(done.failed.message)
    // A row that is longer than the piece.
    if (done.bytes === 0 && done.stopped === null) {
      if (size >= PIECE_BYTES_MAX) return
      size *= 2
      continue
    }
    size = usual
    totals = {
      bytes: totals.bytes + done.bytes,
      nextLine: done.nextLine,
      inserted: totals.inserted + done.inserted,
      replaced: totals.replaced + done.replaced,
      unchanged: totals.unchanged + done.unchanged,
      rejected: [...totals.rejected, ...done.rejected].slice(0, REJECTED_MAX),
      sameAddress: [...totals.sameAddress, ...done.sameAddress].slice(0, REJECTED_MAX),
      stopped: done.stopped,
    }
    onPiece(totals)
  }
}

async function bytesOf(file: Blob, from: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await file.slice(from, from + size).arrayBuffer())
  if (from + bytes.length >= file.size) return bytes
  if (size >= PIECE_BYTES_MAX) return wholeCharacters(bytes)
  const end = bytes.lastIndexOf(LINE_FEED) + 1
  return end === 0 ? wholeCharacters(bytes) : bytes.subarray(0, end)
}

/** Without the beginning of a character that is cut off (RFC 3629 section 3). */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 1 && end > bytes.length - 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, Math.max(0, end - 1))
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new NotUtf8()
  }
}
