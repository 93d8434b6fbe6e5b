/** What each place of off-site backups has, and how the last attempts there ended: JSON by the name of the place. */
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import type { Database } from '../db/database.ts'

export function placeState(database: Database, name: string): JsonObject | undefined {
  const row = database.get('SELECT state FROM backup_place WHERE name = ?', name)
  return row === undefined ? undefined : (parseJson(String(row['state'])) as JsonObject)
}

export function writePlaceState(database: Database, name: string, state: JsonObject): void {
  database.run(
    'INSERT INTO backup_place VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state',
    name,
    writeJson(state),
  )
}
