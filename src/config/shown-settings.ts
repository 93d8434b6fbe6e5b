/** The settings in use as text: what `config` prints and administrators see. Secrets are masked. */
import type { ServiceSettings } from '../models/responses.ts'
import { effectiveSettings } from './read-config.ts'
import { readSecrets, SECRETS } from './secrets.ts'
import { SETTINGS, type Environment, type SettingName } from './settings.ts'

/** As they were given at the start. */
export type ShownSettings = readonly Omit<ServiceSettings['items'][number], 'edit'>[]

/** Throws ConfigError for what cannot be used. */
export function shownSettings(flags: ReadonlyMap<SettingName, string>, environment: Environment): ShownSettings {
  const infos = new Map(SETTINGS.map((info) => [info.name, info]))
  const rows = effectiveSettings(flags, environment).map(({ name, shown, source }) => {
    const { flag = null, meaning = '' } = infos.get(name) ?? {}
    return { name, flag, value: shown, origin: source, meaning }
  })
  const { jwtSecret } = readSecrets(environment)
  const variable = SECRETS.find((name) => (environment[name] ?? '') !== '') ?? ''
  const origin = jwtSecret === undefined ? 'dataDir' : variable
  return [...rows, { name: 'jwtSecret', flag: null, value: '***', origin, meaning: 'secret that signs access tokens' }]
}
