/**
 * What fetching a feed has found out, beside its document: validators of HTTP, failures, and when it is due again. It changes
 * with each fetch, so it is no part of the document, whose history and versions are those of its editors.
 *
 * Functions that write run inside a transaction.
 */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { feed } from '../../models/feed-model.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'

export interface FeedState {
  readonly feed: string
  /** In milliseconds since the epoch; undefined for one that has ended. */
  readonly nextAt: number | undefined
  readonly state: JsonObject
}

/** A feed that is to be fetched, with the JSON text of its document. */
export interface DueFeed {
  readonly id: string
  readonly text: string
  /** Undefined for one that was not fetched yet. */
  readonly state: JsonObject | undefined
}

const IS_FETCHED = `${valueAt('paused')} IS NOT 1`

export function feedState(database: Database, id: string): FeedState | undefined {
  const row = database.get('SELECT * FROM feed_state WHERE feed = ?', id)
  return row === undefined ? undefined : stateOf(row)
}

/** Those of all feeds, by the ids of their documents. */
export function feedStates(database: Database): ReadonlyMap<string, FeedState> {
  return new Map(database.all('SELECT * FROM feed_state').map(stateOf).map((state) => [state.feed, state]))
}

/** Feeds that are due at a time and not paused, those first that are due the longest; at most `limit`. */
export function dueFeeds(database: Database, now: number, limit: number): readonly DueFeed[] {
  const sql = `SELECT doc.id, doc.doc, state.state FROM ${tableOf(feed)} AS doc LEFT JOIN feed_state AS state ON state.feed = doc.id
    WHERE ${IS_FETCHED} AND (state.feed IS NULL OR state.next_at <= ?) ORDER BY coalesce(state.next_at, 0), doc.seq LIMIT ?`
  return database.all(sql, now, limit).map(({ id, doc, state }) => {
    return { id: String(id), text: String(doc), state: state === null ? undefined : (parseJson(String(state)) as JsonObject) }
  })
}

/** How many feeds cannot be fetched now, the paused left out. */
export function failingFeeds(database: Database): number {
  const sql = `SELECT count(*) AS count FROM ${tableOf(feed)} AS doc JOIN feed_state AS state ON state.feed = doc.id
    WHERE ${IS_FETCHED} AND state.state ->> '$.problem' IS NOT NULL`
  return Number(database.get(sql)?.['count'])
}

/** When the next feed is due; 0 where one was never fetched, undefined where all are paused or have ended. */
export function nextFeedAt(database: Database): number | undefined {
  const sql = `SELECT min(CASE WHEN state.feed IS NULL THEN 0 ELSE state.next_at END) AS at FROM ${tableOf(feed)} AS doc LEFT JOIN feed_state AS state ON state.feed = doc.id
    WHERE ${IS_FETCHED}`
  const at = database.get(sql)?.['at'] ?? null
  return at === null ? undefined : Number(at)
}

/** Keeps the state of a feed that exists with this address: of one that was changed meanwhile, nothing is known yet. */
export function putFeedState(database: Database, { feed: id, nextAt, state }: FeedState, address: string): boolean {
  const sql = `INSERT INTO feed_state (feed, next_at, state) SELECT id, ?, ? FROM ${tableOf(feed)} WHERE id = ? AND ${valueAt('address')} = ?
    ON CONFLICT (feed) DO UPDATE SET next_at = excluded.next_at, state = excluded.state`
  return database.run(sql, nextAt ?? null, JSON.stringify(state), id, address) === 1
}

function stateOf(row: { readonly [name: string]: unknown }): FeedState {
  return { feed: String(row['feed']), nextAt: row['next_at'] === null ? undefined : Number(row['next_at']), state: parseJson(String(row['state'])) as JsonObject }
}
