/** AVIF files with the images that a test wants, as no program writes them. */

export interface AvifItem {
  readonly type: string
  /** As declared. */
  readonly width: number
  readonly height: number
  readonly data: Buffer
  /** The OBUs in `av1C`. */
  readonly configuration?: Buffer
  /** How often its properties name the configuration. */
  readonly claims?: number
  /** How often the same bytes are a part of the item. */
  readonly repeated?: number
}

/** The first item is shown. */
export function avifOf(items: readonly AvifItem[]): Buffer {
  const brands = box('ftyp', Buffer.from('avif'), long(0), Buffer.from('avifmif1'))
  const metaOf = (from: number): Buffer => {
    let at = from
    const places = items.map(({ data, repeated = 1 }, i) => {
      const part = Buffer.concat([long(at), long(data.length)])
      at += data.length
      return Buffer.concat([short(i + 1), short(0), short(repeated), ...Array<Buffer>(repeated).fill(part)])
    })
    const entries = items.map(({ type }, i) => box('infe', long(2 << 24), short(i + 1), short(0), Buffer.from(`${type}\0`)))
    const sizes = items.map(({ width, height }) => box('ispe', long(0), long(width), long(height)))
    const configurations = items.map(({ configuration = Buffer.alloc(0) }) => box('av1C', long(0x81000c00), configuration))
    const owned = items.map(({ claims = 1 }, i) => Buffer.from([0, i + 1, 1 + claims, i + 1, ...Array<number>(claims).fill(items.length + i + 1)]))
    return box(
      'meta',
      long(0),
      box('pitm', long(0), short(1)),
      box('iloc', long(0), Buffer.from([0x44, 0]), short(items.length), ...places),
      box('iinf', long(0), short(items.length), ...entries),
      box('iprp', box('ipco', ...sizes, ...configurations), box('ipma', long(0), long(items.length), ...owned)),
    )
  }
  const head = brands.length + metaOf(0).length
  return Buffer.concat([brands, metaOf(head + 8), box('mdat', ...items.map(({ data }) => data))])
}

/** A sequence header of a still picture, in full, in full with times and delays, or with frames that have times and ids. */
export type SequenceForm = 'reduced' | 'full' | 'timed' | 'paced'

const number = (value: number, bits: number): string => value.toString(2).padStart(bits, '0')

/** An OBU with a sequence header. */
export function sequenceHeader(width: number, height: number, form: SequenceForm = 'reduced'): Buffer {
  const times = `1${'0'.repeat(64)}1001011${number(9, 5)}${'0'.repeat(42)}`
  const pacedTimes = `1${'0'.repeat(64)}01${number(9, 5)}${'0'.repeat(37)}${number(PACED_TIME_BITS - 1, 5)}`
  const point = `${'0'.repeat(12)}${number(8, 5)}0`
  const timed = `1${number(0, 5)}${point}1${'0'.repeat(21)}1${number(3, 4)}`
  const begins = {
    reduced: `00011${number(8, 5)}`,
    full: `0000000${number(1, 5)}${point}${'0'.repeat(12)}${number(7, 5)}`,
    timed: `00000${times}${timed}`,
    paced: `00000${pacedTimes}${timed}`,
  }
  // Ids of 6 bits, and tools without an order; screen tools and integer vectors are as each frame says.
  const ends = { reduced: '', full: '00000000011', timed: '0000000010000', paced: '1001000100000000011' }
  return obu(1, `${begins[form]}${number(15, 4)}${number(15, 4)}${number(width - 1, 16)}${number(height - 1, 16)}${ends[form]}1`)
}

const PACED_TIME_BITS = 5
const PACED_ID_BITS = 6

/** What a frame says that tells its size; the rest of it is no image. */
export interface FrameBits {
  /** Whether it has a size of its own. */
  readonly isOverriding: boolean
  /** A key frame that is shown without it; or one that is not shown, a switch frame, or one that was decoded before. */
  readonly kind?: 'hidden' | 'switch' | 'existing' | undefined
}

/** An OBU with a frame of a sequence whose header is not reduced. */
export function frameObu(form: Exclude<SequenceForm, 'reduced'>, { isOverriding, kind }: FrameBits): Buffer {
  if (kind === 'existing') return obu(3, '1000')
  const time = form === 'paced' && kind !== 'hidden' ? '1'.repeat(PACED_TIME_BITS) : ''
  const begin = { hidden: '000000', switch: `0111${time}`, shown: `0001${time}` }[kind ?? 'shown']
  // Of the update of probabilities, screen tools and integer vectors.
  const tools = { full: '011', timed: '0', paced: '11' }[form]
  return obu(6, `${begin}${tools}${form === 'paced' ? '1'.repeat(PACED_ID_BITS) : ''}${Number(isOverriding)}${'1'.repeat(40)}`)
}

function obu(type: number, bits: string): Buffer {
  const bytes = Buffer.from(bits.match(/.{1,8}/g)?.map((byte) => parseInt(byte.padEnd(8, '0'), 2)) ?? [])
  return Buffer.concat([Buffer.from([(type << 3) | 2, bytes.length]), bytes])
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts)
  return Buffer.concat([long(8 + data.length), Buffer.from(type), data])
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
