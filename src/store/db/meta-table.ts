/** Metadata of the database that survives a restart: JSON by name. */
import { parseJson, writeJson, type Json } from '../../base/json.ts'
import type { Database } from './database.ts'

/** Metadata of the database that was stored under a name. */
export function readMeta(database: Database, name: string): Json | undefined {
  const row = database.get('SELECT value FROM meta WHERE name = ?', `note:${name}`)
  return row === undefined ? undefined : parseJson(String(row['value']))
}

export function writeMeta(database: Database, name: string, value: Json): void {
  database.run(
    'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    `note:${name}`,
    writeJson(value),
  )
}
