/** Reads the Config from flags, environment and file. The first that has a setting wins; the default comes last. */
import { didYouMean } from '../base/nearest.ts'
import { OPAQUE_ORIGIN } from '../http/cors.ts'
import { NO_PROXIES } from '../http/client-address.ts'
import { ConfigError } from './config-error.ts'
import { SECRETS } from './secrets.ts'
import { withoutServiceLinks } from './service-links.ts'
import type { Setting } from './setting-kinds.ts'
import { machineFile, readSettingsFile } from './settings-file.ts'
import { DECLARED, SETTINGS, type Config, type Environment, type SettingInfo, type SettingName } from './settings.ts'

/** A setting in use: its value, and its source: a flag, a variable, a file, or the default. */
export interface EffectiveSetting {
  readonly name: SettingName
  readonly value: unknown
  /** The value as text, without passwords. */
  readonly shown: string
  readonly source: string
}

/** Throws ConfigError for what cannot be used. */
export function readConfig(flags: ReadonlyMap<SettingName, string>, environment: Environment): Config {
  const config = Object.fromEntries(
    effectiveSettings(flags, environment).map(({ name, value }) => [name, value]),
  ) as Config
  if (config.pageSize > config.pageSizeMax) {
    throw new ConfigError(
      `Cannot use --page-size ${config.pageSize}: expected at most --page-size-max, which is ${config.pageSizeMax}`,
    )
  }
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    throw new ConfigError('Cannot use one of --tls-cert and --tls-key alone: expected both')
  }
  if (config.authHeader !== undefined && config.trustedProxies === NO_PROXIES && config.listen === undefined) {
    throw new ConfigError(
      'Cannot use --auth-header alone: name the proxy in --trusted-proxies, or let it connect to a Unix socket with --listen',
    )
  }
  if (config.authHeader !== undefined && config.corsOrigins.includes(OPAQUE_ORIGIN)) {
    throw new ConfigError(
      'Cannot use --auth-header with null in --cors-origins: every web site could sign in as the user that the proxy names',
    )
  }
  if (config.tlsCert !== undefined && config.listen !== undefined) {
    throw new ConfigError('Cannot use --tls-cert with --listen: a Unix socket has no TLS')
  }
  return config
}

/** Every setting, from the first source that has it: flags, environment, file, defaults. Throws ConfigError. */
export function effectiveSettings(
  flags: ReadonlyMap<SettingName, string>,
  variables: Environment,
): readonly EffectiveSetting[] {
  const environment = withoutServiceLinks(variables)
  rejectUnknownVariables(environment)
  const read = (info: SettingInfo, file: SettingsFile | undefined): EffectiveSetting => {
    const { name } = info
    const given = givenText(info, { flags, environment, file })
    if (given === undefined) return { name, value: DECLARED[name].initial, shown: info.shown, source: 'default' }
    const { mask = (text: string) => text }: Setting<unknown> = DECLARED[name]
    return { name, value: readSetting(name, given), shown: mask(given.text), source: given.source }
  }
  const readAlone = (wanted: SettingName) => SETTINGS.filter(({ name }) => name === wanted).map((info) => read(info, undefined))[0]
  // An app that starts the service says itself how: a service of the same machine is another.
  const ofMachine = readAlone('exitWithParent')?.value === true ? undefined : machineFile()
  const named = readAlone('config')
  const path = named?.source === 'default' ? ofMachine : (named?.value as Config['config'])
  const file = path === undefined ? undefined : { path, texts: settingsIn(path) }
  return SETTINGS.map((info) => {
    const setting = read(info, file)
    return info.name === 'config' && setting.source === 'default' ? { ...setting, value: path, shown: path ?? 'none' } : setting
  })
}

interface SettingsFile {
  readonly path: string
  readonly texts: ReadonlyMap<string, string>
}

interface Given {
  readonly text: string
  readonly source: string
}

interface Sources {
  readonly flags: ReadonlyMap<SettingName, string>
  readonly environment: Environment
  readonly file: SettingsFile | undefined
}

function givenText({ name, flag, environment: names }: SettingInfo, sources: Sources): Given | undefined {
  const { flags, environment, file } = sources
  const byFlag = flags.get(name)
  if (byFlag !== undefined) return { text: byFlag, source: flag }
  const variable = names.find((one) => (environment[one] ?? '') !== '')
  if (variable !== undefined) return { text: environment[variable] ?? '', source: variable }
  const inFile = file?.texts.get(name)
  return file === undefined || inFile === undefined ? undefined : { text: inFile, source: `${name} in "${file.path}"` }
}

function settingsIn(path: string): ReadonlyMap<string, string> {
  const known = SETTINGS.map(({ name }) => name).filter((name) => name !== 'config')
  try {
    return readSettingsFile(path, known)
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

function readSetting(name: SettingName, { text: given, source }: Given): unknown {
  try {
    return DECLARED[name].parse(given)
  } catch (error) {
    throw new ConfigError(`Cannot use ${source}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function rejectUnknownVariables(environment: Environment): void {
  const known = [...SETTINGS.flatMap((setting) => setting.environment), ...SECRETS]
  const unknown = Object.keys(environment).find((name) => name.startsWith('DATELINE_') && !known.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError(`Unknown environment variable "${unknown}"${didYouMean(unknown, known)}`)
  }
}
