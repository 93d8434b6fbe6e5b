/**
 * Takes the signature of Node's publisher out of an executable of Windows: it would be shown as broken once our program
 * is put in. It stands at the end of the file, and the header says where (PE Format, "Optional Header Data
 * Directories", entry 4). The checksum of the header is cleared with it; Windows asks only drivers for theirs.
 */
const HEADER_AT = 0x3c
const OPTIONAL_HEADER = 24
const CHECKSUM = OPTIONAL_HEADER + 64
const OF_64_BITS = 0x20b
const CERTIFICATES = OPTIONAL_HEADER + 112 + 4 * 8

export function isPe(file: Buffer): boolean {
  return file.toString('latin1', 0, 2) === 'MZ'
}

/** Gives the file without its signature. Throws where it is no executable of 64 bits, or other bytes follow it. */
export function unsignPe(file: Buffer): Buffer {
  const header = isPe(file) && file.length > HEADER_AT + 4 ? file.readUInt32LE(HEADER_AT) : file.length
  const isKnown =
    header + CERTIFICATES + 8 <= file.length &&
    file.toString('latin1', header, header + 4) === 'PE\0\0' &&
    file.readUInt16LE(header + OPTIONAL_HEADER) === OF_64_BITS
  if (!isKnown) throw new Error('Cannot take the signature out: expected an executable of Windows, of 64 bits')
  const [start, size] = [file.readUInt32LE(header + CERTIFICATES), file.readUInt32LE(header + CERTIFICATES + 4)]
  if (size > 0 && start + size !== file.length) throw new Error('Cannot take the signature out: it is not at the end')
  const unsigned = Buffer.from(size > 0 ? file.subarray(0, start) : file)
  unsigned.writeUInt32LE(0, header + CHECKSUM)
  unsigned.fill(0, header + CERTIFICATES, header + CERTIFICATES + 8)
  return unsigned
}
