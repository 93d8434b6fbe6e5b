/**
 * The words of the page in the reader's language, from one table for each; a table is fetched when it is needed.
 *
 * A text may have places as `{count}`. One that depends on a number has a form for each plural category of its
 * language: `one:{count} item|other:{count} items` (CLDR, by Intl.PluralRules).
 */
import type { AdminTexts } from './admin-en.ts'
import type { TextKey as OwnKey, Texts } from './en.ts'

export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', load: async () => (await import('./en.ts')).en },
  de: { name: 'Deutsch', direction: 'ltr', load: async () => (await import('./de.ts')).de },
  fr: { name: 'Français', direction: 'ltr', load: async () => (await import('./fr.ts')).fr },
  es: { name: 'Español', direction: 'ltr', load: async () => (await import('./es.ts')).es },
  ar: { name: 'العربية', direction: 'rtl', load: async () => (await import('./ar.ts')).ar },
} as const satisfies Readonly<Record<string, { name: string; direction: 'ltr' | 'rtl'; load: () => Promise<Texts> }>>

export type LanguageCode = keyof typeof LANGUAGES

/** Those of parts that are fetched when they are opened are among them by then. */
export type TextKey = OwnKey | keyof AdminTexts

/** Letters that are written from the right, and signs that turn a line. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/

let texts: { readonly [key in TextKey]?: string } = {}
let language: LanguageCode = 'en'
let plurals = new Intl.PluralRules('en')

export function currentLanguage(): LanguageCode {
  return language
}

/** Where times and numbers are written as in the reader's own region, if that speaks the language of the page. */
export function locale(): string {
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language
}

/** Fetches the texts of a language and turns the page to it: what is built from now on has its words. */
export async function useLanguage(code: LanguageCode): Promise<void> {
  const { direction, load } = LANGUAGES[code]
  texts = await load()
  language = code
  plurals = new Intl.PluralRules(code)
  document.documentElement.lang = code
  document.documentElement.dir = direction
}

/** Adds the texts of a part of the page that is fetched when it is opened. */
export function addTexts(more: { readonly [key in TextKey]?: string }): void {
  texts = { ...texts, ...more }
}

/** The first language that the reader's browser asks for and we have. */
export function preferredLanguage(wanted: readonly string[]): LanguageCode {
  return wanted.map((one) => one.split('-')[0]).find(isLanguage) ?? 'en'
}

export function isLanguage(code: string | undefined): code is LanguageCode {
  return code !== undefined && Object.hasOwn(LANGUAGES, code)
}

export type TextValues = Readonly<Record<string, string | number>>

/** The text of a key with the values in its places. A number is written as the language writes numbers. */
export function t(key: TextKey, values: TextValues = {}): string {
  const text = texts[key] ?? key
  const { count } = values
  const form = typeof count === 'number' ? pluralForm(text, plurals.select(count)) : text
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return typeof value === 'number' ? value.toLocaleString(locale()) : isolated(value ?? whole)
  })
}

/** The text of a key that is put together, such as `field.title`, or what else there is to say. */
export function textOr(key: string, otherwise: string): string {
  return (texts as Readonly<Record<string, string>>)[key] ?? otherwise
}

/**
 * A text within another: signs that nobody sees keep it apart where it may be written the other way, so that an address
 * in an Arabic sentence leaves the full stop after it in its place (Unicode UAX #9: U+2068, U+2069).
 */
function isolated(text: string): string {
  const isMixed = LANGUAGES[language].direction === 'rtl' ? text !== '' : RIGHT_TO_LEFT.test(text)
  return isMixed ? `\u2068${text}\u2069` : text
}

function pluralForm(text: string, category: string): string {
  if (!/^\w+:/.test(text) || !text.includes('other:')) return text
  const forms = new Map(text.split('|').map((form) => [form.slice(0, form.indexOf(':')), form]))
  const form = forms.get(category) ?? forms.get('other') ?? text
  return form.slice(form.indexOf(':') + 1)
}
