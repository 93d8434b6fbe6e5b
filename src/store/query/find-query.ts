/** A query for a page of documents or for their number, and its caller. */
import type { TextPart } from '../../base/text-parts.ts'
import type { CallerClass } from '../../models/caller.ts'
import type { Filter } from '../../query/ast.ts'
import type { Position, Sort } from '../../query/order.ts'

export interface FindQuery {
  readonly filter: Filter
  readonly sort: Sort
  /** How many items at most; undefined for as many as make a page in bytes. */
  readonly limit: number | undefined
  /** The sort values and the id after which the page begins. */
  readonly after: Position | undefined
  /** Counts matches, up to the limit, in place of reading them: see CountQuery. */
  readonly counts?: true
  /** The filter names only some of the documents that were asked for: the page says so, and a count of them is a floor. */
  readonly isPart?: true
}

/** Its answer is a count. */
export interface CountQuery extends FindQuery {
  readonly counts: true
}

export type Answer<Query extends FindQuery> = Query extends CountQuery ? MatchCount : Found

export function countQuery(filter: Filter, limit: number): CountQuery {
  return { filter, sort: [], limit, after: undefined, counts: true }
}

/** The caller of a query, which decides when it is served while others wait. */
export interface QueryCaller {
  readonly id: string
  readonly class: CallerClass
  /** Callers of one group share its turns; see threads/fair-queue.ts. */
  readonly group?: string | undefined
  /** Aborts when the answer is not wanted any more. Used only by queries that wait. */
  readonly signal?: AbortSignal
}

/*
 * A page of found documents, in the form that each reader needs: as texts, or joined for a response.
 *
 * SQLite holds UTF-8. Turning a page of 32 KB into a text of UTF-16 units and back takes longer than finding its rows, so
 * what was read as bytes stays so until a reader asks for texts.
 */

export interface Found {
  /** Documents as JSON text. */
  readonly items: readonly string[]
  /** The same in UTF-8, with a comma between two documents: what the array of a response holds. */
  readonly joined: Uint8Array
  /** The same for a response, which sends it once: afterwards `joined` may be empty. */
  readonly part: TextPart
  /** The position after which the next page begins; undefined when nothing follows. */
  readonly next: Position | undefined
}

/** How many documents match; a floor where the limit, or what counting may cost, was reached. */
export interface MatchCount {
  readonly total: number
  readonly isFloor: boolean
}

/** Documents that lie side by side: UTF-8, with a comma between two of them. */
export interface JoinedDocuments {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** How many documents they are, and the bytes of the longest. */
  readonly count: number
  readonly longest: number
  /** The bytes of each document, computed when they are asked for: a page that is sent does without them. */
  readonly lengths: () => readonly number[]
}

// Classes: an object literal with a getter gets a hidden class of its own, which keeps all that the getter reaches until
// V8's next full collection. Of a list, those were the half of its memory, and a fifth of its time.
class FoundTexts implements Found {
  readonly items: readonly string[]
  readonly next: Position | undefined
  #joined: Uint8Array | undefined

  constructor(items: readonly string[], next: Position | undefined) {
    this.items = items
    this.next = next
  }

  get joined(): Uint8Array {
    return (this.#joined ??= Buffer.from(this.part))
  }

  get part(): string {
    return this.items.join(',')
  }
}

class FoundBytes implements Found {
  readonly next: Position | undefined
  readonly #parts: readonly JoinedDocuments[]
  #items: readonly string[] | undefined
  #joined: Uint8Array | undefined

  constructor(parts: readonly JoinedDocuments[], next: Position | undefined) {
    this.next = next
    this.#parts = parts
  }

  get items(): readonly string[] {
    return (this.#items ??= this.#parts.flatMap(textsIn))
  }

  get joined(): Uint8Array {
    return (this.#joined ??= together(this.#parts))
  }

  get part(): TextPart {
    const [only, ...more] = this.#parts
    // A short text has its place in a buffer that others share.
    const isAlone = only !== undefined && more.length === 0 && only.bytes.length === only.bytes.buffer.byteLength
    return isAlone ? { once: only.bytes } : this.joined
  }
}

export function foundTexts(items: readonly string[], next: Position | undefined): Found {
  return new FoundTexts(items, next)
}

export function foundBytes(parts: readonly JoinedDocuments[], next: Position | undefined): Found {
  return new FoundBytes(parts, next)
}

export const NOTHING_FOUND: Found = foundTexts([], undefined)

function textsIn({ bytes, lengths }: JoinedDocuments): readonly string[] {
  const buffer = bufferOf(bytes)
  let start = 0
  return lengths().map((length) => {
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
