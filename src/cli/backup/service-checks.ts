/** The checks of `dateline check`. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FREE_BYTES_MIN, freeBytes } from '../../app/readiness.ts'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { nearestDirectory } from '../../base/directory.ts'
import { MINUTE_MS } from '../../base/duration.ts'
import { replacementIn } from '../../base/file-mode.ts'
import { systemReason } from '../../base/system-error.ts'
import { VERSION } from '../../base/version.ts'
import { readSecrets } from '../../config/secrets.ts'
import type { Config, Environment } from '../../config/settings.ts'
import { DeliveryError } from '../../mail/delivery/delivery-error.ts'
import { probeMail } from '../../mail/delivery/mail-probe.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { restoreAdvice } from '../../store/backup/backup.ts'
import { databaseFile } from '../../store/sqlite/data-dir.ts'
import { databaseReason, isDamage, openDatabase, type Database } from '../../store/sqlite/database.ts'
import { countItems, faultsOf, newestDate } from '../../store/sqlite/database-check.ts'
import { fileFacts, MIGRATIONS, tooNew } from '../../store/sqlite/migrations.ts'
import { loadSecrets } from '../../store/sqlite/secret-file.ts'
import { sizeText } from '../progress.ts'

/** This program is younger, and will not be in use then. */
const [YEAR_MIN, YEAR_MAX] = [2025, 2100]
/** Clocks of two machines differ by less. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS

/** Something to do although the service can run. */
interface Warning {
  readonly warning: string
}

/** Returns what was found. An error that it throws is a problem, with its message. */
export type Check = () => string | Warning | Promise<string | Warning>

/** A problem, with its remedy. */
class Problem extends Error {}

export function checksOf(config: Config, environment: Environment, exposed: readonly string[]): [string, Check][] {
  const directory = resolve(config.dataDir)
  const file = databaseFile(directory)
  return [
    ['directory', () => checkDirectory(directory)],
    ['permissions', () => checkPermissions(directory, exposed)],
    ['secrets', () => checkSecrets(directory, environment)],
    ['disk', () => checkDisk(directory)],
    ['schema', () => withDatabase(file, checkSchema)],
    ['integrity', () => withDatabase(file, checkIntegrity)],
    ['mail', () => checkMail(config, environment)],
    ['clock', () => withDatabase(file, checkClock)],
  ]
}

function checkDirectory(directory: string): string {
  const found = nearestDirectory(directory)
  if (!statSync(found).isDirectory()) throw new Problem(`${found} is no directory: choose another --data-dir`)
  try {
    accessSync(found, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Problem(`${found} cannot be used: ${systemReason(error)}: run as its owner, or choose another --data-dir`)
  }
  return found === directory ? directory : `${directory} is not there yet: the service makes it`
}

/** Mode bits; Windows has access lists in their place, which Node does not read. */
function checkPermissions(directory: string, exposed: readonly string[]): string | Warning {
  if (process.platform === 'win32') return 'are not checked on Windows: they are those of the directory above'
  const replacement = replacementIn(directory)
  if (replacement !== undefined) throw new Problem(`the data directory: ${replacement}`)
  const names = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : []
  const inside = (entries: typeof names): string[] => entries.map(({ name }) => join(directory, name))
  const files = inside(names.filter((entry) => entry.isFile()))
  const open = [
    ...files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0),
    // Of templates and backups only the bits for writing matter: the directory above keeps readers out.
    ...inside(names.filter((entry) => entry.isDirectory())).filter((place) => replacementIn(place) !== undefined),
  ]
  if (open.length === 0) return exposed.length === 0 ? 'only the owner can read the data' : { warning: exposed.join('; ') }
  throw new Problem(`others can read ${open.join(', ')}: run chmod -R go-rwx "${directory}"`)
}

function checkSecrets(directory: string, environment: Environment): string {
  if (readSecrets(environment).jwtSecret !== undefined) return 'come from the environment'
  const file = join(directory, 'secrets')
  if (!existsSync(file)) return 'are not there yet: the service makes one'
  const { length } = loadSecrets(file, () => Buffer.alloc(0))
  return length === 1 ? 'one, which signs' : `${length}, of which the first signs`
}

async function checkDisk(directory: string): Promise<string> {
  const free = await freeBytes(nearestDirectory(directory))
  if (free >= FREE_BYTES_MIN) return `${sizeText(free)} free`
  throw new Problem(`only ${sizeText(free)} free: make room, at least ${sizeText(FREE_BYTES_MIN)}`)
}

function withDatabase(file: string, check: (database: Database, file: string) => string): string {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'there is no database yet'
  let database: Database | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    return check(database, file)
  } catch (error) {
    if (error instanceof Problem) throw error
    const remedy = isDamage(error) ? `: run ${restoreAdvice(dirname(file))}` : ''
    throw new Problem(`${file} cannot be read: ${databaseReason(error)}${remedy}`)
  } finally {
    database?.close()
  }
}

function checkSchema(database: Database): string {
  const facts = fileFacts(database)
  if (!facts.isOurs) throw new Problem('the database was not written by dateline: choose another --data-dir')
  if (facts.schema > MIGRATIONS.length) throw new Problem(tooNew('the database', facts, VERSION).message)
  const next = facts.schema < MIGRATIONS.length ? `; the next start brings it to ${MIGRATIONS.length}` : ''
  return `${facts.schema}, prepared by dateline ${facts.version ?? '?'}${next}`
}

function checkIntegrity(database: Database, file: string): string {
  const faults = faultsOf(database)
  if (faults.length > 0) throw new Problem(`${faults.join('; ')}: run ${restoreAdvice(dirname(file))}`)
  const items = Object.values(countItems(database, STORED_MODELS)).reduce((sum, n) => sum + n, 0)
  return `${sizeText(statSync(file).size)}, ${items} items, all read`
}

async function checkMail(config: Config, environment: Environment): Promise<string | Warning> {
  const { route, warnings } = readMailSettings(config, { now: systemClock, environment })
  try {
    const found = await probeMail(route)
    return warnings.length === 0 ? found : { warning: `${found}; but ${warnings.join('; ')}` }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw new Problem(`${error.message}: fix that server, or --mail and the settings that go with it`)
  }
}

function checkClock(database: Database): string {
  const now = systemClock()
  const year = new Date(now).getUTCFullYear()
  if (year < YEAR_MIN || year > YEAR_MAX) throw new Problem(`it is ${isoDate(now)}: set the clock of this machine`)
  const newest = newestDate(database, STORED_MODELS)
  if (newest !== undefined && newest > isoDate(now + CLOCK_SKEW_MS)) {
    throw new Problem(`it is ${isoDate(now)}, and something stored is of ${newest}: set the clock of this machine`)
  }
  return isoDate(now)
}
