/**
 * The mail that invites a user to the dashboard, in five languages. It has no secret: its link opens the sign-in page with
 * the e-mail address filled in, and the code comes by a mail of its own. So it may be forwarded, kept and followed by
 * scanners.
 */
import texts from '../../../data/mail/invitation.json' with { type: 'json' }
import { mailPage } from './mail-page.ts'
import { fillIn, parseTemplate } from './placeholders.ts'
import { directionOf, isolated, lookUpLanguage } from './template-language.ts'
import { escapeHtml, FALLBACK_LANGUAGE, type MailContent } from './templates.ts'

type InvitationTexts = (typeof texts)['en']

const TEXTS: ReadonlyMap<string, InvitationTexts> = new Map(Object.entries(texts))
const NAMES = ['appName', 'inviter', 'email'] as const

export const INVITATION_LANGUAGES: readonly string[] = [...TEXTS.keys()]

export interface Invitation {
  readonly email: string
  /** The e-mail address of the inviting administrator; undefined for the operator. */
  readonly inviter: string | undefined
  /** The address of the dashboard, ending in a slash. */
  readonly url: string
  /** BCP 47 tags, the preferred one first; English where none of them is available. */
  readonly languages: readonly string[]
}

export function invitationMail({ email, inviter, url, languages }: Invitation, appName: string): MailContent {
  const language = lookUpLanguage(languages, INVITATION_LANGUAGES) ?? FALLBACK_LANGUAGE
  const { subject, opening, operator, signIn, code, advice } = TEXTS.get(language) ?? texts.en
  const direction = directionOf(language)
  const values = { appName, inviter: inviter ?? operator, email }
  const plain = Object.fromEntries(NAMES.map((name) => [name, isolated(values[name], direction)])) as typeof values
  const link = `${url}#/?email=${encodeURIComponent(email)}`
  const filled = (text: string, of: typeof values, write?: (value: string) => string): string =>
    fillIn(parseTemplate({ file: `built-in invitation.${language}`, text }, NAMES), of, write)
  const inHtml = (text: string): string => filled(text, values, (value) => `<bdi>${escapeHtml(value)}</bdi>`)
  return {
    subject: filled(subject, plain),
    text: [filled(opening, plain), filled(signIn, plain), link, code, advice].join('\n\n') + '\n',
    html: mailPage({ language, direction, title: filled(subject, values, escapeHtml), width: 480 }, [
      `<p style="margin: 0 0 24px; font-size: 18px">${inHtml(opening)}</p>`,
      `<p style="margin: 0 0 8px">${inHtml(signIn)}</p>`,
      `<p style="margin: 0 0 24px"><a dir="ltr" href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
      `<p style="margin: 0 0 24px">${code}</p>`,
      `<p style="margin: 0; padding-top: 16px; border-top: 1px solid silver; font-size: 14px; opacity: 0.7">${advice}</p>`,
    ].join('\n')),
    language,
  }
}
