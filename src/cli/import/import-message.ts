/**
 * What an import and its thread tell each other.
 *
 * Rows travel as a few long arrays, not as an object each: copying a message takes time for every name in it. Bytes are
 * handed over and back without a copy.
 */
import type { RowFormat } from '../../content/import-rows.ts'

export interface ImportSetup {
  /** The database file, to look up what is there. */
  readonly file: string
  readonly model: string
  /** The file to import; undefined where its bytes come as messages. */
  readonly path: string | undefined
  readonly format: RowFormat
  readonly keep: boolean
  /** The time of the import, in the form of a stored date. */
  readonly date: string
  /** Where the first row begins in the file, and on which line. */
  readonly offset: number
  readonly line: number
  /** How many KiB of prepared rows nobody has taken yet. The thread waits while there are too many. */
  readonly kibWaiting: Int32Array<SharedArrayBuffer>
}

/** A chunk of what is imported, where it is no file; undefined at its end. */
export interface ChunkMessage {
  readonly chunk: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Of each row in `places`: where it is in the bytes, its line, where the next begins in the file, and on which line.
 */
export const PLACE_NUMBERS = 5

/**
 * Rows in their order; all arrays but `places` have one entry for each. The rows of a chunk come in several blocks
 * where they are large: a row of a few bytes may become a document of megabytes, by its references.
 */
export interface PreparedBlock {
  /** Bytes of the chunk that this answers; 0 where another block is to come. */
  readonly taken: number
  /** What it holds in memory, in KiB. */
  readonly kib: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly places: Float64Array<ArrayBuffer>
  readonly ids: readonly (string | undefined)[]
  readonly isNewId: readonly boolean[]
  readonly docs: readonly string[]
  readonly searches: readonly (readonly string[] | undefined)[]
  readonly bases: readonly (string | undefined)[]
  /** Why a row cannot be taken. */
  readonly refusals: readonly (string | undefined)[]
  /** Why nothing can be read behind these rows. */
  readonly stop: { readonly line: number; readonly message: string } | undefined
  readonly isLast: boolean
}
