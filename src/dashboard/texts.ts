/**
 * The texts of the page in the reader's language: each language has one table in data/texts.
 *
 * A text may have placeholders such as `{count}`. One that depends on `count` has a form for each plural category of its
 * language (CLDR, by Intl.PluralRules).
 */
import type english from '../../data/texts/en.json'

type Text = string | { readonly other: string; readonly [category: string]: string }
export type TextKey = keyof typeof english
type Table = { readonly [key in TextKey]: Text }

/** Tables of one kind of texts, each a file of its own, which only readers of the language fetch. */
export type Tables = { readonly [code in 'en' | 'de' | 'fr' | 'es' | 'ar']: () => Promise<{ readonly default: Readonly<Record<string, Text>> }> }

interface Language {
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** The table is a file of its own, which only readers of the language fetch. */
  readonly load: () => Promise<{ readonly default: Table }>
}

/** A language needs its table and an entry here. */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', load: () => import('../../data/texts/en.json', { with: { type: 'json' } }) },
  de: { name: 'Deutsch', direction: 'ltr', load: () => import('../../data/texts/de.json', { with: { type: 'json' } }) },
  fr: { name: 'Français', direction: 'ltr', load: () => import('../../data/texts/fr.json', { with: { type: 'json' } }) },
  es: { name: 'Español', direction: 'ltr', load: () => import('../../data/texts/es.json', { with: { type: 'json' } }) },
  ar: { name: 'العربية', direction: 'rtl', load: () => import('../../data/texts/ar.json', { with: { type: 'json' } }) },
} as const satisfies Readonly<Record<string, Language>>

export type LanguageCode = keyof typeof LANGUAGES

/** Letters that are written from the right, and signs that turn a line. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/

let texts: Readonly<Record<string, Text>> = {}
/** Tables that something needed beside that of the page. */
const added = new Set<Tables>()
let language: LanguageCode = 'en'
let wanted: LanguageCode = language
let plurals = new Intl.PluralRules('en')

export function currentLanguage(): LanguageCode {
  return language
}

/** The reader's own region for times and numbers, if its language is that of the page. */
export function locale(): string {
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language
}

/**
 * Loads the texts of a language and switches the page to it: everything built from now on is in it. False where another
 * language was chosen meanwhile, which stays. The page at `/docs` has tables of its own.
 */
export async function useLanguage(code: LanguageCode, own?: Tables): Promise<boolean> {
  const { direction, load: ofDashboard } = LANGUAGES[code]
  const load = own?.[code] ?? ofDashboard
  wanted = code
  const tables = await Promise.all([load(), ...[...added].map((one) => one[code]())])
  if (wanted !== code) return false
  texts = Object.assign({}, language === code && texts, ...tables.map((table) => table.default)) as typeof texts
  language = code
  plurals = new Intl.PluralRules(code)
  document.documentElement.lang = code
  document.documentElement.dir = direction
  return true
}

/** Adds texts in the language of the page, and in each that is chosen later. Where they cannot be fetched, rejects and adds none. */
export async function addTexts(tables: Tables): Promise<void> {
  if (added.has(tables)) return
  added.add(tables)
  try {
    await useLanguage(wanted)
  } catch (error) {
    added.delete(tables)
    throw error
  }
}

/** The first language of the reader's browser that has texts here. */
export function preferredLanguage(wanted: readonly string[]): LanguageCode {
  return wanted.map((one) => one.split('-')[0]).find(isLanguage) ?? 'en'
}

export function isLanguage(code: string | undefined): code is LanguageCode {
  return code !== undefined && Object.hasOwn(LANGUAGES, code)
}

/** A number as the language of the page writes it. */
export function numberText(number: number): string {
  return number.toLocaleString(locale())
}

/** Names as the language of the page lists them: `Ana, Ben, and Chen`. */
export function listText(names: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(names)
}

export type TextValues = Readonly<Record<string, string | number>>

/** The text of a key with the values in its placeholders. A number is written as the language writes numbers. */
export function t(key: TextKey, values: TextValues = {}): string {
  return filled(texts[key] ?? key, values)
}

/** The text of a key that is put together, such as `field.title`; `otherwise` where there is none. */
export function textOr(key: string, otherwise: string, values: TextValues = {}): string {
  const text = texts[key]
  return text === undefined ? otherwise : filled(text, values)
}

function filled(text: Text, values: TextValues): string {
  const form = typeof text === 'string' ? text : (text[plurals.select(Number(values['count']))] ?? text.other)
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return typeof value === 'number' ? numberText(value) : isolated(value ?? whole)
  })
}

/**
 * A text within another, isolated where it may be written in the other direction, so that an e-mail address in an Arabic
 * sentence leaves the full stop after it in its place (Unicode UAX #9: U+2068, U+2069).
 */
function isolated(text: string): string {
  const isMixed = LANGUAGES[language].direction === 'rtl' ? text !== '' : RIGHT_TO_LEFT.test(text)
  return isMixed ? `\u2068${text}\u2069` : text
}
