/** Archives in the format ustar (POSIX.1-1988, pax section of IEEE 1003.1): regular files alone, so that `tar -x` unpacks them. */
import type { ByteSource, Bytes } from '../base/byte-source.ts'
import { PlaceError } from './place.ts'

const BLOCK = 512
const NAME_BYTES_MAX = 100
/** Eleven octal digits; longer files have their size in base 256, as GNU tar writes it. */
const OCTAL_SIZE_MAX = 8 ** 11
const PIECE_BYTES = 1024 * 1024

export interface TarFile {
  readonly name: string
  readonly bytes: number
  readonly content: Bytes
}

export async function* writeTar(files: AsyncIterable<TarFile> | Iterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, bytes, content } of files) {
    yield headerOf(name, bytes)
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      yield chunk
    }
    if (written !== bytes) throw new Error(`Expected ${bytes} bytes of ${name}, found ${written}`)
    yield Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/**
 * The files of an archive, in their order. The content of each has to be read before the next is asked for. Throws a PlaceError
 * for what writeTar() does not write: a name may not lead out of a directory.
 */
export async function* readTar(source: ByteSource): AsyncGenerator<TarFile> {
  for (;;) {
    const header = await source.read(BLOCK)
    if (header.length < BLOCK) throw damagedArchive('it is cut off')
    if (header.every((byte) => byte === 0)) return
    const name = textAt(header, 0, NAME_BYTES_MAX)
    const bytes = sizeAt(header)
    const isOurs = bytes !== undefined && header[156] === 0x30 && sumOf(header) === parseInt(textAt(header, 148, 8), 8)
    if (!isOurs || !isSafeName(name)) throw damagedArchive('a header is not one of ours')
    let left = bytes
    const content = async function* (): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await source.read(Math.min(left, PIECE_BYTES))
        if (piece.length === 0) throw damagedArchive('it is cut off')
        left -= piece.length
        yield piece
      }
    }
    yield { name, bytes, content: content() }
    if (left > 0) throw new Error(`The content of ${name} was not read`)
    await source.read((BLOCK - (bytes % BLOCK)) % BLOCK)
  }
}

function isSafeName(name: string): boolean {
  return name.split('/').every((part) => /^[\w@][\w@ .+-]*$/.test(part) && part !== '..')
}

function headerOf(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX || !isSafeName(name)) throw new Error(`Cannot archive a file named ${JSON.stringify(name)}`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  if (bytes < OCTAL_SIZE_MAX) header.write(bytes.toString(8).padStart(11, '0'), 124)
  else {
    header.writeUInt8(0x80, 124)
    header.writeBigUInt64BE(BigInt(bytes), 128)
  }
  header.write('00000000000\0', 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The sum of all bytes, with spaces in the place of itself. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0)
}

function textAt(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end).trim()
}

function sizeAt(header: Buffer): number | undefined {
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128))
  const text = textAt(header, 124, 12)
  return /^[0-7]{1,11}$/.test(text) ? parseInt(text, 8) : undefined
}

/** Those who know the object name it, and a way on. */
export function damagedArchive(problem: string): PlaceError {
  return new PlaceError('damaged', `The backup is damaged: ${problem}`)
}
