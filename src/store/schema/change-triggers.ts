/**
 * The triggers that write the change log, the earlier versions and the trash: see history/change-capture.ts, which defines the
 * functions that they call. They are TEMP triggers of the connection that writes: in a stored trigger `trusted_schema=OFF`
 * forbids to call functions of this program, and another program could not write to the file any more.
 */
import { headline } from '../../models/headline.ts'
import { hasHistory } from '../../models/history.ts'
import { publicName, twinName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { tableOf, valueAt } from './names.ts'

/**
 * When a document last named a picture that it does not name any more: earlier versions and the trash name it from then on, which
 * are kept for a time (media/picture-table.ts).
 */
export const CREATE_PICTURE_TRIGGER = `CREATE TEMP TRIGGER "picture/change" AFTER DELETE ON main.picture_use WHEN NOT change_silent()
  BEGIN UPDATE picture SET named_at = max(named_at, change_time()) WHERE hash = old.hash; END;`
export const DROP_PICTURE_TRIGGER = 'DROP TRIGGER IF EXISTS temp."picture/change";'

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const
type ChangeEvent = (typeof EVENTS)[number]

/** The statements that create the triggers of a model. */
export function createChangeTriggers(model: Model, options: TriggerOptions): string {
  return EVENTS.map((event) => `${changeTrigger(model, event, options)};`).join('\n')
}

/** The statements that drop them, where they are there. */
export function dropChangeTriggers(model: Model): string {
  return EVENTS.map((event) => `DROP TRIGGER IF EXISTS temp."${triggerName(model, event)}";`).join('\n')
}

interface TriggerOptions {
  /** Whether deleted content goes to the trash. */
  readonly trash: boolean
}

function triggerName(model: Model, event: ChangeEvent): string {
  return `${model.name}/change ${event}`
}

/**
 * `CREATE TEMP TRIGGER "headline/change UPDATE" AFTER UPDATE ON main."headline" WHEN … BEGIN INSERT INTO change … END`.
 * Tables in the body of a TEMP trigger are looked up in all databases of the connection, and it has only one with these.
 */
function changeTrigger(model: Model, event: ChangeEvent, options: TriggerOptions): string {
  const [earlier, later] = [event === 'INSERT' ? 'NULL' : 'old.doc', event === 'DELETE' ? 'NULL' : 'new.doc']
  // As bytes, which are hashed and compared as they are: texts would be decoded and encoded again.
  const begins = `change_begins(CAST(${earlier} AS BLOB), CAST(${later} AS BLOB))`
  return `CREATE TEMP TRIGGER "${triggerName(model, event)}" AFTER ${event} ON main.${tableOf(model)}
      WHEN ${earlier} IS NOT ${later} AND ${begins} BEGIN ${logged(model, event, options)} ${afterwards(model, event, options)}
      ${publicName(model) === headline.name ? forFeeds(event) : ''} END`
}

/** `INSERT INTO change (…) VALUES ('headline', new.id, 'created', …);` */
function logged(model: Model, event: ChangeEvent, options: TriggerOptions): string {
  const [before, after] = [event === 'INSERT' ? undefined : 'old', event === 'DELETE' ? undefined : 'new']
  const kind = { INSERT: 'created', UPDATE: 'updated', DELETE: 'deleted' }[event]
  const id = `${after ?? before}.id`
  const values = [
    ...[`'${model.name}'`, id, hasHistory(model) ? `change_kind('${kind}')` : onlyKind(model, event), 'change_time()', 'change_actor()'],
    ...['change_before()', 'change_after()'],
    before !== undefined && 'status' in model.fields ? `${before}.${valueAt('status')}` : 'NULL',
    keptText(model, event, options),
  ]
  return `INSERT INTO change (model, id, kind, at, actor, before, after, status_before, replaced)
    VALUES (${values.join(', ')});`
}

/**
 * The kind of a change that replaces the one before it. What was there before was not created now, as a reader may have it.
 * Nor does it only follow other documents while copies that came with the change before have still to be brought up to date.
 */
function onlyKind(model: Model, event: ChangeEvent): string {
  const earlier = `EXISTS (SELECT 1 FROM change WHERE id = ${event === 'DELETE' ? 'old' : 'new'}.id AND model = '${model.name}'`
  if (event === 'INSERT') return `CASE WHEN ${earlier}) THEN 'updated' ELSE 'created' END`
  if (event === 'DELETE') return `'deleted'`
  const pending = `${earlier} AND kind <> 'followed' AND seq > (SELECT seq FROM reference_progress))`
  return `CASE WHEN change_kind('updated') = 'followed' AND NOT ${pending} THEN 'followed' ELSE 'updated' END`
}

/**
 * The replaced text, where it stays as an earlier version. Without a trash, those of a deleted document go with it; a
 * document that moves needs it to read what was before.
 */
function keptText(model: Model, event: ChangeEvent, { trash }: TriggerOptions): string {
  if (!hasHistory(model) || event === 'INSERT') return 'NULL'
  return event === 'UPDATE' || trash ? 'change_text()' : 'CASE WHEN change_moves() THEN change_text() END'
}

/**
 * What follows the row: `DELETE FROM change WHERE id = new.id AND … AND seq < last_insert_rowid();` for personal data, and for
 * a deletion `INSERT OR REPLACE INTO trash (…) SELECT last_insert_rowid(), …;` In a trigger, last_insert_rowid() is that of
 * its own last INSERT (sqlite.org/c3ref/last_insert_rowid.html): the seq. The newest row is there before the earlier one
 * goes, as a seq must not come twice.
 */
function afterwards(model: Model, event: ChangeEvent, { trash }: TriggerOptions): string {
  const id = `${event === 'DELETE' ? 'old' : 'new'}.id`
  if (!hasHistory(model)) return `DELETE FROM change WHERE id = ${id} AND model = '${model.name}' AND seq < last_insert_rowid();`
  if (event !== 'DELETE') return ''
  const names = [model.name, twinName(model)].flatMap((name) => (name === undefined ? [] : `'${name}'`))
  if (!trash) return `UPDATE change SET replaced = NULL WHERE id = old.id AND model IN (${names.join(', ')}) AND replaced IS NOT NULL AND NOT change_moves();`
  return `INSERT OR REPLACE INTO trash (seq, model, id, at, actor, doc)
    SELECT last_insert_rowid(), '${model.name}', old.id, change_time(), change_actor(), old.doc WHERE NOT change_moves();`
}

/**
 * What people do to a headline counts for the feed that has brought it: one that they changed is theirs, and a page that they
 * deleted does not come again, no matter who had typed its address (feeds/feed-items.ts).
 */
function forFeeds(event: ChangeEvent): string {
  const id = `${event === 'DELETE' ? 'old' : 'new'}.id`
  const taken = `UPDATE feed_item SET outcome = 'taken'
    WHERE headline = ${id} AND outcome = 'created' AND change_actor() NOT IN ('feed', 'service');`
  if (event !== 'DELETE') return taken
  return `${taken} INSERT INTO removed_page (page, seen_at) SELECT page, change_time()
    FROM (SELECT change_page(old.${valueAt('url')}) AS page) WHERE page IS NOT NULL AND NOT change_moves()
    ON CONFLICT (page) DO UPDATE SET seen_at = excluded.seen_at;`
}
