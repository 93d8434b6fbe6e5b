/**
 * The triggers that derive rows from documents, on each node of a cluster by itself. As triggers they cannot be forgotten:
 * no write gets past them, whichever function, process or program makes it. Those that write the change log are in
 * change-triggers.ts.
 */
import { embeddingsOf, type Embedding } from '../../models/embedding.ts'
import { feed } from '../../models/feed-model.ts'
import { GUEST_DOMAIN } from '../../models/guest.ts'
import { publicName } from '../../models/incomplete.ts'
import { publication } from '../../models/publication-model.ts'
import type { Model } from '../../models/schema.ts'
import { userAppSettings } from '../../models/user-app-settings.ts'
import { userContentPreferences } from '../../models/user-content-preferences.ts'
import { user } from '../../models/user.ts'
import { pictureTriggers } from './picture-uses.ts'
import { hourAt, tableOf, valueAt, type SchemaPart } from './names.ts'

export function modelTriggers(model: Model): readonly SchemaPart[] {
  return [
    ...versionTriggers(model),
    ...pictureTriggers(model),
    ...listedCopyTriggers(model),
    ...guestTriggers(model),
    ...('handedInAt' in model.fields ? [noteTrigger(model)] : []),
    ...(model === feed ? FEED_TRIGGERS : []),
    ...(model === publication ? PUBLICATION_TRIGGERS : []),
    ...(model.counted === undefined ? [] : countTriggers(model)),
    ...(model.timeline === undefined ? [] : hourTriggers(model, model.timeline)),
  ]
}

