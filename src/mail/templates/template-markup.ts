/**
 * Checks the HTML of a template: text and layout, without links, which scanners follow, resources, which report when
 * they were seen, and scripts. Elements and attributes are on an allow list. The grammar is narrower than a browser's:
 * where the two could see different tags, the template is rejected.
 */
import { describe } from '../../base/failure.ts'
import { templateError, type TemplateSource } from './template-error.ts'

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

/** A backslash could spell `url` in another way, and placeholders are not escaped for CSS. */
const LOADS = /\\|\{\{|@import|(?:url|src|image|image-set|cross-fade|element|expression)\s*\(/i
/** In an attribute, a character reference could spell it too. */
const LOADS_IN_ATTRIBUTE = new RegExp(`${LOADS.source}|&(?!(?:quot|apos|amp|#39);)`, 'i')
const EXPECTED = 'expected text and layout only, without links, resources and scripts'

/** Returns the text that a reader sees, without tags. Throws a TemplateError for any other markup. */
export function readMarkup(source: TemplateSource): string {
  const { text } = source
  const visible: string[] = []
  let at = 0
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    const end = tag === -1 ? text.length : tag
    visible.push(text.slice(at, end))
    if (tag === -1) break
    const skipped = matchAt(/<!doctype[^<>]*>|<!--[^<>]*-->|<\/([a-z][a-z0-9]*)\s*>/iy, text, tag)
    if (skipped !== undefined) {
      at = tag + skipped[0].length
      continue
    }
    const { name, end: tagEnd } = readStartTag(source, tag)
    at = name === 'style' || name === 'title' ? endOfRawText(source, name, tagEnd) : tagEnd
  }
  return visible.join(' ')
}

function readStartTag(source: TemplateSource, tag: number): { readonly name: string; readonly end: number } {
  const { text } = source
  const open = matchAt(/<([a-z][a-z0-9:-]*)/iy, text, tag)
  if (open === undefined)
    throw templateError(source, tag, 'expected a tag after "<", found none: write &lt; for the sign')
  const name = (open[1] ?? '').toLowerCase()
  if (!ELEMENTS.has(name)) throw templateError(source, tag, `${EXPECTED}, found <${name}>`)
  let at = tag + open[0].length
  for (let part = attributeAt(text, at); part !== undefined; part = attributeAt(text, at)) {
    const [whole, attribute = '', double, single, bare] = part
    assertHarmless(source, at, { attribute: attribute.toLowerCase(), value: double ?? single ?? bare ?? '' })
    at += whole.length
  }
  const close = matchAt(/\s*\/?>/y, text, at)
  if (close === undefined)
    throw templateError(source, tag, `cannot read the tag <${name}>: expected name="value" and ">"`)
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
    throw templateError(source, at + 1, `${EXPECTED}, found the attribute ${describe(attribute)}`)
  }
  if (attribute === 'style') assertLoadsNothing(source, at + 1, LOADS_IN_ATTRIBUTE.exec(value))
}

/** The offset after the end tag. Browsers see no markup in between; text that looks like markup is rejected. */
function endOfRawText(source: TemplateSource, name: string, at: number): number {
  const { text } = source
  const end = text.indexOf('<', at)
  const close = end === -1 ? undefined : matchAt(/<\/(style|title)\s*>/iy, text, end)
  if (close?.[1]?.toLowerCase() !== name)
    throw templateError(source, at, `expected </${name}> after <${name}>, found none`)
  if (name === 'style') assertLoadsNothing(source, at, LOADS.exec(text.slice(at, end)))
  return end + (close?.[0].length ?? 0)
}

function assertLoadsNothing(source: TemplateSource, at: number, loads: RegExpExecArray | null): void {
  if (loads === null) return
  throw templateError(source, at, `expected a style that loads nothing, found ${describe(loads[0])}`)
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
