/** The settings of the service as the endpoints see and change them. */
import type { Keys } from '../../auth/keys.ts'
import { isoDate } from '../../base/dates.ts'
import { fail } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { overriddenBy, readChanges } from '../../config/stored-settings.ts'
import { DECLARED, type Config } from '../../config/settings.ts'
import type { ShownSettings } from '../../config/shown-settings.ts'
import type { SettingsAccess, SettingsPlan } from '../../endpoints/service-parts.ts'
import type { MailSettings } from '../../mail/settings/mail-settings.ts'
import { editable, isEditable, isFlagless, MAIL_PASSWORD, OFFSITE_KEYS, type EditableName } from '../../models/editable-settings.ts'
import type { ServiceSettings } from '../../models/responses.ts'
import type { StoredSetting } from '../../store/settings/setting-table.ts'
import { versionOf, type LiveSettings } from './live-settings.ts'
import { planChanges } from './setting-changes.ts'
import type { Store } from '../../store/store.ts'

const MASK = '***'
/** The settings without a flag that can be changed. */
const SECRET_ROWS = [
  { name: MAIL_PASSWORD, meaning: 'password of the user in mail; sealed in the database, and never shown' },
  { name: OFFSITE_KEYS, meaning: 'access keys of the buckets in offsite, each as KEYID:SECRET; sealed in the database, and never shown' },
].map((row) => ({ ...row, flag: null, value: 'none', origin: 'default' }))

export interface ServiceSettingsOptions {
  readonly live: LiveSettings
  readonly store: Pick<Store, 'settings'>
  readonly keys: Pick<Keys, 'settings'>
  /** Those of the start. */
  readonly shown: () => ShownSettings
  readonly readMail: (config: Config) => MailSettings
}

export function serviceSettings({ live, store, keys, shown, readMail }: ServiceSettingsOptions): SettingsAccess {
  const list = (): ServiceSettings => ({
    items: settingRows(shown(), live.given, live.stored()),
    version: versionOf(live.stored()),
  })
  return {
    async plan(body: JsonObject): Promise<SettingsPlan> {
      const stored = store.settings.listSettings()
      live.take(stored)
      const { changes, config, mail, isTested } = planChanges(wantedIn(body), stored, { live, keys, readMail })
      const version = versionOf(stored)
      return {
        changes,
        isTested,
        mail: mail && { settings: mail, appName: config.appName },
        check(found) {
          if (versionOf(found) === version) return
          throw fail('preconditionFailed', 'Cannot change settings: they have changed since they were read: read them again', {
            headers: { ETag: versionOf(found) },
          })
        },
      }
    },
    async refresh(): Promise<ServiceSettings> {
      live.take(store.settings.listSettings())
      return list()
    },
  }
}

/** Throws invalidInput. */
function wantedIn(body: JsonObject): ReadonlyMap<EditableName, string | undefined> {
  try {
    return readChanges(body)
  } catch (error) {
    throw fail('invalidInput', error instanceof Error ? error.message : String(error))
  }
}

/** Every setting with its value in use, and of those that can be changed what is known besides. */
function settingRows(
  shown: ShownSettings,
  given: ReadonlyMap<string, string>,
  stored: readonly StoredSetting[],
): ServiceSettings['items'] {
  const rows = new Map(stored.map((row) => [row.name, row]))
  return [...shown, ...SECRET_ROWS].map((row) => {
    const { name } = row
    if (!isEditable(name)) return { ...row, edit: null }
    const { group, kind, min = null, max = null, zero = false, choices = null } = editable(name)
    const own = rows.get(name)
    const value = own && (kind === 'secret' ? MASK : own.value)
    const by = overriddenBy(name, given)
    const inUse = value !== undefined && by === undefined ? { value, origin: 'database' } : {}
    const edit = {
      ...{ group, kind, min, max, zero, choices },
      initial: isFlagless(name) ? 'none' : DECLARED[name].shown,
      stored: value ?? null,
      overriddenBy: by ?? null,
      changedAt: own === undefined ? null : isoDate(own.changedAt),
    }
    return { ...row, ...inUse, edit }
  })
}
