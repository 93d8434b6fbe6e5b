/** Mails that invite users: bounded, and put into the outbox in the transaction that creates the account. */
import type { Database } from '../db/database.ts'
import { isFull, putMessage } from '../outbox/outbox-table.ts'
import { addHit, rateWait, type Rate } from './rate-table.ts'

/** How often invitations may be sent by mail. */
export interface InvitationRates {
  readonly perUser: Rate
  readonly perEmail: Rate
}

/** The sealed message that invites a user. */
export interface InvitationMail {
  readonly email: string
  readonly message: { readonly id: string; readonly sealed: Uint8Array }
  readonly now: number
  /** When it is given up. */
  readonly expiresAt: number
  readonly rates: InvitationRates
}

export interface LimitedInvitation {
  readonly kind: 'limited'
  readonly limit: keyof InvitationRates
  readonly retryAfterMs: number
}

/** Why an invitation was not put into the outbox. */
export type UnsentInvitation = 'full' | LimitedInvitation

/** Undefined where nothing is in the way. */
export function whyNotInvited(database: Database, { email, rates, now }: InvitationMail): UnsentInvitation | undefined {
  for (const limit of ['perUser', 'perEmail'] as const) {
    const retryAfterMs = rateWait(database, rates[limit], now)
    if (retryAfterMs !== undefined) return { kind: 'limited', limit, retryAfterMs }
  }
  return isFull(database, { kind: 'invitation', email }) ? 'full' : undefined
}

export function putInvitation(database: Database, mail: InvitationMail): void {
  const { perUser, perEmail } = mail.rates
  for (const rate of [perUser, perEmail]) addHit(database, rate, mail.now)
  putMessage(database, { kind: 'invitation', ...mail })
}
