/** Documents with an address that another one has already. */
import { describe, fail } from '../base/failure.ts'
import { duplicateDocuments } from '../models/responses.ts'
import { includesDrafts, readModel } from './data-requests.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const endpoint = endpointOn<Service>('Data')

export const DATA_DUPLICATES = [
  endpoint({
    route: 'GET /api/v1/data/duplicates',
    id: 'duplicates',
    reach: 'documents',
    access: 'editor',
    whoMay: 'those who may replace documents of the model',
    summary: 'Find documents that have an address already',
    description:
      'Of headlines and sources, by `url`: at most five, published ones first. Addresses are the same with `http` or `https`, ' +
      'with or without a slash at the end, with any fragment, and with any `utm_…`, `fbclid` and `gclid`. Several documents ' +
      'may have one address; this only tells of them.',
    parameters: ['model', 'url', 'except', 'incomplete'],
    response: duplicateDocuments,
    errors: ['badRequest', 'methodNotAllowed'],
    client: 'data.duplicates',
  }).handle(({ content: { documents } }, exchange, { caller }) => {
    const url = exchange.query.get('url')
    if (url === undefined) throw fail('badRequest', `Cannot find duplicates of ${describe(url)}: expected the parameter url`)
    return documents.duplicates({ model: readModel(exchange), url, except: exchange.query.get('except') }, { caller, includes: includesDrafts(exchange) })
  }),
]
