/** Finds copies that are not what the document says that they are copies of. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'
import { createCurrentCopies } from './current-copies.ts'
import { ALL_PLACES } from './holder-rows.ts'

/** How many documents of each model hold copies that are behind. Reads them all, one at a time. */
export function copiesBehind(database: Database): ReadonlyMap<string, number> {
  const current = createCurrentCopies(database)
  const found = new Map<string, number>()
  for (const { model } of ALL_PLACES) {
    for (const { doc } of database.iterate(`SELECT doc FROM ${tableOf(model)}`)) {
      const document = parseJson(String(doc)) as JsonObject
      if (current.bringUpToDate(model, document, 'all') !== document) found.set(model.name, (found.get(model.name) ?? 0) + 1)
    }
  }
  return found
}
