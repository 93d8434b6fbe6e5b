/**
 * The generic data endpoints; those that read are in data-reads.ts. Every single document comes with its ETag, which names the document and not the bytes of
 * the response: each envelope has an id and a time of its own. It is strong, as the text of the document is the same.
 */
import { BYTES_PER_REQUEST } from '../auth/limits.ts'
import { requireEditor, writtenText } from '../content/rules/access.ts'
import { BATCH_OPERATIONS, BATCH_OPERATIONS_MAX } from '../content/batch.ts'
import type { ListRequest } from '../content/reads/document-reads.ts'
import { entityTag } from '../http/entity-tag.ts'
import { created, ok } from '../http/exchange.ts'
import { documentCounts, documentProblems, queryPlan } from '../models/responses.ts'
import { user } from '../models/user.ts'
import { DOCUMENT, LIST, QUERY, QUERY_BY_BODY, QUERY_LIMIT, READ, readListBody } from './data-reads.ts'
import { conditionOf, includesDrafts, itemId, readBody, readModel, repeatKeyOf } from './data-requests.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { paramsOfUrl } from './list-params.ts'
import { NO_MAIL, wantedMailOf } from './invitation-sender.ts'
import { ETAG_EXAMPLE, WRITABLE_MODELS } from './parameters.ts'

const BATCH: NamedSchema = {
  kind: 'schema',
  name: 'Batch',
  schema: {
    type: 'object',
    properties: {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_OPERATIONS_MAX,
        items: {
          type: 'object',
          properties: {
            operation: { type: 'string', enum: [...BATCH_OPERATIONS], description: 'What to do' },
            model: { type: 'string', enum: WRITABLE_MODELS, description: 'Which kind of document' },
            id: { type: 'string', description: 'The document; none to create one' },
            body: { type: 'object', description: 'The document, or the merge patch; none to delete one' },
            ifMatch: { type: 'string', description: 'The ETag that the document must have' },
            replaceBy: { type: 'string', description: 'The document that takes the place of a deleted one in all copies' },
            seq: { type: 'integer', minimum: 1, description: 'The version that `restore` puts back; without it, out of the trash' },
          },
          required: ['operation', 'model'],
          additionalProperties: false,
        },
        examples: [
          [
            { operation: 'patch', model: 'topic', id: '66f000000000000000000301', body: { status: 'archived' } },
            { operation: 'delete', model: 'headline', id: '66f000000000000000000501', ifMatch: ETAG_EXAMPLE },
          ],
        ],
      },
    },
    required: ['operations'],
  },
}

const endpoint = endpointOn<Service>('Data')

