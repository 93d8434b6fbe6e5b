/** Colour profiles (ICC.1:2022 section 7.2): one that is none is dropped, as another file could lie in its place. */
import { inflateSync } from 'node:zlib'
import { PROFILE_BYTES_MAX } from './picture-format.ts'

/** In front of the tags, with the number of these. */
const HEADER_BYTES = 132
const SIGNATURE_AT = 36
/** Of the name in a chunk iCCP (PNG section 11.3.2.3). */
const NAME_BYTES_MAX = 79

/** Whether the bytes are a profile, and nothing but one: it has its own length in front, and a signature. */
export function isProfile(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.readUInt32BE(0) === bytes.length && bytes.toString('latin1', SIGNATURE_AT, SIGNATURE_AT + 4) === 'acsp'
}

/** Whether a chunk iCCP of PNG has a name, a profile compressed by zlib, and nothing behind it. */
export function isCompressedProfile(chunk: Buffer): boolean {
  const name = chunk.indexOf(0)
  if (name < 1 || name > NAME_BYTES_MAX || chunk[name + 1] !== 0) return false
  const compressed = chunk.subarray(name + 2)
  try {
    // zlib takes no notice of bytes behind the end; `info` says how much it has read.
    const { buffer, engine } = inflateSync(compressed, { info: true, maxOutputLength: PROFILE_BYTES_MAX }) as unknown as Inflated
    return engine.bytesWritten === compressed.length && isProfile(buffer)
  } catch {
    return false
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
