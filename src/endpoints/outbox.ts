/** The outbox, for administrators: what became of mail, a retry immediately of one that waits, and a test mail. */
import { readEmail } from '../auth/accounts.ts'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import { MESSAGE_STATES, type MessageState } from '../models/message-state.ts'
import {
  mailTest,
  mailTestBody,
  outboxMessages,
  outboxRetry,
  type OutboxMessages,
} from '../models/responses.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { readChoice, readNewest } from './parameters.ts'
import type { MessageRecord } from '../store/outbox/outbox-table.ts'

const endpoint = endpointOn<Service>('Administration')

export const OUTBOX = [
  endpoint({
    route: 'GET /api/v1/admin/outbox',
    id: 'outbox',
    access: 'administrator',
    summary: 'List waiting mail and that of the last seven days, newest first',
    parameters: ['state', 'newest'],
    response: outboxMessages,
    errors: ['badRequest'],
    client: 'admin.outbox',
  }).handle(async ({ store, now }, { query }) => {
    const state = readChoice(query, 'state', MESSAGE_STATES)
    const messages = store.outbox.listMessages({ state, limit: readNewest(query), now: now() })
    return { items: messages.map(messageJson) }
  }),
  endpoint({
    route: 'POST /api/v1/admin/outbox/test',
    id: 'testMail',
    access: 'administrator',
    summary: 'Send a test mail now, and read the SMTP dialogue',
    description: 'It takes half a minute at most. A mail that was not accepted is a 200 as well, with `advice`.',
    body: mailTestBody,
    response: mailTest,
    errors: ['invalidInput', 'conflict', 'tooManyRequests'],
    client: 'admin.testMail',
  }).handle(async ({ mail: { testMail } }, exchange, session) => {
    const body = await exchange.readJson({ isDoneWhenRead: true })
    return testMail(readEmail(body['to'], 'to'), session)
  }),
  endpoint({
    route: 'POST /api/v1/admin/outbox/:id/retry',
    id: 'retryMail',
    access: 'administrator',
    summary: 'Retry a waiting mail now',
    response: outboxRetry,
    errors: ['notFound', 'conflict'],
    client: 'admin.retryMail',
  }).handle(async ({ store, now, mail: { wakeCourier } }, { params }, { acting }) => {
    const id = params['id'] ?? ''
    const outcome = await store.as(acting(requireAdministrator)).retryMessage(id, now())
    if (outcome === 'missing')
      throw fail('notFound', `Cannot retry mail ${describe(id)}: the outbox has none of that id`)
    if (outcome !== 'due') throw fail('conflict', `Cannot retry mail ${id}: ${WHY_NOT_RETRIED[outcome]}`)
    wakeCourier()
    return { state: 'waiting' }
  }),
]

export const WHY_NOT_RETRIED: Readonly<Record<Exclude<MessageState, 'waiting'>, string>> = {
  sending: 'it is being sent at this moment',
  delivered: 'it was delivered, and its content is erased: ask for a new code',
  failed: 'its delivery failed permanently, and its content is erased: ask for a new code',
  expired: 'its code has expired, and its content is erased: ask for a new code',
  superseded: 'a newer code took its place, and its content is erased',
}

/** A message as it is sent out and printed; what is not there is null. */
export function messageJson(record: MessageRecord): OutboxMessages['items'][number] {
  const { id, kind, address, state, attempts, reply = null, createdAt, triedAt, dueAt, expiresAt, doneAt } = record
  const times = { triedAt: date(triedAt), dueAt: date(dueAt), expiresAt: isoDate(expiresAt), doneAt: date(doneAt) }
  return { id, kind, address, state, attempts, reply, createdAt: isoDate(createdAt), ...times }
}

function date(time: number | undefined): string | null {
  return time === undefined ? null : isoDate(time)
}
