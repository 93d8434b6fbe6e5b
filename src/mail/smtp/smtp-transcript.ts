/** How a channel reports on itself: trace lines and errors, with every secret masked, also where it is echoed. */
import { type DeliveryError, safeReplyText, safeText } from '../delivery/delivery-error.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { smtpError, type SmtpErrorDetails, type SmtpServer } from './smtp-error.ts'
import type { Reply } from './smtp-replies.ts'

export function createTranscript(server: SmtpServer) {
  const secrets: string[] = []
  let attempt: SmtpAttempt | undefined
  const trace = (from: 'client' | 'server' | 'note', text: string): void => {
    if (attempt?.isTraced === true) attempt.trace(from, safeText(text, secrets))
  }
  return {
    /** Traces for this attempt from now on; for none while the connection is idle. */
    follow(next: SmtpAttempt | undefined): void {
      attempt = next
    },
    mask(secret: string): void {
      if (!secrets.includes(secret)) secrets.push(secret)
    },
    get isTraced(): boolean {
      return attempt?.isTraced === true
    },
    client: (text: string): void => trace('client', text),
    note: (text: string): void => trace('note', text),
    server({ code, lines }: Reply): void {
      if (attempt?.isTraced !== true) return
      for (const [at, line] of lines.entries()) trace('server', `${code}${at < lines.length - 1 ? '-' : ' '}${line}`)
    },
    /** A reply in one line, fit for the log. */
    safe: (reply: Reply): string => safeReplyText(reply, secrets),
    error: (message: string, details: SmtpErrorDetails): DeliveryError => smtpError(server, message, details, secrets),
  }
}
