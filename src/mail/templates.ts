/**
 * What the mails say.
 *
 * A sign-in mail is read on a lock screen: the code opens the subject and the first line, in text and HTML, as six
 * digits in one piece, so that phones show it in the preview and offer it to the keyboard. There is no link to
 * follow and no image to load, so nothing teaches people to click in mails and nobody learns when it was opened.
 */

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The code that the mail is about, for the console to show instead of a page of text. */
  readonly code?: string
}

export interface SignIn {
  /** Six digits. */
  readonly code: string
  /** How long the code lives, from the setting. */
  readonly minutes: number
  readonly appName: string
}

export function signInMessage({ code, minutes, appName }: SignIn): MailContent {
  if (!/^\d{6}$/.test(code)) throw new Error('Cannot write sign-in mail: the code must be six digits')
  const subject = `${code} is your ${appName} code`
  const lifetime = `It works once, within the next ${minutes === 1 ? 'minute' : `${minutes} minutes`}.`
  const advice = 'If you did not ask for it, ignore this mail: without the code nobody can sign in.'
  const text = `${code} is your code to sign in to ${appName}.

${lifetime}

${advice}
`
  // Colours are names or have letters in them: six digits in a row must be the code and nothing else.
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin: 0; padding: 32px 16px;
 font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 16px; line-height: 1.5">
<div style="max-width: 420px; margin: 0 auto">
<p style="margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace;
 font-size: 38px; font-weight: 600; letter-spacing: 6px">
${code}
</p>
<p style="margin: 4px 0 24px; font-size: 18px">is your code to sign in to
 <strong>${escapeHtml(appName)}</strong>.</p>
<p style="margin: 0 0 24px">${lifetime}</p>
<p style="margin: 0; padding-top: 16px; border-top: 1px solid silver; font-size: 14px; opacity: 0.7">
${advice}</p>
</div>
</body>
</html>
`
  return { subject, text, html, code }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
