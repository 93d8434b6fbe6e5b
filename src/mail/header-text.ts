/**
 * Text in mail headers: encoded words (RFC 2047), quoted names (RFC 5322 section 3.2.4), folding (section 2.2.3).
 *
 * Words that ASCII can say stay as they are, so that a code in the subject is readable in the raw message too. Line
 * breaks and other control characters are refused, not repaired: they would let a value write headers of its own.
 */
import { isAscii } from './address.ts'
import { encodeOctets } from './quoted-printable.ts'

/** RFC 5322 2.1.1: a line should have no more characters than this. */
const LINE_CHARS_MAX = 78
/** RFC 2047 section 2: an encoded word has at most 75 characters, of which the frame takes twelve. */
const ENCODED_CHARS_MAX = 75 - '=?UTF-8?Q??='.length
/** A longer word of plain text is encoded as well, for encoded words can be folded. */
const WORD_CHARS_MAX = 60

/** One header line, folded at its spaces, without the CRLF at its end. The value must be ready for the wire. */
export function headerLine(name: string, value: string): string {
  refuseControls(name, value)
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
  refuseControls(name, text)
  return encodeWhere(wordsOf(text), (word) => !isPlain(word))
}

/** The name in front of an address: as it is, quoted, or in encoded words. */
export function encodeName(name: string, text: string): string {
  refuseControls(name, text)
  const words = wordsOf(text)
  if (words.every((word) => isPlain(word) && ATOM.test(word))) return words.join(' ')
  if (words.every(isPlain)) return `"${words.join(' ').replace(/["\\]/g, '\\$&')}"`
  // Beside encoded words there is no quoting: a comma left as it is would end the address.
  return encodeWhere(words, (word) => !isPlain(word) || !ATOM.test(word))
}

const ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+$/

function wordsOf(text: string): string[] {
  return text.trim().split(/ +/)
}

/** Whether a word can be in a header as it is. */
function isPlain(word: string): boolean {
  return isAscii(word) && word.length <= WORD_CHARS_MAX && !word.includes('=?')
}

function encodeWhere(words: readonly string[], needsEncoding: (word: string) => boolean): string {
  const parts: string[] = []
  let run: string[] = []
  const endRun = (): void => {
    // Space between two encoded words is not shown, so neighbours are encoded together with the space between them.
    if (run.length > 0) parts.push(encodeWords(run.join(' ')))
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

function encodeWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const unit of encodeOctets(text.toWellFormed(), (character) => WORD_PLAIN.test(character))) {
    if (word.length + unit.length > ENCODED_CHARS_MAX) {
      words.push(word)
      word = ''
    }
    word += unit === ' ' ? '_' : unit
  }
  return [...words, word].map((each) => `=?UTF-8?Q?${each}?=`).join(' ')
}

function refuseControls(name: string, text: string): void {
  if (/\p{Cc}/u.test(text)) throw new Error(`Cannot write header ${name}: it must not have control characters`)
}
