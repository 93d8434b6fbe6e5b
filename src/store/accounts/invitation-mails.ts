/** Mails that invite users: bounded, and put into the outbox in the transaction that creates the account. */
import type { InvitationMail, UnsentInvitation } from '../store.ts'
import type { Database } from '../db/database.ts'
import { isFull, putMessage } from '../outbox/outbox-table.ts'
import { addHit, rateWait } from './rate-table.ts'

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
