/** What a reader sees of HTML, as one line of text, and the first picture in it. */
import { decodeReferences } from './character-references.ts'
import { scanHtml } from './html-scanner.ts'
import type { MarkupTag } from './markup-tag.ts'

/** Text beyond this is not looked at: no excerpt and no picture is that far down. */
const HTML_CHARS_MAX = 200_000
const PICTURES_MAX = 5
/** What `foldSpace` changes, and surrogates. */
const UNFOLDED = /^\s|\s$|\s\s|[^\S ]|[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/
const SPACE = /[\s\u200b]+/g
/** Bytes of windows-1252 that were taken for characters. */
const CONTROLS = /[\u0080-\u009f]/g
const WINDOWS_1252 = new TextDecoder('windows-1252')
/** Controls, marks that turn text around, and what is no character. */
const FORBIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f\u202d\u202e\ufdd0-\ufdef\ufffe\uffff]/g

/** Elements that stand within a line. Any other ends a word. */
const INLINE: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd'],
  ...['mark', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr'],
])
/** Other elements of HTML. A name that is none of them, as in `List<T>`, is text unless it has attributes. */
const BLOCK: ReadonlySet<string> = new Set([
  ...['address', 'applet', 'area', 'article', 'aside', 'audio', 'base', 'blockquote', 'body', 'br', 'button', 'canvas', 'caption'],
  ...['center', 'col', 'colgroup', 'datalist', 'dd', 'details', 'dialog', 'dir', 'div', 'dl', 'dt', 'embed', 'fieldset', 'figcaption'],
  ...['figure', 'footer', 'form', 'frame', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'header', 'hr', 'html', 'iframe'],
  ...['img', 'image', 'input', 'label', 'legend', 'li', 'link', 'main', 'map', 'math', 'menu', 'meta', 'meter', 'nav', 'noframes'],
  ...['noscript', 'object', 'ol', 'optgroup', 'option', 'output', 'p', 'param', 'picture', 'pre', 'progress', 'script', 'search'],
  ...['section', 'select', 'source', 'style', 'summary', 'svg', 'table', 'tbody', 'td', 'template', 'textarea', 'tfoot', 'th', 'thead'],
  ...['title', 'tr', 'track', 'ul', 'video', 'xml', 'marquee', 'blink', 'layer', 'nobr', 'slot', 'bgsound', 'isindex', 'command', 'keygen', 'listing', 'plaintext', 'xmp', 'spacer'],
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
      const isInline = INLINE.has(name)
      if (!isInline && !BLOCK.has(name) && isPlain(name, tag, isClosing)) return false
      if (!isInline && !text.endsWith(' ')) text += ' '
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

/** Whether a text that is said to be plain is HTML: it has end tags of HTML, or tags that load or run something. */
export function looksLikeHtml(text: string): boolean {
  if (!text.includes('<')) return false
  let isHtml = false
  scanHtml(text, {
    text: () => !isHtml,
    tag(name, tag, isClosing) {
      isHtml ||= isClosing ? INLINE.has(name) || BLOCK.has(name) : BLOCK.has(name) && (tag.attributes.size > 0 || name === 'script')
      return true
    },
  })
  return isHtml
}

/** `<T>` in a text about programs is no tag of HTML. */
function isPlain(name: string, { attributes, isEmpty }: MarkupTag, isClosing: boolean): boolean {
  return !isClosing && !isEmpty && attributes.size === 0 && !name.includes(':') && !name.includes('-')
}

function pictureOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const isPixel = [attributes.get('width'), attributes.get('height')].some((size) => size === '1' || size === '0')
  if (isPixel) return undefined
  const written = PICTURE_ATTRIBUTES.map((key) => attributes.get(key)?.trim() ?? '')
  return written.find((address) => address !== '' && !/^data:/i.test(address))
}
