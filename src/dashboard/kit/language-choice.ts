/** A choice among the languages of the page, each by its own name. */
import { currentLanguage, isLanguage, LANGUAGES, t, type LanguageCode } from '../texts.ts'
import { h, type Attributes } from './dom.ts'

/** That of the page is chosen at first. */
export function languageSelect(attributes: Attributes): HTMLSelectElement {
  const options = Object.entries(LANGUAGES).map(([code, { name }]) => h('option', { value: code, lang: code }, name))
  return h('select', { value: currentLanguage(), ...attributes }, options)
}

/** Changes the language of the page. */
export function languageChoice(choose: (code: LanguageCode) => void): HTMLSelectElement {
  const change = (): void => {
    if (isLanguage(select.value)) choose(select.value)
  }
  const select = languageSelect({ 'aria-label': t('shell.language'), class: 'language', on: { change } })
  return select
}
