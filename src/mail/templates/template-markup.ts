/**
 * The HTML of a template: text and layout, and nothing that can be clicked, loaded or run.
 *
 * A mail scanner follows links and an image tells when it was seen, so a sign-in mail has neither. Elements and
 * attributes are those that are known to be harmless; a list of the harmful ones would never be complete. The grammar
 * is narrower than a browser's: where the two could see different tags (a `<` in an attribute, a bracket in a comment,
 * a tag that is not closed), the template is refused.
 */
import { describe } from '../../base/failure.ts'
import { refusedTemplate, type TemplateSource } from './template-error.ts'

const ELEMENTS = new Set(
  `html head title meta style body div p span strong em b i u s small big sub sup br wbr hr h1 h2 h3 h4 h5 h6 header
  footer main section article address center font blockquote pre code kbd samp mark abbr bdi bdo time ul ol li dl dt dd
  table caption colgroup col thead tbody tfoot tr th td`.split(/\s+/),
)
const ATTRIBUTES = new Set(
  `style class id dir lang title role hidden align valign width height bgcolor color face size border cellpadding
  cellspacing colspan rowspan span scope nowrap charset name content type media datetime start value xmlns`.split(
    /\s+/,
  ),
)

/** A backslash could spell `url` another way, and a value is not written for CSS. */
const LOADS = /\\|\{\{|@import|(?:url|src|image|image-set|cross-fade|element|expression)\s*\(/i
/** In an attribute a character reference could spell it too. */
const LOADS_IN_ATTRIBUTE = new RegExp(`${LOADS.source}|&(?!(?:quot|apos|amp|#39);)`, 'i')
const WANTED = 'expected text and layout only, with nothing to click, load or run'

/** Throws a TemplateError for any markup that is not plain. Gives the text that a reader sees, tags left out. */
export function readMarkup(source: TemplateSource): string {
  const { text } = source
  const seen: string[] = []
  let at = 0
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    const end = tag === -1 ? text.length : tag
    seen.push(text.slice(at, end))
    if (tag === -1) break
    const aside = matchAt(/<!doctype[^<>]*>|<!--[^<>]*-->|<\/([a-z][a-z0-9]*)\s*>/iy, text, tag)
    if (aside !== undefined) {
      at = tag + aside[0].length
      continue
    }
    const { name, end: tagEnd } = readStartTag(source, tag)
    at = name === 'style' || name === 'title' ? endOfRawText(source, name, tagEnd) : tagEnd
  }
  return seen.join(' ')
}

function readStartTag(source: TemplateSource, tag: number): { readonly name: string; readonly end: number } {
  const { text } = source
  const open = matchAt(/<([a-z][a-z0-9:-]*)/iy, text, tag)
  if (open === undefined)
    throw refusedTemplate(source, tag, 'expected a tag after "<", found none: write &lt; for the sign')
  const name = (open[1] ?? '').toLowerCase()
  if (!ELEMENTS.has(name)) throw refusedTemplate(source, tag, `${WANTED}, found <${name}>`)
  let at = tag + open[0].length
  for (let part = attributeAt(text, at); part !== undefined; part = attributeAt(text, at)) {
    const [whole, attribute = '', double, single, bare] = part
    assertHarmless(source, at, { attribute: attribute.toLowerCase(), value: double ?? single ?? bare ?? '' })
    at += whole.length
  }
  const close = matchAt(/\s*\/?>/y, text, at)
  if (close === undefined)
    throw refusedTemplate(source, tag, `cannot read the tag <${name}>: expected name="value" and ">"`)
  return { name, end: at + close[0].length }
}

const attributeAt = (text: string, at: number): RegExpExecArray | undefined =>
  matchAt(/\s+([^\s"'<>\/={}]+)(?:\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'=<>`{}]+)))?/y, text, at)

function assertHarmless(
  source: TemplateSource,
  at: number,
  { attribute, value }: { readonly attribute: string; readonly value: string },
): void {
  if (!ATTRIBUTES.has(attribute) && !attribute.startsWith('aria-')) {
    throw refusedTemplate(source, at + 1, `${WANTED}, found the attribute ${describe(attribute)}`)
  }
  if (attribute === 'style') assertStill(source, at + 1, LOADS_IN_ATTRIBUTE.exec(value))
}

/** Gives the place after the end tag. What is between is no markup to a browser, and must not look like any. */
function endOfRawText(source: TemplateSource, name: string, at: number): number {
  const { text } = source
  const end = text.indexOf('<', at)
  const close = end === -1 ? undefined : matchAt(/<\/(style|title)\s*>/iy, text, end)
  if (close?.[1]?.toLowerCase() !== name)
    throw refusedTemplate(source, at, `expected </${name}> after <${name}>, found none`)
  if (name === 'style') assertStill(source, at, LOADS.exec(text.slice(at, end)))
  return end + (close?.[0].length ?? 0)
}

function assertStill(source: TemplateSource, at: number, loads: RegExpExecArray | null): void {
  if (loads === null) return
  throw refusedTemplate(source, at, `expected a style that loads nothing, found ${describe(loads[0])}`)
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
