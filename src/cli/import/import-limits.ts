/** Bounds of an import, and the sentences about them that its thread and its command share. */

/** As long as the body of a request may be. */
export const ROW_BYTES_MAX = 2 * 1024 * 1024

/** So much of a file is read at once. */
export const CHUNK_BYTES = 1024 * 1024

export const TOO_LONG = `expected at most ${ROW_BYTES_MAX} bytes in a row, found more`
export const UNCLOSED = 'a quote is opened and never closed'
