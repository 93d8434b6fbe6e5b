/** The built-in sign-in mails, in the form of template files. */
import signInTexts from '../../../data/mail/sign-in.json' with { type: 'json' }
import { mailPage } from './mail-page.ts'
import { directionOf } from './template-language.ts'

/** An entry of the file. All languages use the polite form. */
interface SignInTexts {
  readonly subject: string
  /** Follows the code in one sentence, and names the service last but for the full stop. */
  readonly opening: string
  /** Has the duration where the language needs no case for it: Intl gives it in the nominative. */
  readonly lifetime: string
  readonly advice: string
}

const TEXTS: ReadonlyMap<string, SignInTexts> = new Map(Object.entries(signInTexts))

export const BUILT_IN_LANGUAGES: readonly string[] = [...TEXTS.keys()]

/** Undefined for a language that is not built in. */
export function builtInMail(language: string): { readonly txt: string; readonly html: string } | undefined {
  const texts = TEXTS.get(language)
  if (texts === undefined) return undefined
  const { subject, opening, lifetime, advice } = texts
  const txt = `Subject: ${subject}\n\n{{code}} ${opening}\n\n${lifetime}\n\n${advice}\n`
  return { txt, html: page(language, texts) }
}

function page(language: string, { subject, opening, lifetime, advice }: SignInTexts): string {
  const sentence = opening.replace('{{appName}}', '<strong dir="auto">{{appName}}</strong>')
  const content = `<p style="margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace;
 font-size: 38px; font-weight: 600; letter-spacing: 6px">
<span dir="ltr">{{code}}</span>
</p>
<p style="margin: 4px 0 24px; font-size: 18px">${sentence}</p>
<p style="margin: 0 0 24px">${lifetime}</p>
<p style="margin: 0; padding-top: 16px; border-top: 1px solid silver; font-size: 14px; opacity: 0.7">
${advice}</p>`
  return mailPage({ language, direction: directionOf(language), title: subject, width: 420 }, content)
}
