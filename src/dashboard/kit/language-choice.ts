/** A choice among the languages of the page, each by its own name. */
import { currentLanguage, isLanguage, LANGUAGES, t, type LanguageCode } from '../texts.ts'
import { h } from './dom.ts'

export function languageChoice(choose: (code: LanguageCode) => void): HTMLSelectElement {
  const select = h(
    'select',
    {
      'aria-label': t('shell.language'),
      class: 'language',
      on: {
        change() {
          if (isLanguage(select.value)) choose(select.value)
        },
      },
    },
    Object.entries(LANGUAGES).map(([code, { name }]) =>
      h('option', { value: code, lang: code, selected: code === currentLanguage() }, name),
    ),
  )
  return select
}
