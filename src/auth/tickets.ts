/**
 * Tickets: what stands in a URL in place of an access token, for requests to which a browser adds no header.
 *
 * A ticket is signed and names a session, so every thread and every node of a cluster can give and take it. It is valid for
 * a minute and once: its first use is a write, so that of two requests with the same ticket only one succeeds. What it
 * opens ends with its session.
 */
import { MINUTE_MS } from '../base/duration.ts'
import { parseJson } from '../base/json.ts'
import type { NewId } from '../base/ids.ts'
import { SYSTEM, type CallerClaim } from '../store/actor.ts'
import { equalSecrets, mac } from './keys.ts'
import type { Writable } from '../store/writes/writer.ts'

const LIFETIME_MS = MINUTE_MS
const TICKET_CHARS_MAX = 1_000

export type Tickets = ReturnType<typeof createTickets>

interface TicketsOptions {
  readonly store: Writable
  readonly key: Buffer
  readonly newId: NewId
}

interface Content extends CallerClaim {
  readonly ticket: string
  readonly validUntil: number
}

export function createTickets({ store, key, newId }: TicketsOptions) {
  const signature = (payload: string): string => mac(key, 'ticket', payload).toString('base64url')
  const read = (text: string, now: number): Content | undefined => {
    const [payload = '', signed = '', ...rest] = text.slice(0, TICKET_CHARS_MAX).split('.')
    if (rest.length > 0 || !equalSecrets(Buffer.from(signature(payload)), Buffer.from(signed))) return undefined
    const content = parseJson(Buffer.from(payload, 'base64url').toString()) as unknown as Content
    return now < content.validUntil ? content : undefined
  }
  return {
    issue({ userId, jti, iat, expiresAt, apiToken }: CallerClaim, now: number): { readonly ticket: string; readonly expiresAt: number } {
      const claim = { userId, jti, iat, expiresAt, ...(apiToken === undefined ? {} : { apiToken }) }
      const content: Content = { ...claim, ticket: newId(), validUntil: now + LIFETIME_MS }
      const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
      return { ticket: `${payload}.${signature(payload)}`, expiresAt: content.validUntil }
    },
    /** The session that a ticket names; undefined for one that is not valid. It may have been used. */
    claimOf(text: string, now: number): CallerClaim | undefined {
      const content = read(text, now)
      if (content === undefined) return undefined
      const { ticket: _, validUntil: __, ...claim } = content
      return claim
    },
    /** Uses a ticket; false for one that is not valid, or was used before. */
    async redeem(text: string, now: number): Promise<boolean> {
      const content = read(text, now)
      if (content === undefined) return false
      return store.as(SYSTEM).useTicket({ jti: `ticket-${content.ticket}`, expiresAt: content.validUntil, now })
    },
  }
}
