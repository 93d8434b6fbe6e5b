/** The generic data endpoint: from URL and body to the documents service and back. */
import { describe, fail } from '../base/failure.ts'
import type { Session } from '../auth/sessions.ts'
import { writeJson, type JsonObject } from '../base/json.ts'
import type { ListParams } from '../content/list-query.ts'
import { parseFilterText } from '../query/parse.ts'
import type { Documents } from '../content/documents.ts'
import { created, noContent, ok, type Exchange, type Reply } from '../http/exchange.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import type { Model } from '../models/schema.ts'

export interface DataRoutes {
  list(exchange: Exchange, session: Session): Promise<Reply>
  /** A list whose parameters are in the body: long filters do not fit a URL. */
  query(exchange: Exchange, session: Session): Promise<Reply>
  /** How such a list is answered, and what that takes. */
  explain(exchange: Exchange, session: Session): Promise<Reply>
  create(exchange: Exchange, session: Session): Promise<Reply>
  read(exchange: Exchange, session: Session): Promise<Reply>
  replace(exchange: Exchange, session: Session): Promise<Reply>
  remove(exchange: Exchange, session: Session): Promise<Reply>
  /** Whether a request for an item asks for the remote configuration: its model and its only id. */
  isRemoteConfigRead(exchange: Exchange): boolean
  /** The remote configuration without a session. */
  readRemoteConfig(exchange: Exchange): Promise<Reply>
}

export function dataRoutes(documents: Documents): DataRoutes {
  return {
    list: async (exchange, { caller }) =>
      ok(await documents.list(readModel(exchange), () => paramsOfUrl(exchange), caller)),
    query: async (exchange, { caller }) =>
      ok(await documents.list(readModel(exchange), async () => paramsOfBody(await exchange.readJson()), caller)),
    explain: async (exchange, { caller }) =>
      ok(await documents.explain(readModel(exchange), async () => paramsOfBody(await exchange.readJson()), caller)),
    create: async (exchange, { caller }) =>
      created(await documents.create(readModel(exchange), () => exchange.readJson(), caller)),
    read: async (exchange, { caller }) => ok(await documents.read(readModel(exchange), itemId(exchange), caller)),
    replace: async (exchange, { caller }) =>
      ok(await documents.replace(readModel(exchange), itemId(exchange), () => exchange.readJson(), caller)),
    async remove(exchange, { caller }) {
      await documents.remove(readModel(exchange), itemId(exchange), caller)
      return noContent()
    },
    isRemoteConfigRead: (exchange) =>
      itemId(exchange) === remoteConfig.singleton && exchange.query.get('model') === remoteConfig.name,
    readRemoteConfig: async (exchange) => ok(await documents.readPublic(remoteConfig, itemId(exchange))),
  }
}

function readModel({ query }: Exchange): Model {
  const name = query.get('model')
  const model = name === undefined ? undefined : modelNamed(name)
  if (model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  throw fail('badRequest', `Cannot read parameter "model": expected one of ${known}, found ${describe(name)}`)
}

function paramsOfUrl({ query }: Exchange): ListParams {
  const filter = query.get('filter')
  return {
    filter: filter === undefined ? undefined : parseFilterText(filter),
    sort: query.get('sort'),
    limit: query.get('limit'),
    cursor: query.get('cursor'),
  }
}

/** The same parameters as members, where null is as good as nothing. The filter has the limits of one in a URL. */
function paramsOfBody(body: JsonObject): ListParams {
  const filter = body['filter'] ?? undefined
  return {
    filter: filter === undefined ? undefined : parseFilterText(writeJson(filter)),
    sort: readText(body, 'sort'),
    limit: body['limit'] ?? undefined,
    cursor: readText(body, 'cursor'),
  }
}

function readText(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw fail('badRequest', `Cannot read ${name}: expected a string, found ${describe(value)}`)
}

function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}
