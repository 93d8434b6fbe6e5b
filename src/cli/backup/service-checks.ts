/** The checks of `dateline check`. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createGuestLimit, guestConcern } from '../../app/guest-budget.ts'
import { createPictureLimit, pictureConcern } from '../../app/picture-limit.ts'
import { FREE_BYTES_MIN, freeBytes } from '../../app/readiness.ts'
import { systemClock } from '../../base/clock.ts'
import { counted, sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { countInbox } from '../../base/inbox.ts'
import { nearestDirectory } from '../../base/directory.ts'
import { MINUTE_MS, showDuration } from '../../base/duration.ts'
import { replacementIn } from '../../base/file-mode.ts'
import { fileKind } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { VERSION } from '../../base/version.ts'
import { readIdentity } from '../../cluster/node-identity.ts'
import { readSecrets } from '../../config/secrets.ts'
import type { Config, Environment } from '../../config/settings.ts'
import { DeliveryError } from '../../mail/delivery/delivery-error.ts'
import { probeMail } from '../../mail/delivery/mail-probe.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { feed } from '../../models/feed-model.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { BACKUPS_DIRECTORY, restoreAdvice } from '../../store/backup/backup.ts'
import { backupRule } from '../../store/backup/backup-schedule.ts'
import { historyFaults } from '../../store/history/history-check.ts'
import { databaseFile, requireFiles } from '../../store/db/data-dir.ts'
import { requireRestored } from '../../store/backup/unfinished-restore.ts'
import type { Database } from '../../store/db/database.ts'
import { countItems, faultsOf, lastRecordDate, newestDate } from '../../store/schema/database-check.ts'
import { copiesBehind, readProgress } from '../../store/references/reference-progress.ts'
import { fileFacts, requireReadable, SCHEMA, SchemaError } from '../../store/schema/migrate.ts'
import { loadSecrets } from '../../store/db/secret-file.ts'
import { failingFeeds } from '../../store/feeds/feed-state.ts'
import { MEDIA_DIRECTORY, pictureFiles, requireDatabase } from '../../store/media/picture-files.ts'
import { allPictures, pictureFaults, pictureTotals } from '../../store/media/picture-table.ts'
import { guestStorage } from '../../store/accounts/guest-table.ts'
import { contentFaults } from '../../store/documents/stored-documents.ts'
import { wordFaults } from '../../store/search/word-index.ts'
import { checksOfDatabase, ifReadable, NO_DATABASE, NOT_LOOKED_AT, Problem, Unreadable, type Check, type DatabaseCheck, type Warning } from './check.ts'
import { checkOffsite } from './offsite-check.ts'
import { strangersIn } from './owner-check.ts'
import { oddValues } from './value-checks.ts'

/** This program is younger, and will not be in use then. */
const [YEAR_MIN, YEAR_MAX] = [2025, 2100]
/** Clocks of two machines differ by less. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS
/** Files of the folder of feeds that are counted. */
const FOLDER_FILES_MAX = 10_000

/** Of the data, whatever is stored in it. */
export function checksOfData(config: Config, environment: Environment, exposed: readonly string[]): [string, Check][] {
  const directory = resolve(config.dataDir)
  const onceReadable = checksOfDatabase(databaseFile(directory))
  return [
    ['directory', () => checkDirectory(directory)],
    ['permissions', () => checkPermissions(directory, exposed)],
    ['secrets', () => checkSecrets(directory, environment)],
    ['disk', () => checkDisk(directory)],
    ['schema', onceReadable((database) => checkSchema(database))],
    ['integrity', onceReadable(checkIntegrity)],
    ['references', onceReadable(checkReferences)],
    ['values', onceReadable(checkValues)],
    ['feeds', onceReadable(checkFeeds)],
    ['pictures', onceReadable((database) => checkPictures(database, config))],
  ]
}

