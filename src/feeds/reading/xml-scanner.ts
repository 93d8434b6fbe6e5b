/**
 * Reads XML (XML 1.0, fifth edition) in one pass: tags, text and CDATA sections, in their order. There is no DTD: a
 * document type is skipped with all that it declares, so no entity grows. What is not well-formed is noted, and read as
 * a browser would. Time is linear in the length of the text, whatever it holds.
 */
import { quoted, type FeedProblems } from './feed-problems.ts'
import { isSpace, readTag, skipSpace, type MarkupTag } from './markup-tag.ts'
import { createFinder, type TextFinder } from './text-finder.ts'

/** Elements within elements. Deeper ones are not reported, but their text is. */
const DEPTH_MAX = 200
const [BANG, SLASH, COLON, QUESTION, UNDERSCORE] = [0x21, 0x2f, 0x3a, 0x3f, 0x5f]

export interface XmlHandler {
  /** How many of the open elements, by their names, stay open where an element begins: fewer than all where end tags lack. */
  keptOpen(names: readonly string[], name: string): number
  /** An element begins; its tag stands from `start` to `end`. */
  open(tag: MarkupTag, start: number, end: number): void
  /** Text that may hold references, from `start` to `end`. */
  text(start: number, end: number): void
  /** Text as it is. */
  literal(start: number, end: number): void
  /** The element that was opened last ends. Where its end tag is missing, `start` equals `end`. */
  close(start: number, end: number): void
}

/** Calls the handler for all that the text holds. Each `open` has its `close`. */
export function scanXml(source: string, handler: XmlHandler, problems: FeedProblems): void {
  const scan: Scan = { source, handler, problems, finder: createFinder(source), names: [], depthBeyond: 0, hasRoot: false }
  let [at, textStart] = [0, 0]
  while (at < source.length) {
    const angle = source.indexOf('<', at)
    if (angle !== -1 && !beginsMarkup(source.charCodeAt(angle + 1))) {
      problems.note('angle', '"<" does not begin a tag. It is read as text.', angle)
      at = angle + 1
      continue
    }
    const end = angle === -1 ? source.length : angle
    if (end > textStart) readText(scan, textStart, end)
    at = angle === -1 ? source.length : readMarkup(scan, angle)
    textStart = at
  }
  if (textStart < at && at === source.length) readText(scan, textStart, at)
  const unclosed = scan.names.at(-1)
  if (unclosed !== undefined) {
    problems.note('unclosed', `the element ${quoted(unclosed)} has no end tag. It ends with the feed.`, source.length)
  }
  while (scan.names.pop() !== undefined) handler.close(source.length, source.length)
}

interface Scan {
  readonly source: string
  readonly handler: XmlHandler
  readonly problems: FeedProblems
  readonly finder: TextFinder
  /** Of the open elements. */
  readonly names: string[]
  depthBeyond: number
  hasRoot: boolean
}

function readText({ source, handler, problems, names, hasRoot, finder }: Scan, start: number, end: number): void {
  const section = finder.find(']]>', start)
  if (section !== -1 && section < end) problems.note('text', '"]]>" stands in a text. It is part of it.', section)
  if (names.length > 0) return handler.text(start, end)
  if (skipSpace(source, start) >= end) return
  problems.note('outside', `text stands ${hasRoot ? 'behind' : 'before'} the feed. It is left out.`, start)
}

/** Reads what begins with `<`, and gives the position behind it. */
function readMarkup(scan: Scan, at: number): number {
  const code = scan.source.charCodeAt(at + 1)
  if (code === SLASH) return readClosing(scan, at)
  if (code === QUESTION) return readInstruction(scan, at)
  return code === BANG ? readDeclaration(scan, at) : readOpening(scan, at)
}

/** The beginning of a name, or a mark of other markup. */
function beginsMarkup(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === UNDERSCORE || code === COLON || code >= 0x80
  return isLetter || code === SLASH || code === BANG || code === QUESTION
}

