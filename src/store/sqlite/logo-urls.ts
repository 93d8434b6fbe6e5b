/**
 * Adds the `logoUrl` of sources to stored documents of before it was declared: sources, and their copies in headlines and
 * in the preferences of users. Apps of October 2025 and later cannot read a list with a source that lacks it.
 *
 * The texts are changed once, when the schema is raised: reads, filters, exports and ETags then see the
 * same text, and no read pays for it. All else in a document stays as it is, numbers with all their digits included:
 * SQLite keeps the text of each value (sqlite.org/jsonb.html).
 */
import type { Database } from './database.ts'

/** `CASE json_type(value, '$.logoUrl') WHEN 'text' THEN json(value) ELSE json_set(value, '$.logoUrl', '') END` */
function withLogo(object: string, path: string): string {
  return `CASE json_type(${object}, '${path}') WHEN 'text' THEN json(${object}) ELSE json_set(${object}, '${path}', '') END`
}

/** The array at a path with each of its objects changed. json_each gives them in their order. */
function mapped(object: string, path: string, { item, change }: { readonly item: string; readonly change: string }): string {
  return `(SELECT json_group_array(${change}) FROM json_each(${object}, '${path}') ${item})`
}

const PREFERENCES = `json_set(doc,
  '$.followedSources', ${mapped('doc', '$.followedSources', { item: 'one', change: withLogo('one.value', '$.logoUrl') })},
  '$.savedHeadlines', ${mapped('doc', '$.savedHeadlines', { item: 'one', change: withLogo('one.value', '$.source.logoUrl') })},
  '$.savedFilters', ${mapped('doc', '$.savedFilters', {
    item: 'saved',
    change: `json_set(saved.value, '$.sources', ${mapped('saved.value', '$.sources', {
      item: 'one',
      change: withLogo('one.value', '$.logoUrl'),
    })})`,
  })})`

/** What is changed in each table, and which rows. Preferences of users who follow and save nothing stay as they are. */
const CHANGES: readonly TextChange[] = [
  { table: 'source', doc: "json_set(doc, '$.logoUrl', '')", where: "json_type(doc, '$.logoUrl') IS NOT 'text'" },
  {
    table: 'headline',
    doc: "json_set(doc, '$.source.logoUrl', '')",
    where: "json_type(doc, '$.source.logoUrl') IS NOT 'text'",
  },
  {
    table: 'user_content_preferences',
    doc: PREFERENCES,
    where:
      "(doc ->> '$.followedSources') || (doc ->> '$.savedHeadlines') || (doc ->> '$.savedFilters') <> '[][][]'",
  },
]

/** A migration. */
export function addLogoUrls(database: Database): void {
  for (const change of CHANGES) changeTexts(database, change)
}

/** `doc` is the SQL of the new text. */
interface TextChange {
  readonly table: string
  readonly doc: string
  readonly where: string
}

/**
 * Changes the stored texts of a table, if it is there. Its indexes and triggers are made again afterwards, which is faster.
 * Returns whether there was one to change.
 */
export function changeTexts(database: Database, { table, doc, where }: TextChange): boolean {
  if (database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", table) === undefined) return false
  if (database.get(`SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`) === undefined) return false
  const declared = database.all(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND tbl_name = ? AND name LIKE '%/%'",
    table,
  )
  for (const { type, name } of declared) database.exec(`DROP ${String(type).toUpperCase()} "${String(name)}"`)
  database.exec(`UPDATE ${table} SET doc = ${doc} WHERE ${where}`)
  return true
}
