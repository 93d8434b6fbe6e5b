/**
 * What a mail server means by a reply that refuses: its code (RFC 5321), its enhanced code (RFC 3463) and, where those
 * are too coarse, as for greylisting, its words.
 */
import type { DeliveryError } from './delivery-error.ts'

/** One sentence with the server's words in it. */
export function adviceForReply(error: DeliveryError): string {
  const { advice } = RULES.find(({ fits }) => fits(matterOf(error))) ?? LAST_RULE
  return advice(JSON.stringify(error.reply ?? ''))
}

interface Matter {
  readonly stage: DeliveryError['stage']
  readonly code: number
  readonly enhanced: string
  readonly words: string
}

interface Rule {
  readonly fits: (matter: Matter) => boolean
  readonly advice: (words: string) => string
}

function matterOf({ stage, code = 0, enhanced = '', reply = '' }: DeliveryError): Matter {
  return { stage, code, enhanced, words: reply.toLowerCase() }
}

/** The first that fits counts. */
const RULES: readonly Rule[] = [
  {
    fits: ({ code, words }) => code < 500 && /gr[ae]y-?\s?list/.test(words),
    advice: (words) =>
      `The server greylists: it takes the mail when it is tried again later, which happens by itself: ${words}`,
  },
  {
    fits: ({ code, words }) => code === 530 && /tls/.test(words),
    advice: (words) => `The server wants TLS first: use --mail-tls starttls: ${words}`,
  },
  {
    fits: ({ stage, code }) => stage !== 'auth' && code === 530,
    advice: (words) => `The server wants a login: give a user in --mail and --mail-password-file: ${words}`,
  },
  {
    fits: ({ stage, code }) => stage === 'auth' && code >= 500,
    advice: (words) =>
      `Authentication refused: check user and password, or token; some providers want a password for apps: ${words}`,
  },
  {
    fits: ({ stage, code }) => stage === 'auth' && code < 500,
    advice: (words) => `The server cannot check the login now: the mail is tried again: ${words}`,
  },
  {
    fits: ({ stage, code }) => (stage === 'greeting' || stage === 'ehlo') && code >= 500,
    advice: (words) =>
      `The server does not welcome this machine: it may want another address or port from us: ${words}`,
  },
  {
    fits: ({ stage }) => stage === 'starttls',
    advice: (words) => `The server offers STARTTLS and then refuses it: see the log of the server: ${words}`,
  },
  {
    fits: ({ code, enhanced }) => enhanced.endsWith('.2.2') || (code === 552 && enhanced === ''),
    advice: (words) => `The mailbox of the recipient is full, or the message too large for it: ${words}`,
  },
  {
    fits: ({ code, enhanced }) => /\.3\.4$|\.2\.3$/.test(enhanced) || code === 552,
    advice: (words) =>
      `The message is too large for the server: make the templates shorter, or raise its limit: ${words}`,
  },
  {
    fits: ({ code, words }) =>
      code === 421 || code === 452 || (code < 500 && /rate|limit|too many|throttl/.test(words)),
    advice: (words) => `The server limits how much it takes, or is too busy: the mail is tried again: ${words}`,
  },
  {
    fits: ({ stage, code, enhanced }) =>
      stage !== 'mail' && (code === 450 || code === 451) && (enhanced === '4.7.1' || enhanced === '4.7.0'),
    advice: (words) => `The server asks to try later, as greylisting does, which happens by itself: ${words}`,
  },
  {
    fits: ({ code }) => code < 500,
    advice: (words) => `The server asks to try later, which happens by itself: ${words}`,
  },
  {
    fits: ({ enhanced, words }) => enhanced === '5.6.7' || /smtputf8/.test(words),
    advice: (words) =>
      `The server cannot take addresses beyond ASCII (SMTPUTF8): use another for such recipients: ${words}`,
  },
  {
    fits: ({ stage }) => stage === 'mail',
    advice: (words) => `Sender refused: set --mail-from to an address that we may send for: ${words}`,
  },
  {
    fits: ({ stage, words }) => stage === 'rcpt' && /relay/.test(words),
    advice: (words) =>
      `The server does not relay for us: log in with a user in --mail, or let it relay for this machine: ${words}`,
  },
  {
    fits: ({ stage, enhanced }) => stage === 'rcpt' && enhanced === '5.1.8',
    advice: (words) => `Sender refused: set --mail-from to an address that we may send for: ${words}`,
  },
  {
    fits: ({ stage }) => stage === 'rcpt',
    advice: (words) => `Recipient refused: the address does not exist there, or takes no mail from us: ${words}`,
  },
  {
    fits: ({ enhanced, words }) => /^5\.7\.2[0-9]$/.test(enhanced) || /dmarc|dkim|\bspf\b/.test(words),
    advice: (words) =>
      `The server does not believe the sender: sign with --mail-dkim-key, and let SPF in DNS name the mail server: ${words}`,
  },
]

const LAST_RULE: Rule = {
  fits: () => true,
  advice: (words) => `The server refused the message: ${words}`,
}
