/** Bodies that name documents by their ids. */
import { describe, fail } from '../base/failure.ts'
import type { Json } from '../base/json.ts'
import type { BodyLimit } from '../http/exchange.ts'
import type { NamedSchema } from './endpoint.ts'

/** As many as a batch deletes, and as a page of a list has. */
const IDS_MAX = 200

export const IDS_LIMIT: BodyLimit = { bytesMax: 64 * 1024, isShort: true }

/** `name` is that of the schema. */
export function idsBody(name: string, { examples, description }: { readonly examples: readonly string[]; readonly description?: string }): NamedSchema {
  const ids = { type: 'array', minItems: 1, maxItems: IDS_MAX, items: { type: 'string' }, ...(description === undefined ? {} : { description }), examples: [examples] }
  return { kind: 'schema', name, schema: { type: 'object', properties: { ids }, required: ['ids'] } }
}

/** Throws invalidInput for anything else than 1 to 200 texts. */
export function readIds(ids: Json | undefined): readonly string[] {
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= IDS_MAX
  if (isList && ids.every((id) => typeof id === 'string')) return ids
  throw fail('invalidInput', `ids: expected 1 to ${IDS_MAX} texts, found ${Array.isArray(ids) ? `an array of ${ids.length}` : describe(ids)}`)
}
