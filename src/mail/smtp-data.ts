/**
 * A message as the DATA command carries it (RFC 5321 section 4.5.2): a line that opens with a dot gets one more, and a
 * dot alone ends the message.
 *
 * Servers disagree about a CR or LF that stands alone: one takes it for a line end, the next does not, and a dot
 * behind it then ends the message for one of them only (SMTP smuggling). So such a message is refused, as is a line
 * beyond the limit of RFC 5321 4.5.3.1.6. Ours come from message.ts and are never like that.
 */

/** Bytes with the CRLF. */
const LINE_BYTES_MAX = 1_000
const MESSAGE_BYTES_MAX = 2_000_000

/** The bytes to send after the 354, with the final dot. Throws an Error for a message that no server should be sent. */
export function dotStuffed(message: string): Buffer {
  if (/\r(?!\n)|(?<!\r)\n|\0/.test(message)) {
    throw new Error('Cannot send message: it must have CRLF line ends only, and no NUL')
  }
  const lines = (message.endsWith('\r\n') ? message.slice(0, -2) : message).split('\r\n')
  if (lines.some((line) => Buffer.byteLength(line) > LINE_BYTES_MAX - 2)) {
    throw new Error(`Cannot send message: a line is longer than ${LINE_BYTES_MAX} bytes`)
  }
  const stuffed = lines.map((line) => (line.startsWith('.') ? `.${line}` : line))
  const bytes = Buffer.from([...stuffed, '.', ''].join('\r\n'))
  if (bytes.length > MESSAGE_BYTES_MAX) throw new Error(`Cannot send message: longer than ${MESSAGE_BYTES_MAX} bytes`)
  return bytes
}
