/**
 * A page of found documents, in the form that each reader needs: as texts, or joined for a response.
 *
 * SQLite holds UTF-8. Turning a page of 32 KB into a text of UTF-16 units and back takes longer than finding its rows, so
 * what was read as bytes stays so until a reader asks for texts.
 */
import type { Position } from '../query/order.ts'
import type { Found } from './store.ts'

/** Documents that lie side by side: UTF-8, with a comma between two of them. */
export interface JoinedDocuments {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes of each document. */
  readonly lengths: readonly number[]
}

export function foundTexts(items: readonly string[], next: Position | undefined): Found {
  let joined: Uint8Array | undefined
  return {
    items,
    get joined() {
      return (joined ??= Buffer.from(items.join(',')))
    },
    get part() {
      return items.join(',')
    },
    next,
  }
}

export function foundBytes(parts: readonly JoinedDocuments[], next: Position | undefined): Found {
  let [items, joined]: [readonly string[] | undefined, Uint8Array | undefined] = [undefined, undefined]
  return {
    get items() {
      return (items ??= parts.flatMap(textsIn))
    },
    get joined() {
      return (joined ??= together(parts))
    },
    get part() {
      const [only, ...more] = parts
      // A short text has its place in a buffer that others share.
      const isAlone = only !== undefined && more.length === 0 && only.bytes.length === only.bytes.buffer.byteLength
      return isAlone ? { once: only.bytes } : this.joined
    },
    next,
  }
}

export const NOTHING_FOUND: Found = foundTexts([], undefined)

function textsIn({ bytes, lengths }: JoinedDocuments): readonly string[] {
  const buffer = bufferOf(bytes)
  let start = 0
  return lengths.map((length) => {
    const text = buffer.toString('utf8', start, start + length)
    start += length + ','.length
    return text
  })
}

/** The same memory. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function together(parts: readonly JoinedDocuments[]): Uint8Array {
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return bufferOf(only.bytes)
  return Buffer.concat(parts.flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [COMMA, bytes])))
}

const COMMA = Buffer.from(',')
