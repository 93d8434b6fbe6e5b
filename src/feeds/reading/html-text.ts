/** What a reader sees of HTML, as one line of text, and the first picture in it. */
import { decodeReferences } from './character-references.ts'
import { scanHtml } from './html-scanner.ts'
import type { MarkupTag, TagAttributes } from './markup-tag.ts'

/** Text beyond this is not looked at: no excerpt and no picture is that far down. */
const HTML_CHARS_MAX = 200_000
const PICTURES_MAX = 5
/** Of a text that is cut to a thousand characters and less. */
export const PLAIN_CHARS_MAX = 20_000
/** What `foldSpace` changes, and surrogates. */
const UNFOLDED = /^\s|\s$|\s\s|[^\S ]|[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/
const SPACE = /[\s\u200b]+/g
/** Bytes of windows-1252 that were taken for characters. */
const CONTROLS = /[\u0080-\u009f]/g
const WINDOWS_1252 = new TextDecoder('windows-1252')
/** Controls, marks that turn text around, and what is no character. */
const FORBIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f\u202d\u202e\ufdd0-\ufdef\ufffe\uffff]/g

/** Elements that stand within a line, as unknown ones do, and those without text. */
const INLINE: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd'],
  ...['mark', 'meta', 'param', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'script', 'small', 'source', 'span', 'strike', 'strong', 'style'],
  ...['sub', 'sup', 'template', 'time', 'track', 'tt', 'u', 'var', 'wbr'],
])
/** Other elements of HTML: these end a word. A name that HTML does not have, as in `List<T>`, is text unless it has attributes. */
const BLOCK: ReadonlySet<string> = new Set([
  ...['address', 'applet', 'area', 'article', 'aside', 'audio', 'base', 'blockquote', 'body', 'br', 'button', 'canvas', 'caption'],
  ...['center', 'col', 'colgroup', 'datalist', 'dd', 'details', 'dialog', 'dir', 'div', 'dl', 'dt', 'embed', 'fieldset', 'figcaption'],
  ...['figure', 'footer', 'form', 'frame', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'header', 'hr', 'html', 'iframe'],
  ...['img', 'image', 'input', 'label', 'legend', 'li', 'link', 'main', 'map', 'math', 'menu', 'meter', 'nav', 'noframes'],
  ...['noscript', 'object', 'ol', 'optgroup', 'option', 'output', 'p', 'picture', 'pre', 'progress', 'search'],
  ...['section', 'select', 'summary', 'svg', 'table', 'tbody', 'td', 'textarea', 'tfoot', 'th', 'thead'],
  ...['title', 'tr', 'ul', 'video', 'xml', 'marquee', 'blink', 'layer', 'nobr', 'slot', 'bgsound', 'isindex', 'command', 'keygen', 'listing', 'plaintext', 'xmp', 'spacer'],
])

/** Where lazy loading keeps the address of a picture. */
const PICTURE_ATTRIBUTES = ['src', 'data-src', 'data-lazy-src', 'data-original']

export interface HtmlReading {
  readonly text: string
  /** Addresses as they are written, of pictures that are no tracking pixels. */
  readonly pictures: readonly string[]
}

/** Reads until the text has more than `charsMax` characters and, where they are wanted, a picture is found. */
export function readHtml(html: string, charsMax: number, wantsPictures = false): HtmlReading {
  const pictures: string[] = []
  let text = ''
  const isDone = (): boolean => text.length > charsMax && (!wantsPictures || pictures.length > 0)
  scanHtml(html.length > HTML_CHARS_MAX ? html.slice(0, HTML_CHARS_MAX) : html, {
    text(part) {
      if (text.length <= charsMax) text += decodeReferences(part).replace(SPACE, ' ')
      return !isDone()
    },
    tag(name, tag, isClosing) {
      const isBlock = BLOCK.has(name)
      if (!isBlock && !INLINE.has(name) && isPlain(name, tag, isClosing)) return false
      if (isBlock && !text.endsWith(' ')) text += ' '
      if (name === 'img' && pictures.length < PICTURES_MAX) {
        const picture = pictureOf(tag.attributes)
        if (picture !== undefined) pictures.push(picture)
      }
      return true
    },
  })
  return { text: foldSpace(text), pictures }
}

/** Each run of white space as one space, none at the ends, and no control characters or broken surrogates. */
export function foldSpace(text: string): string {
  if (!UNFOLDED.test(text)) return text
  return text.replace(CONTROLS, (control) => WINDOWS_1252.decode(Uint8Array.of(control.charCodeAt(0)))).replace(FORBIDDEN, '').replace(SPACE, ' ').trim().toWellFormed()
}

/**
 * Whether a text that may be plain is HTML: it has end tags of HTML, or tags that load, run or break something. `The
 * <dialog> element` is plain.
 */
export function looksLikeHtml(text: string): boolean {
  if (!text.includes('<')) return false
  let isHtml = false
  const tag = (name: string, { attributes }: MarkupTag, isClosing: boolean): boolean => {
    const isKnown = INLINE.has(name) || BLOCK.has(name)
    isHtml ||= isKnown && (isClosing || attributes.names.length > 0 || TELLING.has(name))
    isHtml ||= attributes.names.some((key) => key.startsWith('on'))
    return true
  }
  scanHtml(text.slice(0, HTML_CHARS_MAX), { text: () => !isHtml, tag }, { skipped: NONE })
  return isHtml
}

const TELLING: ReadonlySet<string> = new Set(['br', 'hr', 'iframe', 'img', 'script', 'style', 'wbr'])
const NONE: ReadonlySet<string> = new Set()

/** A text that may be plain: HTML where it looks like it, and else as it is, with references decoded once. */
export function readPlain(text: string, charsMax: number): string {
  if (looksLikeHtml(text)) return readHtml(text, charsMax).text
  return foldSpace(decodeReferences(text.slice(0, PLAIN_CHARS_MAX)))
}

/** `<T>` in a text about programs is no tag of HTML. */
function isPlain(name: string, { attributes, isEmpty }: MarkupTag, isClosing: boolean): boolean {
  return !isClosing && !isEmpty && attributes.names.length === 0 && !name.includes(':') && !name.includes('-')
}

function pictureOf(attributes: TagAttributes): string | undefined {
  const isPixel = [attributes.get('width'), attributes.get('height')].some((size) => size === '1' || size === '0')
  if (isPixel) return undefined
  const written = PICTURE_ATTRIBUTES.map((key) => attributes.get(key)?.trim() ?? '')
  return written.find((address) => address !== '' && !/^data:/i.test(address))
}
