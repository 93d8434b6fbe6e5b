/**
 * Remembered results of reads, within a number of bytes. A page is found by the text of a request that asked for it before, or by
 * its key, which is the same for all texts that mean the same.
 *
 * A page enters at the second request for it within a moment: requests that come once, however many there are, neither
 * fill the memory nor push out what many ask for. When the bytes are used up, the oldest page goes; one that was read
 * since it was last the oldest becomes the newest instead (the clock algorithm: reading a page moves nothing). Texts and
 * keys are compared whole, so that no two of them are taken for one another; only the memory of first requests keeps
 * hashes, where a collision lets a page in one request early.
 */
import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import type { Model } from '../../models/schema.ts'

/** How soon the second request has to come. */
const WINDOW_MS = MINUTE_MS
/** First requests that are remembered, and in one set of them; powers of two. 96 KiB. */
const FIRST_REQUESTS = 8_192
const SET = 4
/** A longer text is not worth its memory: no client sends it often. In UTF-16 units. */
const TEXT_CHARS_MAX = 4_096
/** Texts of one page: an app and a few versions of it. A stranger can send any number of them. */
const TEXTS_MAX = 8
/** A larger page would push out too many others; as a share of all bytes. */
const PAGE_SHARE_MAX = 1 / 8
/** What a page takes besides its bytes and texts: 1.2 KB of heap, and what allocators round up. */
const PAGE_OVERHEAD_BYTES = 2_000
/** What a text takes besides its characters. */
const TEXT_OVERHEAD_BYTES = 100

/** What identifies the result of a read, and what it depends on. */
export interface PageFacts {
  /** The same for all texts that mean the same. */
  readonly key: string
  readonly model: Model
  /** The models whose documents it is made of. */
  readonly rests: readonly Model[]
  /** The id of the only documents of these models that it is made of; undefined where it may be made of any. */
  readonly document?: string | undefined
  /** What reading the parameters counted as body, and counts again; see list-params.ts. */
  readonly weight: number
}

/** The remembered result, in the form `Kept` in which it is sent. */
export interface Page<Kept> extends PageFacts {
  /** The versions of the models, or of the documents, that it rests on. */
  readonly restVersions: string
  /** The store's revision for which these versions were found to be current. */
  revision: number
  /** Names the version of the result. */
  readonly version: string
  /** Undefined while all clients that asked had the result: then only its version is known. */
  readonly kept: Kept | undefined
  /** Requests that were served from it. */
  hits: number
}

type NewPage = PageFacts & Pick<Page<unknown>, 'restVersions' | 'revision' | 'version'>

/** A result that is to be kept; `keep` gives its form, which calls `grow` with the bytes that are added to it later. */
export interface NewResult<Kept> {
  readonly bytes: number
  readonly keep: (grow: (bytes: number) => void) => Kept
}

interface Entry<Kept> {
  readonly page: Page<Kept>
  readonly texts: string[]
  bytes: number
  /** The hits of the page when it was last the oldest. */
  hitsSeen: number
}

export type PageCache<Kept> = ReturnType<typeof createPageCache<Kept>>

