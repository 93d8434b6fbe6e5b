/** Review: the queue of drafts that were handed in, the note of one that was given back, and giving one back. */
import { fail } from '../base/failure.ts'
import { entityTag } from '../http/entity-tag.ts'
import { ok } from '../http/exchange.ts'
import { reviewQueue, reviewState } from '../models/responses.ts'
import { NOTE_CHARS_MAX } from '../models/workflow.ts'
import { conditionOf, itemId, readModel } from './data-requests.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const BODY: NamedSchema = {
  kind: 'schema',
  name: 'ReviewNote',
  schema: {
    type: 'object',
    properties: {
      note: { type: 'string', maxLength: NOTE_CHARS_MAX, description: 'What its author is to do', examples: ['Name the source of the figures'] },
    },
    required: ['note'],
    additionalProperties: false,
  },
}

const endpoint = endpointOn<Service>('Data')

export const REVIEW = [
  endpoint({
    route: 'GET /api/v1/reviews',
    id: 'reviews',
    access: 'editor',
    summary: 'List drafts that were handed in for review, the longest waiting first',
    description:
      'A draft is handed in by any date in its `handedInAt`, and withdrawn by null. Publish it by a `PATCH` of `status` with ' +
      '`If-Match` and the `etag` from here: then what is published is what you saw. At most 25, and `total` counts all.',
    response: reviewQueue,
    client: 'dashboard.reviews',
  }).handle(({ content: { review } }, _exchange, { caller }) => review.queue(caller)),
  endpoint({
    route: 'GET /api/v1/data/:id/review',
    id: 'review',
    access: 'editor',
    summary: 'Read the note with which a draft was given back',
    parameters: ['reviewedModel'],
    response: reviewState,
    errors: ['badRequest'],
    client: 'data.review',
  }).handle(({ content: { review } }, exchange, { caller }) => review.state(readModel(exchange), itemId(exchange), caller)),
  endpoint({
    route: 'POST /api/v1/data/:id/return',
    id: 'giveBack',
    access: 'administrator',
    summary: 'Give a draft that was handed in back to its author, with a note',
    parameters: ['reviewedModel', 'ifMatch'],
    body: BODY,
    response: { kind: 'text', schema: 'Document', tagged: true },
    errors: ['badRequest', 'invalidInput', 'notFound', 'conflict', 'preconditionFailed'],
    client: 'data.giveBack',
  }).handle(async ({ content: { review } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const { note } = await exchange.readJson({ isDoneWhenRead: true })
    const given = typeof note === 'string' ? note.trim() : ''
    if (given === '' || given.length > NOTE_CHARS_MAX || !given.isWellFormed() || given.includes('\0')) {
      throw fail('invalidInput', `note: expected a text of 1 to ${NOTE_CHARS_MAX} characters`)
    }
    const text = await review.giveBack(model, itemId(exchange), { note: given, by, condition })
    return ok(text, { ETag: entityTag(text) })
  }),
]
