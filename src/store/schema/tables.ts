/**
 * The tables, but for those of the search indexes (search-tables.ts). All are STRICT, so that a row has the types of its
 * columns (sqlite.org/stricttables.html), and `PRAGMA integrity_check` finds one that does not in a file of others.
 *
 * A replicated table has a primary key: see cluster/changeset.ts.
 */
import { PICTURE_FORMATS } from '../../media/picture-format.ts'
import type { Model } from '../../models/schema.ts'
import { tableOf, type SchemaPart } from './names.ts'

/** Times are milliseconds since the epoch, unless said otherwise. */
export const SERVICE_TABLES = `
  CREATE TABLE meta (
    name TEXT PRIMARY KEY, value TEXT NOT NULL CHECK (name NOT GLOB 'note:*' OR json_valid(value))
  ) WITHOUT ROWID, STRICT;

  -- For each address at most one code that was mailed and one that the operator made; mac is HMAC(purpose, email, code), and
  -- wrong counts the tries of all clients.
  CREATE TABLE code (
    email TEXT NOT NULL, maker TEXT NOT NULL, mac BLOB NOT NULL, wrong INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL, PRIMARY KEY (email, maker)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX code_expiry ON code (expires_at);
  -- Wrong tries of one client at a code; client is an HMAC of its address.
  CREATE TABLE code_try (
    email TEXT NOT NULL, maker TEXT NOT NULL, client BLOB NOT NULL, wrong INTEGER NOT NULL,
    PRIMARY KEY (email, maker, client), FOREIGN KEY (email, maker) REFERENCES code (email, maker) ON DELETE CASCADE
  ) WITHOUT ROWID, STRICT;

  -- Accepted requests of rate limits that survive a restart; key is an HMAC of the address or e-mail.
  CREATE TABLE rate_hit (
    seq INTEGER PRIMARY KEY, key BLOB NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX rate_hit_key ON rate_hit (key, at);
  CREATE INDEX rate_hit_expiry ON rate_hit (expires_at);
  -- Wrong codes by client and by email: like rate_hit, and apart from it.
  CREATE TABLE client_try (
    seq INTEGER PRIMARY KEY, key BLOB NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX client_try_key ON client_try (key, at);
  CREATE INDEX client_try_expiry ON client_try (expires_at);
  CREATE TABLE email_try (
    seq INTEGER PRIMARY KEY, key BLOB NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX email_try_key ON email_try (key, at);
  CREATE INDEX email_try_expiry ON email_try (expires_at);

  -- Tokens that were issued, so that they can be seen and ended; used_at is true to within a few minutes.
  CREATE TABLE session (
    jti TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX session_user ON session (user_id, created_at);
  CREATE INDEX session_expiry ON session (expires_at);
  -- Tokens that were signed out before they expired.
  CREATE TABLE revoked_token (jti TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
  CREATE INDEX revoked_token_expiry ON revoked_token (expires_at);
  -- Tokens of a user that were issued before this time, in seconds, do not hold.
  CREATE TABLE signed_out (
    user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE, before INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  -- When a guest was last here, so that those who stay away can be removed.
  CREATE TABLE guest_seen (user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE, at INTEGER NOT NULL)
    WITHOUT ROWID, STRICT;
  CREATE INDEX guest_seen_at ON guest_seen (at);

  -- hash is that of the token, and limits what it may do, as JSON.
  CREATE TABLE api_token (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, limits TEXT NOT NULL CHECK (CASE WHEN json_valid(limits) THEN json_type(limits) = 'object' ELSE 0 END),
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX api_token_user ON api_token (user_id);
  CREATE INDEX api_token_expiry ON api_token (expires_at);
  -- The id and the public key are base64url; origin is that of the page where the passkey was made.
  CREATE TABLE passkey (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, origin TEXT NOT NULL,
    public_key TEXT NOT NULL, sign_count INTEGER NOT NULL, is_backed_up INTEGER NOT NULL, name TEXT NOT NULL,
    created_at INTEGER NOT NULL, used_at INTEGER
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX passkey_user ON passkey (user_id, created_at);
  -- Lists of the dashboard that users have named; query is that of the URL.
  CREATE TABLE saved_view (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, name TEXT NOT NULL,
    model TEXT NOT NULL, query TEXT NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX saved_view_user ON saved_view (user_id, name, id);

  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL, changed_at INTEGER NOT NULL) WITHOUT ROWID, STRICT;

  -- Mail on its way: kind is what it brings, a sign-in code or an invitation. The content is sealed and erased when the
  -- message is done. A message keeps its time while it is taken, and the operator sees when it was tried.
  CREATE TABLE outbox (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, sealed BLOB, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL, done_at INTEGER, reply TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0, tried_at INTEGER, kind TEXT NOT NULL DEFAULT 'code'
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX outbox_due ON outbox (state, due_at);
  CREATE INDEX outbox_address ON outbox (address);
  -- For the records whose time to be kept is over.
  CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;
  -- For the messages whose code is about to expire.
  CREATE INDEX outbox_expiry ON outbox (expires_at) WHERE state = 'waiting';

  -- First responses to requests with an Idempotency-Key, for repetitions; fingerprint is a hash of the request.
  CREATE TABLE first_response (
    seq INTEGER PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, key TEXT NOT NULL,
    fingerprint BLOB NOT NULL, status INTEGER NOT NULL, data TEXT NOT NULL, bytes INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, UNIQUE (user_id, key)
  ) STRICT;
  CREATE INDEX first_response_user ON first_response (user_id, expires_at, bytes);
  CREATE INDEX first_response_expiry ON first_response (expires_at);

  -- What an administrator wrote when giving a draft back to its author.
  CREATE TABLE review_note (
    model TEXT NOT NULL, id TEXT NOT NULL, note TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (model, id)
  ) WITHOUT ROWID, STRICT;

  -- Each change of a document, in the order of all; before and after are versions, and "replaced" is the text that the change
  -- has replaced or deleted, compressed by the next text (history/document-history.ts). Only the status before a change is asked for.
  CREATE TABLE change (
    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT,
    before TEXT, after TEXT, status_before TEXT, replaced BLOB
  ) STRICT;
  CREATE INDEX change_document ON change (id, model, seq);
  -- The changes of one model, in their order: a reader goes past those of other models without a look at them.
  CREATE INDEX change_model ON change (model);
  -- For the erasure of a deleted account.
  CREATE INDEX change_actor ON change (actor) WHERE actor NOT IN ('operator', 'service', 'stranger', 'feed');
  -- The identity of the log, the seq behind which it is whole, and the seq up to which the replaced texts were removed.
  CREATE TABLE change_log (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, whole_behind INTEGER NOT NULL,
    texts_behind INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO change_log (one, id, whole_behind) VALUES (1, '', 0);
  -- Deleted documents that can be restored; seq is that of the deletion.
  CREATE TABLE trash (
    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT,
    doc TEXT NOT NULL CHECK (CASE WHEN json_valid(doc) THEN json_type(doc) = 'object' ELSE 0 END), UNIQUE (id, model)
  ) STRICT;
  CREATE INDEX trash_order ON trash (model, seq);
  CREATE INDEX trash_actor ON trash (actor) WHERE actor IS NOT NULL;

  -- Copies have followed the changes up to this seq; work is what is under way: see references/reference-progress.ts.
  CREATE TABLE reference_progress (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL,
    work TEXT CHECK (CASE WHEN json_valid(work) THEN json_type(work) = 'object' ELSE work IS NULL END)
  ) STRICT;
  INSERT INTO reference_progress (one, seq) VALUES (1, 0);
  -- Deleted documents whose copies become copies of another one.
  CREATE TABLE redirect (model TEXT NOT NULL, id TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (model, id))
    WITHOUT ROWID, STRICT;

  -- What fetching a feed has found out, and when it is due again, if ever; a trigger removes it where the feed gets another address.
  CREATE TABLE feed_state (
    feed TEXT PRIMARY KEY, next_at INTEGER,
    state TEXT NOT NULL CHECK (CASE WHEN json_valid(state) THEN json_type(state) = 'object' ELSE 0 END)
  ) WITHOUT ROWID, STRICT;
  -- The sealed password of a feed, and the origin that it is for: see feeds/feed-secret.ts.
  CREATE TABLE feed_secret (feed TEXT PRIMARY KEY, origin TEXT NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID, STRICT;
  -- The SHA-256 of the secret in the address of a publication.
  CREATE TABLE publication_secret (publication TEXT PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID, STRICT;
  -- What the hub was told of last: a hash of what the feeds of a publication had then.
  CREATE TABLE publication_ping (publication TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID, STRICT;
  -- The items that a feed had, with what became of each: see feeds/feed-items.ts. The newest keep what they say.
  CREATE TABLE feed_item (
    seq INTEGER PRIMARY KEY, feed TEXT NOT NULL, key TEXT NOT NULL, page TEXT, outcome TEXT NOT NULL, headline TEXT, reason TEXT,
    content TEXT NOT NULL, at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
    item TEXT CHECK (CASE WHEN json_valid(item) THEN json_type(item) = 'object' ELSE item IS NULL END),
    picture TEXT, picture_wanted INTEGER NOT NULL DEFAULT 0, UNIQUE (feed, key)
  ) STRICT;
  CREATE INDEX feed_item_page ON feed_item (page, feed) WHERE page IS NOT NULL;
  CREATE INDEX feed_item_headline ON feed_item (headline) WHERE headline IS NOT NULL;
  CREATE INDEX feed_item_seen ON feed_item (seen_at);
  CREATE INDEX feed_item_picture ON feed_item (picture, picture_wanted, feed) WHERE picture IS NOT NULL;
  -- For the headlines of a day.
  CREATE INDEX feed_item_time ON feed_item (feed, at);
  CREATE INDEX feed_item_kept ON feed_item (feed, seq) WHERE item IS NOT NULL;
  -- Headlines that retention may archive: those of the feed that no person has changed.
  CREATE INDEX feed_item_own ON feed_item (feed, seq) WHERE outcome = 'created';
  -- Pictures of items that the service is to keep, by their addresses elsewhere: see feeds/item-pictures.ts.
  CREATE TABLE feed_picture (
    address TEXT PRIMARY KEY, file TEXT, at INTEGER NOT NULL, next_at INTEGER, tries INTEGER NOT NULL, problem TEXT
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX feed_picture_due ON feed_picture (next_at) WHERE next_at IS NOT NULL;
  -- Pages that deleted headlines led to, as hashes: no feed brings them again.
  CREATE TABLE removed_page (page TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
  CREATE INDEX removed_page_seen ON removed_page (seen_at);

  -- Pictures of our own, named by their SHA-256; the files are beside the database (media/picture-files.ts). named_at is when
  -- a document last named one that none names now; the focus is in hundredths from the left and from the top.
  CREATE TABLE picture (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    format TEXT NOT NULL CHECK (format IN (${Object.keys(PICTURE_FORMATS).map((name) => `'${name}'`).join(', ')})),
    bytes INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, frames INTEGER NOT NULL, alt TEXT NOT NULL,
    focus_x INTEGER, focus_y INTEGER, created_at INTEGER NOT NULL, actor TEXT, named_at INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX picture_order ON picture (created_at, hash);
  CREATE INDEX picture_named ON picture (named_at, hash);
  -- For the sum of all.
  CREATE INDEX picture_bytes ON picture (bytes);
  -- For the erasure of a deleted account.
  CREATE INDEX picture_actor ON picture (actor) WHERE actor IS NOT NULL;
  -- What the places of off-site backups have: see pending/pending-changes.ts.
  CREATE TABLE backup_place (
    name TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (CASE WHEN json_valid(state) THEN json_type(state) = 'object' ELSE 0 END)
  ) WITHOUT ROWID, STRICT;
  -- Commits that these places have still to store, as changesets, and the chain that they continue: see pending/pending-changes.ts.
  CREATE TABLE pending_change (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, changeset BLOB NOT NULL) STRICT;
  CREATE TABLE change_chain (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, seq INTEGER NOT NULL, bytes INTEGER NOT NULL, broken TEXT
  ) STRICT;

  -- The start of the machine since which transactions were not synced; no row where all are: see db/unsynced-mark.ts.
  CREATE TABLE unsynced_since (one INTEGER PRIMARY KEY CHECK (one = 1), machine_start TEXT NOT NULL) STRICT;

  -- The last entry of the cluster's log that this file contains; no row where it belongs to no cluster.
  CREATE TABLE log_position (
    one INTEGER PRIMARY KEY CHECK (one = 1), site TEXT NOT NULL, position INTEGER NOT NULL, entry TEXT NOT NULL
  ) STRICT;
`

