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
 * Tells listeners what is stored, behind a commit that note() was called ahead of. One that throws is told again behind
 * the next commit.
 */
export function createSettingListeners(read: () => readonly StoredSetting[]) {
  const listeners: ((stored: readonly StoredSetting[]) => void)[] = []
  /** Those that have still to be told. */
  let due: typeof listeners = []
  return {
    add: (listener: (typeof listeners)[number]): void => void listeners.push(listener),
    note: (): void => void (due = [...listeners]),
    afterCommit(): void {
      if (due.length === 0) return
      try {
        const stored = read()
        due = due.filter((listener) => !succeeds(() => listener(stored)))
      } catch {
        // A disk that fails passes: the next commit tells.
      }
    },
  }
}

function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
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
