/** The documents of a list as a file, in its order, for publishers and administrators. */
import { requireDrafts, requireEditor, requireRole } from '../content/rules/access.ts'
import { readChangers, readFlag, readListQuery } from '../content/reads/list-query.ts'
import { describe, fail } from '../base/failure.ts'
import { orNull } from '../base/json-schema.ts'
import { modelNamed } from '../models/registry.ts'
import type { Model } from '../models/schema.ts'
import { DOWNLOADS_MAX, DOWNLOADS_PER_USER_MAX } from './download-slots.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { paramsOfBody } from './list-params.ts'
import { CHANGED_BY, INCOMPLETE, SEARCH, SORT, WRITABLE_MODELS } from './parameters.ts'

const FORMATS = ['csv', 'ndjson'] as const
const TYPE = 'application/octet-stream'
const BODY_BYTES_MAX = 512 * 1024

const BODY: NamedSchema = {
  kind: 'schema',
  name: 'ExportList',
  schema: {
    type: 'object',
    properties: {
      model: { type: 'string', enum: WRITABLE_MODELS, description: 'Which kind of document' },
      format: { type: 'string', enum: FORMATS, description: 'JSON lines, or CSV as in RFC 4180' },
      filter: orNull({ $ref: '#/components/schemas/Filter' }),
      search: { ...orNull(SEARCH), examples: [null] },
      changedBy: { ...orNull(CHANGED_BY), examples: [null] },
      sort: orNull(SORT),
      incomplete: orNull(INCOMPLETE),
    },
    required: ['model', 'format'],
  },
}

const endpoint = endpointOn<Service>('Data')

export const LIST_EXPORT = [
  endpoint({
    route: 'POST /api/v1/data/export',
    id: 'exportList',
    access: 'editor',
    operation: 'list',
    whoMay: 'publishers and administrators, of the models that they may list',
    summary: 'Download all documents of a list as CSV or JSON lines',
    description:
      'In the order of the list, as they are at one moment. It takes the parameters of a list but those of its pages; incomplete ' +
      'drafts are in it with `incomplete`, for those who may write the model. `import` reads ' +
      'the file; in CSV, a text that a spreadsheet would run as a formula has an apostrophe in front, which `import` removes. ' +
      `At most 1 GiB and two minutes; ${DOWNLOADS_MAX} downloads at the same time, ${DOWNLOADS_PER_USER_MAX} of one user.`,
    body: BODY,
    bodyLimit: { bytesMax: BODY_BYTES_MAX },
    response: {
      kind: 'raw',
      type: TYPE,
      schema: { type: 'string', description: 'CSV or JSON lines', examples: ['{"id":"66f000000000000000000301"}\n'] },
      named: true,
    },
    errors: ['badRequest', 'invalidInput', 'methodNotAllowed', 'conflict', 'tooManyRequests'],
    client: 'admin.exportList',
  }).handle(async ({ store, content: { listSettings, exports }, downloads }, exchange, { caller, acting }) => {
    const body = await exchange.readJson({ isDoneWhenRead: true })
    const { model: name, format: wanted } = body
    const model: Model | undefined = typeof name === 'string' ? modelNamed(name) : undefined
    if (model === undefined || model.computed === true) throw fail('badRequest', `model: expected one of ${WRITABLE_MODELS.join(', ')}, found ${describe(name)}`)
    const format = FORMATS.find((one) => one === wanted)
    if (format === undefined) throw fail('badRequest', `format: expected one of ${FORMATS.join(', ')}, found ${describe(wanted)}`)
    requireRole(model, 'list', caller)
    const includes = readFlag('incomplete', body['incomplete'])
    if (includes) requireDrafts(model, caller)
    const { changedBy, ...given } = paramsOfBody(exchange, body)
    const changers = changedBy === undefined ? undefined : readChangers(changedBy)
    const params = { ...given, cursor: undefined, limit: undefined, fields: undefined, count: undefined }
    const query = readListQuery(model, params, caller, { settings: listSettings, store })
    const release = downloads.take(caller.id)
    try {
      const details = [
        { name: 'model', value: model.name },
        { name: 'format', value: format },
        ...(includes ? [{ name: 'incomplete', value: 'true' }] : []),
      ]
      const mayExport = (now: typeof caller): void => {
        requireEditor(now)
        requireRole(model, 'list', now)
        if (includes) requireDrafts(model, now)
      }
      await store.as(acting(mayExport)).record({ event: 'documents.exported', model: model.name, details })
      const file = await exports.write(model, query, { format, includes, changers })
      const headers = { 'Content-Disposition': `attachment; filename="${model.name}.${format}"` }
      return { kind: 'file', status: 200, contentType: TYPE, file, headers, onClosed: release }
    } catch (error) {
      release()
      throw error
    }
  }),
]
