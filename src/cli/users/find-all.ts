/** A list as the operator asks for it, who may want more than a page. */
import type { Model } from '../../models/schema.ts'
import type { Asker, FindQuery, Found, Store } from '../../store/store.ts'

const OPERATOR: Asker = { id: 'the operator', class: 'dashboard' }

/** The pages of a list together: one page has a limit in bytes, which `limit` may go past. */
export async function findAll(
  store: Pick<Store, 'find'>,
  model: Model,
  query: FindQuery & { readonly limit: number },
): Promise<Found> {
  const items: string[] = []
  for (let after = query.after; ;) {
    const found = await store.find(model, { ...query, after, limit: query.limit - items.length }, OPERATOR)
    for (const item of found.items) items.push(item)
    if (found.next === undefined || items.length >= query.limit) return { items, next: found.next }
    after = found.next
  }
}
