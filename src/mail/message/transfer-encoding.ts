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
  const base64 = base64Lines(bytes.toString('base64')).join('\r\n')
  const own = codeRunsOf(text)
  // A soft line break within a longer number may leave six of its digits alone.
  const addsNoRun = codeRunsOf(quoted).every((run) => own.includes(run))
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

function encodeLine(line: string): string[] {
  const units = encodeOctets(line, (character) => BODY_PLAIN.test(character))
  const last = units.length - 1
  // Servers may drop space at the end of a line.
  if (units[last] === ' ' || units[last] === '\t') units[last] = octets(units[last])
  return units
}

const BODY_PLAIN = /^[\t\x20-\x3c\x3e-\x7e]$/

/** Adds soft line breaks: after the last space that fits, so that words stay readable, else where the line is full. */
function wrap(characters: readonly string[]): string {
  const lines: string[] = []
  let line = ''
  let afterSpace = 0
  for (const unit of characters.flatMap((character) => character.match(/=..|[^=]/gs) ?? [])) {
    while (line.length + unit.length > LINE_CHARS_MAX - '='.length) {
      const cut = afterSpace > 0 ? afterSpace : line.length
      lines.push(`${line.slice(0, cut)}=`)
      line = line.slice(cut)
      afterSpace = 0
    }
    line += unit
    if (unit === ' ') afterSpace = line.length
  }
  return [...lines, line].join('\r\n')
}

function octets(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
