/**
 * Every setting once: its name, what it means, its default, and how its text is read.
 *
 * A flag wins over the environment, the environment over the file of settings, the file over the default. The flag of `dataDir` is `--data-dir`, its
 * variable `DATELINE_DATA_DIR`. Secrets are read apart and are no part of the Config, so that a Config can be shown.
 */
import { readFileSync, statSync } from 'node:fs'
import { parseDuration, type DurationRange } from './base/duration.ts'
import { didYouMean } from './base/nearest.ts'
import { LOG_LEVELS, type LogLevel } from './base/log.ts'
import { systemReason } from './base/system-error.ts'
import { readSettingsFile } from './config/settings-file.ts'
import { parseOrigins, type CorsPolicy } from './http/cors.ts'
import { NO_PROXIES, parseProxies } from './http/client-address.ts'
import { parseHosts } from './http/foreign-pages.ts'
import { parseUnixAddress } from './http/listening.ts'
import { parseEmail, parseMailbox } from './mail/address.ts'
import { parseAppName } from './mail/app-name.ts'
import { MAIL_TLS, type MailTls } from './mail/mail-settings.ts'
import { maskMailTarget, parseMailHost, parseMailTarget } from './mail/mail-target.ts'
import { FLAG_BASE_URL } from './content/seeds.ts'
import { SECRET_BYTES_MIN } from './store/secret-file.ts'

/** A setting that cannot be used; the message names it, what was found and what is wanted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

interface Setting<T> {
  /** Reads the text of a flag or variable. Throws an Error that says what is wanted. */
  readonly parse: (text: string) => T
  readonly initial: T
  /** The default as people read it. */
  readonly shown: string
  readonly meaning: string
  /** Further environment variables, which the original of this service reads. */
  readonly synonyms?: readonly string[]
  /** Set by the flag alone, without a value. */
  readonly isSwitch?: true
  /** What may be shown of a text that can hold a password. */
  readonly mask?: (text: string) => string
}

const HOURS_MAX = 24 * 366 * 10
const BACKUP_EVERY: DurationRange = { min: 60_000, max: 365 * 24 * 3_600_000 }