/** A guest that keeps more is large: followed topics, settings and some dozens of saved headlines are less. */
export const LARGE_GUEST_BYTES = 32 * 1024

/** What triggers derive from documents, on each node of a cluster: see triggers.ts. */
export const DERIVED_TABLES = `
  -- Moves with each change of a document of the model.
  CREATE TABLE model_version (model TEXT PRIMARY KEY, version INTEGER NOT NULL, documents INTEGER NOT NULL)
    WITHOUT ROWID, STRICT;

  CREATE TABLE status_count (model TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, status))
    WITHOUT ROWID, STRICT;
  -- How many active documents have a value at an indexed path.
  CREATE TABLE key_count (
    model TEXT NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, path, value)
  ) WITHOUT ROWID, STRICT;
  -- How many documents of a model with a timeline there are of each hour: 2026-03-01T12, in UTC.
  CREATE TABLE hour_count (model TEXT NOT NULL, hour TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (model, hour))
    WITHOUT ROWID, STRICT;

  -- The copy of a document in a list of the document with this seq, which no index on an expression can find.
  CREATE TABLE listed_copy (
    target TEXT NOT NULL, id TEXT NOT NULL, model TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (target, id, model, seq)
  ) WITHOUT ROWID, STRICT;

  -- That the document with this seq names a picture of ours in the address of a picture, whether we have it or not.
  CREATE TABLE picture_use (hash TEXT NOT NULL, model TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (hash, model, seq))
    WITHOUT ROWID, STRICT;
  CREATE INDEX picture_use_document ON picture_use (model, seq);

  -- The bytes of each guest, and their sum.
  CREATE TABLE guest_size (user_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID, STRICT;
  CREATE INDEX large_guest ON guest_size (bytes) WHERE bytes > ${LARGE_GUEST_BYTES};
  CREATE TABLE guest_total (
    one INTEGER PRIMARY KEY CHECK (one = 1), guests INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT;
`

/**
 * A stored model has one table: `seq` (the order of insertion), `id`, and `doc`, the JSON text that a read sends
 * unchanged. Indexes are on expressions over `doc`, so there are no columns to keep in step.
 */
export function modelTable(model: Model): SchemaPart {
  const owner = model.owned === undefined ? '' : ' REFERENCES user (id) ON DELETE CASCADE'
  const columns = `seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE${owner}, doc TEXT NOT NULL`
  return { name: model.name, sql: `CREATE TABLE ${tableOf(model)} (${columns}) STRICT` }
}