function readOpening(scan: Scan, at: number): number {
  const { source, handler, problems, names } = scan
  const tag = readTag(source, at + 1, scan.finder)
  if (tag.fault !== undefined) problems.note('tag', `the tag ${quoted(tag.name)} ${tag.fault}. The rest of it is read.`, at)
  if (names.length === 0) {
    if (scan.hasRoot) problems.note('roots', `a second element ${quoted(tag.name)} follows the feed. It is read as part of it.`, at)
    scan.hasRoot = true
  }
  closeDownTo(scan, handler.keptOpen(names, tag.name), at, tag.name)
  if (names.length >= DEPTH_MAX) {
    problems.note('depth', `elements are nested deeper than ${DEPTH_MAX} levels. Only their text is read.`, at)
    if (!tag.isEmpty) scan.depthBeyond++
    return tag.end
  }
  handler.open(tag, at, tag.end)
  if (tag.isEmpty) handler.close(tag.end, tag.end)
  else names.push(tag.name)
  return tag.end
}

function readClosing(scan: Scan, at: number): number {
  const { source, handler, problems, names } = scan
  const close = scan.finder.find('>', at)
  const less = scan.finder.find('<', at + 1)
  const isCut = close === -1 || (less !== -1 && less < close)
  const nameEnd = isCut ? (less === -1 ? source.length : less) : close
  const name = source.slice(at + 2, nameEnd).trimEnd()
  const end = isCut ? nameEnd : close + 1
  if (isCut) problems.note('tag', `the end tag ${quoted(name)} has no ">". It is read as if it had one.`, at)
  if (scan.depthBeyond > 0) {
    scan.depthBeyond--
    return end
  }
  // At most DEPTH_MAX names are looked at.
  const index = names.lastIndexOf(name)
  if (index === -1) {
    problems.note('closing', `the end tag ${quoted(name)} has no start tag. It is left out.`, at)
    return end
  }
  closeDownTo(scan, index + 1, at, name)
  names.pop()
  handler.close(at, end)
  return end
}

/** Ends the innermost elements until so many are open. */
function closeDownTo(scan: Scan, length: number, at: number, name: string): void {
  const { handler, problems, names } = scan
  if (names.length <= length) return
  scan.depthBeyond = 0
  problems.note('crossed', `the element ${quoted(names.at(-1) ?? '')} has no end tag. It ends with ${quoted(name)}.`, at)
  while (names.length > length) {
    names.pop()
    handler.close(at, at)
  }
}

function readInstruction({ source, problems, finder, hasRoot }: Scan, at: number): number {
  const isXml = source.startsWith('<?xml', at) && isSpace(source.charCodeAt(at + 5))
  if (isXml && (at > 0 || hasRoot)) problems.note('declaration', 'the XML declaration is not at the beginning. It is left out.', at)
  const close = finder.find('?>', at)
  if (close !== -1) return close + 2
  problems.note('instruction', 'a processing instruction has no "?>". It ends with its line.', at)
  const line = finder.find('\n', at)
  return line === -1 ? source.length : line
}

function readDeclaration(scan: Scan, at: number): number {
  const { source, problems, finder } = scan
  if (source.startsWith('<!--', at)) {
    const hyphens = finder.find('--', at + 4)
    if (hyphens !== -1 && hyphens < finder.find('-->', at)) problems.note('comment', '"--" stands in a comment. The comment ends with "-->".', at)
    return endOfSection(scan, at, '-->', 'a comment')
  }
  if (source.startsWith('<![CDATA[', at)) {
    const close = finder.find(']]>', at)
    if (scan.names.length > 0) scan.handler.literal(at + 9, close === -1 ? source.length : close)
    return endOfSection(scan, at, ']]>', 'a CDATA section')
  }
  if (!/^doctype/i.test(source.slice(at + 2, at + 9))) {
    problems.note('angle', '"<!" does not begin a declaration. It is left out up to its ">".', at)
  }
  return endOfDocumentType(scan, at)
}

function endOfSection({ source, problems, finder }: Scan, at: number, end: string, name: string): number {
  const close = finder.find(end, at)
  if (close === -1) problems.note('section', `${name} has no "${end}". It ends with the feed.`, at)
  return close === -1 ? source.length : close + end.length
}

/** A document type may hold declarations in brackets, which end with `]` and `>`. */
function endOfDocumentType({ source, problems, finder }: Scan, at: number): number {
  const [close, bracket] = [finder.find('>', at), finder.find('[', at)]
  if (bracket === -1 || close === -1 || close < bracket) return close === -1 ? source.length : close + 1
  for (let end = finder.find(']', bracket); end !== -1; end = finder.find(']', end + 1)) {
    const next = skipSpace(source, end + 1)
    if (source[next] === '>') return next + 1
  }
  problems.note('doctype', 'the document type has no "]>". It ends with its first ">".', at)
  return close + 1
}
