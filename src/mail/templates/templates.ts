/**
 * What the mails say, in the reader's language.
 *
 * A sign-in mail is read on a lock screen: the code opens the subject and the first line, in text and HTML, as six
 * digits in one piece, so that phones show it in the preview and offer it to the keyboard. There is no link to
 * follow and no image to load, so nothing teaches people to click in mails and nobody learns when it was opened.
 * The texts we ship are templates like those that an operator may put beside them.
 */
import signInTexts from '../../../data/mail/sign-in.json' with { type: 'json' }
import { lookUpLanguage } from './language-lookup.ts'
import { fillIn, type Template } from './placeholders.ts'
import { signInPage, type SignInTexts } from './sign-in-page.ts'
import { readPageTemplate, readTextTemplate } from './sign-in-template.ts'
import { TemplateError } from './template-error.ts'
import { readTemplateFiles, type TemplateFile } from './template-files.ts'
import { directionOf, isolated } from './text-direction.ts'

/** A language is an entry of the file. */
const SIGN_IN_TEXTS: ReadonlyMap<string, SignInTexts> = new Map(Object.entries(signInTexts))
/** When none of the wanted languages is there. */
const FALLBACK_LANGUAGE = 'en'

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The code that the mail is about, for the console to show instead of a page of text. */
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
  /** BCP 47 tags, most wanted first; what cannot be read is skipped. English where none of them is there. */
  readonly languages: readonly string[]
}

export interface Templates {
  signIn(signIn: SignIn): MailContent
}

/**
 * The built-in mails, each part replaced by the file of the directory that has its name. No directory, or one that is
 * not there, leaves the built-in ones. Throws a TemplateError for a file that cannot be used.
 *
 * Languages with files are read at once, so that a bad one is told now. The others are read with their first mail: each
 * brings the data of its language into memory, and most services write in one or two.
 */
export function openTemplates(directory: string | undefined): Templates {
  const files = directory === undefined ? [] : readTemplateFiles(directory)
  const theirs = new Set(files.map(({ language }) => language))
  const mails = new Map([...theirs].map((language) => [language, openMail(language, files)]))
  const available = [...new Set([...SIGN_IN_TEXTS.keys(), ...theirs])]
  return {
    signIn(signIn) {
      const language = lookUpLanguage(signIn.languages, available) ?? FALLBACK_LANGUAGE
      const mail = mails.get(language) ?? openMail(language, files)
      mails.set(language, mail)
      return mail(signIn)
    },
  }
}

/** The built-in mail; who writes many opens the templates once. */
export function signInMessage(signIn: SignIn): MailContent {
  return openTemplates(undefined).signIn(signIn)
}

/** What we ship, in the form of the files; undefined for a language that we have nothing in. */
function builtIn(language: string): { readonly txt: string; readonly html: string } | undefined {
  const texts = SIGN_IN_TEXTS.get(language)
  return texts === undefined ? undefined : { txt: builtInText(texts), html: signInPage(language, texts) }
}

function builtInText({ subject, opening, lifetime, advice }: SignInTexts): string {
  return `Subject: ${subject}\n\n{{code}} ${opening}\n\n${lifetime}\n\n${advice}\n`
}

/** Puts together the parts of a language, from the files and from ours. */
function openMail(language: string, files: readonly TemplateFile[]): (signIn: SignIn) => MailContent {
  const ours = builtIn(language)
  const partOf = (kind: 'txt' | 'html'): Pick<TemplateFile, 'file' | 'text'> => {
    const theirs = files.filter((file) => file.language === language)
    const file = theirs.find((one) => one.kind === kind)
    if (file !== undefined) return file
    if (ours !== undefined) return { file: `built-in sign-in.${language}.${kind}`, text: ours[kind] }
    const missing = `expected sign-in.${language}.${kind} beside it, found none`
    throw new TemplateError(
      `Cannot use template "${theirs[0]?.file ?? ''}": ${missing}; we have no ${language} of our own`,
    )
  }
  const { subject, text } = readTextTemplate(partOf('txt'))
  return writerOf({ language, subject, text, page: readPageTemplate(partOf('html')) })
}

interface SignInMail {
  readonly language: string
  readonly subject: Template
  readonly text: Template
  readonly page: Template
}

function writerOf({ language, subject, text, page }: SignInMail): (signIn: SignIn) => MailContent {
  const direction = directionOf(language)
  // Intl has the plural forms of all languages. Latin digits, as those of the code; grouped, so never six in a row.
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

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
