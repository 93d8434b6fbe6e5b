/**
 * A message as the DATA command carries it (RFC 5321 section 4.5.2): a line that opens with a dot gets one more, and a
 * dot alone ends the message.
 *
 * Servers disagree about a CR or LF that stands alone: one takes it for a line end, the next does not, and a dot
 * behind it then ends the message for one of them only (SMTP smuggling). So such a message is refused, as is a line
 * beyond the limit of RFC 5321 4.5.3.1.6. Ours come from message.ts and are never like that.
 *
 * One walk over the bytes finds all of this, and what a server has to be asked about: sizes and bytes beyond ASCII.
 */

/** Bytes with the CRLF. */
const LINE_BYTES_MAX = 1_000
const MESSAGE_BYTES_MAX = 2_000_000

const [NUL, LF, CR, DOT] = [0x00, 0x0a, 0x0d, 0x2e]
const END = '\r\n.\r\n'

export interface WireData {
  /** What to send after the 354, with the final dot. */
  readonly bytes: Buffer
  /** What RFC 1870 counts: the message with its line ends, without stuffed dots and the final one. */
  readonly size: number
  /** Where the first byte beyond ASCII is. */
  readonly eightBits: 'nowhere' | 'text' | 'headers'
}

/** Makes a message ready to be sent. Throws an Error for one that no server should be sent. */
export function dotStuffed(message: string): WireData {
  const messageBytes = Buffer.byteLength(message)
  if (messageBytes > MESSAGE_BYTES_MAX) throw tooLong()
  const end = message.endsWith('\r\n') ? END.slice(2) : END
  const bytes = Buffer.allocUnsafe(messageBytes + end.length)
  bytes.write(message)
  bytes.write(end, messageBytes)
  const size = bytes.length - '.\r\n'.length
  const { dots, eightBits } = walk(bytes.subarray(0, size))
  if (bytes.length + dots > MESSAGE_BYTES_MAX) throw tooLong()
  return { bytes: dots === 0 ? bytes : stuffed(bytes, size, dots), size, eightBits }
}

/** Looks at every byte of a message that ends in CRLF, and counts the lines that open with a dot. */
function walk(bytes: Uint8Array): { readonly dots: number; readonly eightBits: WireData['eightBits'] } {
  let [dots, lineStart] = [0, 0]
  let eightBits: WireData['eightBits'] = 'nowhere'
  let isInHeaders = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    // Most bytes are letters, and nothing has to be known of them.
    if (byte > DOT) {
      if (byte > 0x7f && eightBits === 'nowhere') eightBits = isInHeaders ? 'headers' : 'text'
    } else if (byte === CR && bytes[at + 1] === LF) {
      if (at - lineStart > LINE_BYTES_MAX - 2) {
        throw new Error(`Cannot send message: a line is longer than ${LINE_BYTES_MAX} bytes`)
      }
      if (at === lineStart) isInHeaders = false
      at++
      lineStart = at + 1
    } else if (byte === CR || byte === LF || byte === NUL) {
      throw new Error('Cannot send message: it must have CRLF line ends only, and no NUL')
    } else if (byte === DOT && at === lineStart) dots++
  }
  return { dots, eightBits }
}

function stuffed(bytes: Buffer, size: number, dots: number): Buffer {
  const result = Buffer.allocUnsafe(bytes.length + dots)
  let [to, before] = [0, LF]
  for (const [at, byte] of bytes.entries()) {
    if (byte === DOT && before === LF && at < size) result[to++] = DOT
    result[to++] = byte
    before = byte
  }
  return result
}

function tooLong(): Error {
  return new Error(`Cannot send message: longer than ${MESSAGE_BYTES_MAX} bytes`)
}
