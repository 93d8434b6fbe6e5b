/**
 * Applies the changesets of the log to this node's database.
 *
 * SQLite compares the old values of each changed row with those that are there, and every difference is an error: a node
 * whose rows differ has diverged, and must not go on. A changeset for a table that is missing or has other columns
 * would be applied in part without an error (sqlite.org/session/sqlite3changeset_apply.html), so tables are compared first.
 *
 * Triggers derive counts and versions as they do for local writes; the change log is in the entries. Search rows are derived here, by the same code.
 */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import type { Database } from '../db/database.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { tableOf } from '../schema/names.ts'
import { searchRow } from '../search/pending-rows.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { SETTING_TABLE } from '../settings/setting-table.ts'
import { baseTables } from './replicated-tables.ts'
import { changesIn, type CellValue, type ChangedTable, type RowChange } from './changeset.ts'

/** Columns of the table of a model, in the order of schema/tables.ts. */
const [SEQ, ID, DOC] = [0, 1, 2]

/** This node's database is not what the log says, or the log is not for this program. The message is a sentence. */
export class Divergence extends Error {
  override readonly name: string = 'Divergence'
}

export interface ApplierParts {
  readonly capture: Pick<ChangeCapture, 'silently'>
  readonly models: readonly Model[]
  readonly search: SearchChanges
  /** Called for changesets that delete an account, or make its audit records anonymous. */
  readonly onErasure: () => void
  /** Called for changesets that change stored settings. */
  readonly onSettings: () => void
}

export function createChangesetApplier(database: Database, { models, search, capture, onErasure, onSettings }: ApplierParts) {
  const searched = new Map(models.filter(({ trigrams }) => trigrams !== undefined).map((model) => [model.name, model]))
  const isRead = (table: string): boolean => searched.has(table) || table === user.name || table === audit.name
  const replicated = new Set(baseTables(models))
  let keysOf = new Map<string, string>()

  const requireSameTable = ({ name, keys }: ChangedTable): void => {
    if (!replicated.has(name)) throw new Divergence(`the table "${name}" of an entry is not known here`)
    const known = keysOf.get(name) ?? declaredKeys(database, name)
    keysOf.set(name, known)
    if (known !== keys.join()) throw new Divergence(`the table "${name}" has other columns here than in an entry`)
  }
  const noteSearch = (model: Model, { kind, before, after }: RowChange): void => {
    const seq = Number((kind === 'insert' ? after : before)[SEQ])
    if (kind === 'delete') return search.add({ model, seq, row: undefined })
    const text = after[DOC] ?? database.get(`SELECT doc FROM ${tableOf(model)} WHERE seq = ?`, seq)?.['doc']
    search.add({ model, seq, row: searchRow(model, parseJson(String(text)) as JsonObject) })
  }
  return {
    /** Applies a changeset within the present transaction. Throws Divergence, and what SQLite throws. */
    apply(changeset: Uint8Array): void {
      const found: RowChange[] = []
      let checked: ChangedTable | undefined
      for (const change of changesIn(changeset, isRead)) {
        if (change.table !== checked) requireSameTable((checked = change.table))
        if (erases(change)) onErasure()
        if (change.table.name === SETTING_TABLE) onSettings()
        if (searched.has(change.table.name)) found.push(change)
      }
      const conflict = capture.silently(() => database.applyChangeset(changeset))
      if (conflict !== undefined) throw new Divergence(`an entry does not fit the data of this node: ${conflict}`)
      for (const change of found) noteSearch(searched.get(change.table.name) as Model, change)
    },
    /** Reads the columns of the tables again, after the schema has changed. */
    forgetTables(): void {
      keysOf = new Map()
    },
  }
}

/** A deleted user, or another one in its row; an audit record of a person that changes is made anonymous. */
function erases({ table, kind, before }: RowChange): boolean {
  if (table.name === user.name) return before[ID] !== undefined
  return table.name === audit.name && kind === 'update' && namesPerson(before[DOC])
}

/** The record of an import, which counts its rows, names none. */
function namesPerson(text: CellValue): boolean {
  const { actor, documentId, emailHash } = parseJson(String(text)) as JsonObject
  return [actor, documentId, emailHash].some((named) => named !== '')
}

/** The places of the columns in the primary key, as a changeset has them: `1,0,0`. */
function declaredKeys(database: Database, table: string): string {
  return database
    .all(`SELECT pk FROM pragma_table_info(?) ORDER BY cid`, table)
    .map(({ pk }) => Number(pk))
    .join()
}
