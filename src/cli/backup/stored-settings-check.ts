/**
 * The settings in the database, as `dateline check` judges them beside flags and environment: which hold, which have no
 * effect, and which cannot be used. The checks that follow look at what a service started like this would use.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { deriveKeys, type Keys } from '../../auth/keys.ts'
import { createLiveSettings, openStored } from '../../app/settings/live-settings.ts'
import { systemClock } from '../../base/clock.ts'
import { readSecrets } from '../../config/secrets.ts'
import type { Config, Environment } from '../../config/settings.ts'
import type { ShownSettings } from '../../config/shown-settings.ts'
import { overriddenBy, storedProblem, type StoredValues } from '../../config/stored-settings.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { SettingError } from '../../base/setting-file.ts'
import { isEditable, MAIL_NAMES, MAIL_PASSWORD, OFFSITE_KEYS, type EditableName } from '../../models/editable-settings.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import type { Database } from '../../store/db/database.ts'
import { loadSecrets } from '../../store/db/secret-file.ts'
import { listSettings, type StoredSetting } from '../../store/settings/setting-table.ts'
import { ifReadable, Problem, type Check } from './check.ts'

interface StoredRows {
  readonly rows: readonly StoredSetting[]
  /** Those that secrets among them are opened with; none where they cannot be read, which is a check of its own. */
  readonly secrets: readonly string[]
}

interface StoredParts extends StoredRows {
  readonly shown: ShownSettings
  readonly environment: Environment
}

interface JudgedSettings {
  /** What would be in use. */
  readonly config: Config
  /** Whether a stored mail server would be. */
  readonly hasStoredMail: boolean
  readonly verdict: Check
}

/** What is stored; undefined where the database cannot be read, which other checks report. */
export function readStored({ dataDir }: Config, environment: Environment): StoredRows | undefined {
  const directory = resolve(dataDir)
  const read = (database: Database): StoredRows => ({ rows: listSettings(database), secrets: secretsIn(directory, environment) })
  const found = ifReadable(databaseFile(directory), read, 'unreadable')
  return found === 'unreadable' ? undefined : (found ?? { rows: [], secrets: [] })
}

function secretsIn(directory: string, environment: Environment): readonly string[] {
  const { jwtSecret } = readSecrets(environment)
  if (jwtSecret !== undefined) return [jwtSecret]
  const file = join(directory, 'secrets')
  try {
    return existsSync(file) ? loadSecrets(file, () => Buffer.alloc(0)) : []
  } catch {
    return []
  }
}

export function judgeStored(config: Config, { rows, shown, environment, secrets }: StoredParts): JudgedSettings {
  const live = createLiveSettings(config, shown)
  const values = openStored(rows, keysOf(secrets))
  const overridden = (name: EditableName): string | undefined => overriddenBy(name, live.given)
  const problems = rows.flatMap(({ name }) => problemOf(name, values, overridden) ?? [])
  const mailProblem = problemOfMail(live.configWith(values), environment)
  const used = mailProblem === undefined ? values : withoutMail(values)
  const hasStoredMail = used.has('mail') && overridden('mail') === undefined
  if (mailProblem !== undefined && hasMail(rows)) {
    problems.push(`the stored mail settings are not used: ${mailProblem}: set them again with dateline settings set mail, or remove them with dateline settings unset mail`)
  }
  return {
    config: live.configWith(used),
    hasStoredMail,
    verdict() {
      if (problems.length > 0) throw new Problem(problems.join('; '))
      return rows.length === 0 ? 'no settings: flags, variables and defaults hold' : listed(rows, overridden)
    },
  }
}

/** `2 hold: appName, mail; without effect: backupKeep (--backup-keep wins)` */
function listed(rows: readonly StoredSetting[], overridden: (name: EditableName) => string | undefined): string {
  const names = rows.map(({ name }) => name).filter(isEditable)
  const held = names.filter((name) => overridden(name) === undefined)
  const others = names.filter((name) => !held.includes(name)).map((name) => `${name} (${overridden(name)} wins)`)
  const list = held.length === 0 ? 'none hold' : `${held.length} hold: ${held.join(', ')}`
  return others.length === 0 ? list : `${list}; without effect: ${others.join(', ')}`
}

function problemOf(name: string, values: StoredValues, overridden: (name: EditableName) => string | undefined): string | undefined {
  if (!isEditable(name)) return `${name} is no setting of this version, and has no effect: a newer version has stored it`
  const value = values.get(name)
  const again = `set it again with dateline settings set ${name === MAIL_PASSWORD ? 'mail … --password-stdin' : name === OFFSITE_KEYS ? 'offsite … --keys-stdin' : name}, or remove it with dateline settings unset ${name}`
  if (value === undefined) return `${name} was sealed under another secret, and is not used: ${again}`
  const problem = overridden(name) === undefined ? storedProblem(name, value) : undefined
  return problem === undefined ? undefined : `the stored ${problem}: it is not used: ${again}`
}

function problemOfMail(config: Config, environment: Environment): string | undefined {
  try {
    readMailSettings(config, { now: systemClock, environment })
    return undefined
  } catch (error) {
    if (error instanceof SettingError) return error.message
    throw error
  }
}

function withoutMail(values: StoredValues): StoredValues {
  return new Map([...values].filter(([name]) => !MAIL_NAMES.includes(name)))
}

function hasMail(rows: readonly StoredSetting[]): boolean {
  return rows.some(({ name }) => isEditable(name) && MAIL_NAMES.includes(name))
}

function keysOf([first, ...older]: readonly string[]): Pick<Keys, 'settings'> {
  return deriveKeys([first ?? '', ...older])
}
