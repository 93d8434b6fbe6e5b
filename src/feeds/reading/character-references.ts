/**
 * Character references, such as `&eacute;` and `&#233;`. One reader for XML and HTML: feeds use the names of HTML
 * without a DTD that declares them. The table of names is that of the HTML standard, section 13.5; a name that begins
 * with `!` there may lack its semicolon.
 */
import names from '../../../data/html-entities.json' with { type: 'json' }

/** Longer than any name of the table, and than any number that means something. */
const REFERENCE_CHARS_MAX = 40
const REPLACEMENT = '\ufffd'
/** What writers mean by the numbers of control characters from 0x80 on (HTML standard, section 13.2.5.84). */
const WINDOWS_1252 = new TextDecoder('windows-1252')
const FREQUENT: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }))
const [HASH, SEMICOLON, EQUALS] = [0x23, 0x3b, 0x3d]

/**
 * Replaces each reference by its character, once: `&amp;lt;` becomes `&lt;`. What means nothing stays as it is written.
 * Surrogates and other numbers without a character become U+FFFD. `onFault` gets each reference that is none of XML with
 * the names of HTML.
 */
export function decodeReferences(text: string, onFault?: (reference: string) => void): string {
  let at = text.indexOf('&')
  if (at === -1) return text
  let [decoded, from] = ['', 0]
  while (at !== -1) {
    const end = endOfReference(text, at)
    const next = text.charCodeAt(end)
    const name = text.slice(at + 1, end)
    const value = next === SEMICOLON ? valueOf(name) : next === EQUALS ? undefined : valueWithoutEnd(name)
    if (value === undefined || value === REPLACEMENT || next !== SEMICOLON) onFault?.(text.slice(at, end + 1))
    if (value !== undefined) {
      decoded += text.slice(from, at) + value
      from = next === SEMICOLON ? end + 1 : end
    }
    at = text.indexOf('&', Math.max(end, at + 1))
  }
  return decoded + text.slice(from)
}

/** Where the letters and digits of a reference end. */
function endOfReference(text: string, at: number): number {
  const limit = Math.min(text.length, at + REFERENCE_CHARS_MAX)
  let end = text.charCodeAt(at + 1) === HASH ? at + 2 : at + 1
  while (end < limit && isLetterOrDigit(text.charCodeAt(end))) end++
  return end
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a)
}

function valueOf(name: string): string | undefined {
  return FREQUENT.get(name) ?? (name.charCodeAt(0) === HASH ? numbered(name) : table().values.get(name))
}

function valueWithoutEnd(name: string): string | undefined {
  return name.charCodeAt(0) === HASH || table().endless.has(name) ? valueOf(name) : undefined
}

function numbered(name: string): string | undefined {
  const isHex = name[1] === 'x' || name[1] === 'X'
  const digits = name.slice(isHex ? 2 : 1)
  if (!(isHex ? /^[\da-f]+$/i : /^\d+$/).test(digits)) return undefined
  const code = Number.parseInt(digits, isHex ? 16 : 10)
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.decode(Uint8Array.of(code))
  if (code < 0x20) return code === 9 || code === 10 || code === 13 ? String.fromCharCode(code) : REPLACEMENT
  return code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? REPLACEMENT : String.fromCodePoint(code)
}

interface Names {
  readonly values: ReadonlyMap<string, string>
  /** Those that may lack their semicolon. */
  readonly endless: ReadonlySet<string>
}

let read: Names | undefined

/** Read when the first feed needs it: most have only the frequent names. */
function table(): Names {
  if (read !== undefined) return read
  const values = new Map<string, string>()
  const endless = new Set<string>()
  for (const line of Object.values(names)) {
    const words = line.split(' ')
    for (let i = 0; i < words.length; i += 2) {
      const [marked = '', codes = ''] = [words[i], words[i + 1]]
      const name = marked.startsWith('!') ? marked.slice(1) : marked
      if (name !== marked) endless.add(name)
      values.set(name, String.fromCodePoint(...codes.split('-').map((code) => Number.parseInt(code, 16))))
    }
  }
  read = { values, endless }
  return read
}
