/**
 * The page of a publication that cannot be shown, in the language of the reader. Of an address that leads nowhere it says no more
 * than that; from a link that cannot be read it leads to the newest stories.
 */
import { html } from '../base/html.ts'
import { directionOf, lookUpLanguage } from '../mail/templates/template-language.ts'
import { SEARCH_CHARS_MAX } from '../query/words.ts'
import { PAGE_STYLE_ELEMENT } from './page-style.ts'
import { PAGE_LANGUAGES, pageTexts } from './page-texts.ts'

/** What such a page says, by its name in data/publications.json. */
export type FailureText = 'missing' | 'later' | (typeof OF_LINKS)[number]

/** Of links to a publication that is there. */
const OF_LINKS = ['brokenLink', 'brokenCursor', 'longSearch'] as const

export interface FailurePage {
  readonly says: FailureText
  /** Tags of languages that the reader prefers, the best first. */
  readonly languages: readonly string[]
}

export function writeFailurePage({ says, languages }: FailurePage): string {
  const { language, texts } = pageTexts(lookUpLanguage(languages, PAGE_LANGUAGES) ?? 'en')
  const text = texts[says].replace('{max}', String(SEARCH_CHARS_MAX))
  const isOfLink = OF_LINKS.some((name) => name === says)
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${text}</title>
<meta name="color-scheme" content="light dark">
${PAGE_STYLE_ELEMENT}
</head>
<body>
<main><h1 class="empty">${text}</h1>${isOfLink && html`<p class="pages"><a href="./">${texts.latest}</a></p>`}</main>
</body>
</html>
`.markup
}
