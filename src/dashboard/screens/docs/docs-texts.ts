/**
 * The page at `/docs` in the language of its reader: its controls, not the reference and the guides, which are in English as the
 * API is. Elements name their text by `data-text`, and their label by `data-label` or, in inputs, `data-placeholder`.
 */
import type english from '../../../../data/texts/docs/en.json'
import { storedChoice, storeChoice } from '../../browser-storage.ts'
import { languageChoice } from '../../kit/language-choice.ts'
import { currentLanguage, isLanguage, LANGUAGES, preferredLanguage, textOr, useLanguage, type LanguageCode, type Tables, type TextValues } from '../../texts.ts'

export type DocsKey = keyof typeof english

export const DOCS_TEXTS: Tables = {
  en: () => import('../../../../data/texts/docs/en.json', { with: { type: 'json' } }),
  de: () => import('../../../../data/texts/docs/de.json', { with: { type: 'json' } }),
  fr: () => import('../../../../data/texts/docs/fr.json', { with: { type: 'json' } }),
  es: () => import('../../../../data/texts/docs/es.json', { with: { type: 'json' } }),
  ar: () => import('../../../../data/texts/docs/ar.json', { with: { type: 'json' } }),
}

export function docsText(key: DocsKey, values?: TextValues): string {
  return textOr(key, key, values)
}

/** Within the reference, which is marked as English: the element is in the language of the page. */
export function inOwnLanguage<E extends HTMLElement>(element: E): E {
  element.lang = currentLanguage()
  element.dir = LANGUAGES[currentLanguage()].direction
  return element
}

/** Writes the page in the language that was chosen here or in the dashboard, else in the first of the browser that has texts. */
export async function setUpLanguage(place: Element, changed: () => void): Promise<void> {
  const chosen = storedChoice('language')
  const use = async (code: LanguageCode): Promise<void> => {
    // Without its texts, the page stays as it is.
    if (!(await useLanguage(code, DOCS_TEXTS).catch(() => false))) return
    place.replaceChildren(languageChoice(choose))
    writeTexts()
    changed()
  }
  const choose = (code: LanguageCode): void => {
    storeChoice('language', code)
    void use(code).then(() => place.querySelector('select')?.focus())
  }
  await use(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages))
}

function writeTexts(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    element.textContent = textOf(element.dataset['text'])
    inOwnLanguage(element)
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]')) {
    element.ariaLabel = textOf(element.dataset['label'])
    if (element.title !== '') element.title = element.ariaLabel
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-placeholder]')) input.placeholder = textOf(input.dataset['placeholder'])
}

function textOf(key = ''): string {
  return textOr(key, key)
}
