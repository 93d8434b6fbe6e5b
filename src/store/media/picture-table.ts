/**
 * Pictures of our own: what is known of each. Its bytes are a file (picture-files.ts), which is there before its row, and goes
 * after it. A picture that nothing has named for a time goes: `picture_use` says what names one now, and `named_at` when the last
 * document ceased to.
 *
 * Functions that write run inside a transaction.
 */
import { PICTURE_FORMATS, type PictureFormat } from '../../media/picture-format.ts'
import { STORED_MODELS, storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { foldWords, haveWords } from '../../query/words.ts'
import type { Database, Row } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'

export interface PictureName {
  /** Of the bytes of the file: SHA-256 in hexadecimal. */
  readonly hash: string
  readonly format: PictureFormat
}

export interface PictureFile extends PictureName {
  readonly bytes: number
}

export interface PictureRow extends PictureFile {
  readonly width: number
  readonly height: number
  readonly frames: number
  /** What it shows, for those who do not see it; empty where nothing was written. */
  readonly alt: string
  /** What must stay in sight where it is cut: hundredths from the left and from the top. */
  readonly focus: { readonly x: number; readonly y: number } | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** The id of a user, `operator`, `service` or `feed`; undefined where the account is gone. */
  readonly actor: string | undefined
}

/** A picture with the number of documents that name it, which is a floor at USES_COUNTED_MAX. */
export interface CountedPicture extends PictureRow {
  readonly uses: number
}

export interface PicturePlace {
  readonly createdAt: number
  readonly hash: string
}

export interface PictureQuery {
  readonly limit: number
  readonly unused: boolean
  /** What the words of its description must have, as soughtWords() gives it: without words, none fits. Undefined for all. */
  readonly sought?: readonly string[] | undefined
  /** The last one of the page before. */
  readonly after: PicturePlace | undefined
}

export interface PicturePage {
  readonly items: readonly CountedPicture[]
  /** Where the next page begins; undefined at the end. A page that leaves pictures out may have none and not be the last. */
  readonly next: PicturePlace | undefined
}

export interface PictureTotals {
  readonly pictures: number
  readonly bytes: number
}

/** A document that names a picture. */
export interface PictureUser {
  readonly model: Model
  readonly id: string
}

const USES_COUNTED_MAX = 1_000
/** Rows that one page looks at. */
const LOOKED_MAX = 1_000
const REMOVED_PER_STEP = 50
const SEEN_PER_STEP = 500

/** Models whose documents belong to their users: what these name keeps a picture, and hinders no administrator. */
const OWNED = STORED_MODELS.filter(({ owned }) => owned === true).map(({ name }) => `'${name}'`).join(', ')
const USES = `(SELECT count(*) FROM (SELECT 1 FROM picture_use WHERE picture_use.hash = picture.hash LIMIT ${USES_COUNTED_MAX})) AS uses`
const IS_USED = 'EXISTS (SELECT 1 FROM picture_use WHERE picture_use.hash = picture.hash)'

/** What the file of a picture is, where we have it. */
export function pictureFile(database: Database, hash: string): PictureFile | undefined {
  const row = database.get('SELECT hash, format, bytes FROM picture WHERE hash = ?', hash)
  return row && { ...nameOf(row), bytes: Number(row['bytes']) }
}

export function getPicture(database: Database, hash: string): CountedPicture | undefined {
  const row = database.get(`SELECT *, ${USES} FROM picture WHERE hash = ?`, hash)
  return row && countedOf(row)
}

/** What pictures show, by their hashes; without those of which nothing was written, and those that we do not have. */
export function pictureAlts(database: Database, hashes: readonly string[]): ReadonlyMap<string, string> {
  const sql = "SELECT hash, alt FROM picture WHERE hash IN (SELECT value FROM json_each(?)) AND alt <> ''"
  return new Map(database.all(sql, JSON.stringify(hashes)).map(({ hash, alt }) => [String(hash), String(alt)]))
}

/** A page of pictures, those first that came last. */
export function listPictures(database: Database, { limit, unused, sought, after }: PictureQuery): PicturePage {
  const { createdAt, hash } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, hash: '' }
  const looked = unused || sought !== undefined ? LOOKED_MAX : limit
  const sql = `SELECT *, ${USES} FROM picture WHERE (created_at, hash) < (?, ?) ORDER BY created_at DESC, hash DESC LIMIT ?`
  const rows = database.all(sql, createdAt, hash, looked + 1).map(countedOf)
  const items: CountedPicture[] = []
  for (const [n, row] of rows.slice(0, looked).entries()) {
    if ((unused && row.uses > 0) || !fits(row, sought)) continue
    items.push(row)
    if (items.length === limit) return { items, next: n + 1 < rows.length ? placeOf(row) : undefined }
  }
  const last = rows[looked - 1]
  return { items, next: rows.length > looked && last !== undefined ? placeOf(last) : undefined }
}

