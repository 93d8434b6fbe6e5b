/**
 * Which tables are replicated, and which each node keeps for itself.
 *
 * Replicated are the rows that a write decides about. Every node derives counts, hours, model versions and search indexes
 * from them, by the same triggers and the same search code, and keeps its position and its schema notes for itself.
 * Every table that the schema has is in one of the lists; a test compares them with a new file.
 *
 * A replicated table has a primary key, which identifies a row on all nodes: an INTEGER PRIMARY KEY is one more than
 * the largest in the table, so it is the same wherever the rows are the same.
 */
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'

/** Tables beside those of the models, a table before the one that its rows refer to. */
const SERVICE_TABLES: readonly string[] = [
  'code_try',
  'code',
  'session',
  'api_token',
  'setting',
  'passkey',
  'saved_view',
  'signed_out',
  'guest_seen',
  'revoked_token',
  'first_response',
  'rate_hit',
  'client_try',
  'email_try',
  'outbox',
  'change',
  'trash',
  'change_log',
  'redirect',
  'review_note',
  'feed_state',
  'feed_secret',
  'feed_item',
  'feed_picture',
  'publication_secret',
  'publication_ping',
  'removed_page',
  'picture',
  'reference_progress',
  'backup_place',
  'meta',
]

/**
 * The replicated tables, in the order in which a changeset has them: a table comes before the one that its rows refer to.
 * What deleting a user cascades to is deleted by the changeset before the user is, so that no cascade finds a row where it
 * is applied.
 */
export function baseTables(models: readonly Model[]): readonly string[] {
  const names = models.filter((model) => model !== user).map(({ name }) => name)
  return [...SERVICE_TABLES, ...names, ...(models.includes(user) ? [user.name] : [])]
}