/** Three triggers that move the version of the model with each change of a document (model-versions.ts), and count documents. */
function versionTriggers(model: Model): readonly SchemaPart[] {
  return Object.entries({ INSERT: 1, UPDATE: 0, DELETE: -1 }).map(([event, added]) => {
    const name = `${model.name}/version ${event}`
    const move = `INSERT INTO model_version (model, version, documents) VALUES ('${model.name}', 1, ${added})
      ON CONFLICT (model) DO UPDATE SET version = version + 1, documents = documents + excluded.documents;`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${tableOf(model)} BEGIN ${move} END` }
  })
}

/** A note to a draft is about what it was: with another status, the draft has none, in whichever of its two tables it is. */
function noteTrigger(model: Model): SchemaPart {
  const [name, status] = [`${model.name}/note UPDATE`, valueAt('status')]
  return {
    name,
    sql: `CREATE TRIGGER "${name}" AFTER UPDATE ON ${tableOf(model)} WHEN old.${status} = 'draft' AND new.${status} <> 'draft'
      BEGIN DELETE FROM review_note WHERE model = '${publicName(model)}' AND id = new.id; END`,
  }
}

const ADDRESS = valueAt('address')

/**
 * What was found out about an address goes with it. The password goes with its feed; it is for one origin, so a feed with
 * another address does not send it elsewhere. The items stay: what a deleted feed has brought must not come again.
 */
const FEED_TRIGGERS: readonly SchemaPart[] = [
  {
    name: 'feed/state UPDATE',
    sql: `CREATE TRIGGER "feed/state UPDATE" AFTER UPDATE ON "feed" WHEN old.${ADDRESS} <> new.${ADDRESS}
      BEGIN DELETE FROM feed_state WHERE feed = old.id; END`,
  },
  {
    name: 'feed/state DELETE',
    sql: `CREATE TRIGGER "feed/state DELETE" AFTER DELETE ON "feed"
      BEGIN DELETE FROM feed_state WHERE feed = old.id; DELETE FROM feed_secret WHERE feed = old.id; END`,
  },
]

/** Moves the version of publications: their pages rest on it, and on more than documents. */
const MOVE_PUBLICATIONS = "UPDATE model_version SET version = version + 1 WHERE model = 'publication';"

/**
 * The secret goes with its publication. A change of it moves the version of the model, so that no page that was read with the
 * former secret is remembered; so does a change of what a picture shows, which pages say.
 */
const PUBLICATION_TRIGGERS: readonly SchemaPart[] = [
  {
    name: 'publication/secret DELETE',
    sql: `CREATE TRIGGER "publication/secret DELETE" AFTER DELETE ON "publication"
      BEGIN DELETE FROM publication_secret WHERE publication = old.id; DELETE FROM publication_ping WHERE publication = old.id; END`,
  },
  ...['INSERT', 'UPDATE', 'DELETE'].map((event) => ({
    name: `publication/secret-version ${event}`,
    sql: `CREATE TRIGGER "publication/secret-version ${event}" AFTER ${event} ON publication_secret
      BEGIN ${MOVE_PUBLICATIONS} END`,
  })),
  ...Object.entries({ INSERT: "new.alt <> ''", UPDATE: 'new.alt <> old.alt', DELETE: "old.alt <> ''" }).map(([event, isSaid]) => ({
    name: `publication/picture-version ${event}`,
    sql: `CREATE TRIGGER "publication/picture-version ${event}" AFTER ${event} ON picture WHEN ${isSaid}
      BEGIN ${MOVE_PUBLICATIONS} END`,
  })),
]

/**
 * Three triggers that keep the number of documents of each status, and of active documents for each value of the
 * tallied paths, so that counting costs one look-up.
 */
function countTriggers(model: Model): readonly SchemaPart[] {
  const status = valueAt('status')
  const tallied = model.tallied ?? []
  const add = `INSERT INTO status_count (model, status, n) VALUES ('${model.name}', new.${status}, 1)
      ON CONFLICT (model, status) DO UPDATE SET n = n + 1;
    ${tallied
      .map(
        (path) => `INSERT INTO key_count (model, path, value, n)
      SELECT '${model.name}', '${path}', new.${valueAt(path)}, 1 WHERE new.${status} = 'active'
      ON CONFLICT (model, path, value) DO UPDATE SET n = n + 1;`,
      )
      .join('\n    ')}`
  const subtract = `UPDATE status_count SET n = n - 1 WHERE model = '${model.name}' AND status = old.${status};
    ${tallied
      .map(
        (path) => `UPDATE key_count SET n = n - 1 WHERE model = '${model.name}' AND path = '${path}'
      AND value = old.${valueAt(path)} AND old.${status} = 'active';`,
      )
      .join('\n    ')}`
  const changed = ['status', ...tallied].map((path) => `old.${valueAt(path)} IS NOT new.${valueAt(path)}`).join(' OR ')
  return changeTriggers(model, 'count', { add, subtract, changed })
}

/**
 * Three triggers that keep the number of documents of each hour. They are apart from those above, as most changes do not
 * change the hour.
 */
function hourTriggers(model: Model, path: string): readonly SchemaPart[] {
  const [before, after] = [hourAt(path, 'old.'), hourAt(path, 'new.')]
  const add = `INSERT INTO hour_count (model, hour, n) SELECT '${model.name}', ${after}, 1 WHERE ${after} IS NOT NULL
      ON CONFLICT (model, hour) DO UPDATE SET n = n + 1;`
  const subtract = `UPDATE hour_count SET n = n - 1 WHERE model = '${model.name}' AND hour = ${before};
    DELETE FROM hour_count WHERE model = '${model.name}' AND hour = ${before} AND n = 0;`
  return changeTriggers(model, 'hours', { add, subtract, changed: `${before} IS NOT ${after}` })
}

interface Changes {
  readonly add: string
  readonly subtract: string
  /** Whether a changed document has to be recounted. */
  readonly changed: string
}

/** `CREATE TRIGGER "headline/count UPDATE" AFTER UPDATE ON "headline" WHEN … BEGIN … END` */
function changeTriggers(
  model: Model,
  purpose: string,
  { add, subtract, changed }: Changes,
): readonly SchemaPart[] {
  const trigger = (event: string, when: string, body: string): SchemaPart => {
    const name = `${model.name}/${purpose} ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${tableOf(model)} ${when} BEGIN ${body} END` }
  }
  return [
    trigger('INSERT', '', add),
    trigger('UPDATE', `WHEN ${changed}`, subtract + add),
    trigger('DELETE', '', subtract),
  ]
}

/** The copies of a model that stand in lists. */
export function listedCopies(model: Model): readonly Embedding[] {
  return embeddingsOf(model).filter(({ lists }) => lists.length > 0)
}

/** Three triggers that keep `listed_copy`. */
function listedCopyTriggers(model: Model): readonly SchemaPart[] {
  if (listedCopies(model).length === 0) return []
  const copiesIn = (row: string): string => selectCopies(model, { doc: `${row}.doc`, seq: `${row}.seq`, from: '' })
  const [before, after] = [copiesIn('old'), copiesIn('new')]
  const add = `INSERT OR IGNORE INTO listed_copy ${after};`
  const remove = `DELETE FROM listed_copy WHERE (target, id, model, seq) IN (${before});`
  const bodies = { INSERT: add, UPDATE: remove + add, DELETE: remove }
  return Object.entries(bodies).map(([event, body]) => {
    const name = `${model.name}/copies ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON "${model.name}" BEGIN ${body} END` }
  })
}

/** SQL of the texts and the seqs of documents; `from` is where they come from. */
interface Rows {
  readonly doc: string
  readonly seq: string
  readonly from: string
}

/**
 * `SELECT 'topic', CASE … copy.value ->> '$."id"' END, 'user_content_preferences', new.seq
 * FROM json_each(new.doc, '$."followedTopics"') AS copy UNION ALL …`. An item without an id is NULL, which the index ignores.
 */
export function selectCopies(model: Model, { doc, seq, from }: Rows): string {
  const arms = listedCopies(model).map(({ target, lists, path }) => {
    const steps = lists.map((list, i) => {
      const of = i === 0 ? doc : `list${i}.value`
      return `json_each(${of}, '${jsonPath(list)}') AS ${i === lists.length - 1 ? 'copy' : `list${i + 1}`}`
    })
    const id = path === '' ? '$."id"' : `${jsonPath(path)}."id"`
    return `SELECT '${target.name}', CASE copy.type WHEN 'object' THEN copy.value ->> '${id}' END, '${model.name}', ${seq}
      FROM ${from}${steps.join(', ')}`
  })
  return arms.join(' UNION ALL ')
}

/** `$."savedFilters"` */
function jsonPath(path: string): string {
  return `$${path.split('.').map((step) => `."${step}"`).join('')}`
}

/** Of a guest beside the documents: rows of sessions and of the change log, and the entries of indexes. */
const BYTES_BESIDE = 2_048
const OWNED: readonly Model[] = [userAppSettings, userContentPreferences]

/** Whether the row of a user is that of a guest; see models/guest.ts. */
export const isGuestRow = (row: string): string => `${row}.doc ->> '$."email"' = ${row}.id || '@${GUEST_DOMAIN}'`
/** The bytes of a guest: its document, those that it owns, and rows beside them. */
export const sizeOf = (row: string): string => {
  const owned = OWNED.map(({ name }) => `coalesce((SELECT octet_length(doc) FROM "${name}" WHERE id = ${row}.id), 0)`)
  return `${BYTES_BESIDE} + octet_length(${row}.doc) + ${owned.join(' + ')}`
}

/**
 * The triggers of a user, and of what users own. What a user owns may be there before the user: a changeset of a cluster has
 * it first, and deletes it first.
 */
function guestTriggers(model: Model): readonly SchemaPart[] {
  const trigger = (event: string, when: string, body: string): SchemaPart => {
    const name = `${model.name}/guests ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON "${model.name}" ${when} BEGIN ${body} END` }
  }
  if (model === user) {
    const add = `INSERT INTO guest_size SELECT new.id, ${sizeOf('new')} WHERE ${isGuestRow('new')};`
    return [
      trigger('INSERT', `WHEN ${isGuestRow('new')}`, add),
      trigger('UPDATE', `WHEN ${isGuestRow('old')} OR ${isGuestRow('new')}`, `DELETE FROM guest_size WHERE user_id = old.id; ${add}`),
      trigger('DELETE', `WHEN ${isGuestRow('old')}`, 'DELETE FROM guest_size WHERE user_id = old.id;'),
    ]
  }
  if (!OWNED.includes(model)) return []
  const change = (id: string, bytes: string): string => `UPDATE guest_size SET bytes = bytes + ${bytes} WHERE user_id = ${id};`
  return [
    trigger('INSERT', '', change('new.id', 'octet_length(new.doc)')),
    trigger('UPDATE', '', change('new.id', '(octet_length(new.doc) - octet_length(old.doc))')),
    trigger('DELETE', '', change('old.id', '(0 - octet_length(old.doc))')),
  ]
}

/** The triggers that keep the sum of what guests have. */
export const SHARED_TRIGGERS: readonly SchemaPart[] = [
  guestTotalTrigger('INSERT', '1, new.bytes'),
  guestTotalTrigger('UPDATE', '0, new.bytes - old.bytes'),
  guestTotalTrigger('DELETE', '-1, -old.bytes'),
]

function guestTotalTrigger(event: string, added: string): SchemaPart {
  const name = `guest_size/total ${event}`
  const add = `INSERT INTO guest_total VALUES (1, ${added})
      ON CONFLICT (one) DO UPDATE SET guests = guests + excluded.guests, bytes = bytes + excluded.bytes;`
  return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON guest_size BEGIN ${add} END` }
}
