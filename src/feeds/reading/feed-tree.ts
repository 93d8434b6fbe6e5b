/**
 * A feed of XML as a tree of its elements. Items beyond the limit are counted and not kept. Elements that hold texts for
 * readers, such as `description`, have no children: their text has the tags within as they are written.
 */
import { decodeReferences } from './character-references.ts'
import { webAddress } from './feed-address.ts'
import { languageOf } from './feed-members.ts'
import { createFeedNames } from './feed-names.ts'
import { quoted, type FeedProblems } from './feed-problems.ts'
import type { MarkupTag, TagAttributes } from './markup-tag.ts'
import { scanXml } from './xml-scanner.ts'

/** Elements and their attributes. */
const PARTS_MAX = 200_000
/** Tags and texts within texts: each piece takes memory, however short it is. */
const PIECES_MAX = 1_000_000
const CHILDREN_MAX = 2_000

export interface FeedElement {
  /** As feed-names.ts gives it: `title`, `dc:date`, `media:content`. */
  readonly name: string
  /** By lower-case names, with the prefixes of the feed. */
  readonly attributes: TagAttributes
  readonly children: readonly FeedElement[]
  /** References are decoded once. Tags within are as they are written. */
  readonly text: string
  /** Whether there are tags within the text. */
  readonly hasTags: boolean
  /** All between its tags, as it is written. */
  readonly raw: string
  /** What relative addresses of it are relative to. */
  readonly base: string
  readonly language: string | undefined
}

export interface FeedTree {
  readonly root: FeedElement | undefined
  readonly items: readonly FeedElement[]
  readonly leftOut: number
}

export interface TreeOptions {
  readonly address: string
  readonly itemsMax: number
  readonly problems: FeedProblems
}

/** Elements whose text is for readers. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'summary', 'content', 'subtitle', 'tagline', 'abstract', 'info', 'rights', 'copyright', 'body'],
  ...['content:encoded', 'xhtml:body', 'xhtml:div', 'dc:title', 'dc:description', 'dcterms:abstract', 'media:title'],
  ...['media:description', 'itunes:title', 'itunes:subtitle', 'itunes:summary'],
])
const ITEMS: ReadonlySet<string> = new Set(['item', 'entry'])
/** Names as they are written, with any prefix. */
const [ITEM, CONTAINER] = [/(?:^|:)(?:item|entry)$/i, /(?:^|:)(?:channel|feed|rss|rdf)$/i]