/** `bytesMax` 0 remembers nothing. */
export function createPageCache<Kept>({ bytesMax, now }: { readonly bytesMax: number; readonly now: Clock }) {
  const byKey = new Map<string, Entry<Kept>>()
  const byText = new Map<string, Entry<Kept>>()
  const firstRequests = createFirstRequests()
  const counts = { hits: 0, misses: 0, admissions: 0, evictions: 0 }
  let bytes = 0

  const remove = (entry: Entry<Kept>): void => {
    if (byKey.get(entry.page.key) !== entry) return
    byKey.delete(entry.page.key)
    for (const text of entry.texts) byText.delete(text)
    bytes -= entry.bytes
  }
  const grow = (entry: Entry<Kept>, by: number): void => {
    if (byKey.get(entry.page.key) !== entry) return
    entry.bytes += by
    bytes += by
    for (const oldest of byKey.values()) {
      if (bytes <= bytesMax) return
      // The page that takes the room goes last: among pages that are all read, no new one would stay.
      if (oldest.page.hits > oldest.hitsSeen || (oldest === entry && byKey.size > 1)) {
        oldest.hitsSeen = oldest.page.hits
        byKey.delete(oldest.page.key)
        byKey.set(oldest.page.key, oldest)
      } else {
        remove(oldest)
        counts.evictions++
      }
    }
  }
  const addText = (entry: Entry<Kept>, text: string): void => {
    if (text.length > TEXT_CHARS_MAX || byText.has(text)) return
    if (entry.texts.length >= TEXTS_MAX) {
      const oldest = entry.texts.shift() ?? ''
      byText.delete(oldest)
      grow(entry, -bytesOfText(oldest))
    }
    entry.texts.push(text)
    byText.set(text, entry)
    grow(entry, bytesOfText(text))
  }

  return {
    /** The page that a text asked for before, whatever its version is by now. */
    byText: (text: string): Page<Kept> | undefined => byText.get(text)?.page,
    /** The page of a key, which this text asks for as well. */
    byKey(key: string, text: string | undefined): Page<Kept> | undefined {
      const entry = byKey.get(key)
      if (entry !== undefined && text !== undefined) addText(entry, text)
      return entry?.page
    },
    /** Counts a request that was served from the page. */
    used(page: Page<Kept>): void {
      counts.hits++
      page.hits++
    },
    /**
     * Counts a request that no page has served. Returns whether its result is to be remembered: where one of the same key
     * was asked for within the window, and where an older version of it has served requests.
     */
    missed(key: string): boolean {
      counts.misses++
      if (bytesMax === 0 || key.length > TEXT_CHARS_MAX) return false
      const entry = byKey.get(key)
      if (entry === undefined) return firstRequests.isSecond(key, now())
      if (entry.page.hits > 0) return true
      // Where documents change faster than they are read, remembering is work for nothing.
      remove(entry)
      return false
    },
    /** Remembers a result in place of an older one, whose texts it takes over. */
    keep(facts: NewPage, result: NewResult<Kept> | undefined, text: string | undefined): Page<Kept> {
      const before = byKey.get(facts.key)
      if (before !== undefined) remove(before)
      const size = (result?.bytes ?? 0) + bytesOfText(facts.key) + PAGE_OVERHEAD_BYTES
      const kept = result?.keep((by) => grow(entry, by))
      const page: Page<Kept> = { ...facts, kept, hits: 0 }
      const entry: Entry<Kept> = { page, texts: [], bytes: 0, hitsSeen: 0 }
      if (size > bytesMax * PAGE_SHARE_MAX) return page
      counts.admissions++
      byKey.set(facts.key, entry)
      grow(entry, size)
      for (const one of before?.texts ?? []) addText(entry, one)
      if (text !== undefined) addText(entry, text)
      return page
    },
    counts: () => ({ ...counts, bytes, pages: byKey.size }),
  }
}

function bytesOfText(text: string): number {
  return text.length * 2 + TEXT_OVERHEAD_BYTES
}

/**
 * A table of hashes with the time of each, in sets of four (as caches of processors have them): a hash takes the place of
 * the oldest of its set. In a table without sets, two keys of one place that come in turn would never be found.
 */
function createFirstRequests() {
  const [hashes, times] = [new Int32Array(FIRST_REQUESTS), new Float64Array(FIRST_REQUESTS)]
  // A stranger who knew it could fill one set of the table over and over.
  const seed = randomInt(2 ** 31)
  return {
    /** Whether the key came within the window before; then it is forgotten. */
    isSecond(key: string, now: number): boolean {
      const hash = hashOf(key, seed)
      const set = (hash & (FIRST_REQUESTS / SET - 1)) * SET
      let oldest = set
      for (let slot = set; slot < set + SET; slot++) {
        const since = now - (times[slot] ?? 0)
        if (hashes[slot] === hash && since >= 0 && since <= WINDOW_MS) {
          times[slot] = 0
          return true
        }
        if ((times[slot] ?? 0) < (times[oldest] ?? 0)) oldest = slot
      }
      hashes[oldest] = hash
      times[oldest] = now
      return false
    },
  }
}

/** FNV-1a over UTF-16 units, begun at a seed, with a last mix so that the low bits depend on all. */
function hashOf(text: string, seed: number): number {
  let hash = seed | 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 12)
}
