/** Bech32 (BIP 173), in which age writes its keys. */

const CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const CHECK_WORDS = 6

/** The text of some bytes behind a prefix, in lower case. */
export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const words = regroup(bytes, 8, 5) as number[]
  const sum = checksum([...spread(prefix), ...words, ...Array<number>(CHECK_WORDS).fill(0)]) ^ 1
  const check = Array.from({ length: CHECK_WORDS }, (_, i) => (sum >>> (5 * (CHECK_WORDS - 1 - i))) & 31)
  return `${prefix}1${[...words, ...check].map((word) => CHARACTERS[word]).join('')}`
}

/** Undefined for a text that has an error, or upper and lower case. */
export function decodeBech32(text: string): { readonly prefix: string; readonly bytes: Buffer } | undefined {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return undefined
  const at = lower.lastIndexOf('1')
  const prefix = lower.slice(0, at)
  const words = Array.from(lower.slice(at + 1), (character) => CHARACTERS.indexOf(character))
  if (at < 1 || words.length < CHECK_WORDS || words.includes(-1) || /[^\x21-\x7e]/.test(prefix)) return undefined
  if (checksum([...spread(prefix), ...words]) !== 1) return undefined
  const bytes = regroup(words.slice(0, -CHECK_WORDS), 5, 8)
  return bytes === undefined ? undefined : { prefix, bytes: Buffer.from(bytes) }
}

function checksum(words: readonly number[]): number {
  let sum = 1
  for (const word of words) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ word
    GENERATORS.forEach((generator, bit) => {
      if (((top >>> bit) & 1) === 1) sum ^= generator
    })
  }
  return sum
}

/** The high bits of the prefix, a zero, and its low bits. */
function spread(prefix: string): readonly number[] {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0))
  return [...codes.map((code) => code >>> 5), 0, ...codes.map((code) => code & 31)]
}

/** Groups of bits of another width. The rest is filled up with zeroes, or, where it becomes bytes, has to be that. */
function regroup(values: Iterable<number>, from: number, to: number): number[] | undefined {
  const groups: number[] = []
  let [held, bits] = [0, 0]
  for (const value of values) {
    held = ((held << from) | value) & 0xfff
    bits += from
    for (; bits >= to; bits -= to) groups.push((held >>> (bits - to)) & ((1 << to) - 1))
  }
  const rest = (held << (to - bits)) & ((1 << to) - 1)
  if (to < from) return bits > 0 ? [...groups, rest] : groups
  return bits >= from || rest !== 0 ? undefined : groups
}
