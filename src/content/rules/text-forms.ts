/**
 * The forms of texts that apps open or look things up by: links of the web, ways to reach people, and codes of languages and countries. What was
 * stored before a form was declared stays readable, and stays where it is while other members change: an app may have such
 * a document for years, and its editor has to be able to correct a title.
 */
import type { ProblemCode } from '../../base/problem.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { isVisible } from '../../base/shown-name.ts'
import { parseEmail } from '../../mail/address.ts'
import type { Model, TextForm } from '../../models/schema.ts'

/** RFC 9110 section 4.1 recommends to support addresses of 8,000 octets. */
const URL_CHARS_MAX = 8_000

export interface FormRule {
  readonly code: ProblemCode
  readonly wanted: string
  /** What the OpenAPI document says of it. */
  readonly pattern: string
  readonly max?: number
  readonly isOf: (text: string) => boolean
  /** Whether it holds for the copies in a document as well. */
  readonly isOfCopies?: boolean
}

const LIMITS = `of at most ${URL_CHARS_MAX} characters and without spaces, user or password`
/** An authority without `@`. */
const HTTP_URL = '^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@]+([/?#]\\S*)?$'
/** Not `//`, which another host may follow. */
const SITE_URL = `${HTTP_URL}|^/(?!/)\\S*$`
const CONTACT = `${HTTP_URL}|^[^\\s@<>"]+@[^\\s@<>"]+$`
const LANGUAGE_CODE = '^[a-z]{2}$'
const COUNTRY_CODE = '^[A-Z]{2}$'
/** Neither control characters nor line breaks, nor the signs that turn the direction of the text around them. */
const PERSON_NAME = '^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069]*$'
/** A segment of a path that needs no escapes, and has no dot, as the names of files do. */
const PUBLICATION_NAME = '^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$'

const isHttpUrl = urlOf(HTTP_URL)
const isPersonName = matches(PERSON_NAME)

/**
 * Codes are held to their form, not to a list: lists age with the program, and codes for own use, such as XK, are in none.
 */
export const TEXT_FORMS: Readonly<Record<TextForm, FormRule>> = {
  httpUrl: {
    code: 'notHttpUrl',
    wanted: `an address that begins with http:// or https://, ${LIMITS}, or an empty text`,
    pattern: HTTP_URL,
    max: URL_CHARS_MAX,
    isOf: isHttpUrl,
    isOfCopies: true,
  },
  siteUrl: {
    code: 'notHttpUrl',
    wanted: `an address that begins with http:// or https://, or a path of the site that begins with /, ${LIMITS}, or an empty text`,
    pattern: SITE_URL,
    max: URL_CHARS_MAX,
    isOf: urlOf(SITE_URL),
    isOfCopies: true,
  },
  languageCode: {
    code: 'notLanguageCode',
    wanted: 'two lower-case letters of ISO 639-1, such as "is"',
    pattern: LANGUAGE_CODE,
    isOf: matches(LANGUAGE_CODE),
  },
  countryCode: {
    code: 'notCountryCode',
    wanted: 'two capital letters of ISO 3166-1, such as "IS"',
    pattern: COUNTRY_CODE,
    isOf: matches(COUNTRY_CODE),
  },
  personName: {
    code: 'notName',
    wanted: 'a name in one line that can be seen, without invisible signs that change its direction',
    pattern: PERSON_NAME,
    isOf: (text) => isPersonName(text) && isVisible(text),
  },
  publicationName: {
    code: 'notPublicationName',
    wanted: '1 to 60 lower-case letters, digits and hyphens, such as "harbour-news", without a hyphen at either end',
    pattern: PUBLICATION_NAME,
    isOf: matches(PUBLICATION_NAME),
  },
  contact: {
    code: 'notContact',
    wanted: `an e-mail address, an address that begins with http:// or https://, ${LIMITS}, or an empty text`,
    pattern: CONTACT,
    max: URL_CHARS_MAX,
    isOf: (text) => isHttpUrl(text) || (text.trim() === text && parseEmail(text) !== undefined),
  },
}

/** Invisible characters, which turn or hide what a reader sees of a link, and what parsers take for something else. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Z}\\]/u

/**
 * Whether a text is such an address, or empty. It is stored as it is, so it must not depend on what parsers do to it: the
 * WHATWG URL Standard drops tabs and line breaks, takes `\` for `/`, and needs no `//`.
 */
function urlOf(pattern: string): (text: string) => boolean {
  const hasShape = matches(pattern)
  return (text) => {
    if (text === '') return true
    return text.length <= URL_CHARS_MAX && hasShape(text) && !AMBIGUOUS.test(text) && URL.canParse(text, 'https://site.invalid')
  }
}

function matches(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

/** Gives the JSON text of a stored document. */
export type TextOf = (model: Model, id: string) => string | undefined

export interface WrittenBody {
  readonly model: Model
  readonly body: JsonObject
  /** The document that it replaces. */
  readonly stored: JsonObject | undefined
  readonly textOf: TextOf | undefined
}

/**
 * Whether the text at a path is stored already: in the document that the body replaces, or in one of those that the copies
 * around the path are of.
 */
export function isStoredText({ model, body, stored, textOf }: WrittenBody, path: string): boolean {
  const steps = path.split('.')
  const value = valueAt(body, steps)
  if (stored !== undefined && valueAt(stored, steps) === value) return true
  let [fields, at]: [Model['fields'], Json | undefined] = [model.fields, body]
  for (const [n, step] of steps.entries()) {
    const declared = fields[step]
    const field = declared?.kind === 'nullable' ? declared.of : declared
    at = isObject(at) ? at[step] : undefined
    if (field?.kind !== 'embedded' || !isObject(at)) return false
    const { id } = at
    const original = typeof id === 'string' ? textOf?.(field.model, id) : undefined
    if (original !== undefined && valueAt(parseJson(original), steps.slice(n + 1)) === value) return true
    fields = field.model.fields
  }
  return false
}

function valueAt(document: Json, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = document
  for (const step of steps) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return value
}
