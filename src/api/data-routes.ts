/** The generic data endpoint: from URL and body to the documents service and back. */
import { describe, fail } from '../base/failure.ts'
import type { Session } from '../auth/sessions.ts'
import type { Documents } from '../content/documents.ts'
import { created, noContent, ok, type Exchange, type Reply } from '../http/exchange.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { remoteConfig } from '../models/remote-config.ts'
import type { Model } from '../models/schema.ts'

export interface DataRoutes {
  list(exchange: Exchange, session: Session): Promise<Reply>
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
    async list(exchange, { caller }) {
      const model = readModel(exchange)
      const { query } = exchange
      const params = {
        filter: query.get('filter'),
        sort: query.get('sort'),
        limit: query.get('limit'),
        cursor: query.get('cursor'),
      }
      return ok(await documents.list(model, params, caller))
    },
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

function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}