function fits({ alt }: PictureRow, sought: PictureQuery['sought']): boolean {
  return sought === undefined || (sought.length > 0 && haveWords(foldWords([alt]), sought))
}

/** A sentence for a row whose name no file can have, as in a forged database. A file of an earlier schema has no such table. */
export function pictureFaults(database: Database): readonly string[] {
  if (database.get("SELECT 1 FROM sqlite_schema WHERE name = 'picture'") === undefined) return []
  const formats = Object.keys(PICTURE_FORMATS).map((name) => `'${name}'`).join(', ')
  const isOurs = `length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*' AND format IN (${formats}) AND bytes > 0`
  return database.get(`SELECT 1 FROM picture WHERE NOT (${isOurs}) LIMIT 1`) === undefined ? [] : ['a picture has a name or a length that none can have']
}

/** The files of all pictures, in the order of their names. */
export function* allPictures(database: Database): Generator<PictureFile> {
  for (const row of database.iterate('SELECT hash, format, bytes FROM picture ORDER BY hash')) yield { ...nameOf(row), bytes: Number(row['bytes']) }
}

/** Pictures whose hashes follow one, in their order. */
export function picturesBehind(database: Database, hash: string, limit: number): readonly (PictureFile & PicturePlace)[] {
  return database.all('SELECT hash, format, bytes, created_at FROM picture WHERE hash > ? ORDER BY hash LIMIT ?', hash, limit).map(placedOf)
}

/** Pictures that came after one, the oldest first. */
export function picturesAfter(database: Database, { createdAt, hash }: PicturePlace, limit: number): readonly (PictureFile & PicturePlace)[] {
  const sql = 'SELECT hash, format, bytes, created_at FROM picture WHERE (created_at, hash) > (?, ?) ORDER BY created_at, hash LIMIT ?'
  return database.all(sql, createdAt, hash, limit).map(placedOf)
}

/** The first documents of the site that name a picture: not what belongs to single users. */
export function pictureUsers(database: Database, hash: string, limit: number): readonly PictureUser[] {
  const rows = database.all(`SELECT model, seq FROM picture_use WHERE hash = ? AND model NOT IN (${OWNED}) LIMIT ?`, hash, limit)
  return rows.flatMap(({ model: name, seq }) => {
    const model = storedModelNamed(String(name))
    const id = model && database.get(`SELECT id FROM ${tableOf(model)} WHERE seq = ?`, Number(seq))?.['id']
    return model === undefined || id === undefined ? [] : [{ model, id: String(id) }]
  })
}

export function pictureTotals(database: Database): PictureTotals {
  const row = database.get('SELECT count(*) AS pictures, coalesce(sum(bytes), 0) AS bytes FROM picture')
  return { pictures: Number(row?.['pictures']), bytes: Number(row?.['bytes']) }
}

