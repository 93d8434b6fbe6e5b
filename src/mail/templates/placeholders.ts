/**
 * Texts with placeholders such as `{{code}}`, without conditions and loops. A value is inserted as it is and never
 * parsed again, so a service called "{{code}}" does no harm.
 */
import { describe } from '../../base/failure.ts'
import { didYouMean } from '../../base/nearest.ts'
import { type TemplateSource, templateError } from './template-error.ts'

const NAMES = ['code', 'minutes', 'lifetime', 'appName'] as const
/** With names of at most 100 characters the rendered text stays far below what a message takes. */
const PLACEHOLDERS_MAX = 50

export type Values = Readonly<Record<(typeof NAMES)[number], string>>

type Piece = string | { readonly name: keyof Values }

export type Template = readonly Piece[]

/** Parses a template. Throws a TemplateError for an unknown name, an incomplete placeholder, and too many of them. */
export function parseTemplate(source: TemplateSource): Template {
  const { text } = source
  const pieces: Piece[] = []
  let end = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', end)) {
    const [whole, given = ''] = /^\{\{([^{}\n]*)\}\}/.exec(text.slice(at, at + 200)) ?? []
    if (whole === undefined) {
      throw templateError(source, at, `expected a placeholder such as {{code}}, found "{{" without one`)
    }
    const name = NAMES.find((one) => one === given.trim())
    if (name === undefined) throw templateError(source, at, unknownName(given.trim()))
    pieces.push(text.slice(end, at), { name })
    end = at + whole.length
    if (pieces.length > 2 * PLACEHOLDERS_MAX) {
      throw templateError(source, at, `expected at most ${PLACEHOLDERS_MAX} placeholders, found more`)
    }
  }
  return [...pieces, text.slice(end)]
}

/** The text with the values, each encoded by `write`. */
export function fillIn(template: Template, values: Values, write = (value: string): string => value): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : write(values[piece.name]))).join('')
}

function unknownName(given: string): string {
  const known = NAMES.map((name) => `{{${name}}}`).join(', ')
  const meant = didYouMean(given, NAMES)
  return `unknown placeholder ${describe(`{{${given}}}`)}${meant === '' ? `: expected one of ${known}` : meant}`
}
