/**
 * The items that feeds had, each once, with what became of it: so that no story comes twice, whatever a feed does, and people
 * keep the last word about a headline. A row stays while the feed has the item, and while its headline exists.
 *
 * That a person changed a headline is noted by triggers (schema/change-triggers.ts), which no way of writing gets past.
 * Functions that write run inside a transaction.
 */
import { DAY_MS } from '../../base/duration.ts'
import { feed as feedModel } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import { incompleteOf } from '../../models/incomplete.ts'
import type { Database, Row } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { forgetPicture } from './item-pictures.ts'

/**
 * What became of an item: a headline that only the feed has changed, one that a person has taken over or deleted, one that retention has
 * archived; an item whose page another headline has or had, one that a rule has dropped, one that no headline can be made of.
 */
export const ITEM_OUTCOMES = ['created', 'taken', 'archived', 'known', 'dropped', 'rejected'] as const
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number]

export interface FeedItemRow {
  readonly feed: string
  /** Identifies the item within its feed. */
  readonly key: string
  /** That of base/page-address.ts; undefined where the item leads nowhere. */
  readonly page: string | undefined
  readonly outcome: ItemOutcome
  /** The id of its headline, or of the one that has its page. */
  readonly headline: string | undefined
  /** Why it is what it is, as JSON of content/feeds/item-reasons.ts; undefined for a whole headline. */
  readonly reason: string | undefined
  /** A hash of what a headline takes from the item. */
  readonly content: string
  /** When it came first, in milliseconds since the epoch. */
  readonly at: number
  readonly seenAt: number
  /** What the item says, as JSON; undefined for all but the newest. */
  readonly item: string | undefined
  /** The address elsewhere of the picture that the service keeps, or is to keep, for the headline: see item-pictures.ts. */
  readonly picture: string | undefined
  /** Whether the headline does not have it yet. */
  readonly isPictureWanted: boolean
}

/** The items of a feed that keep what they say. */
export const KEPT_ITEMS_MAX = 100
/** Items, and pages, of one step. */
const FORGOTTEN_PER_STEP = 100

export function feedItem(database: Database, feed: string, key: string): FeedItemRow | undefined {
  const row = database.get('SELECT * FROM feed_item WHERE feed = ? AND key = ?', feed, key)
  return row && itemOf(row)
}

/** The first item with the page: of the feed, or else of any that has a headline. */
export function itemOfPage(database: Database, page: string, feed: string): FeedItemRow | undefined {
  const sql = 'SELECT * FROM feed_item WHERE page = ?1 AND (feed = ?2 OR headline IS NOT NULL) ORDER BY feed <> ?2, seq LIMIT 1'
  const row = database.get(sql, page, feed)
  return row && itemOf(row)
}

/** The newest items of a feed that keep what they say. */
export function keptItems(database: Database, feed: string): readonly FeedItemRow[] {
  const sql = `SELECT * FROM feed_item WHERE feed = ? AND item IS NOT NULL ORDER BY seq DESC LIMIT ${KEPT_ITEMS_MAX}`
  return database.all(sql, feed).map(itemOf)
}

/** The newest items of all feeds that exist. Each was the newest of its feed, so that it keeps what it says. */
export function newestItems(database: Database, limit: number): readonly FeedItemRow[] {
  const exists = `EXISTS (SELECT 1 FROM ${tableOf(feedModel)} WHERE id = feed_item.feed)`
  return database.all(`SELECT * FROM feed_item WHERE item IS NOT NULL AND ${exists} ORDER BY seq DESC LIMIT ?`, limit).map(itemOf)
}

/** The items that a headline is of, the one that made it first. */
export function itemsOfHeadline(database: Database, id: string): readonly FeedItemRow[] {
  return database.all("SELECT * FROM feed_item WHERE headline = ? ORDER BY outcome = 'known', seq LIMIT 20", id).map(itemOf)
}

/** How many headlines a feed has made since a time. */
export function createdSince(database: Database, feed: string, since: number): number {
  const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM feed_item INDEXED BY feed_item_time WHERE feed = ? AND outcome IN ('created', 'taken', 'archived') AND at >= ? LIMIT 10000)"
  return Number(database.get(sql, feed, since)?.['n'])
}

/** Adds an item, or replaces what is known of it. */
export function putItem(database: Database, row: FeedItemRow): void {
  const values = [row.page, row.outcome, row.headline, row.reason, row.content, row.at, row.seenAt, row.item, row.picture].map((value) => value ?? null)
  database.run(
    `INSERT INTO feed_item (feed, key, page, outcome, headline, reason, content, at, seen_at, item, picture, picture_wanted)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (feed, key) DO UPDATE SET page = excluded.page, outcome = excluded.outcome, headline = excluded.headline,
      reason = excluded.reason, content = excluded.content, at = excluded.at, seen_at = excluded.seen_at, item = excluded.item,
      picture = excluded.picture, picture_wanted = excluded.picture_wanted`,
    ...[row.feed, row.key, ...values, Number(row.isPictureWanted)],
  )
}

