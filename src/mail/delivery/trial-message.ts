/** The mail that an operator sends to see whether mail works. It holds no code and nothing to click. */
import type { MailContent } from '../templates/templates.ts'

export function trialMessage(appName: string): MailContent {
  const subject = `Mail from ${appName} works`
  const text = `${appName} can send mail: sign-in codes reach you the same way.

Somebody who runs the service asked for this mail. There is nothing to do.
`
  const [first = '', second = ''] = text.split('\n\n')
  const html = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${escaped(subject)}</title>
</head>
<body>
<p>${escaped(first)}</p>
<p>${escaped(second.trim())}</p>
</body>
</html>
`
  return { subject, text, html, language: 'en' }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
