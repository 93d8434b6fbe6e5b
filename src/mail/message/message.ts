/**
 * Mail messages: RFC 5322 headers over a MIME body (RFC 2045, 2046) with the same content as text and as HTML. All is
 * 7-bit; only a recipient whose local part is not ASCII puts UTF-8 into `To` (RFC 6532). No six digits stand alone in
 * the frame (code-runs.ts), so boundary and Message-ID are letters.
 */
import { type Mailbox, wireAddress } from '../address.ts'
import { encodeName, encodeText, headerLine } from './header-text.ts'
import { encodeForTransfer } from './transfer-encoding.ts'

const PART_CHARS_MAX = 200_000
const LETTERS = /^[A-Za-z]{8,70}$/
const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,16}$/

export interface MessageParts {
  readonly from: Mailbox
  /** One address in the form that `parseEmail` gives. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Of subject and body, as a BCP 47 tag. */
  readonly language: string
  /** Milliseconds since the epoch. */
  readonly date: number
  /** Letters; with the sender's domain they make the Message-ID. The same for each attempt at a mail. */
  readonly messageId: string
  /** Unpredictable letters, so that no content can hold the boundary. */
  readonly boundary: string
}

/** The whole message, every line ended by CRLF. Throws where an input could not be written. */
export function composeMessage(parts: MessageParts): string {
  const { from, to, boundary, messageId, language } = parts
  if (!LETTERS.test(boundary) || !LETTERS.test(messageId)) {
    throw new Error('Cannot compose message: boundary and Message-ID must be 8 to 70 letters')
  }
  if (!LANGUAGE_TAG.test(language)) throw new Error('Cannot compose message: the language must be a BCP 47 tag')
  if (parts.text.length > PART_CHARS_MAX || parts.html.length > PART_CHARS_MAX) {
    throw new Error(`Cannot compose message: text or HTML is longer than ${PART_CHARS_MAX} characters`)
  }
  const sender = wireForm(from.address)
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  return [
    headerLine('From', from.name === '' ? sender : `${encodeName('From', from.name)} <${sender}>`),
    headerLine('To', wireForm(to)),
    headerLine('Subject', encodeText('Subject', parts.subject)),
    headerLine('Date', new Date(parts.date).toUTCString().replace('GMT', '+0000')),
    headerLine('Message-ID', `<${messageId}@${domain}>`),
    // RFC 3834, against vacation responders; Microsoft Exchange reads the X header.
    headerLine('Auto-Submitted', 'auto-generated'),
    headerLine('X-Auto-Response-Suppress', 'All'),
    // RFC 3282, for screen readers and translators.
    headerLine('Content-Language', language),
    headerLine('MIME-Version', '1.0'),
    headerLine('Content-Type', `multipart/alternative; boundary="${boundary}"`),
    '',
    // RFC 2046 5.1.4: the richest form comes last.
    ...bodyPart(boundary, 'text/plain', parts.text),
    ...bodyPart(boundary, 'text/html', parts.html),
    `--${boundary}--`,
    '',
  ].join('\r\n')
}

function bodyPart(boundary: string, type: string, content: string): string[] {
  const { encoding, text } = encodeForTransfer(content)
  return [
    `--${boundary}`,
    headerLine('Content-Type', `${type}; charset=utf-8`),
    headerLine('Content-Transfer-Encoding', encoding),
    '',
    text,
  ]
}

function wireForm(address: string): string {
  const wire = wireAddress(address)
  if (wire === undefined || /[\s\p{Cc}<>,;:"()[\]\\]/u.test(wire)) {
    throw new Error('Cannot compose message: sender or recipient is not an address')
  }
  return wire
}
