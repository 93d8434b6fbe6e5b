/**
 * RxDB's server replication (https://rxdb.info/replication-server): an app names `/api/v1/sync/MODEL/0` as its `url`, and the
 * client of RxDB adds what it wants of it. Responses are what that client reads, without the envelope; failures are ours.
 *
 * The number in the path is the version of the data, which RxDB takes from the schema of the server's collection. A client
 * of another version gets 426, with which RxDB stops and tells the app that it is outdated.
 */
import type { Session } from '../auth/sessions.ts'
import { BYTES_PER_REQUEST } from '../auth/limits.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { SYNC_EVENTS } from '../content/sync/sync-events.ts'
import { readSyncCheckpoint } from '../content/sync/sync-checkpoint.ts'
import { queryOf, syncModelNamed } from '../content/sync/sync-models.ts'
import { PULL_DOCUMENTS_MAX, type PullConnection } from '../content/sync/sync-pull.ts'
import { PUSH_ROWS_MAX } from '../content/sync/sync-push.ts'
import type { Exchange, HttpResponse } from '../http/exchange.ts'
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE } from '../http/event-stream.ts'
import type { Model } from '../models/schema.ts'
import { readBody } from './data-requests.ts'
import { endpointOn, type NamedSchema, type RawResponse } from './endpoint.ts'
import type { ReadService, Service } from './service-parts.ts'
import { streamOwner, type StreamShare } from './stream-slots.ts'

/** Of all models: raised when a change of their documents breaks clients. */
const SYNC_VERSION = '0'

/** A client opens one for each of its collections, up to seven, and gives up for good on any status below 500. */
const SYNC_STREAMS: StreamShare = { name: 'sync', perUserMax: 32, code: 'networkError' }

const STATE: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, _deleted: { type: 'boolean' } },
  required: ['id', '_deleted'],
  additionalProperties: true,
}

const PULLED: RawResponse = {
  kind: 'raw',
  type: 'application/json',
  schema: {
    type: 'object',
    properties: {
      documents: {
        type: 'array',
        items: STATE,
        description: 'Of a document with `_deleted` true, only the id means something',
        examples: [[{ id: '66f000000000000000000301', name: 'Harbours', _deleted: false }]],
      },
      checkpoint: {
        type: 'object',
        description: 'What the next pull sends back',
        properties: {
          id: { type: 'string', examples: ['5f1c9a7be02d43c8.r'] },
          lwt: { type: 'integer', minimum: 0, examples: [1234] },
        },
        required: ['id', 'lwt'],
      },
    },
    required: ['documents', 'checkpoint'],
  },
}

const ROWS: NamedSchema = {
  kind: 'schema',
  name: 'SyncRows',
  schema: {
    type: 'array',
    maxItems: PUSH_ROWS_MAX,
    items: {
      type: 'object',
      properties: {
        newDocumentState: { ...STATE, required: ['id'], description: 'The document as the client has it' },
        assumedMasterState: { ...STATE, required: ['id'], description: 'The document as the client takes it to be stored; none for a new one' },
      },
      required: ['newDocumentState'],
    },
    examples: [
      [
        {
          assumedMasterState: { id: '66f000000000000000000301', _deleted: false },
          newDocumentState: { id: '66f000000000000000000301', _deleted: true },
        },
      ],
    ],
  },
}

const CONFLICTS: RawResponse = {
  kind: 'raw',
  type: 'application/json',
  schema: {
    type: 'array',
    items: STATE,
    description: 'The stored documents of rows that were not written, since their assumed state is not the stored one',
    examples: [[]],
  },
}

const reading = endpointOn<ReadService>('Data')
const endpoint = endpointOn<Service>('Data')

const PULL = reading({
  route: 'GET /api/v1/sync/:model/:version/pull',
  id: 'syncPull',
  access: 'limitedUser',
  whoMay: 'all who may list the model; of settings and preferences, all their own',
  summary: 'Pull the next documents of an offline client (RxDB)',
  description:
    'First a copy of all documents that the caller may list, then what has changed. A page with fewer documents than ' +
    '`limit` is the last one. A long one counts as several requests.',
  parameters: ['checkpointId', 'checkpointSeq', 'pullLimit'],
  response: PULLED,
  errors: ['badRequest', 'notFound', 'upgradeRequired'],
}).handle(async ({ content: { sync }, now }, exchange, { caller, current }) => {
  const model = readModel(exchange)
  const { query } = exchange
  const [checkpoint, limit] = [readSyncCheckpoint(query.get('id'), query.get('lwt')), readLimit(query.get('limit'))]
  const pulled = await sync.pull({ model, caller, checkpoint, limit }, connectionOf(exchange))
  // It may have waited for its turns: nothing follows a sign-out.
  current(now())
  return json(pulled)
})

