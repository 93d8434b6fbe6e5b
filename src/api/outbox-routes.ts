/** The outbox, for administrators: what became of mail, and a try at once of one that waits. */
import type { Session } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import { requireAdministrator } from '../content/access.ts'
import { ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import { MESSAGE_STATES, type MessageState } from '../models/message-state.ts'
import type { OutboxMessages, OutboxRetry } from '../models/replies.ts'
import type { MessageRecord, OutboxStore, Writable } from '../store/store.ts'
import { readNewest } from './newest.ts'

export interface OutboxParts {
  readonly store: Pick<OutboxStore, 'listMessages'> & Writable
  readonly now: Clock
  /** Called when a message was made due. */
  readonly wakeCourier: () => void
}

export interface OutboxRoutes {
  list(exchange: Exchange): Promise<HttpResponse>
  retry(exchange: Exchange, session: Session): Promise<HttpResponse>
}

export function outboxRoutes({ store, now, wakeCourier }: OutboxParts): OutboxRoutes {
  return {
    async list({ query }) {
      const records = await store.listMessages({
        state: readState(query.get('state')),
        limit: readNewest(query),
        now: now(),
      })
      return ok(JSON.stringify({ items: records.map(messageJson) } satisfies OutboxMessages))
    },
    async retry({ params }, { acting }) {
      const id = params['id'] ?? ''
      const outcome = await store.as(acting(requireAdministrator)).retryMessage(id, now())
      if (outcome === 'missing')
        throw fail('notFound', `Cannot retry mail ${describe(id)}: the outbox has none of that id`)
      if (outcome !== 'due') throw fail('conflict', `Cannot retry mail ${id}: ${WHY_NOT_RETRIED[outcome]}`)
      wakeCourier()
      return ok(JSON.stringify({ state: 'waiting' } satisfies OutboxRetry))
    },
  }
}

/** Why a message cannot be tried at once. */
export const WHY_NOT_RETRIED: Readonly<Record<Exclude<MessageState, 'waiting'>, string>> = {
  sending: 'it is being sent at this moment',
  delivered: 'it was delivered, and its content is erased: ask for a new code',
  failed: 'it was refused for good, and its content is erased: ask for a new code',
  expired: 'its code has expired, and its content is erased: ask for a new code',
  superseded: 'a newer code took its place, and its content is erased',
}

/** A record as it is sent out and printed; what is not there is null. */
export function messageJson(record: MessageRecord): OutboxMessages['items'][number] {
  const { id, address, state, attempts, reply = null, createdAt, triedAt, dueAt, expiresAt, doneAt } = record
  const times = { triedAt: date(triedAt), dueAt: date(dueAt), expiresAt: isoDate(expiresAt), doneAt: date(doneAt) }
  return { id, address, state, attempts, reply, createdAt: isoDate(createdAt), ...times }
}

function date(time: number | undefined): string | null {
  return time === undefined ? null : isoDate(time)
}

function readState(given: string | undefined): MessageState | undefined {
  if (given === undefined) return undefined
  const state = MESSAGE_STATES.find((one) => one === given)
  if (state !== undefined) return state
  throw fail('badRequest', `Cannot read state ${describe(given)}: expected one of ${MESSAGE_STATES.join(', ')}`)
}