export const DATA = [
  LIST,
  endpoint({
    route: 'POST /api/v1/data',
    id: 'create',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'create',
    summary: 'Create a document',
    description:
      'A body of status `draft` may lack required members: it makes an incomplete draft, which only requests with ' +
      '`incomplete=true` find. With `Idempotency-Key`, the same request of the same caller within 24 hours gets the first ' +
      'response again. A user with a role in the dashboard is invited by mail where `--invitation-url` is set.',
    parameters: ['writableModel', 'invitation', 'language', 'idempotencyKey'],
    body: 'document',
    status: 201,
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'conflict', 'idempotencyKeyReused', 'networkError'],
    client: 'data.create',
  }).handle(async ({ content: { documents } }, exchange, session) => {
    const model = readModel(exchange)
    const wanted = { repeat: repeatKeyOf(exchange), mail: model === user ? wantedMailOf(exchange) : NO_MAIL }
    const text = await documents.create(model, () => readBody(exchange), session, wanted)
    return created(writtenText(model, text, session.caller), { ETag: entityTag(text) })
  }),
  QUERY_BY_BODY,
  endpoint({
    route: 'GET /api/v1/data/counts',
    id: 'counts',
    reach: 'documents',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Count documents by status',
    description:
      'Counts what a list with these parameters has on all pages. Give the filter without `status`. The numbers of a whole ' +
      'model and of its statuses are exact, others up to 10,000, where `totalIsFloor` is true.',
    parameters: ['model', 'filter', 'search', 'changedBy', 'incomplete'],
    response: documentCounts,
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.counts',
  }).handle(({ content: { documents } }, exchange, { caller }) =>
    documents.counts(readModel(exchange), { params: paramsOfUrl(exchange), caller }, exchange, includesDrafts(exchange)),
  ),
  endpoint({
    route: 'POST /api/v1/data/explain',
    id: 'explain',
    reach: 'documents',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Explain a query: its index, its SQL, the rows it reads',
    description: 'The query runs on the stored data and is aborted shortly before its deadline.',
    parameters: ['writableModel'],
    body: QUERY,
    bodyLimit: QUERY_LIMIT,
    response: queryPlan,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'tooManyRequests'],
    client: 'data.explain',
  }).handle(({ content: { documents }, now }, exchange, session) => {
    const readRequest = async (): Promise<ListRequest> => {
      const read = await readListBody(exchange, session, now)
      requireEditor(read.caller)
      return read
    }
    return documents.explain(readModel(exchange), readRequest, session.caller, exchange)
  }),
  endpoint({
    route: 'POST /api/v1/data/check',
    id: 'check',
    reach: 'documents',
    access: 'limitedUser',
    operation: 'create',
    summary: 'Validate a document without writing it',
    description:
      'Lists up to fifty problems of creating the document or, with `id`, of replacing that one. `path` is empty for the ' +
      'body as a whole. A draft may be stored with problems of the codes `required` and `blank` at its own members.',
    parameters: ['writableModel', 'id', 'incomplete'],
    body: 'draft',
    response: documentProblems,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed'],
    client: 'data.check',
  }).handle(async ({ content: { documents }, now }, exchange, session) => {
    const [model, id] = [readModel(exchange), exchange.query.get('id')]
    const sent = async () => ({ ...(await readBody(exchange)), caller: session.current(now()) })
    return { problems: await documents.check(model, id, sent, session.caller, includesDrafts(exchange)) }
  }),
  endpoint({
    route: 'POST /api/v1/data/batch',
    id: 'batch',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'for each operation, those who may send it alone',
    summary: 'Create, replace, patch, delete and restore documents of any models in one transaction, all or nothing',
    description:
      'Up to 200 operations, each checked as the request of its own would be. Where one fails, nothing is written, and the ' +
      'failure is that of the operation: its message and its path begin with `operations[INDEX]`. Each counts as a request. ' +
      '`undo` puts back the version before the change that gave the ETag in `ifMatch`, with its former `updatedAt`.',
    parameters: ['incomplete', 'idempotencyKey'],
    body: BATCH,
    response: { kind: 'text', schema: 'BatchResults' },
    errors: [
      ...(['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'] as const),
      'idempotencyKeyReused',
    ],
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const sent = await readBody(exchange)
    const { operations } = sent.body
    if (Array.isArray(operations)) exchange.weigh((operations.length - 1) * BYTES_PER_REQUEST)
    return ok(await documents.batch(sent, by, { repeat: repeatKeyOf(exchange), includes: includesDrafts(exchange) }))
  }),
  READ,
  endpoint({
    route: 'PUT /api/v1/data/:id',
    id: 'replace',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'replace',
    summary: 'Replace a document',
    description:
      '`If-Match` with the ETag of the version that was read prevents lost updates. With `incomplete=true`, a body of ' +
      'status `draft` may lack required members.',
    parameters: ['writableModel', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    body: 'document',
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'],
    client: 'data.replace',
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const text = await documents.replace(model, itemId(exchange), () => readBody(exchange), { by, condition, includes: includesDrafts(exchange) })
    return ok(writtenText(model, text, by.caller), { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'PATCH /api/v1/data/:id',
    id: 'patch',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'replace',
    summary: 'Change members of a document',
    description:
      'A JSON merge patch (RFC 7396): members that are sent replace or extend the stored ones, null removes one, arrays ' +
      'are replaced as a whole. Where a document embeds another, `{"id": …}` alone is a reference and replaces the copy. ' +
      'The result is checked like the body of a `PUT`, on the document as it is when it is written.',
    parameters: ['writableModel', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    body: 'patch',
    response: DOCUMENT,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'],
    client: 'data.patch',
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const readPatch = () => readBody(exchange, { isPatch: true })
    const text = await documents.patch(model, itemId(exchange), readPatch, { by, condition, includes: includesDrafts(exchange) })
    return ok(writtenText(model, text, by.caller), { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'DELETE /api/v1/data/:id',
    id: 'remove',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    operation: 'remove',
    summary: 'Delete a document',
    description:
      'Content goes to the trash, out of every list, and can be restored for `--trash-days`. Copies of it in other documents ' +
      'are kept or, with `replaceBy`, become copies of another document, in the background.',
    parameters: ['writableModel', 'replaceBy', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    errors: ['badRequest', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
    client: 'data.remove',
  }).handle(({ content: { documents } }, exchange, by) => {
    const [model, condition] = [readModel(exchange), conditionOf(exchange)]
    const changing = { by, condition, includes: includesDrafts(exchange) }
    return documents.remove(model, itemId(exchange), changing, exchange.query.get('replaceBy'))
  }),
]
