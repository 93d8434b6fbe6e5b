/**
 * The settings in use while the service runs: those of its start, with what administrators have stored in the database
 * where the operator has said nothing. What another node of the cluster stores holds as soon as its entry is applied, and
 * what a command stores is found within seconds.
 */
import { openText, sealText } from '../../auth/sealed-text.ts'
import type { Keys } from '../../auth/keys.ts'
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Config } from '../../config/settings.ts'
import type { ShownSettings } from '../../config/shown-settings.ts'
import { withStored, type StoredValues } from '../../config/stored-settings.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { editable, isEditable, type EditableName } from '../../models/editable-settings.ts'
import type { StoredSetting } from '../../store/settings/setting-table.ts'
import type { Store } from '../../store/store.ts'

export type LiveSettings = ReturnType<typeof createLiveSettings>

interface Source {
  readonly store: Pick<Store, 'settings' | 'versions'>
  readonly keys: Pick<Keys, 'settings'>
}

/** `shown` says where each setting of `config` comes from. */
export function createLiveSettings(config: Config, shown: ShownSettings) {
  const given = givenOrigins(shown)
  let inUse = config
  let rows: readonly StoredSetting[] = []
  let keys: Source['keys'] | undefined
  const listeners = new Set<() => void>()
  /** Those that have still to be called. */
  let due: readonly (() => void)[] = []

  /** Takes other stored settings into use. Throws what a listener throws: the next call calls it again. */
  const take = (found: readonly StoredSetting[]): void => {
    if (keys === undefined) return
    if (versionOf(found) !== versionOf(rows)) {
      inUse = withStored(config, given, openStored(found, keys))
      rows = found
      due = [...listeners]
    }
    const calling = due
    due = []
    const errors: unknown[] = []
    for (const listener of calling) {
      try {
        listener()
      } catch (error) {
        errors.push(error)
        due = [...due, listener]
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  return {
    /** Those in use. */
    config: (): Config => inUse,
    /** What the operator has said, by setting: a flag, a variable or the file. */
    given,
    /** What is stored, in use or not. */
    stored: (): readonly StoredSetting[] => rows,
    /** Those that would be in use with other stored ones. */
    configWith: (values: StoredValues): Config => withStored(config, given, values),
    take,
    /** Called when others are in use. */
    onChange: (listener: () => void): void => void listeners.add(listener),
    /** Reads what is stored, and takes what other nodes store from now on. Returns what finds the rest, such as what a command has stored. */
    follow({ store, keys: opening }: Source, log: Log): () => void {
      keys = opening
      take(store.settings.listSettings())
      store.settings.onSettings(take)
      let seen: number | undefined
      return () => {
        try {
          const changes = store.versions.changes()
          if (changes === seen) return
          take(store.settings.listSettings())
          seen = changes
        } catch (error) {
          log.warn('settings.not_read', { reason: systemReason(error) })
        }
      }
    },
  }
}

/** Names one state of the stored settings. */
export function versionOf(rows: readonly StoredSetting[]): string {
  return entityTag(JSON.stringify(rows))
}

function givenOrigins(shown: ShownSettings): ReadonlyMap<string, string> {
  return new Map(shown.filter(({ origin }) => origin !== 'default').map(({ name, origin }) => [name, origin]))
}

/** The stored texts with secrets opened; without those that were sealed under another secret of the server. */
export function openStored(rows: readonly StoredSetting[], { settings }: Pick<Keys, 'settings'>): StoredValues {
  const values = new Map<EditableName, string>()
  for (const { name, value } of rows) {
    if (!isEditable(name)) continue
    const text = editable(name).kind === 'secret' ? opened(settings, name, value) : value
    if (text !== undefined) values.set(name, text)
  }
  return values
}

/** The form in which a value is stored. */
export function storedForm(name: EditableName, text: string, { settings: [key] }: Pick<Keys, 'settings'>): string {
  return editable(name).kind === 'secret' ? sealText(key, text, name).toString('base64url') : text
}

function opened(keys: Keys['settings'], name: string, sealed: string): string | undefined {
  for (const key of keys) {
    const text = openText(key, Buffer.from(sealed, 'base64url'), name)
    if (text !== undefined) return text
  }
  return undefined
}
