/**
 * A test mail for the operator: one delivery with its whole dialogue, and what is wrong in a sentence. It uses its own
 * connection, which shows how it is greeted, encrypted and logged in.
 */
import type { MailSettings } from '../settings/mail-settings.ts'
import { escapeHtml, type MailContent } from '../templates/templates.ts'
import { adviceFor } from './delivery-advice.ts'
import { DeliveryError, type Trace } from './delivery-error.ts'
import { type MailerTools, openMailer } from './mailer.ts'

export interface TestMailRequest {
  /** As `parseEmail` gives it. */
  readonly to: string
  /** Gets the dialogue line by line: `>` marks what we send, `<` what the server sends, `*` everything else. */
  readonly onLine: (line: string) => void
  readonly signal?: AbortSignal
}

/** How it is sent, and in which name. */
export interface MailSource {
  readonly settings: MailSettings
  readonly appName: string
}

interface TestMailTools extends MailerTools, MailSource {
  readonly newId: () => string
}

/** Texts may contain control characters. */
export type TestMailResult =
  | { readonly kind: 'accepted'; readonly reply: string }
  | { readonly kind: 'failed'; readonly message: string; readonly advice: string }

const SIGNS = { client: '>', server: '<', note: '*' } as const

/** Sends one mail without a code. Rejects where a directory for mail cannot be made. */
export async function sendTestMail(
  { to, onLine, signal }: TestMailRequest,
  { settings, appName, newId, ...tools }: TestMailTools,
): Promise<TestMailResult> {
  const trace: Trace = ({ from, text }) => onLine(`${SIGNS[from]} ${text}`)
  const mailer = await openMailer(settings, tools)
  try {
    const mail = { id: newId(), to, ...testMessage(appName) }
    const { reply } = await mailer.send(mail, { trace, ...(signal === undefined ? {} : { signal }) })
    return { kind: 'accepted', reply }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { kind: 'failed', message: error.message, advice: adviceFor(error) }
  } finally {
    await mailer.close()
  }
}

function testMessage(appName: string): MailContent {
  const subject = `Mail from ${appName} works`
  const sentences = [
    `${appName} can send mail: sign-in codes reach you the same way.`,
    'An operator of the service requested this test mail. You can ignore it.',
  ]
  const html = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${escapeHtml(subject)}</title>
</head>
<body>
${sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')}
</body>
</html>
`
  return { subject, text: `${sentences.join('\n\n')}\n`, html, language: 'en' }
}
