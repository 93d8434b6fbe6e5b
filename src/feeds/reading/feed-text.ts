/** Texts of elements: HTML or plain, by what their attributes and their format say. */
import { cutText } from './excerpt.ts'
import type { FeedElement } from './feed-tree.ts'
import { foldSpace, looksLikeHtml, PLAIN_CHARS_MAX, readHtml, readPlain, type HtmlReading } from './html-text.ts'

const BASE64_CHARS_MAX = 2_000_000
const XHTML = /^(?:xhtml|application\/xhtml\+xml)$/i
const PLAIN = /^(?:text|text\/plain|plain)$/i
const HTML = /^(?:html|text\/html|escaped)$/i
const READABLE = /^(?:$|text\b|html$|escaped$|xhtml$|plain$)|[/+]xml$/i

export interface TextOptions {
  /** Of Atom a text without a type is plain, and of RSS it is HTML. */
  readonly isAtom: boolean
  readonly charsMax: number
  readonly wantsPictures?: boolean
}

/** The text of an element for readers, cut to the limit, and the pictures within. */
export function textOf(element: FeedElement | undefined, { isAtom, charsMax, wantsPictures = false }: TextOptions): HtmlReading {
  if (element === undefined) return NOTHING
  const { markup, kind } = contentOf(element, isAtom)
  if (kind === 'html') {
    const { text, pictures } = readHtml(markup, charsMax, wantsPictures)
    return { text: cutText(text, charsMax), pictures }
  }
  const text = kind === 'plain' ? foldSpace(markup.slice(0, PLAIN_CHARS_MAX)) : readPlain(markup, charsMax)
  return { text: cutText(text, charsMax), pictures: [] }
}

const NOTHING: HtmlReading = { text: '', pictures: [] }

interface Content {
  readonly markup: string
  /** `either`: nothing says whether it is HTML. */
  readonly kind: 'html' | 'plain' | 'either'
}

function contentOf(element: FeedElement, isAtom: boolean): Content {
  const { text, hasTags, attributes, name } = element
  const type = (attributes.get('type') ?? '').trim()
  const mode = attributes.get('mode')?.toLowerCase()
  if (mode === 'base64' || (mode === undefined && !READABLE.test(type))) return { markup: fromBase64(text, type), kind: 'html' }
  // Some write XHTML as if it were HTML.
  if (XHTML.test(type) && !hasTags && looksLikeHtml(text)) return { markup: text, kind: 'html' }
  if (XHTML.test(type) || (hasTags && isAtom && mode !== 'escaped' && !HTML.test(type))) return { markup: element.raw, kind: 'html' }
  if (hasTags || HTML.test(type) || HTML.test(mode ?? '')) return { markup: text, kind: 'html' }
  const isSaidPlain = isAtom && (type === '' || PLAIN.test(type))
  if (isSaidPlain) return { markup: text, kind: looksLikeHtml(text) ? 'html' : 'plain' }
  // Titles of RSS are plain for most writers; descriptions are HTML.
  return { markup: text, kind: name.endsWith('title') || PLAIN.test(type) ? 'either' : 'html' }
}

/** Atom has texts of other types in base64. Those that are pictures or programs are none for readers. */
function fromBase64(text: string, type: string): string {
  if (/^(?:image|audio|video|font)\//i.test(type) || text.length > BASE64_CHARS_MAX) return ''
  return Buffer.from(text, 'base64').toString('utf8')
}
