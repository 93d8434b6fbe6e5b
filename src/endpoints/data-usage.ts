/** Which documents hold copies of one. */
import { documentsUsage, documentUsage } from '../models/responses.ts'
import { requireRole } from '../content/rules/access.ts'
import { includesDrafts, itemId, readModel } from './data-requests.ts'
import { endpointOn } from './endpoint.ts'
import { IDS_LIMIT, idsBody, readIds } from './ids-body.ts'
import type { Service } from './service-parts.ts'

const USAGE_BODY = idsBody('UsageOfMany', {
  description: 'The documents; those that do not exist are used nowhere',
  examples: ['66f000000000000000000301', '66f000000000000000000302'],
})

const endpoint = endpointOn<Service>('Data')

export const DATA_USAGE = [
  endpoint({
    route: 'GET /api/v1/data/:id/usage',
    id: 'usage',
    access: 'editor',
    whoMay: 'publishers and administrators',
    summary: 'Count the documents that hold copies of a document',
    description:
      'Exact up to 100,000, where `totalIsFloor` is true. Copies follow the changes of a document in the background; ' +
      '`following` tells how far they are.',
    parameters: ['model', 'incomplete'],
    response: documentUsage,
    errors: ['badRequest', 'notFound', 'methodNotAllowed'],
    client: 'data.usage',
  }).handle(({ content: { documents } }, exchange, { caller }) => documents.usage(readModel(exchange), itemId(exchange), { caller, includes: includesDrafts(exchange) })),
  endpoint({
    route: 'POST /api/v1/data/usage',
    id: 'usageOfMany',
    access: 'editor',
    whoMay: 'publishers and administrators',
    summary: 'Count the documents that hold copies of any of up to 200 documents',
    description: 'A document with copies of several counts for each. Exact up to 100,000, where `totalIsFloor` is true.',
    parameters: ['model'],
    body: USAGE_BODY,
    bodyLimit: IDS_LIMIT,
    response: documentsUsage,
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed'],
    client: 'data.usageOfMany',
  }).handle(async ({ content: { documents } }, exchange, { caller }) => {
    const model = readModel(exchange)
    requireRole(model, 'read', caller)
    const { ids } = await exchange.readJson()
    return documents.usageOfMany({ model, ids: readIds(ids), caller })
  }),
]