/** Reads the whole text. Never fails; `root` is missing where there is no element. */
export function readTree(source: string, { address, itemsMax, problems }: TreeOptions): FeedTree {
  const names = createFeedNames()
  const stack: Growing[] = []
  const items: FeedElement[] = []
  let root: Growing | undefined
  /** Levels below an element that is not kept, or below one with text for readers. */
  let [dropped, within, parts, pieces, leftOut, isInItem] = [0, 0, 0, 0, 0, false]

  const onUnknown = (at: number) => (reference: string): void =>
    problems.note('reference', `the reference ${quoted(reference)} is none. It is read as far as it has a meaning.`, at)

  const tooMany = (at: number): void => problems.note('many', 'there are too many elements. The rest of them are left out.', at)

  /** Adds text to the innermost element. */
  const add = (text: string, at: number): void => {
    const top = stack.at(-1)
    if (top === undefined) return
    if (++pieces > PIECES_MAX) tooMany(at)
    else top.text += text
  }

  const grow = (tag: MarkupTag, start: number, end: number): Growing | undefined => {
    const undeclare = names.declare(tag.attributes)
    const { name } = names.nameOf(tag.name)
    const undeclared = names.undeclaredIn(tag)
    if (undeclared !== undefined) problems.note('prefix', `the prefix of ${quoted(undeclared)} is not declared. It is taken for the usual one.`, start)
    const parent = stack.at(-1)
    const isItem = !isInItem && ITEMS.has(name)
    if (isItem && items.length >= itemsMax) leftOut++
    const isKept = (!isItem || items.length < itemsMax) && parts < PARTS_MAX && (parent?.children.length ?? 0) < CHILDREN_MAX
    if (!isKept) {
      if (!isItem || items.length < itemsMax) tooMany(start)
      undeclare?.()
      return undefined
    }
    parts += 1 + tag.attributes.names.length
    const element = new Growing({ source, name, tag, end, isItem, undeclare, parent, address })
    if (isItem) {
      items.push(element)
      isInItem = true
    } else parent?.append(element)
    root ??= element
    return element
  }

  scanXml(
    source,
    {
      keptOpen,
      open(tag, start, end) {
        const top = stack.at(-1)
        if (dropped > 0) dropped++
        else if (top !== undefined && (within > 0 || TEXTS.has(top.name))) {
          within++
          add(source.slice(start, end), start)
          top.hasTags = true
        } else {
          const element = grow(tag, start, end)
          if (element === undefined) dropped++
          else stack.push(element)
        }
      },
      text(start, end) {
        if (dropped === 0) add(decodeReferences(source.slice(start, end), onUnknown(start)), start)
      },
      literal(start, end) {
        if (dropped === 0) add(source.slice(start, end), start)
      },
      close(start, end) {
        const top = stack.at(-1)
        if (dropped > 0) dropped--
        else if (within > 0) {
          within--
          if (end > start) add(source.slice(start, end), start)
        } else if (top !== undefined) {
          top.contentEnd = start
          top.undeclare?.()
          if (top.isItem) isInItem = false
          stack.pop()
        }
      },
    },
    problems,
  )
  return { root, items, leftOut }
}

/** Of a name, longer than any that is looked for: it may have megabytes, and is looked at for each item. */
const NAME_CHARS_MAX = 40

/** No item stands in another one or in a text: what is open there has lost its end tag. */
function keptOpen(names: readonly string[], name: string): number {
  if (!ITEM.test(name.slice(-NAME_CHARS_MAX))) return names.length
  const ends = names.map((one) => one.slice(-NAME_CHARS_MAX))
  const container = ends.findLastIndex((one) => CONTAINER.test(one))
  const lost = ends.findIndex((one, i) => i > container && (ITEM.test(one) || (one.length < NAME_CHARS_MAX && TEXTS.has(one.toLowerCase()))))
  return lost === -1 ? names.length : lost
}

interface ElementParts {
  readonly source: string
  readonly name: string
  readonly tag: MarkupTag
  /** Where its tag ends. */
  readonly end: number
  readonly isItem: boolean
  readonly undeclare: (() => void) | undefined
  readonly parent: FeedElement | undefined
  readonly address: string
}

/** Most elements have none. */
const NO_CHILDREN: Growing[] = []

class Growing implements FeedElement {
  readonly name: string
  readonly attributes: TagAttributes
  children: Growing[] = NO_CHILDREN
  readonly base: string
  readonly language: string | undefined
  readonly isItem: boolean
  readonly undeclare: (() => void) | undefined
  text = ''
  hasTags = false
  contentEnd: number
  private readonly source: string
  private readonly contentStart: number

  constructor({ source, name, tag, end, isItem, undeclare, parent, address }: ElementParts) {
    const outer = parent?.base ?? address
    const base = tag.attributes.get('xml:base')
    const language = tag.attributes.get('xml:lang')
    this.name = name
    this.attributes = tag.attributes
    this.base = base === undefined ? outer : (webAddress(base, outer) ?? outer)
    this.language = language === undefined ? parent?.language : languageOf(language)
    this.isItem = isItem
    this.undeclare = undeclare
    this.contentEnd = end
    this.source = source
    this.contentStart = end
  }

  get raw(): string {
    return this.source.slice(this.contentStart, this.contentEnd)
  }

  append(child: Growing): void {
    if (this.children === NO_CHILDREN) this.children = [child]
    else this.children.push(child)
  }
}
