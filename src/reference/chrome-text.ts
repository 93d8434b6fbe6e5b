/**
 * What belongs to the page and not to the reference: names of its parts, buttons and labels. It stands there in English, and the
 * script of the page writes it in the language of its reader; see src/dashboard/screens/docs/docs-texts.ts.
 */
import english from '../../data/texts/docs/en.json' with { type: 'json' }
import { html, type Html } from '../base/html.ts'

type WholeText<Texts> = { readonly [Key in keyof Texts]: Texts[Key] extends string ? Key : never }[keyof Texts]
/** Of a text without plural forms. */
type ChromeKey = WholeText<typeof english>

export function chromeText(key: ChromeKey): Html {
  return html`<span data-text="${key}">${english[key]}</span>`
}

/** The name of a control or a group, as its attribute. */
export function chromeLabel(key: ChromeKey): Html {
  return html` aria-label="${english[key]}" data-label="${key}"`
}

/** The choice of a list that sends nothing. */
export function chromeOption(key: ChromeKey): Html {
  return html`<option value="" data-text="${key}">${english[key]}</option>`
}
