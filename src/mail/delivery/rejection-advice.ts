/**
 * What a mail server means by a negative reply: from its code (RFC 5321), its enhanced code (RFC 3463) and, where those
 * are too coarse, as for greylisting, its text.
 */
import type { DeliveryError } from './delivery-error.ts'

/** One sentence with the server's reply in it. */
export function adviceForRejection({ stage, code = 0, enhanced = '', reply = '' }: DeliveryError): string {
  const rejection = { stage, code, enhanced, text: reply.toLowerCase() }
  const [, advice] = RULES.find(([matches]) => matches(rejection)) ?? [undefined, 'The server rejected the message']
  return `${advice}: ${JSON.stringify(reply)}`
}

interface Rejection {
  readonly stage: DeliveryError['stage']
  readonly code: number
  readonly enhanced: string
  readonly text: string
}

const WRONG_SENDER = 'Sender rejected: set --mail-from to an address that this server lets us send from'

/** The first match counts. */
const RULES: ReadonlyArray<readonly [(rejection: Rejection) => boolean, advice: string]> = [
  [
    ({ code, text }) => code < 500 && /gr[ae]y-?\s?list/.test(text),
    'The server greylists and accepts the mail later: the service retries by itself',
  ],
  [({ code, text }) => code === 530 && /tls/.test(text), 'The server requires TLS first: use --mail-tls starttls'],
  [
    ({ stage, code }) => stage !== 'auth' && code === 530,
    'The server requires a login: set a user in --mail, and --mail-password-file',
  ],
  [
    ({ stage, code }) => stage === 'auth' && code >= 500,
    'Authentication failed: check user and password, or token; some providers require an app password',
  ],
  [
    ({ stage, code }) => stage === 'auth' && code < 500,
    'The server cannot check the login now: the service retries by itself',
  ],
  [
    ({ stage, code }) => (stage === 'greeting' || stage === 'ehlo') && code >= 500,
    'The server does not accept connections from this machine: it may require another IP address or port',
  ],
  [({ stage }) => stage === 'starttls', 'The server offers STARTTLS and then rejects it: see its log'],
  [
    ({ code, enhanced }) => enhanced.endsWith('.2.2') || (code === 552 && enhanced === ''),
    'The mailbox of the recipient is full, or the message too large for it',
  ],
  [
    ({ code, enhanced }) => /\.3\.4$|\.2\.3$/.test(enhanced) || code === 552,
    'The message is too large for the server: make the templates shorter, or raise its limit',
  ],
  [
    ({ code, text }) => code === 421 || code === 452 || (code < 500 && /rate|limit|too many|throttl/.test(text)),
    'The server limits the rate of mail, or is too busy: the service retries by itself',
  ],
  [
    ({ stage, code, enhanced }) =>
      stage !== 'mail' && (code === 450 || code === 451) && (enhanced === '4.7.1' || enhanced === '4.7.0'),
    'The server asks to try later, as greylisting does: the service retries by itself',
  ],
  [({ code }) => code < 500, 'The server asks to try later: the service retries by itself'],
  [
    ({ enhanced, text }) => enhanced === '5.6.7' || /smtputf8/.test(text),
    'The server does not support addresses beyond ASCII (SMTPUTF8): use another server for such recipients',
  ],
  [({ stage }) => stage === 'mail', WRONG_SENDER],
  [
    ({ stage, text }) => stage === 'rcpt' && /relay/.test(text),
    'The server does not relay for us: log in with a user in --mail, or allow this machine to relay',
  ],
  [({ stage, enhanced }) => stage === 'rcpt' && enhanced === '5.1.8', WRONG_SENDER],
  [({ stage }) => stage === 'rcpt', 'Recipient rejected: the address does not exist, or does not accept mail from us'],
  [
    ({ enhanced, text }) => /^5\.7\.2[0-9]$/.test(enhanced) || /dmarc|dkim|\bspf\b/.test(text),
    'The server does not trust the sender: sign with --mail-dkim-key, and name the mail server in the SPF record',
  ],
]
