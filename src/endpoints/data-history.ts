/** The past of documents: their changes and earlier versions, and the trash. */
import { describe, fail } from '../base/failure.ts'
import { writtenText } from '../content/rules/access.ts'
import { readLimit, type ListSettings } from '../content/reads/list-query.ts'
import { entityTag } from '../http/entity-tag.ts'
import { ok, type Exchange } from '../http/exchange.ts'
import { documentHistory, trashedDocuments } from '../models/responses.ts'
import { conditionOf, includesDrafts, itemId, readModel, referenceLimits } from './data-requests.ts'
import { endpointOn, type TextResponse } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import type { HistoryQuery } from '../store/history/document-history.ts'

const ITEM: TextResponse = { kind: 'text', schema: 'Document', tagged: true }
const CONTENT = 'Content has it; users, settings and preferences have none.'

const endpoint = endpointOn<Service>('Data')

export const DATA_HISTORY = [
  endpoint({
    route: 'GET /api/v1/data/trash',
    id: 'trash',
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'those who may delete the document',
    summary: 'List what was deleted and can be restored, deleted last first',
    description: `A deleted document stays for \`--trash-days\`. ${CONTENT}`,
    parameters: ['writableModel', 'limit', 'older', 'incomplete'],
    response: { kind: 'text', schema: trashedDocuments },
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.trash',
  }).handle(({ content: { documents, listSettings } }, exchange, { caller }) =>
    ok(documents.trash(readModel(exchange), readPage(exchange, listSettings), { caller, includes: includesDrafts(exchange) })),
  ),
  endpoint({
    route: 'DELETE /api/v1/data/trash/:id',
    id: 'eraseTrashed',
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'those who may delete the document',
    summary: 'Delete a document of the trash for good, with its earlier versions',
    parameters: ['writableModel', 'incomplete'],
    errors: ['badRequest', 'notFound', 'methodNotAllowed'],
    client: 'data.eraseTrashed',
  }).handle(({ content: { documents } }, exchange, by) => documents.eraseTrashed(readModel(exchange), itemId(exchange), { by, includes: includesDrafts(exchange) })),
  endpoint({
    route: 'GET /api/v1/data/:id/history',
    id: 'history',
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'those who may replace the document, also while it is in the trash',
    summary: 'List the changes of a document, newest first',
    description: `Earlier versions are kept for \`--history-days\`. ${CONTENT} A page ends early where the versions are long.`,
    parameters: ['writableModel', 'limit', 'older', 'incomplete'],
    response: documentHistory,
    errors: ['badRequest', 'notFound', 'methodNotAllowed'],
    client: 'data.history',
  }).handle(({ content: { documents, listSettings } }, exchange, { caller }) =>
    documents.history(readModel(exchange), itemId(exchange), readPage(exchange, listSettings), { caller, includes: includesDrafts(exchange) }),
  ),
  endpoint({
    route: 'GET /api/v1/data/:id/history/:seq',
    id: 'version',
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'those who may replace the document, also while it is in the trash',
    summary: 'Read a document as a change left it',
    parameters: ['writableModel', 'incomplete'],
    response: ITEM,
    errors: ['badRequest', 'notFound', 'methodNotAllowed'],
    client: 'data.version',
  }).handle(({ content: { documents } }, exchange, { caller }) => {
    const text = documents.version(readModel(exchange), itemId(exchange), readSeq(exchange.params['seq'] ?? ''), { caller, includes: includesDrafts(exchange) })
    return ok(text, { ETag: entityTag(text) })
  }),
  endpoint({
    route: 'POST /api/v1/data/:id/restore',
    id: 'restore',
    byKeeper: true,
    reach: 'documents',
    access: 'limitedUser',
    whoMay: 'out of the trash, those who may delete the document; an earlier version, those who may replace it',
    summary: 'Put back a deleted document or, with `seq`, an earlier version',
    description:
      'All present rules are checked. A deleted document comes back as it was, its times included; an earlier version ' +
      'becomes a new one. `If-Match` with the ETag of the version that was read prevents lost updates.',
    parameters: ['writableModel', 'seq', 'incomplete', 'ifMatch', 'ifNoneMatch'],
    body: 'empty',
    response: ITEM,
    errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'preconditionFailed'],
    client: 'data.restore',
  }).handle(async ({ content: { documents } }, exchange, by) => {
    const [model, condition, seq] = [readModel(exchange), conditionOf(exchange), exchange.query.get('seq')]
    const wanted = { seq: seq === undefined ? undefined : readSeq(seq), references: referenceLimits(exchange) }
    const text = await documents.restore(model, itemId(exchange), wanted, { by, condition, includes: includesDrafts(exchange) })
    return ok(writtenText(model, text, by.caller), { ETag: entityTag(text) })
  }),
]

function readPage({ query }: Exchange, settings: ListSettings): HistoryQuery {
  const [limit, cursor] = [readLimit(query.get('limit'), settings), query.get('cursor')]
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw fail('badRequest', `Cannot read cursor ${describe(cursor)}: expected that of the page before`)
  }
  return { limit, before: cursor === undefined ? undefined : Number(cursor) }
}

function readSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw fail('badRequest', `Cannot read seq ${describe(text)}: expected the number of a change`)
}
