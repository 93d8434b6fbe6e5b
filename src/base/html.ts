/**
 * HTML and XML from templates. Every value is escaped here and nowhere else; only what a template made goes in as it is.
 *
 *   html`<a href="#/models/${name}">${name}</a>`
 *
 * Attributes stand in double quotes. Line breaks of the templates stay, their indentation goes.
 */

export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[]

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** What no document of XML 1.0 may have (its section 2.2), not even as a reference. */
const NO_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text.replace(/\n\s+/g, '\n') + markupOf(parts[index])).join(''))
}

/** The same for a document of XML, whose five entities are those that are used. */
export const xml = html

/** Text with `code` in backticks, as all descriptions of the API are written. */
export function prose(text: string): Part {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))
}

/** Attributes with a space before each, without those that are undefined or false. */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): Part {
  return Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return null
    return value === true ? html` ${name}` : html` ${name}="${value}"`
  })
}

/** Parts with a separator between them. */
export function joined(parts: readonly Part[], separator: Part): Part {
  return parts.map((part, index) => [index === 0 ? null : separator, part])
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.markup
  if (typeof part === 'object') return part.map(markupOf).join('')
  const text = typeof part === 'string' ? part.toWellFormed().replace(NO_CHARACTERS, '') : String(part)
  return text.replace(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? '')
}
