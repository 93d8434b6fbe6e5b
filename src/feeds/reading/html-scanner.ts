/**
 * Reads HTML in one pass, as the tree construction of browsers sees tags and text, without the tree. Comments,
 * declarations and the content of scripts and styles are skipped. Time is linear in the length of the text.
 */
import { readTag, type MarkupTag } from './markup-tag.ts'
import { createFinder, type TextFinder } from './text-finder.ts'

/** Elements whose content is no text of the page. */
const SKIPPED: ReadonlySet<string> = new Set([
  ...['script', 'style', 'template', 'iframe', 'noembed', 'noframes', 'applet', 'svg', 'math', 'head', 'textarea', 'select'],
])

export interface HtmlHandler {
  /** Text between tags, not decoded. Returning false ends the reading. */
  text(text: string): boolean
  /** A tag; `name` is in lower case. Returning false says that it is text after all. */
  tag(name: string, tag: MarkupTag, isClosing: boolean): boolean
}

export interface HtmlOptions {
  /** Elements that are skipped with their content. */
  readonly skipped?: ReadonlySet<string>
}

export function scanHtml(html: string, handler: HtmlHandler, { skipped = SKIPPED }: HtmlOptions = {}): void {
  const finder = createFinder(html)
  const unclosed = new Set<string>()
  let [at, textStart] = [0, 0]
  for (;;) {
    const angle = html.indexOf('<', at)
    const end = angle === -1 ? html.length : angle
    if (angle !== -1 && !beginsMarkup(html, angle)) {
      at = angle + 1
      continue
    }
    if (end > textStart && !handler.text(html.slice(textStart, end))) return
    if (angle === -1) return
    textStart = angle
    at = readMarkup(html, angle, { finder, unclosed, handler, skipped })
    // What is no tag after all begins the next text.
    if (at > angle + 1) textStart = at
  }
}

/** A letter, `/`, `!` or `?` behind `<`. */
function beginsMarkup(html: string, at: number): boolean {
  return /[a-z/!?]/i.test(html[at + 1] ?? '')
}

interface Scan {
  readonly finder: TextFinder
  /** Skipped elements without an end tag in what follows. */
  readonly unclosed: Set<string>
  readonly handler: HtmlHandler
  readonly skipped: ReadonlySet<string>
}

function readMarkup(html: string, at: number, { finder, unclosed, handler, skipped }: Scan): number {
  const mark = html[at + 1]
  if (mark === '!' || mark === '?') {
    const end = html.startsWith('<!--', at) ? '-->' : html.startsWith('<![CDATA[', at) ? ']]>' : '>'
    const close = finder.find(end, at)
    // An unclosed comment ends with its tag: what follows is text.
    const next = close === -1 ? finder.find('>', at) + 1 : close + end.length
    return next === 0 ? html.length : next
  }
  const isClosing = mark === '/'
  const tag = readTag(html, at + (isClosing ? 2 : 1), finder)
  const name = tag.name.toLowerCase()
  if (!handler.tag(name, tag, isClosing)) return at + 1
  return !isClosing && !tag.isEmpty && skipped.has(name) ? endOfElement(html, name, tag.end, unclosed) : tag.end
}

/**
 * Behind the end tag of an element that is skipped. Without one, a script is all that follows, and others are empty. What
 * follows is searched once for each name that has no end tag.
 */
function endOfElement(html: string, name: string, start: number, unclosed: Set<string>): number {
  for (let at = unclosed.has(name) ? -1 : html.indexOf('</', start); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) {
      const close = html.indexOf('>', at)
      return close === -1 ? html.length : close + 1
    }
  }
  unclosed.add(name)
  return name === 'script' || name === 'style' ? html.length : start
}
