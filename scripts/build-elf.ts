/**
 * Takes the symbols and the debug information out of an executable of Linux, as `strip` does, for any processor.
 *
 * What is loaded into memory stands first in such a file, and its bytes are not touched; symbols, debug information and
 * comments follow. So the file is cut there, and gets a shorter table of sections. Doing it here costs sixty lines and
 * gives the same bytes on every machine, which the `strip` of one distribution or another does not, nor does it take
 * the file of another processor. Layout: the System V ABI, chapters "ELF Header" and "Sections".
 */
const MAGIC = '7f454c460201' // ELF, of 64 bits, little-endian.
const HEADER_BYTES = 64
const SECTION_BYTES = 64
const SEGMENT_BYTES = 56
const NOT_IN_FILE = 8 // SHT_NOBITS
const IS_LOADED = 2n // SHF_ALLOC
const ALIGNMENT = 8

export function isElf(file: Buffer): boolean {
  return file.length > HEADER_BYTES && file.toString('hex', 0, MAGIC.length / 2) === MAGIC
}

/** Gives the file without what is not loaded. Throws where its sections stand in an order that this cannot cut. */
export function stripElf(file: Buffer): Buffer {
  if (!isElf(file)) throw new Error('Cannot strip: expected an ELF file of 64 bits, little-endian')
  const names = sectionAt(file, file.readUInt16LE(62))
  const sections = Array.from({ length: file.readUInt16LE(60) }, (_, i) => sectionAt(file, i))
  // Section 0 is the empty one. Sections are known by their number, which must not change.
  const kept = [sections[0], ...sections.slice(1).filter(({ flags }) => (flags & IS_LOADED) !== 0n)]
  if (kept.some((section, i) => section !== sections[i]))
    throw new Error('Cannot strip: a section that is loaded follows one that is not')
  const end = Math.max(...kept.map((section) => section?.end ?? 0), ...segmentEnds(file))
  const nameTable = file.subarray(names.offset, names.end)
  const nameHeader = Buffer.from(names.header)
  nameHeader.writeBigUInt64LE(BigInt(end), 24)
  const unaligned = end + nameTable.length
  const padding = Buffer.alloc((ALIGNMENT - (unaligned % ALIGNMENT)) % ALIGNMENT)
  const head = Buffer.from(file.subarray(0, HEADER_BYTES))
  head.writeBigUInt64LE(BigInt(unaligned + padding.length), 40)
  head.writeUInt16LE(kept.length + 1, 60)
  head.writeUInt16LE(kept.length, 62)
  const headers = [...kept.map((section) => section?.header ?? Buffer.alloc(0)), nameHeader]
  return Buffer.concat([head, file.subarray(HEADER_BYTES, end), nameTable, padding, ...headers])
}

interface Section {
  readonly header: Buffer
  readonly flags: bigint
  readonly offset: number
  /** Where its bytes in the file end. */
  readonly end: number
}

function sectionAt(file: Buffer, index: number): Section {
  const start = Number(file.readBigUInt64LE(40)) + index * SECTION_BYTES
  const header = file.subarray(start, start + SECTION_BYTES)
  if (header.length < SECTION_BYTES) throw new Error('Cannot strip: the table of sections is cut off')
  const offset = Number(header.readBigUInt64LE(24))
  const size = header.readUInt32LE(4) === NOT_IN_FILE ? 0 : Number(header.readBigUInt64LE(32))
  if (offset + size > file.length) throw new Error(`Cannot strip: section ${index} is cut off`)
  return { header, flags: header.readBigUInt64LE(8), offset, end: offset + size }
}

function segmentEnds(file: Buffer): readonly number[] {
  const start = Number(file.readBigUInt64LE(32))
  return Array.from({ length: file.readUInt16LE(56) }, (_, i) => {
    const at = start + i * SEGMENT_BYTES
    return Number(file.readBigUInt64LE(at + 8)) + Number(file.readBigUInt64LE(at + 32))
  })
}
