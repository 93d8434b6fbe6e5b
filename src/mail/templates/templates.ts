/**
 * The sign-in mail in the reader's language, from built-in templates and those of the operator. It is read on a lock
 * screen: the code opens the subject and the first line as six digits in one piece, so that phones offer it to the
 * keyboard. There are no links and no images, which would train people to click and report when they were opened.
 */
import { BUILT_IN_LANGUAGES, builtInMail } from './built-in-mail.ts'
import { fillIn } from './placeholders.ts'
import { readPageTemplate, readTextTemplate, type SignInTemplate } from './sign-in-template.ts'
import { TemplateError } from './template-error.ts'
import { readTemplateFiles, type TemplateFile } from './template-files.ts'
import { directionOf, isolated, lookUpLanguage } from './template-language.ts'

/** For readers of other languages. */
export const FALLBACK_LANGUAGE = 'en'

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** For the console, which shows it instead of the text. */
  readonly code?: string
  /** Of subject, text and HTML, as a BCP 47 tag. */
  readonly language: string
}

export interface SignIn {
  /** Six digits. */
  readonly code: string
  /** How long the code lives, from the setting. */
  readonly minutes: number
  readonly appName: string
  /** BCP 47 tags, the preferred one first; invalid ones are skipped. English where none of them is available. */
  readonly languages: readonly string[]
}

export type Templates = ReturnType<typeof openTemplates>

/**
 * The built-in mails, each part replaced by the file of the directory that has its name. Throws a TemplateError for a
 * file that cannot be used. Languages with files are parsed immediately, so that mistakes are reported at start; the others
 * with their first mail, as each loads the data of its language into memory.
 */
export function openTemplates(directory: string | undefined) {
  const files = directory === undefined ? [] : readTemplateFiles(directory)
  const own = new Set(files.map(({ language }) => language))
  const mails = new Map([...own].map((language) => [language, openMail(language, files)]))
  const available = [...new Set([...BUILT_IN_LANGUAGES, ...own])]
  return {
    signIn(signIn: SignIn): MailContent {
      const language = lookUpLanguage(signIn.languages, available) ?? FALLBACK_LANGUAGE
      const mail = mails.get(language) ?? openMail(language, files)
      mails.set(language, mail)
      return mail(signIn)
    },
  }
}

/** The built-in mail. For several mails, open the templates once. */
export function signInMessage(signIn: SignIn): MailContent {
  return openTemplates(undefined).signIn(signIn)
}

function openMail(language: string, files: readonly TemplateFile[]): (signIn: SignIn) => MailContent {
  const builtIn = builtInMail(language)
  const partOf = (kind: 'txt' | 'html'): Pick<TemplateFile, 'file' | 'text'> => {
    const own = files.filter((file) => file.language === language)
    const file = own.find((one) => one.kind === kind)
    if (file !== undefined) return file
    if (builtIn !== undefined) return { file: `built-in sign-in.${language}.${kind}`, text: builtIn[kind] }
    const missing = `expected sign-in.${language}.${kind} beside it, found none`
    throw new TemplateError(`Cannot use template "${own[0]?.file ?? ''}": ${missing}, and ${language} is not built in`)
  }
  const { subject, text } = readTextTemplate(partOf('txt'))
  return createWriter({ language, subject, text, page: readPageTemplate(partOf('html')) })
}

interface SignInMail {
  readonly language: string
  readonly subject: SignInTemplate
  readonly text: SignInTemplate
  readonly page: SignInTemplate
}

function createWriter({ language, subject, text, page }: SignInMail): (signIn: SignIn) => MailContent {
  const direction = directionOf(language)
  // Intl has the plural forms of all languages. Latin digits, as in the code; grouped, so never six in a row.
  const units = { style: 'unit', unit: 'minute', unitDisplay: 'long', numberingSystem: 'latn' } as const
  const duration = new Intl.NumberFormat([language, FALLBACK_LANGUAGE], units)
  return ({ code, minutes, appName }) => {
    if (!/^\d{6}$/.test(code)) throw new Error('Cannot write sign-in mail: the code must be six digits')
    const values = { code, minutes: String(minutes), lifetime: duration.format(minutes), appName }
    const plain = { ...values, appName: isolated(appName, direction) }
    return {
      subject: fillIn(subject, plain),
      text: fillIn(text, plain),
      html: fillIn(page, values, escapeHtml),
      code,
      language,
    }
  }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
