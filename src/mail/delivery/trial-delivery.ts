/**
 * A test mail for the operator: one delivery with its whole dialogue, and what is wrong in a sentence.
 *
 * It uses the configured route, but its own connection: an open one of the service would hide how it is greeted,
 * encrypted and logged in.
 */
import type { MailSettings } from '../settings/mail-settings.ts'
import { escapeHtml, type MailContent } from '../templates/templates.ts'
import { adviceFor } from './delivery-advice.ts'
import { DeliveryError, type Trace } from './delivery-error.ts'
import { type MailerTools, openMailer } from './mailer.ts'

export interface TrialRequest {
  /** As `parseEmail` gives it. */
  readonly to: string
  /** Gets the dialogue line by line: `>` marks what we send, `<` what the server sends, `*` everything else. */
  readonly onLine: (line: string) => void
  /** Aborts the attempt. */
  readonly signal?: AbortSignal
}

interface TrialTools extends MailerTools {
  readonly settings: MailSettings
  readonly appName: string
  readonly newId: () => string
}

/** `words` are the reply of the other side, or what went wrong. Texts may contain control characters. */
export type TrialOutcome =
  | { readonly kind: 'taken'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string; readonly advice: string }

const SIGNS = { client: '>', server: '<', note: '*' } as const

/** Sends one mail without a code. Rejects where a directory for mail cannot be made. */
export async function tryDelivery(
  { to, onLine, signal }: TrialRequest,
  { settings, appName, newId, ...tools }: TrialTools,
): Promise<TrialOutcome> {
  const trace: Trace = ({ from, text }) => onLine(`${SIGNS[from]} ${text}`)
  const mailer = await openMailer(settings, tools)
  try {
    const mail = { id: newId(), to, ...testMessage(appName) }
    const { reply } = await mailer.send(mail, { trace, ...(signal === undefined ? {} : { signal }) })
    return { kind: 'taken', words: reply }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { kind: 'failed', words: error.message, advice: adviceFor(error) }
  } finally {
    await mailer.close()
  }
}

/** It has no code and no link. */
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
