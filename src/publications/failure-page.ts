/** The page of a publication that cannot be shown: it says no more than that, in the language of the reader. */
import { html } from '../base/html.ts'
import { directionOf, lookUpLanguage } from '../mail/templates/template-language.ts'
import { PAGE_STYLE_ELEMENT } from './page-style.ts'
import { PAGE_LANGUAGES, pageTexts } from './page-texts.ts'

export interface FailurePage {
  readonly status: number
  /** Tags of languages that the reader prefers, the best first. */
  readonly languages: readonly string[]
}

export function writeFailurePage({ status, languages }: FailurePage): string {
  const { language, texts } = pageTexts(lookUpLanguage(languages, PAGE_LANGUAGES) ?? 'en')
  const text = status === 404 || status === 400 ? texts.missing : texts.later
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
<main><h1 class="empty">${text}</h1></main>
</body>
</html>
`.markup
}
