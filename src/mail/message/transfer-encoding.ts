/**
 * Text and bytes in ASCII: quoted-printable or base64 (RFC 2045 section 6), whichever is shorter. The raw message must
 * not show six digits that are not the code (code-runs.ts): so a digit right after an encoded octet is encoded too
 * ("Ж1234" as `=D0=961234` would show 961234), and base64 is broken within such a run; decoders skip line breaks.
 */
import { codeRunsOf } from './code-runs.ts'

/** RFC 2045: at most 76 characters, in quoted-printable with the `=` of a soft line break. */
const LINE_CHARS_MAX = 76

interface EncodedText {
  readonly encoding: 'quoted-printable' | 'base64'
  /** Lines of at most 76 characters with CRLF between them. */
  readonly text: string
}

/** Encodes a text; any line ends become CRLF. The result shows six digits alone only where the text has them. */
export function encodeForTransfer(text: string): EncodedText {
  const quoted = encodeQuotedPrintable(text)
  const bytes = Buffer.from(text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'))
  const own = codeRunsOf(text)
  // A soft line break within a longer number may leave six of its digits alone.
  const addsNoRun = codeRunsOf(quoted).every((run) => own.includes(run))
  // Base64 has four characters for three bytes, and line breaks, which are found only where they can decide.
  if (addsNoRun && quoted.length <= Math.ceil(bytes.length / 3) * 4) return { encoding: 'quoted-printable', text: quoted }
  const base64 = base64Lines(bytes.toString('base64')).join('\r\n')
  return addsNoRun && quoted.length <= base64.length
    ? { encoding: 'quoted-printable', text: quoted }
    : { encoding: 'base64', text: base64 }
}

/** Splits base64 into lines. The prefix of the first has fewer than 70 characters and no digit at its end. */
export function base64Lines(base64: string, prefix = ''): readonly string[] {
  const lines: string[] = []
  let line = prefix
  let at = 0
  while (at < base64.length) {
    let size = LINE_CHARS_MAX - line.length
    while (codeRunsOf(line + base64.slice(at, at + size)).length > 0) size--
    lines.push(line + base64.slice(at, at + size))
    at += size
    line = ''
  }
  return lines
}

/** Encodes a text (RFC 2045 section 6.7); any line ends become CRLF. */
export function encodeQuotedPrintable(text: string): string {
  return text
    .toWellFormed()
    .split(/\r\n|\r|\n/)
    .map((line) => wrap(encodeLine(line)))
    .join('\r\n')
}

/** Encodes each character that is not `isPlain`, also for header words (RFC 2047 section 4.2). */
export function encodeOctets(text: string, isPlain: (character: string) => boolean): string[] {
  let afterOctet = false
  return Array.from(text, (character) => {
    const keep = isPlain(character) && !(afterOctet && character >= '0' && character <= '9')
    afterOctet = !keep
    return keep ? character : octets(character)
  })
}

function encodeLine(line: string): string {
  const encoded = line.replace(ENCODED, octets)
  const last = encoded.at(-1)
  // Servers may drop space at the end of a line.
  return last === ' ' || last === '\t' ? encoded.slice(0, -1) + octets(last) : encoded
}

/** What is not printable ASCII, and `=`; the digits after it as well. */
const ENCODED = /[^\t\x20-\x3c\x3e-\x7e](?:[^\t\x20-\x3c\x3e-\x7e]|[0-9])*/gu

/** Adds soft line breaks: after the last space that fits, so that words stay readable, else where the line is full. */
function wrap(encoded: string): string {
  const lines: string[] = []
  let start = 0
  while (encoded.length - start >= LINE_CHARS_MAX) {
    let end = start + LINE_CHARS_MAX - '='.length
    // Not within `=D0`.
    if (encoded[end - 1] === '=') end -= 1
    else if (encoded[end - 2] === '=') end -= 2
    const space = encoded.lastIndexOf(' ', end - 1)
    const cut = space < start ? end : space + 1
    lines.push(`${encoded.slice(start, cut)}=`)
    start = cut
  }
  return [...lines, encoded.slice(start)].join('\r\n')
}

function octets(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