/** The feed identifies the item otherwise now. */
export function renameItem(database: Database, { feed, key }: Pick<FeedItemRow, 'feed' | 'key'>, next: string): void {
  database.run('UPDATE feed_item SET key = ? WHERE feed = ? AND key = ?', next, feed, key)
}

/** Takes what they say from all items of a feed but the newest. */
export function trimItems(database: Database, feed: string): void {
  const old = 'SELECT seq FROM feed_item WHERE feed = ? AND item IS NOT NULL ORDER BY seq DESC LIMIT -1 OFFSET ?'
  database.run(`UPDATE feed_item SET item = NULL WHERE seq IN (${old})`, feed, KEPT_ITEMS_MAX)
}

/** Whether a headline with the page was deleted. The page stays known while feeds have it. */
export function isRemovedPage(database: Database, page: string, now: number): boolean {
  return database.run('UPDATE removed_page SET seen_at = max(seen_at, ?) WHERE page = ?', now, page) > 0
}

/** What the retention of a feed archives: headlines from before a time, and those beyond a number. */
export interface RetentionQuery {
  readonly feed: string
  readonly before: number | undefined
  readonly items: number | undefined
  readonly limit: number
}

/**
 * Ids of headlines that the feed has made and that are past their time, the oldest first. No person has changed them, and no
 * reader has saved them.
 */
export function pastRetention(database: Database, { feed, before, items, limit }: RetentionQuery): readonly string[] {
  const own = `SELECT item.seq, item.at, item.headline FROM feed_item AS item JOIN ${tableOf(headline)} AS holder ON holder.id = item.headline
    WHERE item.feed = ?1 AND item.outcome = 'created' AND holder.${valueAt('status')} <> 'archived'`
  const isKept = `EXISTS (SELECT 1 FROM listed_copy WHERE target = '${headline.name}' AND id = headline)`
  const surplus = items === undefined ? 'FALSE' : `seq NOT IN (SELECT seq FROM (${own}) ORDER BY seq DESC LIMIT ?4)`
  const sql = `SELECT headline FROM (${own}) WHERE (at < ?2 OR ${surplus}) AND NOT ${isKept} ORDER BY seq LIMIT ?3`
  const values = [feed, before ?? Number.MIN_SAFE_INTEGER, limit, ...(items === undefined ? [] : [items])]
  return database.all(sql, ...values).map((row) => String(row['headline']))
}

/** Notes that retention has archived a headline. */
export function noteArchived(database: Database, id: string): void {
  database.run("UPDATE feed_item SET outcome = 'archived' WHERE headline = ? AND outcome = 'created'", id)
}

/**
 * Forgets some items that no feed had since a time, and pages that no item leads to any more. Items of headlines that exist
 * stay, and so do those of feeds that have not changed since: they still have them. Returns whether there may be more.
 */
export function forgetUnseen(database: Database, before: number, now: number): boolean {
  const places = [headline, incompleteOf(headline)].flatMap((model) => (model === undefined ? [] : [tableOf(model)]))
  const exists = places.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE id = feed_item.headline)`).join(' OR ')
  const readAt = `(SELECT state ->> '$."lastReadMs"' FROM feed_state WHERE feed = feed_item.feed)`
  const unseen = database.all('SELECT seq, picture FROM feed_item WHERE seen_at < ? ORDER BY seen_at LIMIT ?', before, FORGOTTEN_PER_STEP)
  const list = unseen.map((row) => Number(row['seq'])).join(', ')
  database.run(`DELETE FROM feed_item WHERE seq IN (${list}) AND NOT (${exists}) AND coalesce(${readAt}, ?) > seen_at + ?`, now, 2 * DAY_MS)
  for (const { picture } of unseen) if (picture !== null) forgetPicture(database, String(picture))
  // What stays is looked at again after the same time.
  database.run(`UPDATE feed_item SET seen_at = ? WHERE seq IN (${list})`, now)
  const pages = database.all('SELECT page FROM removed_page WHERE seen_at < ? ORDER BY seen_at LIMIT ?', before, FORGOTTEN_PER_STEP)
  for (const { page } of pages) {
    const isHad = database.get('SELECT 1 FROM feed_item WHERE page = ?', page ?? null) !== undefined
    if (isHad) database.run('UPDATE removed_page SET seen_at = ? WHERE page = ?', now, page ?? null)
    else database.run('DELETE FROM removed_page WHERE page = ?', page ?? null)
  }
  return unseen.length === FORGOTTEN_PER_STEP || pages.length === FORGOTTEN_PER_STEP
}

function itemOf(row: Row): FeedItemRow {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]))
  return {
    ...{ feed: String(row['feed']), key: String(row['key']), page: text('page'), outcome: row['outcome'] as ItemOutcome },
    ...{ headline: text('headline'), reason: text('reason'), content: String(row['content']), item: text('item') },
    ...{ at: Number(row['at']), seenAt: Number(row['seen_at']), picture: text('picture'), isPictureWanted: Number(row['picture_wanted']) === 1 },
  }
}
