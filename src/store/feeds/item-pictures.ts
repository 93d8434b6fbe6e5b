/**
 * Pictures of items that the service is to keep, by their addresses elsewhere: each is fetched once, however many items name it.
 * An item wants its picture until the headline has it, or does not want it any more. An address is due until it is settled: the
 * file that was fetched is noted first, so that a process that is killed goes on from there.
 *
 * Functions that write run inside a transaction.
 */
import { DAY_MS } from '../../base/duration.ts'
import type { Database } from '../db/database.ts'

/** A fetched picture is taken for that of its address this long. One that could not be fetched is not asked for again before. */
const FRESH_MS = DAY_MS

export interface ItemPicture {
  readonly address: string
  /** `HASH.webp`, where it was fetched less than a day ago. */
  readonly file: string | undefined
  /** How often fetching it has failed. */
  readonly tries: number
}

/** An item that wants a picture. */
export interface WantingItem {
  readonly feed: string
  readonly key: string
  readonly headline: string
}

/** The addresses that are due, those first that are due the longest. */
export function duePictures(database: Database, now: number, limit: number): readonly string[] {
  return database.all('SELECT address FROM feed_picture WHERE next_at <= ? ORDER BY next_at, address LIMIT ?', now, limit).map(({ address }) => String(address))
}

/** Undefined where it is not due, as where another feed has been postponed meanwhile. */
export function duePicture(database: Database, address: string, now: number): ItemPicture | undefined {
  const row = database.get('SELECT file, at, tries FROM feed_picture WHERE address = ? AND next_at <= ?', address, now)
  if (row === undefined) return undefined
  const isFresh = row['file'] !== null && Number(row['at']) > now - FRESH_MS
  return { address, file: isFresh ? String(row['file']) : undefined, tries: Number(row['tries']) }
}

/** When the next one is due; undefined where none is wanted. */
export function nextPictureAt(database: Database): number | undefined {
  const at = database.get('SELECT min(next_at) AS at FROM feed_picture WHERE next_at IS NOT NULL')?.['at'] ?? null
  return at === null ? undefined : Number(at)
}

/** Some of the items that want a picture, those of one feed together. */
export function itemsThatWant(database: Database, address: string, limit: number): readonly WantingItem[] {
  const sql = 'SELECT feed, key, headline FROM feed_item WHERE picture = ? AND picture_wanted = 1 ORDER BY feed, seq LIMIT ?'
  return database.all(sql, address, limit).map(({ feed, key, headline }) => ({ feed: String(feed), key: String(key), headline: String(headline) }))
}

/** Why the pictures of the newest items of a feed are not there, by their addresses. */
export function pictureProblems(database: Database, feed: string): ReadonlyMap<string, string> {
  const sql = `SELECT known.address, known.problem FROM feed_item AS item JOIN feed_picture AS known ON known.address = item.picture
    WHERE item.feed = ? AND item.item IS NOT NULL AND item.picture_wanted = 1 AND known.problem IS NOT NULL`
  return new Map(database.all(sql, feed).map(({ address, problem }) => [String(address), String(problem)]))
}

/** Makes a picture due, for an item that wants it. One that is due already stays as it is, and so does one that failed today. */
export function wantPicture(database: Database, address: string, now: number): void {
  database.run(
    `INSERT INTO feed_picture (address, at, next_at, tries) VALUES (?1, ?2, ?2, 0)
      ON CONFLICT (address) DO UPDATE SET next_at = ?2, tries = 0
      WHERE next_at IS NULL AND (problem IS NULL OR at <= ?3)`,
    ...[address, now, now - FRESH_MS],
  )
}

/** The item has its picture, or wants none any more. */
export function ceaseToWant(database: Database, { feed, key }: Pick<WantingItem, 'feed' | 'key'>): void {
  database.run('UPDATE feed_item SET picture_wanted = 0 WHERE feed = ? AND key = ?', feed, key)
}

/** Notes the file of a picture, which headlines get next. */
export function notePictureFile(database: Database, address: string, file: string, now: number): void {
  database.run('UPDATE feed_picture SET file = ?, at = ?, tries = 0, problem = NULL WHERE address = ?', file, now, address)
}

/** No item wants the picture any more. */
export function settlePicture(database: Database, address: string): void {
  database.run('UPDATE feed_picture SET next_at = NULL WHERE address = ?', address)
}

export interface PictureFailure {
  readonly address: string
  /** One sentence, without a full stop. */
  readonly problem: string
  readonly now: number
  /** When it is tried again; undefined where it is not. */
  readonly nextAt: number | undefined
}

/** Notes that a picture could not be fetched or kept. */
export function notePictureFailure(database: Database, { address, problem, now, nextAt }: PictureFailure): void {
  const sql = 'UPDATE feed_picture SET file = NULL, at = ?, tries = tries + 1, problem = ?, next_at = ? WHERE address = ?'
  database.run(sql, now, problem, nextAt ?? null, address)
}

/** The pictures that a feed waits for are due later: a server that is slow or busy does not hold up those of others. */
export function postponePictures(database: Database, feed: string, until: number): void {
  const own = 'SELECT picture FROM feed_item WHERE feed = ? AND picture_wanted = 1'
  database.run(`UPDATE feed_picture SET next_at = ? WHERE next_at < ? AND address IN (${own})`, until, until, feed)
}

/** Forgets what is known of a picture that no item has any more. */
export function forgetPicture(database: Database, address: string): void {
  database.run('DELETE FROM feed_picture WHERE address = ?1 AND NOT EXISTS (SELECT 1 FROM feed_item WHERE picture = ?1)', address)
}