const DECLARED = {
  config: optional(readPath, 'JSON file of further settings, as {"port": 8081}', []),
  host: text('127.0.0.1', 'address to listen on; 0.0.0.0 for all'),
  port: whole(8080, { max: 65_535, meaning: 'port to listen on; 0 takes any free one' }),
  listen: optional(parseUnixAddress, 'unix:PATH, a Unix socket to listen on in place of host and port'),
  tlsCert: optional(readPath, 'file of the certificate for TLS, in PEM, followed by those that lead to an authority'),
  tlsKey: optional(readPath, 'file of the private key of the certificate, in PEM'),
  allowedHosts: {
    parse: parseHosts,
    initial: [],
    shown: 'those of this machine',
    meaning: 'further names that the service is called by, such as those a proxy passes on, separated by commas',
  } as Setting<readonly string[]>,
  dataDir: text('./dateline-data', 'directory of the database and the secrets'),
  adminEmail: optional(readEmail, 'e-mail address of an administrator to create or promote at start', [
    'OVERRIDE_ADMIN_EMAIL',
  ]),
  mail: {
    mask: maskMailTarget,
    ...parsed(
      parseMailTarget,
      'console:',
      'how mail leaves: console:, file:DIR, exec:COMMAND, smtp://[user[:password]@]host[:port][,host…] or smtps://…',
    ),
  },
  mailFrom: parsed(parseMailbox, 'Dateline <no-reply@localhost>', 'sender of the mail'),
  mailTls: {
    parse: oneOf<MailTls>(MAIL_TLS, '').parse,
    initial: undefined,
    shown: 'starttls, on this machine starttls-if-offered',
    meaning: 'encryption to an smtp:// server: starttls, which must be offered, starttls-if-offered, or none',
  } as Setting<MailTls | undefined>,
  mailCa: optional(readPath, 'PEM file of a private authority that certifies the mail server'),
  mailTlsName: optional(readHost, 'name in the certificate of the mail server, if not its host'),
  mailCleartextLogin: onOff(false, 'lets password or token go to the mail server unencrypted; on or off'),
  mailPasswordFile: optional(readPath, 'file with the password for the mail server'),
  mailTokenFile: optional(readPath, 'file with an OAuth token for the mail server (XOAUTH2), read at each login'),
  mailDkimKey: optional(readPath, 'PEM file of the RSA or Ed25519 key that signs mail (DKIM)'),
  mailDkimSelector: optional(text('', '').parse, 'selector of that key: SELECTOR._domainkey in the DNS of the sender'),
  appName: parsed(parseAppName, 'Dateline', 'name of the service in mail'),
  rateLimits: onOff(true, 'limits on how often somebody may ask; on or off'),
  corsOrigins: {
    parse: parseOrigins,
    initial: 'local',
    shown: 'any port of localhost and 127.0.0.1',
    meaning: 'web origins that may call, separated by commas',
    synonyms: ['CORS_ALLOWED_ORIGIN'],
  } as Setting<CorsPolicy>,
  trustedProxies: {
    parse: parseProxies,
    initial: NO_PROXIES,
    shown: 'none',
    meaning: 'addresses and CIDR blocks whose X-Forwarded-For is believed, separated by commas',
  },
  publicRemoteConfig: onOff(false, 'lets the remote configuration be read without signing in; on or off'),
  hideInactive: onOff(
    false,
    'hides headlines, topics and sources that are not active from lists of readers; on or off',
  ),
  tokenFile: optional(readPath, 'file that gets an administrator token for the app that starts the service'),
  exitWithParent: onOff(false, 'ends the service when the program that started it is gone; on or off'),
  logFormat: oneOf(['auto', 'pretty', 'json'], 'form of the log: pretty, json, or auto, which is pretty on a terminal'),
  logLevel: {
    ...oneOf<LogLevel>(LOG_LEVELS, 'least important level that is logged: debug, info, warn or error'),
    initial: 'info',
    shown: 'info',
  },
  tokenHours: whole(720, {
    min: 1,
    max: HOURS_MAX,
    meaning: 'hours that a sign-in lasts',
    synonyms: ['JWT_EXPIRY_HOURS'],
  }),
  tokenIssuer: { ...text('http://localhost:8080', 'issuer named in tokens'), synonyms: ['JWT_ISSUER'] },
  codeMinutes: whole(15, { min: 1, max: 1440, meaning: 'minutes that a sign-in code lasts' }),
  codeAttempts: whole(5, { min: 1, max: 10, meaning: 'wrong tries after which a code is void' }),
  codesPerEmail: whole(5, { meaning: 'sign-in codes per e-mail address in 15 minutes; 0 is no limit' }),
  codesPerAddress: whole(60, { meaning: 'sign-in codes per client address in an hour; 0 is no limit' }),
  wrongCodesPerEmail: whole(20, { meaning: 'wrong codes per e-mail address in a day; 0 is no limit' }),
  guestsPerAddress: whole(60, { meaning: 'guest sign-ins per client address in an hour; 0 is no limit' }),
  dataPerUser: whole(1200, { meaning: 'data requests per user in a minute; 0 is no limit' }),
  pageSize: whole(20, { min: 1, max: 1000, meaning: 'items of a list when the request gives no limit' }),
  pageSizeMax: whole(100, { min: 1, max: 1000, meaning: 'most items of one page' }),
  queryDeadlineMs: whole(2000, {
    min: 10,
    max: 60_000,
    meaning: 'milliseconds that a query may take which no index serves',
  }),
  backupEvery: {
    parse: (given: string) => (given === 'off' ? undefined : parseDuration(given, BACKUP_EVERY)),
    initial: undefined,
    shown: 'off',
    meaning: 'time from one backup to the next, such as 24h; off makes none',
  } as Setting<number | undefined>,
  backupKeep: whole(7, {
    min: 1,
    max: 1000,
    meaning: 'backups made by itself that are kept in backups/ of the data directory',
  }),
  guestDays: whole(90, { max: 3650, meaning: 'days after which a guest who stays away is deleted; 0 keeps all' }),
  flagBaseUrl: parsed(readBaseUrl, FLAG_BASE_URL, 'where the flags of seeded countries are'),
} as const satisfies Readonly<Record<string, Setting<unknown>>>

