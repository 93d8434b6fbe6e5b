/** All documents of a model that has some hundred: feeds and publications. */
import { parseJson } from '../../base/json.ts'
import type { DocumentOf, Model } from '../../models/schema.ts'
import { matchAll } from '../../query/ast.ts'
import type { Position } from '../../query/order.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'

const LISTED_MAX = 5_000
const BY_TITLE = [{ path: ['title'], descending: false }]

/** By their titles, at most 5,000. Rejects as a list does where many queries wait. */
export async function documentsByTitle<M extends Model>({ documents }: Pick<ReadStore, 'documents'>, model: M, caller: QueryCaller): Promise<readonly DocumentOf<M>[]> {
  const found: DocumentOf<M>[] = []
  let after: Position | undefined
  do {
    const { items, next } = await documents.find(model, { filter: matchAll, sort: BY_TITLE, limit: LISTED_MAX - found.length, after }, caller)
    found.push(...items.map((text) => parseJson(text) as unknown as DocumentOf<M>))
    after = next
  } while (after !== undefined && found.length < LISTED_MAX)
  return found
}
