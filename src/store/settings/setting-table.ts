/**
 * The settings that administrators have changed, as the texts of their flags; a secret is sealed before it comes here
 * (auth/sealed-settings.ts). Who changed which is in the audit trail, so that no row outlives an account.
 */
import { parseJson, writeJson, type Json } from '../../base/json.ts'
import type { Database } from '../db/database.ts'

export const SETTING_TABLE = 'setting'

export interface StoredSetting {
  readonly name: string
  readonly value: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
}

export interface SettingChange {
  readonly name: string
  /** Undefined to remove it. */
  readonly value: string | undefined
  /** The audit trail tells only that it changed. */
  readonly isSecret: boolean
}

export interface SettingsChange {
  readonly changes: readonly SettingChange[]
  readonly now: number
  /** Called in the transaction with the settings as they are: what it throws leaves them so. */
  readonly check: (stored: readonly StoredSetting[]) => void
}

export interface ChangedSetting extends SettingChange {
  readonly before: string | undefined
}

/** The settings that administrators have changed, by name. */
export function listSettings(database: Database): readonly StoredSetting[] {
  return database.all('SELECT * FROM setting ORDER BY name').map((row) => {
    return { name: String(row['name']), value: String(row['value']), changedAt: Number(row['changed_at']) }
  })
}

/** Returns those that are different now. */
export function changeSettings(database: Database, { changes, now, check }: SettingsChange): readonly ChangedSetting[] {
  const stored = listSettings(database)
  check(stored)
  const known = new Map(stored.map(({ name, value }) => [name, value]))
  const changed = changes
    .map((change) => ({ ...change, before: known.get(change.name) }))
    .filter(({ value, before }) => value !== before)
  for (const { name, value } of changed) {
    if (value === undefined) database.run('DELETE FROM setting WHERE name = ?', name)
    else database.run('INSERT OR REPLACE INTO setting VALUES (?, ?, ?)', name, value, now)
  }
  return changed
}

/**
 * Tells what is stored, behind a commit that note() was called ahead of. What cannot be read or taken then is found by the look of
 * app/settings/live-settings.ts, which comes every few seconds.
 */
export function createSettingNews(read: () => readonly StoredSetting[]) {
  let tell: ((stored: readonly StoredSetting[]) => void) | undefined
  let isNoted = false
  return {
    listen: (listener: typeof tell): void => void (tell = listener),
    note: (): void => void (isNoted = true),
    afterCommit(): void {
      if (!isNoted) return
      isNoted = false
      try {
        tell?.(read())
      } catch {
        // The commit stands.
      }
    },
  }
}

// Metadata of the database that survives a restart: JSON by name.

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
