/**
 * Gives stored headlines their `publishedAt`: what is or was published has that of its creation, so that it keeps its place
 * in lists that are sorted by it. A `publishedAt` that clients kept there is taken where SQLite can read it as a date
 * (sqlite.org/lang_datefunc.html). A `publishAt` or `unpublishAt` of theirs goes: it was never meant for this service.
 */
import type { Database } from './database.ts'
import { changeTexts } from './logo-urls.ts'

/** Of texts such as 'now', SQLite makes the present, which is another one on each node of a cluster. */
const IS_DATE = "doc ->> '$.publishedAt' GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"
const GIVEN = `CASE WHEN ${IS_DATE} THEN strftime('%Y-%m-%dT%H:%M:%fZ', doc ->> '$.publishedAt') END`
const CLEARED = "json_remove(doc, '$.publishedAt', '$.publishAt', '$.unpublishAt')"

const DOC = `CASE WHEN doc ->> '$.status' = 'draft' AND ${GIVEN} IS NULL THEN ${CLEARED}
  ELSE json_set(${CLEARED}, '$.publishedAt', coalesce(${GIVEN}, doc ->> '$.createdAt')) END`
const WHERE = `doc ->> '$.status' <> 'draft'
  OR coalesce(json_type(doc, '$.publishedAt'), json_type(doc, '$.publishAt'), json_type(doc, '$.unpublishAt')) IS NOT NULL`

/** Followers of the change log find no change of these texts in it: they have to start over behind this row. */
const START_OVER = `
  INSERT INTO change (model, id, kind, at) SELECT '', '', 'created', 0
    WHERE (SELECT max(seq) FROM change) > (SELECT whole_behind FROM change_log);
  UPDATE change_log SET whole_behind = coalesce((SELECT max(seq) FROM change), whole_behind);
`
/** What is remembered of headlines on a running node is not current any more. */
const NEW_VERSION = "UPDATE model_version SET version = version + 1 WHERE model = 'headline'"

/** A migration. */
export function addPublicationDates(database: Database): void {
  if (!changeTexts(database, { table: 'headline', doc: DOC, where: WHERE })) return
  database.exec(START_OVER)
  const isVersioned = database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'model_version'") !== undefined
  if (isVersioned) database.exec(NEW_VERSION)
}
