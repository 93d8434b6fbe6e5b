/**
 * Whether each image of an AVIF decodes to the size that its properties declare: browsers make room for what the data says, and
 * the declared size is the one that was bounded. This holds for transparency and tiles as well, which are items of their own.
 */
import { sequenceReader } from './av1-sequence.ts'
import { declaredSize, type Extent, type ItemType, type Properties, type Size } from './avif-items.ts'
import { damaged, frameCount, refused, requireSize } from './picture-format.ts'

/** Version, flags, rows, columns, and two numbers of two bytes, or of four with the first flag (ISO/IEC 23008-12, 6.6.2.3.2). */
const [GRID_BYTES, GRID_LONG_BYTES] = [8, 12]
/** In `av1C`, in front of the OBUs. */
const CONFIGURATION_BYTES = 4

interface Items {
  readonly types: ReadonlyMap<number, ItemType>
  readonly extents: readonly Extent[]
  readonly properties: Properties
}

/** Throws invalidInput for an image of another size than it declares, and for images that are too large together. */
export function requireDeclaredSizes(bytes: Buffer, { types, extents, properties }: Items): void {
  const dataOf = itemData(bytes, extents)
  const [images, sizesIn] = [frameCount(), sequenceReader()]
  for (const [id, { type }] of types) {
    if (type !== 'av01' && type !== 'grid') continue
    const own = properties(id)
    const declared = declaredSize(bytes, own)
    const data = dataOf(id)
    if (type === 'grid') {
      requireSame(declared, gridSize(data))
      continue
    }
    images.add(declared.width, declared.height)
    const found = sizesIn(data)
    if (found.length === 0) throw damaged('avif', 'an image has no AV1 sequence header')
    const configured = own.filter((one) => one.type === 'av1C').flatMap(({ begin, end }) => sizesIn(bytes.subarray(begin + CONFIGURATION_BYTES, end)))
    for (const size of [...found, ...configured]) requireSame(declared, size)
  }
}

/** The bytes of an item, which a file may have in several parts. */
function itemData(bytes: Buffer, extents: readonly Extent[]): (item: number) => Buffer {
  const parts = new Map<number, Extent[]>()
  for (const extent of extents) {
    const own = parts.get(extent.item)
    if (own === undefined) parts.set(extent.item, [extent])
    else own.push(extent)
  }
  let joined = 0
  return (item) => {
    const own = parts.get(item) ?? []
    if (own.some(({ end }) => end > bytes.length)) throw damaged('avif', 'it ends before its end')
    const [first, ...further] = own.map(({ begin, end }) => bytes.subarray(begin, end))
    if (first === undefined) throw damaged('avif', 'an image has no data')
    if (further.length === 0) return first
    for (const { length } of [first, ...further]) joined += length
    // Parts that overlap could be joined to any length.
    if (joined > bytes.length) throw damaged('avif', 'the parts of its images overlap')
    return Buffer.concat([first, ...further])
  }
}

function gridSize(data: Buffer): Size {
  const isLong = ((data[1] ?? 0) & 1) === 1
  if (data.length !== (isLong ? GRID_LONG_BYTES : GRID_BYTES)) throw damaged('avif', 'a grid of images cannot be read')
  const bytes = isLong ? 4 : 2
  return { width: data.readUIntBE(4, bytes), height: data.readUIntBE(4 + bytes, bytes) }
}

function requireSame(declared: Size, found: Size): void {
  requireSize(found.width, found.height)
  if (declared.width === found.width && declared.height === found.height) return
  throw refused(`it declares an image of ${declared.width} x ${declared.height} pixels, expected the size of its data, found ${found.width} x ${found.height}`)
}