type Declared = typeof DECLARED
export type SettingName = keyof Declared
export type Config = { readonly [name in SettingName]: Declared[name] extends Setting<infer T> ? T : never }

export interface Secrets {
  /** Replaces the generated secret. */
  readonly jwtSecret: string | undefined
}

const SECRET_VARIABLES = ['DATELINE_JWT_SECRET', 'JWT_SECRET_KEY'] as const
/** Variables that name a file with the secret in it. */
const SECRET_FILE_VARIABLES: readonly string[] = ['DATELINE_JWT_SECRET_FILE', 'JWT_SECRET_KEY_FILE']
const SECRET_FILE_BYTES_MAX = 4096

export interface SettingInfo {
  readonly name: SettingName
  readonly flag: string
  readonly environment: readonly string[]
  readonly shown: string
  readonly meaning: string
  readonly isSwitch: boolean
}

/** All settings, as help and documentation list them. */
export const SETTINGS: readonly SettingInfo[] = (Object.entries(DECLARED) as [SettingName, Setting<unknown>][]).map(
  ([name, { shown, meaning, synonyms = [], isSwitch = false }]) => ({
    name,
    flag: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    environment: [`DATELINE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`, ...synonyms],
    shown,
    meaning,
    isSwitch,
  }),
)

/** Environment variables that hold secrets. They have no flag: arguments of a process can be seen by others. */
export const SECRETS: readonly string[] = [...SECRET_VARIABLES, ...SECRET_FILE_VARIABLES]

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting in use: its value, and where it came from: a flag, a variable, a file, or nothing but the default. */
export interface EffectiveSetting {
  readonly name: SettingName
  readonly value: unknown
  /** As people read it; without passwords. */
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
  if (config.tlsCert !== undefined && config.listen !== undefined) {
    throw new ConfigError('Cannot use --tls-cert with --listen: a Unix socket has no TLS')
  }
  return config
}

