/** What a message in the outbox holds until it is sent: a copy of the database without the secrets reveals none of it. */
import type { Invitation } from '../mail/templates/invitation-mail.ts'
import { openText, sealText } from './sealed-text.ts'

export interface SealedCode {
  readonly kind?: undefined
  readonly email: string
  readonly code: string
  /** Language tags, most preferred first; undefined in messages of the first release. */
  readonly languages?: readonly string[]
}

export interface SealedInvitation extends Invitation {
  readonly kind: 'invitation'
}

export type SealedMessage = SealedCode | SealedInvitation

export function sealMessage(key: Buffer, message: SealedMessage): Buffer {
  return sealText(key, JSON.stringify(message))
}

/** Undefined where the message was sealed with another key, as after a change of the secret, or is damaged. */
export function unseal(key: Buffer, sealed: Uint8Array): SealedMessage | undefined {
  const text = openText(key, sealed)
  return text === undefined ? undefined : (JSON.parse(text) as SealedMessage)
}
