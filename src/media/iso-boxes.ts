/** Boxes of the ISO base media file format (ISO/IEC 14496-12 section 4.2): a length, four letters, and what the box holds. */
import { damaged, refused } from './picture-format.ts'

/** Of one box or file: usual ones have a dozen. */
const BOXES_MAX = 1_000

export interface Box {
  readonly type: string
  readonly at: number
  /** Of what it holds. */
  readonly begin: number
  readonly end: number
}

/** The boxes of a range. One that does not fit ends the list, or is refused as the picture is then damaged. */
export function boxesIn(bytes: Buffer, from: number, to: number, misfit: 'cut' | 'refuse'): readonly Box[] {
  const boxes: Box[] = []
  for (let at = from; at < to; ) {
    const box = boxAt(bytes, at, to)
    if (box === undefined && misfit === 'cut') break
    if (box === undefined) throw damaged('avif', 'it ends before its end')
    if (boxes.push(box) > BOXES_MAX) throw refused(`expected at most ${BOXES_MAX} boxes of an AVIF, found more`)
    at = box.end
  }
  return boxes
}

function boxAt(bytes: Buffer, at: number, to: number): Box | undefined {
  if (at + 8 > to) return undefined
  const short = bytes.readUInt32BE(at)
  const isLong = short === 1 && at + 16 <= to
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
  const begin = at + (isLong ? 16 : 8)
  const end = at + length
  return end < begin || end > to ? undefined : { type: fourAt(bytes, at + 4), at, begin, end }
}

/** The four letters of a type. */
export function fourAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4)
}

/** Reads a box from its beginning, a number after the other. Throws invalidInput past its end. */
export function readerOf(bytes: Buffer, { begin, end }: Pick<Box, 'begin' | 'end'>) {
  let at = begin
  const take = (length: number): number => {
    at += length
    if (at > end) throw damaged('avif', 'it ends before its end')
    return at - length
  }
  /** A whole number of 0 to 8 bytes. */
  const whole = (length: number): number => {
    const from = take(length)
    if (length === 0) return 0
    return length <= 6 ? bytes.readUIntBE(from, length) : Number(bytes.readBigUInt64BE(from))
  }
  return {
    whole,
    /** Where in the file the next number begins. */
    at: (): number => at,
    skip: (length: number): void => void take(length),
    four: (): string => fourAt(bytes, take(4)),
    /** The version and the flags of a full box. */
    full: () => ({ version: whole(1), flags: whole(3) }),
  }
}
