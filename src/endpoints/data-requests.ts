/** What a request about a document says: its model and its id, its conditions, its body. */
import { describe, fail } from '../base/failure.ts'
import type { SentBody } from '../content/documents.ts'
import { readFlag } from '../content/reads/list-query.ts'
import { readIdempotencyKey, type RepeatKey } from '../content/repeatable.ts'
import { entityTag, readPreconditions, requirePreconditions } from '../http/entity-tag.ts'
import type { Exchange, JsonBodyOptions } from '../http/exchange.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import type { Model } from '../models/schema.ts'
import type { Condition } from '../store/documents/transaction-view.ts'

/** What the headers of the request require of the document that it changes. */
export function conditionOf(exchange: Exchange): Condition | undefined {
  const conditions = readPreconditions(exchange.headers)
  return conditions === undefined ? undefined : (text) => requirePreconditions(conditions, entityTag(text))
}

/** Whether incomplete drafts are there for the request. */
export function includesDrafts({ query }: Exchange): boolean {
  return readFlag('incomplete', query.get('incomplete'))
}

/** The key by which a client may repeat the request without doing it twice. */
export function repeatKeyOf({ headers, method, target }: Exchange): RepeatKey | undefined {
  const key = readIdempotencyKey(headers['idempotency-key'])
  return key === undefined ? undefined : { key, target: `${method} ${target}` }
}

export function readModel({ query }: Exchange): Model {
  const name = query.get('model')
  const model = name === undefined ? undefined : modelNamed(name)
  if (model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  const where = name === undefined ? ' in the URL, as in ?model=headline' : ''
  throw fail('badRequest', `Cannot read parameter "model": expected one of ${known}${where}, found ${describe(name)}`)
}

/** What references bring in has the limit of the body, and counts like it. */
export async function readBody(exchange: Exchange, options?: JsonBodyOptions): Promise<SentBody> {
  return { body: await exchange.readJson(options), references: referenceLimits(exchange) }
}

export function referenceLimits(exchange: Exchange): SentBody['references'] {
  return { bytesMax: exchange.bodyBytesMax, onGrowth: (bytes) => exchange.growBody(bytes) }
}

export function itemId({ params }: Exchange): string {
  return params['id'] ?? ''
}
