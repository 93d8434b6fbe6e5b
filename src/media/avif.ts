/**
 * AVIF (https://aomediacodec.github.io/av1-avif/): boxes of ISO/IEC 14496-12 that describe items, whose bytes lie anywhere in
 * the data boxes. Nothing is moved, as offsets are all over the file: what belongs to no part of the image becomes zeros, Exif
 * and XMP among it, and what follows the last part is cut.
 */
import { damaged, PICTURE_FORMATS, refused, requireSize, type Picture } from './picture-format.ts'
import { itemExtents, itemProperties, itemTypes, primaryItem, shownSize, type Extent } from './avif-items.ts'
import { requireDeclaredSizes } from './avif-sizes.ts'
import { boxesIn, fourAt, type Box } from './iso-boxes.ts'

/** Boxes of `meta` that say what there is to show. */
const DESCRIBING = new Set(['hdlr', 'pitm', 'iinf', 'iloc', 'iprp', 'iref', 'idat', 'dinf', 'grpl'])
/** A box of free space, and an item of a kind that there is not. */
const SKIPPED = 'free'
/** Of the first box, whose brands are four letters each. */
const BRANDS_BYTES_MAX = 256
/** Items that are shown, or tell how others are put together. */
const SHOWN = new Set(['av01', 'grid', 'iden', 'iovl', 'tmap'])

/** Throws invalidInput for a file that is damaged, and for a film. */
export function cleanAvif(bytes: Buffer): Picture {
  const boxes = boxesIn(bytes, 0, bytes.length, 'cut')
  if ((boxes[0]?.end ?? Infinity) > BRANDS_BYTES_MAX) throw damaged('avif', 'its brands cannot be read')
  if (boxes.some(({ type }) => type === 'moov' || type === 'moof')) {
    throw refused('it is an animated AVIF: expected a still one; send moving pictures as GIF, PNG or WebP')
  }
  const [meta, ...further] = boxes.filter(({ type }) => type === 'meta')
  if (meta === undefined || further.length > 0) throw damaged('avif', 'it has no image')
  // A full box: its version and flags come first.
  const parts = boxesIn(bytes, meta.begin + 4, meta.end, 'refuse')
  const types = itemTypes(bytes, parts)
  const isShown = (id: number): boolean => SHOWN.has(types.get(id)?.type ?? '')
  const properties = itemProperties(bytes, parts)
  const { width, height } = shownSize(bytes, properties(primaryItem(bytes, parts, isShown)))
  requireSize(width, height)
  const extents = itemExtents(bytes, parts).filter(({ item }) => isShown(item))
  if (extents.length === 0) throw damaged('avif', 'it has no image')
  requireDeclaredSizes(bytes, { types, extents, properties })
  const data = [...boxes.filter(({ type }) => type === 'mdat'), ...parts.filter(({ type }) => type === 'idat')]
  keepExtents(bytes, data, extents)
  // Readers refuse Exif that is none, and skip items of a kind that they do not know.
  for (const [id, { at }] of types) if (!isShown(id)) bytes.write(SKIPPED, at, 'latin1')
  for (const part of parts.filter(({ type }) => !DESCRIBING.has(type))) erase(bytes, part)
  const last = boxes.findLastIndex((box) => box === meta || (box.type === 'mdat' && extents.some(({ begin }) => begin >= box.begin && begin < box.end)))
  for (const box of boxes.slice(1, last + 1)) if (box !== meta && box.type !== 'mdat') erase(bytes, box)
  return { format: 'avif', width, height, frames: 1, bytes: bytes.subarray(0, boxes[last]?.end) }
}

/** Whether the file says that it is one: the first box names its brands. */
export function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 16 || fourAt(bytes, 4) !== 'ftyp') return false
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, BRANDS_BYTES_MAX)
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) if (['avif', 'avis'].includes(fourAt(bytes, at))) return true
  return false
}

/** Fills what is between the extents with zeros. Throws for one that is in no data box. */
function keepExtents(bytes: Buffer, data: readonly Box[], extents: readonly Extent[]): void {
  const sorted = extents.toSorted((one, other) => one.begin - other.begin)
  let found = 0
  for (const { begin, end } of data) {
    const inside = sorted.filter((extent) => extent.begin >= begin && extent.end <= end)
    found += inside.length
    let at = begin
    for (const extent of inside) {
      if (extent.begin > at) bytes.fill(0, at, extent.begin)
      at = Math.max(at, extent.end)
    }
    bytes.fill(0, at, end)
  }
  if (found !== extents.length) throw damaged('avif', `the file ends before its ${PICTURE_FORMATS.avif.title} image`)
}

/** Makes a box one of free space, which every reader skips. */
function erase(bytes: Buffer, { at, begin, end }: Box): void {
  bytes.write(SKIPPED, at + 4, 'latin1')
  bytes.fill(0, begin, end)
}
