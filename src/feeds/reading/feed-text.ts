/** Texts of elements: HTML or plain, by what their attributes and their format say. */
import { cutText } from './excerpt.ts'
import type { FeedElement } from './feed-tree.ts'
import { foldSpace, looksLikeHtml, readHtml, type HtmlReading } from './html-text.ts'

const BASE64_CHARS_MAX = 2_000_000
/** A text this long is cut; folding more would be work for nothing. */
const PLAIN_CHARS_MAX = 20_000
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
  const { markup, isPlain } = contentOf(element, isAtom)
  if (!isPlain) {
    const { text, pictures } = readHtml(markup, charsMax, wantsPictures)
    return { text: cutText(text, charsMax), pictures }
  }
  return { text: cutText(foldSpace(markup.slice(0, PLAIN_CHARS_MAX)), charsMax), pictures: [] }
}

const NOTHING: HtmlReading = { text: '', pictures: [] }

interface Content {
  readonly markup: string
  readonly isPlain: boolean
}

function contentOf(element: FeedElement, isAtom: boolean): Content {
  const type = (element.attributes.get('type') ?? '').trim()
  const mode = element.attributes.get('mode')?.toLowerCase()
  if (mode === 'base64' || (mode === undefined && !READABLE.test(type))) return { markup: fromBase64(element.text, type), isPlain: false }
  if (XHTML.test(type) || (element.hasTags && isAtom && mode !== 'escaped' && !HTML.test(type))) return { markup: element.raw, isPlain: false }
  const isSaidPlain = type === '' ? isAtom : PLAIN.test(type) && !HTML.test(mode ?? '')
  return { markup: element.text, isPlain: isSaidPlain && !element.hasTags && (!isAtom || !looksLikeHtml(element.text)) }
}

/** Atom has texts of other types in base64. Those that are pictures or programs are none for readers. */
function fromBase64(text: string, type: string): string {
  if (/^(?:image|audio|video|font)\//i.test(type) || text.length > BASE64_CHARS_MAX) return ''
  return Buffer.from(text, 'base64').toString('utf8')
}
