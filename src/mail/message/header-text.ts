/**
 * Text in mail headers: encoded words (RFC 2047), quoted names (RFC 5322 section 3.2.4), folding (section 2.2.3). ASCII
 * words stay as they are, so that a code in the subject is readable. Control characters are rejected: they add headers.
 */
import { isAscii } from '../address.ts'
import { codeRunsOf } from './code-runs.ts'
import { encodeOctets } from './transfer-encoding.ts'

/** RFC 2047 section 2: a line with an encoded word has no more characters than this; RFC 5322 2.1.1 allows two more. */
const LINE_CHARS_MAX = 76
const ENCODED_CHARS_MAX = 75
const FRAME_CHARS = '=?UTF-8?Q??='.length
/** A longer word of plain text is encoded too, because encoded words can be folded. */
const WORD_CHARS_MAX = 60

/** One header line, folded at its spaces, without the CRLF at its end. The value must be ready for the wire. */
export function headerLine(name: string, value: string): string {
  rejectControls(name, value)
  const [first = '', ...words] = value.split(' ')
  let text = `${name}: ${first}`
  let lineChars = text.length
  for (const word of words) {
    const folds = lineChars + 1 + word.length > LINE_CHARS_MAX
    text += folds ? `\r\n ${word}` : ` ${word}`
    lineChars = folds ? 1 + word.length : lineChars + 1 + word.length
  }
  return text
}

/** Free text such as a subject. Runs of spaces become one. */
export function encodeText(name: string, text: string): string {
  rejectControls(name, text)
  return encodeWhere(name, wordsOf(text), (word) => !isPlain(word))
}

/** The name in front of an address: as it is, quoted, or in encoded words. */
export function encodeName(name: string, text: string): string {
  rejectControls(name, text)
  const words = wordsOf(text)
  if (words.every((word) => isPlain(word) && ATOM.test(word))) return words.join(' ')
  if (words.every(isPlain)) return `"${words.join(' ').replace(/["\\]/g, '\\$&')}"`
  // Beside encoded words there is no quoting: a plain comma would end the address.
  return encodeWhere(name, words, (word) => !isPlain(word) || !ATOM.test(word))
}

const ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+$/

function wordsOf(text: string): string[] {
  return text.trim().split(/ +/)
}

function isPlain(word: string): boolean {
  return isAscii(word) && word.length <= WORD_CHARS_MAX && !word.includes('=?')
}

function encodeWhere(name: string, words: readonly string[], needsEncoding: (word: string) => boolean): string {
  const parts: string[] = []
  let run: string[] = []
  const endRun = (): void => {
    // Readers drop the space between two encoded words, so neighbours are encoded together with that space.
    if (run.length > 0)
      parts.push(encodeRun(run.join(' '), parts.length === 0 ? LINE_CHARS_MAX - `${name}: `.length : ENCODED_CHARS_MAX))
    run = []
  }
  for (const word of words) {
    if (needsEncoding(word)) run.push(word)
    else {
      endRun()
      parts.push(word)
    }
  }
  endRun()
  return parts.join(' ')
}

/** What RFC 2047 section 5 (3) allows unencoded in a name; a subject would allow more. */
const WORD_PLAIN = /^[A-Za-z0-9!*+/ -]$/

/** Encoded words. The first may be shorter, because the header's name is on the same line. */
function encodeRun(text: string, firstCharsMax: number): string {
  const wellFormed = text.toWellFormed()
  const q = quotedWords(wellFormed, firstCharsMax).join(' ')
  const b = base64Words(wellFormed, firstCharsMax).join(' ')
  return b.length < q.length && codeRunsOf(b).length === 0 ? b : q
}

/** Q encoding (RFC 2047 section 4.2). No character is split between two words. */
function quotedWords(text: string, firstCharsMax: number): readonly string[] {
  const words = ['']
  for (const unit of encodeOctets(text, (character) => WORD_PLAIN.test(character))) {
    const max = (words.length === 1 ? firstCharsMax : ENCODED_CHARS_MAX) - FRAME_CHARS
    if ((words.at(-1) ?? '').length + unit.length > max) words.push('')
    words.push(`${words.pop() ?? ''}${unit === ' ' ? '_' : unit}`)
  }
  return words.map((word) => `=?UTF-8?Q?${word}?=`)
}

/** B encoding (section 4.1): half as long as Q where few characters are ASCII. No character is split here either. */
function base64Words(text: string, firstCharsMax: number): readonly string[] {
  const words = ['']
  for (const character of text) {
    const max = (words.length === 1 ? firstCharsMax : ENCODED_CHARS_MAX) - FRAME_CHARS
    const grown = `${words.at(-1) ?? ''}${character}`
    if (base64Chars(grown) > max) words.push(character)
    else words.splice(-1, 1, grown)
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`)
}

function base64Chars(text: string): number {
  return 4 * Math.ceil(Buffer.byteLength(text) / 3)
}

function rejectControls(name: string, text: string): void {
  if (/\p{Cc}/u.test(text)) throw new Error(`Cannot write header ${name}: it must not have control characters`)
}
