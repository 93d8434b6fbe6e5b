/**
 * The text of a feed. Its encoding is that of the byte order mark, else of the HTTP header, else of the XML declaration,
 * else UTF-8. Names of encodings are those of the WHATWG standard, as browsers read them: `iso-8859-1` is windows-1252.
 */
import type { ReadNote } from '../../base/feed-note.ts'
import { quoted, readNote } from './feed-problems.ts'

const HEAD_BYTES = 1_024
const FALLBACK = 'windows-1252'
const DECLARED = /^\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']\s{0,20}([\w.:-]{1,40})/
const CHARSET = /;\s{0,20}charset\s{0,20}=\s{0,20}["']?([\w.:-]{1,40})/i

/** Byte order marks, and how `<?` or `<r` begins without one. UTF-32 is first: its mark begins like that of UTF-16. */
const BEGINNINGS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0x3c, 0, 0, 0], 'utf-32le'],
  [[0, 0, 0, 0x3c], 'utf-32be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0x3c, 0], 'utf-16le'],
  [[0, 0x3c], 'utf-16be'],
]

export interface DecodedFeed {
  readonly text: string
  readonly encoding: string
  readonly problems: readonly ReadNote[]
}

/** Never fails: bytes that are nothing in any encoding become U+FFFD. */
export function decodeFeed(bytes: Uint8Array, contentType: string | undefined): DecodedFeed {
  const problems: ReadNote[] = []
  for (const encoding of candidates(bytes, contentType, problems)) {
    const text = decodeAs(bytes, encoding)
    if (text !== undefined) return { text, encoding, problems }
    if (encoding !== 'utf-8') problems.push(readNote('encoding', `The bytes are not ${encoding}, as the feed or its server says.`, { name: encoding }))
  }
  const text = new TextDecoder().decode(bytes)
  if (isMostlyReadable(text)) {
    problems.push(readNote('encoding', 'Some bytes are not UTF-8. They are read as U+FFFD.', { name: 'utf-8' }))
    return { text, encoding: 'utf-8', problems }
  }
  problems.push(readNote('encoding', `The bytes are not UTF-8. They are read as ${FALLBACK}.`, { name: 'utf-8' }))
  return { text: new TextDecoder(FALLBACK).decode(bytes), encoding: FALLBACK, problems }
}

/** In the order in which they are tried. */
function candidates(bytes: Uint8Array, contentType: string | undefined, problems: ReadNote[]): readonly string[] {
  const [, marked] = BEGINNINGS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? []
  if (marked !== undefined) return [marked]
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES))
  const http = knownEncoding(CHARSET.exec(contentType ?? '')?.[1], problems)
  // A declaration that could be read is not in UTF-16.
  const declared = knownEncoding(DECLARED.exec(head)?.[1], problems)?.replace(/^utf-16[lb]e$/, 'utf-8')
  // Servers call everything iso-8859-1, where any bytes are text; bytes that are UTF-8 are that by no accident.
  const isDoubtful = http === FALLBACK && declared === 'utf-8'
  const order = isDoubtful ? [declared, http] : [http, declared]
  return [...new Set([...order, 'utf-8'])].filter((encoding) => encoding !== undefined)
}

/** The standard's name of an encoding; undefined, with a problem, for one that it does not have. */
function knownEncoding(label: string | undefined, problems: ReadNote[]): string | undefined {
  if (label === undefined) return undefined
  const written = label.toLowerCase().replaceAll('_', '-')
  try {
    return new TextDecoder(ALIASES.get(written) ?? written).encoding
  } catch {
    problems.push(readNote('encoding', `The encoding ${quoted(label)} is unknown.`, { name: label }))
    return undefined
  }
}


/** Names beside those of the standard, for encodings that it has. */
const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries({
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
  'mac-cyrillic': 'x-mac-cyrillic',
  maccyrillic: 'x-mac-cyrillic',
  'shift-jis': 'shift_jis',
  'ks-c-5601-1987': 'euc-kr',
  cp874: 'windows-874',
}))

function decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
  if (encoding.startsWith('utf-32')) return decodeUtf32(bytes, encoding === 'utf-32le')
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** TextDecoder does not have UTF-32. */
function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: string[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittleEndian)
    if (at > 0 || code !== 0xfeff) parts.push(code > 0x10_ffff ? '\ufffd' : String.fromCodePoint(code))
  }
  return parts.join('').toWellFormed()
}

/** Whether more characters beyond ASCII are right than wrong: a few damaged bytes do not make another encoding. */
function isMostlyReadable(text: string): boolean {
  let [right, wrong] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) wrong++
    else if (code >= 0x80) right++
  }
  return right > wrong
}