const STREAM = reading({
  route: 'GET /api/v1/sync/:model/:version/pullStream',
  id: 'syncStream',
  access: 'limitedUser',
  whoMay: 'all who may list the model; of settings and preferences, all their own',
  summary: 'Follow changes as an offline client (RxDB)',
  description:
    'Server-sent events from now on, with what a pull gives. The client pulls whenever its stream opens. Without a token in ' +
    'the URL: the client of RxDB sends headers. 503 where a user has 32 such streams, since RxDB gives up after a 429.',
  response: {
    kind: 'raw',
    type: 'text/event-stream',
    schema: { type: 'string', examples: ['id: 1234\ndata: {"documents":[],"checkpoint":{"id":"5f1c9a7be02d43c8.r","lwt":1234}}\n\n'] },
  },
  errors: ['badRequest', 'notFound', 'upgradeRequired'],
}).handle((service, exchange, session) => openStream(service, readModel(exchange), exchange, session))

const PUSH = endpoint({
  route: 'POST /api/v1/sync/:model/:version/push',
  id: 'syncPush',
  byKeeper: true,
  access: 'limitedUser',
  whoMay: 'those who may create, replace and delete documents of the model; of settings and preferences, all their own',
  summary: 'Push changes of an offline client (RxDB)',
  description:
    `Up to ${PUSH_ROWS_MAX} rows in one transaction. A row whose assumed state is not the stored one is not written, and is ` +
    'returned as it is stored. Where another row fails, nothing is written, and the failure names the row: `[INDEX]`. Each ' +
    'row counts as a request.',
  body: ROWS,
  response: CONFLICTS,
  errors: ['badRequest', 'invalidInput', 'notFound', 'methodNotAllowed', 'conflict', 'upgradeRequired'],
}).handle(async ({ content: { documents } }, exchange, by) => {
  const model = readModel(exchange)
  const { body, references } = await readBody(exchange, { arrayAs: 'rows' })
  const rows = body['rows']
  if (!Array.isArray(rows)) throw new Error('The body of a push was read without its rows')
  if (rows.length > 1) exchange.weigh((rows.length - 1) * BYTES_PER_REQUEST)
  return json(await documents.push({ model, rows, references }, by))
})

/** Those that only read: every thread serves them. */
export const SYNC_READS = [PULL, STREAM]

export const SYNC = [...SYNC_READS, PUSH]

/** Throws notFound; upgradeRequired for another version of the data. */
function readModel({ params }: Exchange): Model {
  const model = syncModelNamed(params['model'] ?? '')
  const version = params['version'] ?? ''
  if (version === SYNC_VERSION) return model
  throw fail('upgradeRequired', `Cannot sync version ${describe(version)}: expected ${SYNC_VERSION}: update the app`)
}

/** A limit that is not kept would be taken for the end: a client pulls on where it gets as many documents as it wants. */
function readLimit(sent: string | undefined): number {
  const limit = sent !== undefined && /^\d{1,6}$/.test(sent) ? Number(sent) : 0
  if (limit >= 1 && limit <= PULL_DOCUMENTS_MAX) return limit
  const wanted = `expected a whole number from 1 to ${PULL_DOCUMENTS_MAX}`
  throw fail('badRequest', `Cannot read limit ${describe(sent)}: ${wanted}: set another batchSize for the pull`)
}

function openStream(
  { changes: { pages, streams, slots }, now }: ReadService,
  model: Model,
  exchange: Exchange,
  { caller, current }: Session,
): HttpResponse {
  const owner = streamOwner(exchange, caller.id)
  const query = queryOf(model)
  const view = pages.view(query, caller)
  if (exchange.method === 'HEAD') return { kind: 'raw', status: 200, contentType: EVENT_STREAM_TYPE, body: '' }
  slots.require(owner, SYNC_STREAMS)
  return {
    ...{ kind: 'stream', status: 200, contentType: EVENT_STREAM_TYPE, headers: EVENT_STREAM_HEADERS },
    open(sink) {
      const free = slots.take(owner, SYNC_STREAMS)
      if (free === undefined) {
        sink.end()
        return () => {}
      }
      const following = { query, view, seq: pages.range().newest, reader: () => current(now()) }
      const stop = streams.follow(following, { format: SYNC_EVENTS, mustStartOver: false, sink })
      return () => {
        stop()
        free()
      }
    },
  }
}

function connectionOf(exchange: Exchange): PullConnection {
  return {
    get signal() {
      return exchange.signal
    },
    clientAddress: exchange.clientAddress,
    countMore: (requests) => exchange.weigh(requests * BYTES_PER_REQUEST),
  }
}

function json(body: string | Uint8Array): HttpResponse {
  return { kind: 'raw', status: 200, contentType: 'application/json; charset=utf-8', body }
}
