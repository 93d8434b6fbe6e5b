/**
 * Texts with placeholders such as `{{code}}`, without conditions and loops. A value is inserted as it is and never
 * parsed again, so a service called "{{code}}" does no harm.
 */
import { describe } from '../../base/failure.ts'
import { didYouMean } from '../../base/nearest.ts'
import { type TemplateSource, templateError } from './template-error.ts'

/** With names of at most 100 characters the rendered text stays far below what a message takes. */
const PLACEHOLDERS_MAX = 50

type Piece<Name extends string> = string | { readonly name: Name }

export type Template<Name extends string> = readonly Piece<Name>[]

/** Parses a template. Throws a TemplateError for an unknown name, an incomplete placeholder, and too many of them. */
export function parseTemplate<const Name extends string>(source: TemplateSource, names: readonly Name[]): Template<Name> {
  const { text } = source
  const pieces: Piece<Name>[] = []
  let end = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', end)) {
    const [whole, given = ''] = /^\{\{([^{}\n]*)\}\}/.exec(text.slice(at, at + 200)) ?? []
    if (whole === undefined) {
      throw templateError(source, at, `expected a placeholder such as {{code}}, found "{{" without one`)
    }
    const name = names.find((one) => one === given.trim())
    if (name === undefined) throw templateError(source, at, unknownName(given.trim(), names))
    pieces.push(text.slice(end, at), { name })
    end = at + whole.length
    if (pieces.length > 2 * PLACEHOLDERS_MAX) {
      throw templateError(source, at, `expected at most ${PLACEHOLDERS_MAX} placeholders, found more`)
    }
  }
  return [...pieces, text.slice(end)]
}

/** The text with the values, each encoded by `write`. */
export function fillIn<Name extends string>(
  template: Template<Name>,
  values: Readonly<Record<Name, string>>,
  write = (value: string): string => value,
): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : write(values[piece.name]))).join('')
}

function unknownName(given: string, names: readonly string[]): string {
  const known = names.map((name) => `{{${name}}}`).join(', ')
  const meant = didYouMean(given, names)
  return `unknown placeholder ${describe(`{{${given}}}`)}${meant === '' ? `: expected one of ${known}` : meant}`
}
