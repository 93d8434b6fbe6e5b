/**
 * Passwords of basic authentication, each sealed with a key that is not in the database. They are no members of documents,
 * whose texts go to readers, the history, exports and changes. A password is for one origin: an administrator who changes the
 * address of a feed does not get it sent elsewhere.
 */
import type { Database } from '../db/database.ts'

export interface FeedSecret {
  readonly origin: string
  readonly sealed: Uint8Array
}

export function feedSecret(database: Database, id: string): FeedSecret | undefined {
  const row = database.get('SELECT origin, sealed FROM feed_secret WHERE feed = ?', id)
  return row === undefined ? undefined : { origin: String(row['origin']), sealed: row['sealed'] as Uint8Array }
}

/** The ids of the feeds that have one. */
export function feedsWithSecret(database: Database): ReadonlySet<string> {
  return new Set(database.all('SELECT feed FROM feed_secret').map((row) => String(row['feed'])))
}

/** Replaces it, or removes it; false where there is no such feed. Runs inside a transaction. */
export function putFeedSecret(database: Database, id: string, secret: FeedSecret | undefined): boolean {
  if (database.get('SELECT 1 FROM feed WHERE id = ?', id) === undefined) return false
  database.run('DELETE FROM feed_secret WHERE feed = ?', id)
  if (secret !== undefined) database.run('INSERT INTO feed_secret (feed, origin, sealed) VALUES (?, ?, ?)', id, secret.origin, secret.sealed)
  return true
}
