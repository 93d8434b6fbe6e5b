/**
 * Archives that every system unpacks by itself: .tar.gz, which keeps that a file may be executed, and .zip for Windows.
 *
 * The tools of a system write times, owners, and whatever their version likes; these bytes depend on the files alone.
 * Layout: POSIX.1-2017, pax, "ustar Interchange Format"; .ZIP File Format Specification 6.3.3; RFC 1952. One difference
 * is left: zlib compresses a little differently on processors of another family.
 */
import { promisify } from 'node:util'
import { crc32, deflateRaw, gzip } from 'node:zlib'

export interface ArchivedFile {
  readonly path: string
  readonly bytes: Buffer
  readonly isExecutable?: boolean
}

/** Smaller than with any other level. */
const LEVEL = 9
const BLOCK = 512
/** 1980-01-01, the first day that a .zip can hold. */
const TIME_S = 315_532_800
const DOS_DATE = 0x21
const GZIP_SYSTEM_AT = 9
const GZIP_SYSTEM_UNKNOWN = 255

export async function tarGz(files: readonly ArchivedFile[]): Promise<Buffer> {
  const blocks = files.flatMap(({ path, bytes, isExecutable }) => [
    tarHeader(path, bytes.length, isExecutable === true ? 0o755 : 0o644),
    bytes,
    Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ])
  const packed = await promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: LEVEL })
  packed[GZIP_SYSTEM_AT] = GZIP_SYSTEM_UNKNOWN
  return packed
}

function tarHeader(path: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number): void =>
    void header.write(value.toString(8).padStart(length - 1, '0'), at)
  header.write(path, 0, 100)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(TIME_S, 136, 12)
  header.write('        0', 148) // The sum counts its own place as blanks; then comes the type, a file.
  header.write('ustar\x0000', 257)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  header[154] = 0
  return header
}

export async function zip(files: readonly ArchivedFile[]): Promise<Buffer> {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { path, bytes } of files) {
    const packed = await promisify(deflateRaw)(bytes, { level: LEVEL })
    const name = Buffer.from(path)
    // What both kinds of header have in common: version 2.0, no flags, deflate, time, date, sum, sizes, length of the
    // name.
    const common = Buffer.alloc(26)
    for (const [value, at] of [
      [20, 0],
      [8, 4],
      [DOS_DATE, 8],
      [name.length, 22],
    ] as const) {
      common.writeUInt16LE(value, at)
    }
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    const place = Buffer.alloc(14) // No comment, first disk, no attributes; then where the file stands.
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, name)
    const local = [Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]
    parts.push(...local)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
