/** Stored settings: how each is read, by the reader of its flag, and what is in use with them. */
import { describe } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { isLoginText, type MailTarget } from '../mail/settings/mail-target.ts'
import { editable, EDITABLE_CHARS_MAX, EDITABLE_NAMES, isEditable, isFlagless, MAIL_PASSWORD, OFFSITE_KEYS, type EditableName } from '../models/editable-settings.ts'
import { parsePlaceKeys } from '../offsite/place-address.ts'
import { settingText } from './settings-file.ts'
import { DECLARED, SETTINGS, type Config, type OffsiteTarget } from './settings.ts'

/** What the operator has said that wins over a stored value: a flag, a variable or the file; undefined for nothing. */
export function overriddenBy(name: EditableName, given: ReadonlyMap<string, string>): string | undefined {
  const names: readonly string[] = [name, ...(editable(name).yieldsTo ?? [])]
  return names.map((one) => given.get(one)).find((origin) => origin !== undefined)
}

/** The changes that a request wants, with undefined for a value to be removed. Throws an Error that names the setting. */
export function readChanges(body: JsonObject): ReadonlyMap<EditableName, string | undefined> {
  return new Map(
    Object.entries(body).map(([name, value]) => {
      if (!isEditable(name)) throw new Error(notEditable(name))
      if (value === null) return [name, undefined]
      const text = typeof value === 'string' || typeof value === 'number' ? settingText(value) : undefined
      if (text === undefined) throw new Error(`${name}: expected a text, a number or null, found another kind of value`)
      return [name, readEditable(name, text)]
    }),
  )
}

/** The text to store. Throws an Error that names the setting and what is wanted; a secret is never in it. */
function readEditable(name: EditableName, given: string): string {
  const text = given.trim()
  const wrong = (problem: string): Error => new Error(`${name}: ${problem}`)
  if (text.length > EDITABLE_CHARS_MAX) {
    throw wrong(`expected at most ${EDITABLE_CHARS_MAX} characters, found ${text.length}`)
  }
  if (name === MAIL_PASSWORD) {
    if (!isLoginText(given)) throw wrong('expected a password without line breaks and other control characters')
    return given
  }
  if (name === OFFSITE_KEYS) {
    try {
      parsePlaceKeys(given)
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : String(error))
    }
    return given
  }
  // A control character has no place in any of them; line breaks least of all, which begin a header of mail.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) throw wrong('expected one line without control characters')
  const { kind, min = 0, max = 0, zero = false } = editable(name)
  try {
    // Ahead of the reader of the flag, which takes more, and would say so.
    const isInRange = (value: number): boolean => (zero && value === 0) || (value >= min && value <= max)
    if (kind === 'whole' && !isInRange(Number(text))) {
      throw new Error(`expected a whole number from ${min} to ${max}${zero ? ' or 0' : ''}, found ${text}`)
    }
    const value = DECLARED[name].parse(text)
    if (name === 'mail') requireServer(value as MailTarget)
    if (name === 'offsite') requireBuckets(value as OffsiteTarget)
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error))
  }
  return text
}

/** Why a stored value cannot be used, beginning with its name; undefined where it can. */
export function storedProblem(name: EditableName, text: string): string | undefined {
  try {
    readEditable(name, text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A program would run anything, and a directory could be any: these are for the operator of the machine. */
function requireServer(target: MailTarget): void {
  if (target.kind !== 'smtp') {
    throw new Error('expected smtp://[user@]host[:port] or smtps://…; files, programs and the console are for --mail')
  }
  if (target.password !== undefined) throw new Error(`expected no password in it: it belongs in ${MAIL_PASSWORD}`)
}

/** A directory could be any: these are for the operator of the machine. */
function requireBuckets({ places }: OffsiteTarget): void {
  const directory = places.find(({ kind }) => kind === 'directory')
  if (directory !== undefined) throw new Error(`expected s3://bucket/prefix, found ${directory.name}; directories are for --offsite`)
}

function notEditable(name: string): string {
  if (SETTINGS.some((setting) => setting.name === name)) {
    return `${name} cannot be changed here: set it where the service is started`
  }
  return `There is no setting ${describe(name)}${didYouMean(name, EDITABLE_NAMES) || `: expected one of ${EDITABLE_NAMES.join(', ')}`}`
}

/** A stored value that is in use: of a secret, its text after it was opened. */
export type StoredValues = ReadonlyMap<EditableName, string>

/**
 * The settings with stored values where the operator has said nothing. A value that an earlier or later program stored
 * and that this one cannot read is left out.
 */
export function withStored(config: Config, given: ReadonlyMap<string, string>, stored: StoredValues): Config {
  const values: [string, unknown][] = []
  for (const [name, text] of stored) {
    if (isFlagless(name) || overriddenBy(name, given) !== undefined) continue
    try {
      values.push([name, DECLARED[name].parse(readEditable(name, text))])
    } catch {
      // The value that holds without it stays.
    }
  }
  const next = withKeys({ ...config, ...Object.fromEntries(values) } as Config, stored, given)
  const password = stored.get(MAIL_PASSWORD)
  if (password === undefined || !values.some(([name]) => name === 'mail') || next.mail.kind !== 'smtp') return next
  return next.mail.user === undefined ? next : { ...next, mail: { ...next.mail, password: () => password } }
}

/** Stored keys are for stored places: an operator's places have the keys of the operator's file. */
function withKeys(config: Config, stored: StoredValues, given: ReadonlyMap<string, string>): Config {
  const text = stored.get(OFFSITE_KEYS)
  if (text === undefined || overriddenBy(OFFSITE_KEYS, given) !== undefined) return config
  return { ...config, offsite: { ...config.offsite, keys: () => parsePlaceKeys(text) } }
}