/** Every setting, each from the first that has it: flags, environment, file, defaults. Throws ConfigError. */
export function effectiveSettings(
  flags: ReadonlyMap<SettingName, string>,
  environment: Environment,
): readonly EffectiveSetting[] {
  refuseUnknownVariables(environment)
  const read = (info: SettingInfo, file: SettingsFile | undefined): EffectiveSetting => {
    const { name } = info
    const given = givenText(info, { flags, environment, file })
    if (given === undefined) return { name, value: DECLARED[name].initial, shown: info.shown, source: 'default' }
    const { mask = (text: string) => text }: Setting<unknown> = DECLARED[name]
    return { name, value: readSetting(name, given), shown: mask(given.text), source: given.source }
  }
  const files = SETTINGS.filter(({ name }) => name === 'config').map((info) => read(info, undefined))
  const path = files[0]?.value as Config['config']
  const file = path === undefined ? undefined : { path, texts: settingsIn(path) }
  return SETTINGS.map((info) => read(info, file))
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

/** Throws ConfigError where a secret is too short to protect anything, or its file cannot be read. */
export function readSecrets(environment: Environment): Secrets {
  const source = SECRETS.find((name) => (environment[name] ?? '') !== '')
  if (source === undefined) return { jwtSecret: undefined }
  const text = environment[source] ?? ''
  const jwtSecret = SECRET_FILE_VARIABLES.includes(source) ? secretIn(source, text) : text
  if (Buffer.byteLength(jwtSecret) < SECRET_BYTES_MIN) {
    throw new ConfigError(
      `Cannot use ${source}: expected a secret of at least ${SECRET_BYTES_MIN} bytes, found ${Buffer.byteLength(jwtSecret)}`,
    )
  }
  return { jwtSecret }
}

/** Such files end with a line break that is no part of the secret. */
function secretIn(variable: string, path: string): string {
  try {
    const { size } = statSync(path)
    if (size <= SECRET_FILE_BYTES_MAX) return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    throw new ConfigError(`Cannot use ${variable}: expected at most ${SECRET_FILE_BYTES_MAX} bytes, found ${size}`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`Cannot use ${variable}: the file "${path}" cannot be read: ${systemReason(error)}`)
  }
}

function readSetting(name: SettingName, { text: given, source }: Given): unknown {
  try {
    return DECLARED[name].parse(given)
  } catch (error) {
    throw new ConfigError(`Cannot use ${source}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function refuseUnknownVariables(environment: Environment): void {
  const known = [...SETTINGS.flatMap((setting) => setting.environment), ...SECRETS]
  const unknown = Object.keys(environment).find((name) => name.startsWith('DATELINE_') && !known.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError(`Unknown environment variable "${unknown}"${didYouMean(unknown, known)}`)
  }
}

function text(initial: string, meaning: string): Setting<string> {
  const parse = (given: string): string => {
    if (given.trim() === '' || given.includes('\0')) throw new Error('expected a text that is not empty')
    return given
  }
  return { parse, initial, shown: initial, meaning }
}

function optional<T>(
  parse: (text: string) => T,
  meaning: string,
  synonyms: readonly string[] = [],
): Setting<T | undefined> {
  return { parse, initial: undefined, shown: 'none', meaning, synonyms }
}

function parsed<T>(parse: (text: string) => T, initial: string, meaning: string): Setting<T> {
  return { parse, initial: parse(initial), shown: initial, meaning }
}

interface WholeRange {
  readonly min?: number
  readonly max?: number
  readonly meaning: string
  readonly synonyms?: readonly string[]
}

function whole(initial: number, { min = 0, max = 1_000_000, meaning, synonyms = [] }: WholeRange): Setting<number> {
  const parse = (given: string): number => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    if (!(value >= min && value <= max))
      throw new Error(`expected a whole number from ${min} to ${max}, found "${given}"`)
    return value
  }
  return { parse, initial, shown: String(initial), meaning, synonyms }
}

const ON_OFF: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
}

function onOff(initial: boolean, meaning: string): Setting<boolean> {
  const parse = (given: string): boolean => {
    const value = ON_OFF[given.toLowerCase()]
    if (value === undefined) throw new Error(`expected on or off, found "${given}"`)
    return value
  }
  return { parse, initial, shown: initial ? 'on' : 'off', meaning, isSwitch: true }
}

function oneOf<const V extends string>(values: readonly V[], meaning: string): Setting<V> {
  const [first] = values
  if (first === undefined) throw new Error('A choice needs values')
  const parse = (given: string): V => {
    const value = values.find((one) => one === given)
    if (value === undefined) throw new Error(`expected one of ${values.join(', ')}, found "${given}"`)
    return value
  }
  return { parse, initial: first, shown: first, meaning }
}

function readEmail(given: string): string {
  const email = parseEmail(given)
  if (email === undefined) throw new Error(`expected an e-mail address, found "${given}"`)
  return email
}

function readHost(given: string): string {
  const host = parseMailHost(given)
  if (host === undefined) throw new Error(`expected the name or the IP address of a host, found "${given}"`)
  return host
}

/** A URL, or a path for a site that serves the flags itself: seeds keep it for good. */
function readBaseUrl(given: string): string {
  if (/^(?:https?:\/\/[^\s/]|\/)\S*$/.test(given)) return given
  throw new Error(`expected a URL such as ${FLAG_BASE_URL} or a path, found "${given}"`)
}

function readPath(given: string): string {
  if (given.trim() === '' || given.includes('\0')) throw new Error('expected the path of a file, found none')
  return given
}
