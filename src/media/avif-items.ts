/** The items of an AVIF (ISO/IEC 23008-12): what each is, where its bytes are, and the size of the one that is shown first. */
import { readerOf, boxesIn, type Box } from './iso-boxes.ts'
import { damaged, refused, requireSize } from './picture-format.ts'

/** Of a grid of tiles with its transparency; usual files have one to five. */
const ITEMS_MAX = 1_000
const EXTENTS_MAX = 10_000
/** Of all items together: usual ones have five each. */
const ASSOCIATIONS_MAX = 10_000

export interface Extent {
  readonly item: number
  readonly begin: number
  readonly end: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** Four letters, and where in the file they are. */
export interface ItemType {
  readonly type: string
  readonly at: number
}

/** The kind of each item by its id, from `iinf`. */
export function itemTypes(bytes: Buffer, parts: readonly Box[]): ReadonlyMap<number, ItemType> {
  const box = only(parts, 'iinf')
  const header = readerOf(bytes, box)
  const { version } = header.full()
  const count = header.whole(version === 0 ? 2 : 4)
  if (count > ITEMS_MAX) throw tooMany(ITEMS_MAX, 'items')
  const types = new Map<number, ItemType>()
  for (const { type, begin, end } of boxesIn(bytes, box.begin + (version === 0 ? 6 : 8), box.end, 'refuse')) {
    if (type !== 'infe') continue
    const entry = readerOf(bytes, { begin, end })
    const { version: form } = entry.full()
    if (form !== 2 && form !== 3) throw damaged('avif', 'an item cannot be read')
    const id = entry.whole(form === 2 ? 2 : 4)
    entry.skip(2)
    // Of two entries for one item, readers take one or the other.
    if (types.has(id)) throw damaged('avif', 'an item is declared twice')
    types.set(id, { at: entry.at(), type: entry.four() })
  }
  return types
}

/** The id of the item that is shown, from `pitm`. Throws where it is none that can be shown. */
export function primaryItem(bytes: Buffer, parts: readonly Box[], isShown: (id: number) => boolean): number {
  const reader = readerOf(bytes, only(parts, 'pitm'))
  const id = reader.whole(reader.full().version === 0 ? 2 : 4)
  if (!isShown(id)) throw damaged('avif', 'it has no image')
  return id
}

/** Where the bytes of all items are, from `iloc`. */
export function itemExtents(bytes: Buffer, parts: readonly Box[]): readonly Extent[] {
  const reader = readerOf(bytes, only(parts, 'iloc'))
  const { version } = reader.full()
  if (version > 2) throw damaged('avif', 'the places of its items cannot be read')
  const [sizes, more] = [reader.whole(1), reader.whole(1)]
  const [offsetBytes, lengthBytes, baseBytes, indexBytes] = [sizes >> 4, sizes & 15, more >> 4, version === 0 ? 0 : more & 15]
  if ([offsetBytes, lengthBytes, baseBytes, indexBytes].some((size) => ![0, 4, 8].includes(size))) throw damaged('avif', 'the places of its items cannot be read')
  const idat = parts.find(({ type }) => type === 'idat')
  const count = reader.whole(version < 2 ? 2 : 4)
  if (count > ITEMS_MAX) throw tooMany(ITEMS_MAX, 'items')
  const extents: Extent[] = []
  for (let i = 0; i < count; i++) {
    const item = reader.whole(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : reader.whole(2) & 15
    const dataReference = reader.whole(2)
    if (method > 1 || dataReference !== 0 || (method === 1 && idat === undefined)) throw damaged('avif', 'an item is in another file')
    const base = reader.whole(baseBytes) + (method === 1 ? (idat?.begin ?? 0) : 0)
    const parts = reader.whole(2)
    if (extents.length + parts > EXTENTS_MAX) throw tooMany(EXTENTS_MAX, 'parts of items')
    for (let part = 0; part < parts; part++) {
      reader.skip(indexBytes)
      const begin = base + reader.whole(offsetBytes)
      extents.push({ item, begin, end: begin + reader.whole(lengthBytes) })
    }
  }
  return extents
}

/** The properties of each item, by its id. */
export type Properties = (item: number) => readonly Box[]

/** Reads `iprp`. Throws for a size of any item that is too large. */
export function itemProperties(bytes: Buffer, parts: readonly Box[]): Properties {
  const { begin, end } = only(parts, 'iprp')
  const boxes = boxesIn(bytes, begin, end, 'refuse')
  const container = only(boxes, 'ipco')
  const properties = boxesIn(bytes, container.begin, container.end, 'refuse')
  for (const { width, height } of properties.flatMap((one) => sizeIn(bytes, one) ?? [])) requireSize(width, height)
  const owned = new Map<number, Box[]>()
  let associations = 0
  for (const box of boxes) if (box.type === 'ipma') associate(box)
  return (item) => owned.get(item) ?? []

  /** Adds the properties that `ipma` gives to items; it numbers them from 1. */
  function associate(box: Box): void {
    const reader = readerOf(bytes, box)
    const { version, flags } = reader.full()
    const entries = reader.whole(4)
    if (entries > ITEMS_MAX) throw tooMany(ITEMS_MAX, 'items')
    for (let i = 0; i < entries; i++) {
      const item = reader.whole(version < 1 ? 2 : 4)
      const count = reader.whole(1)
      if ((associations += count) > ASSOCIATIONS_MAX) throw tooMany(ASSOCIATIONS_MAX, 'properties of items')
      const own = owned.get(item) ?? []
      owned.set(item, own)
      // The first bit says that a reader which does not know the property must not show the item.
      for (let n = 0; n < count; n++) {
        const property = properties[((flags & 1) === 1 ? reader.whole(2) & 0x7fff : reader.whole(1) & 0x7f) - 1]
        if (property !== undefined) own.push(property)
      }
    }
  }
}

/** The size that the properties of an item declare, before it is turned. Throws where there is none, or more than one. */
export function declaredSize(bytes: Buffer, own: readonly Box[]): Size {
  const [size, ...further] = own.flatMap((one) => sizeIn(bytes, one) ?? [])
  if (size === undefined || further.length > 0) throw damaged('avif', size === undefined ? 'its size cannot be read' : 'an item has two sizes')
  return size
}

/** The size of an item as it is shown. */
export function shownSize(bytes: Buffer, own: readonly Box[]): Size {
  const size = declaredSize(bytes, own)
  const turn = own.find(({ type }) => type === 'irot')
  const isTurned = turn !== undefined && readerOf(bytes, turn).whole(1) % 2 === 1
  return isTurned ? { width: size.height, height: size.width } : size
}

function sizeIn(bytes: Buffer, box: Box): Size | undefined {
  if (box.type !== 'ispe') return undefined
  const reader = readerOf(bytes, box)
  reader.full()
  return { width: reader.whole(4), height: reader.whole(4) }
}

function only(boxes: readonly Box[], type: string): Box {
  const [box, ...further] = boxes.filter((one) => one.type === type)
  if (box === undefined || further.length > 0) throw damaged('avif', `it has ${box === undefined ? 'no' : 'more than one'} ${type}`)
  return box
}

function tooMany(most: number, what: string): Error {
  return refused(`expected at most ${most} ${what} of an AVIF, found more`)
}