/** Of the parts that settings decide about; `hasStoredMail` says whether the mail server is one of those in the database. */
export function checksOfUse(config: Config, environment: Environment, hasStoredMail: boolean): [string, Check][] {
  const directory = resolve(config.dataDir)
  const file = databaseFile(directory)
  const behind = (check: DatabaseCheck): Check => () => ifReadable(file, check, NOT_LOOKED_AT) ?? NO_DATABASE
  const mailSettings = hasStoredMail ? 'the stored mail settings: see dateline settings list' : '--mail and the settings that go with it'
  return [
    ['backups', () => checkBackups(config, directory)],
    ['offsite', behind((database) => checkPlaces(database, config))],
    ['guests', behind((database) => checkGuests(database, config))],
    ['mail', () => checkMail(config, environment, mailSettings)],
    ['clock', () => checkClock(file)],
    ...(config.feedsFolder === undefined ? [] : [['folder', () => checkFolder(resolve(config.feedsFolder ?? ''))] satisfies [string, Check]]),
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
  requireFiles(directory)
  for (const name of [MEDIA_DIRECTORY, BACKUPS_DIRECTORY]) {
    const stats = statSync(join(directory, name), { throwIfNoEntry: false })
    if (stats?.isDirectory() === false) throw new Problem(`expected "${name}" to be a directory, found ${fileKind(stats)}: move that away`)
  }
  requireRestored(directory)
  requireDatabase(directory)
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
  const strays = strangersIn(directory, names)
  if (strays !== undefined) throw new Problem(strays)
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

function checkGuests(database: Database, { dataDir, guestsMb }: Config): string | Warning {
  const [kept, limit] = [guestStorage(database), createGuestLimit(resolve(dataDir), () => guestsMb)()]
  const warning = guestConcern(kept, limit)?.message
  const text = `${kept.guests} keep ${sizeText(kept.bytes)} of the ${sizeText(limit.bytesMax)} that all together may`
  return warning === undefined ? text : { warning }
}

function checkSchema(database: Database): string {
  const facts = fileFacts(database)
  if (!facts.isOurs) throw new Problem('the database was not written by dateline: choose another --data-dir')
  try {
    requireReadable('the database', facts, VERSION)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    // Of a newer file, all that is known is looked at.
    throw facts.schema > SCHEMA ? new Problem(error.message) : new Unreadable(error.message)
  }
  const next = facts.schema < SCHEMA ? `; the next start brings it to ${SCHEMA}` : ''
  return `${facts.schema}, prepared by dateline ${facts.version ?? '?'}${next}`
}

function checkIntegrity(database: Database, file: string): string {
  const faults = faultsOf(database)
  if (faults.length > 0) throw new Unreadable(`${faults.join('; ')}: run ${restoreAdvice(dirname(file))}`)
  const foreign = [...contentFaults(database, STORED_MODELS), ...pictureFaults(database)]
  if (foreign.length > 0) throw new Problem(`${foreign.join('; ')}: correct that, or run ${restoreAdvice(dirname(file))}`)
  const unfound = wordFaults(database, STORED_MODELS)
  if (unfound.length > 0) throw new Problem(`${unfound.join('; ')}: run ${restoreAdvice(dirname(file))}`)
  const lost = historyFaults(database)
  if (lost.length > 0) {
    throw new Problem(`${lost.join('; ')}: the documents are whole, and backups from before may have these versions`)
  }
  const items = Object.values(countItems(database, STORED_MODELS)).reduce((sum, n) => sum + n, 0)
  return `${sizeText(statSync(file).size)}, ${counted(items, 'item')}, all read`
}

/** Copies that follow a change at this moment are behind as well. */
function checkReferences(database: Database): string | Warning {
  const behind = [...copiesBehind(database)].map(([model, n]) => `${n} of ${model}`)
  if (behind.length === 0) return 'all copies of documents are up to date'
  const found = `documents with copies that differ from what they are copies of: ${behind.join(', ')}`
  const { work } = readProgress(database)
  if (work !== undefined) return { warning: `${found}; the service brings them up to date now` }
  return { warning: `${found}: run dateline repair references` }
}

function checkValues(database: Database): string | Warning {
  const odd = oddValues(database)
  if (odd === undefined) return 'all links and codes can be used'
  return { warning: `links and codes that no write may store: ${odd}: correct them in the dashboard, or by PATCH; copies follow` }
}

/** Why each fails stands in the list of the API. */
function checkFeeds(database: Database): string | Warning {
  const all = counted(countItems(database, [feed])[feed.name] ?? 0, 'feed')
  const failing = failingFeeds(database)
  return failing === 0 ? `${all}, none of which fails` : { warning: `${failing} of ${all} cannot be fetched: GET /api/v1/feeds says why` }
}

/** Why each file was rejected stands beside it. */
async function checkFolder(folder: string): Promise<string | Warning> {
  const { waiting, rejected } = await countInbox(folder, FOLDER_FILES_MAX).catch((error: unknown) => {
    throw new Problem(`${folder} cannot be used: ${systemReason(error)}: correct it, or choose another --feeds-folder`)
  })
  const wait = `${counted(waiting, 'file of feeds waits', 'files of feeds wait')} in ${folder}`
  return rejected === 0 ? wait : { warning: `${wait}, and ${counted(rejected, 'was', 'were')} rejected: read the reasons in ${join(folder, 'rejected')}, and remove the files` }
}

/** Files are found by their length; `media check` reads them. */
function checkPictures(database: Database, { dataDir, mediaMax }: Config): string | Warning {
  const directory = resolve(dataDir)
  const files = pictureFiles(join(directory, MEDIA_DIRECTORY))
  const totals = pictureTotals(database)
  let missing = 0
  for (const picture of allPictures(database)) if (files.sizeOf(picture) !== picture.bytes) missing++
  if (missing > 0) throw new Problem(`${missing} of ${counted(totals.pictures, 'picture')} have no whole file in ${files.directory}: run dateline media check`)
  const limit = createPictureLimit(directory, () => mediaMax)()
  const warning = pictureConcern(totals, limit)?.message
  if (warning !== undefined) return { warning }
  return `${counted(totals.pictures, 'picture')}, ${sizeText(totals.bytes)} of the ${sizeText(limit.bytesMax)} that all together may take`
}

/** A backup beside the database is gone with it when the disk is. */
function checkBackups({ backupEvery, backupKeep, offsite }: Config, directory: string): string | Warning {
  const rule = backupRule(backupEvery, readIdentity(directory) !== undefined)
  if (rule === undefined) {
    return { warning: 'automatic backups are off: turn them on with --backup-every 24h or dateline settings set backupEvery 24h, or run dateline backup yourself' }
  }
  const place = join(directory, BACKUPS_DIRECTORY)
  const bytes = statSync(databaseFile(directory), { throwIfNoEntry: false })?.size ?? 0
  const found = `every ${showDuration(rule.everyMs)}, the newest ${backupKeep} in ${place}, up to ${sizeText(bytes * backupKeep)}`
  const isElsewhere = offsite.places.length > 0 || statSync(nearestDirectory(place)).dev !== statSync(nearestDirectory(directory)).dev
  return isElsewhere ? found : { warning: `${found}, on the disk of the database: set up --offsite, since a broken disk takes both` }
}

function checkPlaces(database: Database, config: Config): string | Warning {
  const found = checkOffsite(database, config)
  if (typeof found === 'object' && 'problem' in found) throw new Problem(found.problem)
  return found
}

async function checkMail(config: Config, environment: Environment, settings: string): Promise<string | Warning> {
  const { route, warnings } = readMailSettings(config, { now: systemClock, environment })
  try {
    const found = await probeMail(route)
    return warnings.length === 0 ? found : { warning: `${found}; but ${warnings.join('; ')}` }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw new Problem(`${error.message}: fix that server, or ${settings}`)
  }
}

const NO_DATES = { newest: undefined, lastRecord: undefined }

function checkClock(file: string): string | Warning {
  const now = systemClock()
  const year = new Date(now).getUTCFullYear()
  if (year < YEAR_MIN || year > YEAR_MAX) throw new Problem(`it is ${isoDate(now)}: set the clock of this machine`)
  const dates = (database: Database) => ({ newest: newestDate(database, STORED_MODELS), lastRecord: lastRecordDate(database) })
  const { newest, lastRecord } = ifReadable(file, dates, NO_DATES) ?? NO_DATES
  const ahead = isoDate(now + CLOCK_SKEW_MS)
  if (newest === undefined || newest <= ahead) return isoDate(now)
  const found = `it is ${isoDate(now)}, and something stored is of ${newest}`
  if (lastRecord === undefined || lastRecord > ahead) throw new Problem(`${found}: set the clock of this machine`)
  return { warning: `${found}: the clock was ahead once, and is not now: what was written then comes first in lists until it is changed` }
}
