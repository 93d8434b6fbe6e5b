/** The migrations of the change log, the earlier versions of documents, and the trash. */
import type { Database } from '../sqlite/database.ts'

const TABLES = `
  -- Each change of a document, in the order of all; before and after are versions.
  CREATE TABLE change (
    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT,
    before TEXT, after TEXT, status_before TEXT, status_after TEXT
  );
  CREATE INDEX change_document ON change (id, model, seq);
  -- For the erasure of a deleted account.
  CREATE INDEX change_actor ON change (actor) WHERE actor NOT IN ('operator', 'service', 'stranger');

  -- The identity of the log, and the seq behind which it is whole.
  CREATE TABLE change_log (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, whole_behind INTEGER NOT NULL);

  -- The text that a change has replaced or deleted, as its difference from the next text.
  CREATE TABLE version (seq INTEGER PRIMARY KEY, delta BLOB NOT NULL);

  -- Deleted documents that can be restored; seq is that of the deletion.
  CREATE TABLE trash (
    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT, doc TEXT NOT NULL,
    UNIQUE (id, model)
  );
  CREATE INDEX trash_order ON trash (model, seq);
  CREATE INDEX trash_actor ON trash (actor) WHERE actor IS NOT NULL;
`

/** The first row of the log of a file with documents: a reader has to read those before it follows the log. */
const BEFORE_THE_LOG = `
  INSERT INTO change (seq, model, id, kind, at) VALUES (1, '', '', 'created', 0);
  UPDATE change_log SET whole_behind = 1;
`

/** On a node of a cluster, the identity of its log serves for the change log, which is then the same on all nodes. */
export function addChangeLog(database: Database): void {
  database.exec(TABLES)
  database.run("INSERT INTO change_log SELECT 1, coalesce((SELECT site FROM log_position), ''), 0")
  const hasModels = database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'user'") !== undefined
  if (hasModels) database.exec(BEFORE_THE_LOG)
}

/**
 * Moves the earlier versions from a table of their own into the rows of their changes, where keeping one costs no further
 * page of the file.
 *
 * In a cluster, nodes of this program wrote nothing to the log of the schema before: readers start over, and histories
 * begin here.
 */
export const DELTAS_IN_THE_LOG = `
  ALTER TABLE change ADD COLUMN delta BLOB;
  UPDATE change SET delta = version.delta FROM version
    WHERE version.seq = change.seq AND NOT EXISTS (SELECT 1 FROM log_position);
  DROP TABLE version;
  -- The seq up to which the deltas were removed.
  ALTER TABLE change_log ADD COLUMN deltas_behind INTEGER NOT NULL DEFAULT 0;
  UPDATE change_log SET whole_behind = coalesce((SELECT max(seq) FROM change), 0)
    WHERE EXISTS (SELECT 1 FROM log_position);
`

/** Only the status before a change is asked for, and each of the two takes a look into the text of its document. */
export const ONE_STATUS = 'ALTER TABLE change DROP COLUMN status_after'

/**
 * The changes of one model, in their order: a reader goes past those of other models without a look at them, such as the
 * settings of all users.
 */
export const CHANGES_BY_MODEL = 'CREATE INDEX change_model ON change (model)'

/** Whether the file has the log as this program writes it: a node of a cluster may have an earlier schema. */
export function hasChangeLog(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'change' AND instr(sql, 'delta')") !== undefined
}
