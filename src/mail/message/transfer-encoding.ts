/**
 * How the text of a body part travels in ASCII: quoted-printable or base64 (RFC 2045 section 6), whichever is shorter.
 *
 * Quoted-printable keeps English readable in the raw message; Arabic takes half the bytes in base64.
 */
import { base64Lines } from './base64-lines.ts'
import { codeRunsOf } from './code-runs.ts'
import { encodeQuotedPrintable } from './quoted-printable.ts'

export interface EncodedText {
  readonly encoding: 'quoted-printable' | 'base64'
  /** Lines of at most 76 characters with CRLF between them. */
  readonly text: string
}

/** Encodes a text; any line ends become CRLF. Neither encoding shows six digits alone where the text has none. */
export function encodeForTransfer(text: string): EncodedText {
  const quoted = encodeQuotedPrintable(text)
  const bytes = Buffer.from(text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'))
  const base64 = base64Lines(bytes.toString('base64')).join('\r\n')
  const own = codeRunsOf(text)
  // A soft line break within a longer number may leave six of its digits alone.
  const isTrue = codeRunsOf(quoted).every((run) => own.includes(run))
  return isTrue && quoted.length <= base64.length
    ? { encoding: 'quoted-printable', text: quoted }
    : { encoding: 'base64', text: base64 }
}
