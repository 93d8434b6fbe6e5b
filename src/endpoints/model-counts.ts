/** Documents of each model, of the counts of tables. */
import { publicName } from '../models/incomplete.ts'
import { storedModelNamed } from '../models/registry.ts'
import type { CheckedBackup } from '../models/responses.ts'
import type { ItemCounts } from '../store/schema/database-check.ts'

/** Incomplete drafts are documents of their model. */
export function documentCounts(items: ItemCounts): CheckedBackup['documents'] {
  const counts = new Map<string, number>()
  for (const [table, count] of Object.entries(items)) {
    const stored = storedModelNamed(table)
    const model = stored === undefined ? table : publicName(stored)
    counts.set(model, (counts.get(model) ?? 0) + count)
  }
  return [...counts].map(([model, count]) => ({ model, count }))
}
