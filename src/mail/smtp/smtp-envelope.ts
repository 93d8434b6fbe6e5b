/**
 * A mail in the form that SMTP takes: the envelope's two addresses, the bytes for DATA, and what the server must
 * support. Dots are stuffed (RFC 5321 section 4.5.2). Servers disagree about a CR or LF that stands alone, and a dot
 * behind it ends the message for one of them only (SMTP smuggling): such a message is rejected, as is a line beyond the
 * limit of RFC 5321 4.5.3.1.6.
 */
import { isAscii, wireAddress } from '../address.ts'
import { DeliveryError } from '../delivery/delivery-error.ts'

/** Bytes with the CRLF. */
const LINE_BYTES_MAX = 1_000
const MESSAGE_BYTES_MAX = 2_000_000

const [NUL, LF, CR, DOT] = [0x00, 0x0a, 0x0d, 0x2e]
const END = '\r\n.\r\n'

export interface OutgoingMail {
  /** The envelope's addresses, normalised; their domains may be international. */
  readonly from: string
  readonly to: string
  /** The message as `composeMessage` gives it. */
  readonly data: string
}

export interface Envelope {
  readonly from: string
  readonly to: string
  /** With dots stuffed and the final dot. */
  readonly bytes: Uint8Array
  /** What RFC 1870 counts: the message with its line ends, without stuffed dots and the final one. */
  readonly size: number
  /** Whether a byte of the message is beyond ASCII, which needs 8BITMIME (RFC 6152). */
  readonly hasEightBits: boolean
  /** Whether an address or a header field is beyond ASCII, which needs SMTPUTF8 (RFC 6531). */
  readonly needsUtf8: boolean
}

/** Throws a DeliveryError for an address that SMTP cannot carry, an Error for a message that breaks our own rules. */
export function envelopeOf({ from, to, data }: OutgoingMail): Envelope {
  const addresses = { from: envelopeAddress(from), to: envelopeAddress(to) }
  const { bytes, size, eightBits } = dotStuffed(data)
  return {
    ...addresses,
    bytes,
    size,
    hasEightBits: eightBits !== 'none',
    needsUtf8: eightBits === 'headers' || !isAscii(addresses.from) || !isAscii(addresses.to),
  }
}

function envelopeAddress(address: string): string {
  const wire = wireAddress(address)
  // The last check before the wire: an address must not end its brackets or its line.
  if (wire !== undefined && !/[\s\p{Cc}<>]/u.test(wire)) return wire
  throw new DeliveryError('Cannot deliver mail: sender or recipient is not an address that SMTP can carry', {
    stage: 'compose',
    temporary: false,
  })
}

interface StuffedMessage {
  /** What to send after the 354, with the final dot. */
  readonly bytes: Buffer
  readonly size: number
  /** Where the first byte beyond ASCII is. */
  readonly eightBits: 'none' | 'text' | 'headers'
}

/** Prepares a message for DATA. Throws an Error for one that must not be sent to any server. */
export function dotStuffed(message: string): StuffedMessage {
  const messageBytes = Buffer.byteLength(message)
  if (messageBytes > MESSAGE_BYTES_MAX) throw tooLong()
  const end = message.endsWith('\r\n') ? END.slice(2) : END
  const bytes = Buffer.allocUnsafe(messageBytes + end.length)
  bytes.write(message)
  bytes.write(end, messageBytes)
  const size = bytes.length - '.\r\n'.length
  const { dots, eightBits } = scan(bytes.subarray(0, size))
  if (bytes.length + dots > MESSAGE_BYTES_MAX) throw tooLong()
  return { bytes: dots === 0 ? bytes : stuffed(bytes, size, dots), size, eightBits }
}

/** Checks a message that ends in CRLF, and counts the lines that open with a dot. */
function scan(bytes: Uint8Array): { readonly dots: number; readonly eightBits: StuffedMessage['eightBits'] } {
  let [dots, lineStart] = [0, 0]
  let eightBits: StuffedMessage['eightBits'] = 'none'
  let isInHeaders = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    // The fast path: most bytes are letters.
    if (byte > DOT) {
      if (byte > 0x7f && eightBits === 'none') eightBits = isInHeaders ? 'headers' : 'text'
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
