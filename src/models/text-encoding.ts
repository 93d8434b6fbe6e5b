/** How the bytes of an imported file are read as text: spreadsheets write other encodings than UTF-8 as well. */

/** Names of the WHATWG Encoding Standard, which TextDecoder takes. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** As readers know them. */
export const ENCODING_TITLES: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

/** Bytes at the beginning of a file that tell its encoding. */
export const TELLING_BYTES = 1024 * 1024

const NUL = /\0/
/** What a decoder puts in place of bytes that are no UTF-8. */
const DAMAGE = /\uFFFD/g
const NOT_ASCII = /[^\p{ASCII}\uFFFD]/gu

/**
 * The encoding of a file that begins with these bytes: UTF-16 by its byte order mark, else Windows-1252 where the bytes are
 * no UTF-8. A file of UTF-8 with a few damaged characters stays one, so that the others are read as they were written.
 */
export function encodingOf(beginning: Uint8Array): TextEncoding {
  const [first, second] = beginning
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // A character that is cut off at the end is no damage.
  const text = new TextDecoder().decode(beginning.subarray(0, TELLING_BYTES), { stream: true })
  const damaged = text.match(DAMAGE)?.length ?? 0
  if (damaged === 0 || NUL.test(text)) return 'utf-8'
  return damaged > (text.match(NOT_ASCII)?.length ?? 0) ? 'windows-1252' : 'utf-8'
}
