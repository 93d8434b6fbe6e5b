/**
 * A mail as SMTP takes it: the envelope's two addresses, the bytes of the message, and what a server must be able to
 * do for it. Made before a server is asked, so that what no server should be sent never gets near one.
 */
import { isAscii, wireAddress } from '../address.ts'
import { DeliveryError } from '../delivery/delivery-error.ts'
import { dotStuffed } from './smtp-data.ts'

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
  /** Whether a byte of the message is beyond ASCII, which wants 8BITMIME (RFC 6152). */
  readonly hasEightBits: boolean
  /** Whether an address or a header field is beyond ASCII, which wants SMTPUTF8 (RFC 6531). */
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
    hasEightBits: eightBits !== 'nowhere',
    needsUtf8: eightBits === 'headers' || !isAscii(addresses.from) || !isAscii(addresses.to),
  }
}

function envelopeAddress(address: string): string {
  const wire = wireAddress(address)
  // The last door before the wire: an address from wherever must not end its brackets or its line.
  if (wire !== undefined && !/[\s\p{Cc}<>]/u.test(wire)) return wire
  throw new DeliveryError('Cannot deliver mail: sender or recipient is not an address that SMTP can carry', {
    stage: 'compose',
    temporary: false,
  })
}
