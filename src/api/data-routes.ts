/**
 * The generic data endpoint: from URL and body to the documents service and back.
 *
 * Every single document comes with its ETag. The tag names the document, which is `data` of the reply, and not the
 * bytes of the reply: each envelope has an id and a time of its own. So a GET, a POST and a PUT that bring the same
 * document bring the same tag, and it is strong, because the text of the document is the same to the last sign.
 */
import { describe, fail } from '../base/failure.ts'
import type { Session } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { writeJson, type Json, type JsonObject } from '../base/json.ts'
import { requireEditor } from '../content/access.ts'
import type { ListParams } from '../content/list-query.ts'
import { parseFilterText } from '../query/parse.ts'
import type { AskedList, Documents, SentBody, SentDocument } from '../content/documents.ts'
import { entityTag } from '../http/request/entity-tag.ts'
import { created, noContent, notModified, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import { isKnown, readPreconditions, requireToHold } from '../http/request/preconditions.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import type { DocumentProblems } from '../models/replies.ts'
import type { Model } from '../models/schema.ts'
import type { Condition } from '../store/store.ts'

/** The body of a query: a filter of 64 KiB in which each character is escaped, a cursor and a sort. */
const QUERY_BYTES_MAX = 512 * 1024

/** A character of a filter is work for the planner and for each document, and counts as so many bytes of a body. */
const FILTER_WEIGHT = 16

export interface DataRoutes {
  list(exchange: Exchange, session: Session): Promise<HttpResponse>
  /** A list whose parameters are in the body: long filters do not fit a URL. */
  query(exchange: Exchange, session: Session): Promise<HttpResponse>
  /** How such a list is answered, and what that takes. */
  explain(exchange: Exchange, session: Session): Promise<HttpResponse>
  /** What creating or, with an `id`, replacing a document would refuse. */
  check(exchange: Exchange, session: Session): Promise<HttpResponse>
  create(exchange: Exchange, session: Session): Promise<HttpResponse>
  read(exchange: Exchange, session: Session): Promise<HttpResponse>
  replace(exchange: Exchange, session: Session): Promise<HttpResponse>
  remove(exchange: Exchange, session: Session): Promise<HttpResponse>
  /** Whether a request for an item asks for the remote configuration: its model and its only id. */
  isRemoteConfigRead(exchange: Exchange): boolean
  /** The remote configuration without a session. */
  readRemoteConfig(exchange: Exchange): Promise<HttpResponse>
}

export function dataRoutes(documents: Documents, now: Clock): DataRoutes {
  const askedInBody = async (exchange: Exchange, session: Session): Promise<AskedList> => {
    const params = paramsOfBody(
      exchange,
      await exchange.readJson({ bytesMax: QUERY_BYTES_MAX, isDoneWhenRead: true }),
    )
    return { params, caller: await session.current(now()) }
  }
  return {
    list: async (exchange, { caller }) =>
      ok(await documents.list(readModel(exchange), () => ({ params: paramsOfUrl(exchange), caller }), caller, exchange)),
    query: async (exchange, session) =>
      ok(await documents.list(readModel(exchange), () => askedInBody(exchange, session), session.caller, exchange)),
    async explain(exchange, session) {
      const asked = async (): Promise<AskedList> => {
        const read = await askedInBody(exchange, session)
        requireEditor(read.caller)
        return read
      }
      return ok(await documents.explain(readModel(exchange), asked, session.caller, exchange))
    },
    async check(exchange, session) {
      const [model, id] = [readModel(exchange), exchange.query.get('id')]
      const read = async (): Promise<SentDocument> => {
        const sent = await readBody(exchange)
        return { ...sent, caller: await session.current(now()) }
      }
      const problems = await documents.check(model, id, read, session.caller)
      const reply: DocumentProblems = { problems }
      return ok(JSON.stringify(reply))
    },
    async create(exchange, by) {
      const text = await documents.create(readModel(exchange), () => readBody(exchange), by)
      return created(text, { ETag: entityTag(text) })
    },
    read: (exchange, { caller }) =>
      conditionally(exchange, () => documents.read(readModel(exchange), itemId(exchange), caller)),
    async replace(exchange, by) {
      const [model, condition] = [readModel(exchange), conditionOf(exchange)]
      const text = await documents.replace(model, itemId(exchange), () => readBody(exchange), { by, condition })
      return ok(text, { ETag: entityTag(text) })
    },
    async remove(exchange, by) {
      const [model, condition] = [readModel(exchange), conditionOf(exchange)]
      await documents.remove(model, itemId(exchange), { by, condition })
      return noContent()
    },
    isRemoteConfigRead: (exchange) =>
      itemId(exchange) === remoteConfig.singleton && exchange.query.get('model') === remoteConfig.name,
    readRemoteConfig: (exchange) => conditionally(exchange, () => documents.readPublic(remoteConfig, itemId(exchange))),
  }
}

/** The document, or 304 to a client that has it. Whether it may be read at all is found out before its conditions. */
async function conditionally(exchange: Exchange, read: () => Promise<string>): Promise<HttpResponse> {
  const conditions = readPreconditions(exchange.headers)
  const text = await read()
  const headers = { ETag: entityTag(text) }
  return conditions !== undefined && isKnown(conditions, headers.ETag) ? notModified(headers) : ok(text, headers)
}

/** What the headers of the request require of the document that it changes. */
function conditionOf(exchange: Exchange): Condition | undefined {
  const conditions = readPreconditions(exchange.headers)
  return conditions === undefined ? undefined : (text) => requireToHold(conditions, entityTag(text))
}

function readModel({ query }: Exchange): Model {
  const name = query.get('model')
  const model = name === undefined ? undefined : modelNamed(name)
  if (model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  throw fail('badRequest', `Cannot read parameter "model": expected one of ${known}, found ${describe(name)}`)
}

export function paramsOfUrl(exchange: Exchange): ListParams {
  const { query } = exchange
  const filter = query.get('filter')
  return {
    filter: filter === undefined ? undefined : readFilter(exchange, filter),
    sort: query.get('sort'),
    limit: query.get('limit'),
    cursor: query.get('cursor'),
  }
}

/** The same parameters as members, where null is as good as nothing. The filter has the limits of one in a URL. */
function paramsOfBody(exchange: Exchange, body: JsonObject): ListParams {
  const filter = body['filter'] ?? undefined
  return {
    filter: filter === undefined ? undefined : readFilter(exchange, writeJson(filter)),
    sort: readText(body, 'sort'),
    limit: body['limit'] ?? undefined,
    cursor: readText(body, 'cursor'),
  }
}

function readFilter(exchange: Exchange, text: string): Json {
  exchange.weigh(text.length * FILTER_WEIGHT)
  return parseFilterText(text)
}

/** What references bring in has the limit of the body, and counts like it. */
async function readBody(exchange: Exchange): Promise<SentBody> {
  const body = await exchange.readJson()
  return { body, references: { bytesMax: exchange.bodyBytesMax, onGrowth: (bytes) => exchange.growBody(bytes) } }
}

function readText(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw fail('badRequest', `Cannot read ${name}: expected a string, found ${describe(value)}`)
}

function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}
