/** The flags --filter, --search, --changed-by, --sort, --limit and --cursor, read as the service reads the parameters of a list. */
import { readListQuery, type ListSettings, type QuerySource as Source } from '../content/reads/list-query.ts'
import type { Caller } from '../models/caller.ts'
import type { Model } from '../models/schema.ts'
import { parseFilterText } from '../query/parse.ts'
import { changedBy } from '../store/history/changes-of-actors.ts'
import type { Database } from '../store/db/database.ts'
import { countriesInUse } from '../store/documents/document-tables.ts'
import { readTyped } from './command.ts'
import type { FindQuery } from '../store/query/find-query.ts'

export const ADMINISTRATOR: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'admin' }

export interface QueryFlags {
  readonly filter?: string | undefined
  readonly search?: string | undefined
  readonly changedBy?: string | undefined
  readonly sort?: string | undefined
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

interface QuerySource {
  readonly caller: Caller
  readonly settings: ListSettings
  readonly store: Source
}

/** Throws UsageError with the service's own message where the service would reject. */
export function readQueryFlags(model: Model, flags: QueryFlags, source: QuerySource): FindQuery {
  const { filter: text, search, changedBy, sort, limit, cursor } = flags
  return readTyped(() => {
    const filter = text === undefined ? undefined : parseFilterText(text)
    return readListQuery(model, { search, changedBy, sort, limit, cursor, filter }, source.caller, source)
  })
}

/** A database as a store that says which countries are in use, and what users have changed. */
export function sourceOf(database: Database): QuerySource['store'] {
  return {
    documents: { countriesInUse: (use) => countriesInUse(database, use) },
    history: { changedBy: (models, actors) => changedBy(database, models, actors) },
  }
}
