/**
 * Quoted-printable (RFC 2045 section 6.7), and the Q encoding of header words that is made of the same parts
 * (RFC 2047 section 4.2).
 *
 * Two habits of ours serve whoever reads a code out of the raw message. Lines are broken at spaces where there is one,
 * so that a word stays in one piece. And a digit right after an encoded octet is encoded too: "Ж1234" written as
 * `=D0=961234` would show the six digits 961234.
 */

/** RFC 2045: at most 76 characters with the `=` of a soft line break. */
const LINE_CHARS_MAX = 75

/** Encodes a text; any line ends become CRLF. */
export function encodeQuotedPrintable(text: string): string {
  return text
    .toWellFormed()
    .split(/\r\n|\r|\n/)
    .map((line) => wrap(encodeLine(line)))
    .join('\r\n')
}

/** Encodes the characters one by one, keeping those that `isPlain`; each result stands for a whole character. */
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
  // Space at the end of a line gets lost on the way.
  if (units[last] === ' ' || units[last] === '\t') units[last] = octets(units[last])
  return units
}

const BODY_PLAIN = /^[\t\x20-\x3c\x3e-\x7e]$/

/** Puts soft line breaks: after the last space that fits, else wherever the line is full. */
function wrap(characters: readonly string[]): string {
  const lines: string[] = []
  let line = ''
  let afterSpace = 0
  for (const unit of characters.flatMap((character) => character.match(/=..|[^=]/gs) ?? [])) {
    while (line.length + unit.length > LINE_CHARS_MAX) {
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