/** 'known' where we have it already: it is then as new to the search for pictures without use. 'full' where there is no room for it. */
export function addPicture(database: Database, picture: PictureRow, bytesMax: number): 'added' | 'known' | 'full' {
  const { hash, format, bytes, width, height, frames, alt, focus, createdAt, actor } = picture
  if (database.run('UPDATE picture SET named_at = max(named_at, ?) WHERE hash = ?', createdAt, hash) > 0) return 'known'
  if (pictureTotals(database).bytes + bytes > bytesMax) return 'full'
  database.run(
    `INSERT INTO picture (hash, format, bytes, width, height, frames, alt, focus_x, focus_y, created_at, actor, named_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[hash, format, bytes, width, height, frames, alt, focus?.x ?? null, focus?.y ?? null, createdAt, actor ?? null, createdAt],
  )
  return 'added'
}

/** Changes what people say of a picture; false where we do not have it. */
export function describePicture(database: Database, hash: string, { alt, focus }: Pick<PictureRow, 'alt' | 'focus'>): boolean {
  const sql = 'UPDATE picture SET alt = ?, focus_x = ?, focus_y = ? WHERE hash = ?'
  return database.run(sql, alt, focus?.x ?? null, focus?.y ?? null, hash) > 0
}

/** Removes a picture, or says why not: documents name it that belong to the site. */
export function removePicture(database: Database, hash: string): PictureName | 'missing' | 'used' {
  const row = database.get('SELECT hash, format FROM picture WHERE hash = ?', hash)
  if (row === undefined) return 'missing'
  if (pictureUsers(database, hash, 1).length > 0) return 'used'
  database.run('DELETE FROM picture WHERE hash = ?', hash)
  return nameOf(row)
}

export interface RemovedPictures {
  readonly removed: readonly PictureName[]
  /** Where the search goes on; undefined at its end. */
  readonly next: { readonly namedAt: number; readonly hash: string } | undefined
}

/** Removes some pictures that no document names, and that none has named since a time. */
export function removeUnusedPictures(database: Database, before: number, after: RemovedPictures['next']): RemovedPictures {
  const sql = `SELECT hash, format, named_at, ${IS_USED} AS used FROM picture
    WHERE (named_at, hash) > (?, ?) AND named_at < ? ORDER BY named_at, hash LIMIT ${SEEN_PER_STEP}`
  const rows = database.all(sql, after?.namedAt ?? -1, after?.hash ?? '', before)
  const unused = rows.filter(({ used }) => Number(used) === 0).slice(0, REMOVED_PER_STEP)
  for (const { hash } of unused) database.run('DELETE FROM picture WHERE hash = ?', String(hash))
  const last = unused.length === REMOVED_PER_STEP ? unused.at(-1) : rows.length === SEEN_PER_STEP ? rows.at(-1) : undefined
  return { removed: unused.map(nameOf), next: last && { namedAt: Number(last['named_at']), hash: String(last['hash']) } }
}

function placeOf({ createdAt, hash }: PicturePlace): PicturePlace {
  return { createdAt, hash }
}

function placedOf(row: Row): PictureFile & PicturePlace {
  return { ...nameOf(row), bytes: Number(row['bytes']), createdAt: Number(row['created_at']) }
}

function nameOf({ hash, format }: Row): PictureName {
  return { hash: String(hash), format: format as PictureFormat }
}

function countedOf(row: Row): CountedPicture {
  const { bytes, width, height, frames, alt, focus_x: x, focus_y: y, created_at: createdAt, actor, uses } = row
  return {
    ...nameOf(row),
    ...{ bytes: Number(bytes), width: Number(width), height: Number(height), frames: Number(frames), alt: String(alt) },
    focus: x === null || y === null ? undefined : { x: Number(x), y: Number(y) },
    ...{ createdAt: Number(createdAt), actor: actor === null ? undefined : String(actor), uses: Number(uses) },
  }
}
