/**
 * Writes the change log (change data capture): each change of a document becomes a row of `change` in the transaction that
 * makes it, whichever function makes it, cascades and merges included.
 *
 * The rows are written by triggers, so that no path can be forgotten. They are TEMP triggers of the connection that
 * writes, because they call functions of this program: for the name of a version, the actor and the time. In a stored
 * trigger, `trusted_schema=OFF` forbids that, and another program could not write to the file any more. A node of a cluster
 * that applies an entry finds the rows in the entry, and its triggers are silent meanwhile.
 *
 * For content they also keep the text that a change replaces, as its difference from the new one, and put what is deleted
 * in the trash. Personal data has neither, and any guest may change it a thousand times a minute: of each such document the
 * log keeps the newest change alone, whose seq every reader of an earlier one has still to come to.
 */
import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { entityTag } from '../../http/request/entity-tag.ts'
import { audit } from '../../models/audit.ts'
import { hasHistory } from '../../models/history.ts'
import { twinName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { SYSTEM, type Actor, type Visitor } from '../actor.ts'
import { sourceOf } from '../audit/audit-record.ts'
import type { Database } from '../sqlite/database.ts'
import { tableOf, valueAt } from '../sqlite/schema-sql.ts'
import { hasReferences } from '../references/reference-schema.ts'
import { hasChangeLog } from './change-schema.ts'
import { deltaOf } from './text-delta.ts'

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const
type ChangeEvent = (typeof EVENTS)[number]

/**
 * Of so many replaced texts, one is kept as a whole: reading an earlier one goes over the differences up to there. Which ones
 * is drawn by lot: by a rule, clients could see to it that no text of a document is among them, or do so by chance.
 */
const TEXTS_PER_WHOLE = 32

export interface CaptureOptions {
  readonly models: readonly Model[]
  /** In milliseconds since the epoch. */
  readonly now: Clock
  /** Whether deleted content goes to the trash. */
  readonly trash: boolean
}

export type ChangeCapture = ReturnType<typeof captureChanges>

/** Captures what this connection changes, from `start()` on. */
export function captureChanges(database: Database, { models, now, trash }: CaptureOptions) {
  let actor = actorName(SYSTEM)
  let isSilent = false
  let isMoving = false
  let kindNow: Cause['kind']
  /** The texts of the row that a trigger is at: its WHEN clause hands them over once, and its statements ask about them. */
  let texts: Texts = { earlier: null, later: null }
  /** The actors and kinds of rows that a later statement inserts, in their order; and those of the row that a trigger is at. */
  let gathered: Cause[] = []
  let causeOfRow: Cause | undefined
  const logged = models.filter((model) => model !== audit)

  database.define('change_begins', (earlier, later) => {
    if (!isSilent) texts = { earlier: earlier as Uint8Array | null, later: later as Uint8Array | null }
    causeOfRow = gathered.length === 0 ? undefined : gathered.shift()
    return isSilent ? 0 : 1
  })
  database.define('change_time', now)
  database.define('change_actor', () => (causeOfRow ?? { actor }).actor)
  database.define('change_kind', (kind) => (causeOfRow ?? { kind: kindNow }).kind ?? kind)
  database.define('change_moves', () => (isMoving ? 1 : 0))
  database.define('change_before', () => versionOf(texts.earlier))
  database.define('change_after', () => versionOf(texts.later))
  database.define('change_delta', () => deltaOrWhole(texts))

  const as = <T>(kind: typeof kindNow, work: () => T): T => {
    kindNow = kind
    try {
      return work()
    } finally {
      kindNow = undefined
    }
  }

  return {
    /** Creates the triggers. A node of a cluster may have a file of a schema without the log, or without a table. */
    start(): void {
      if (!hasChangeLog(database)) return
      const stored = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
      const isFollowed = hasReferences(database)
      for (const model of logged) {
        if (database.get(stored, model.name) === undefined) continue
        for (const event of EVENTS) database.exec(changeTrigger(model, event, { trash, isFollowed }))
      }
    },
    /** Drops the triggers: a migration must not meet them. */
    stop(): void {
      for (const model of logged) for (const event of EVENTS) database.exec(`DROP TRIGGER IF EXISTS temp."${triggerName(model, event)}"`)
    },
    /** Names the actor of the changes that follow, until it is called again. */
    actBy(next: Actor | Visitor): void {
      actor = actorName(next)
    },
    /** Keeps the present actor and kind for a row that is inserted later, ahead of all other changes. */
    gatherCause: (): void => void gathered.push({ actor, kind: kindNow }),
    /** Forgets those of rows that are not inserted. */
    forgetGathered: (): void => void (gathered = []),
    /** Runs work that puts documents back as they were: their changes are of the kind 'restored'. */
    restoring: <T>(work: () => T): T => as('restored', work),
    /** Runs work that brings copies in documents up to date: their changes are of the kind 'followed'. */
    following: <T>(work: () => T): T => as('followed', work),
    /** Runs work that moves a document between its two tables: none is deleted, so all of its past stays. */
    moving<T>(work: () => T): T {
      isMoving = true
      try {
        return work()
      } finally {
        isMoving = false
      }
    },
    /** Runs work whose changes have rows in the log already. */
    silently<T>(work: () => T): T {
      isSilent = true
      try {
        return work()
      } finally {
        isSilent = false
      }
    },
  }
}

/** What the change of a row came of. */
interface Cause {
  readonly actor: string
  readonly kind: 'restored' | 'followed' | undefined
}

/** The texts of a document before and behind a change, in UTF-8; null where there is none. */
interface Texts {
  readonly earlier: Uint8Array | null
  readonly later: Uint8Array | null
}

function deltaOrWhole({ earlier, later }: Texts): Uint8Array {
  const bytes = earlier ?? new Uint8Array()
  return later === null || randomInt(TEXTS_PER_WHOLE) === 0 ? deltaOf(bytes) : deltaOf(bytes, later)
}

/** The name of a version of a document: its entity tag without the quotes. */
function versionOf(text: Uint8Array | null): string | null {
  return text === null ? null : entityTag(text).slice(1, -1)
}

/** The id of a user, or `operator`, `service` or `stranger` as in the audit trail. Ids of users are none of these. */
function actorName(actor: Actor | Visitor): string {
  const { actor: userId, role } = sourceOf(actor, undefined)
  return actor.kind === 'caller' ? userId : role
}

interface TriggerOptions {
  readonly trash: boolean
  /** Whether copies follow the log: the file has their progress. */
  readonly isFollowed: boolean
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
      WHEN ${earlier} IS NOT ${later} AND ${begins} BEGIN ${logged(model, event, options)} ${afterwards(model, event, options)} END`
}

/** `INSERT INTO change (…) VALUES ('headline', new.id, 'created', …);` */
function logged(model: Model, event: ChangeEvent, options: TriggerOptions): string {
  const [before, after] = [event === 'INSERT' ? undefined : 'old', event === 'DELETE' ? undefined : 'new']
  const kind = { INSERT: 'created', UPDATE: 'updated', DELETE: 'deleted' }[event]
  const id = `${after ?? before}.id`
  const values = [
    ...[`'${model.name}'`, id, hasHistory(model) ? `change_kind('${kind}')` : onlyKind(model, event, options), 'change_time()', 'change_actor()'],
    ...['change_before()', 'change_after()'],
    before !== undefined && 'status' in model.fields ? `${before}.${valueAt('status')}` : 'NULL',
    keptText(model, event, options),
  ]
  return `INSERT INTO change (model, id, kind, at, actor, before, after, status_before, delta)
    VALUES (${values.join(', ')});`
}

/**
 * The kind of a change that replaces the one before it. What was there before was not created now, as a reader may have it.
 * Nor does it only follow other documents while copies that came with the change before have still to be brought up to date.
 */
function onlyKind(model: Model, event: ChangeEvent, { isFollowed }: TriggerOptions): string {
  const earlier = `EXISTS (SELECT 1 FROM change WHERE id = ${event === 'DELETE' ? 'old' : 'new'}.id AND model = '${model.name}'`
  if (event === 'INSERT') return `CASE WHEN ${earlier}) THEN 'updated' ELSE 'created' END`
  if (event === 'DELETE') return `'deleted'`
  if (!isFollowed) return `change_kind('updated')`
  const pending = `${earlier} AND kind <> 'followed' AND seq > (SELECT seq FROM reference_progress))`
  return `CASE WHEN change_kind('updated') = 'followed' AND NOT ${pending} THEN 'followed' ELSE 'updated' END`
}

/**
 * The replaced text, where it stays as an earlier version. Without a trash, those of a deleted document go with it; a
 * document that moves needs it to read what was before.
 */
function keptText(model: Model, event: ChangeEvent, { trash }: TriggerOptions): string {
  if (!hasHistory(model) || event === 'INSERT') return 'NULL'
  return event === 'UPDATE' || trash ? 'change_delta()' : 'CASE WHEN change_moves() THEN change_delta() END'
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
  if (!trash) return `UPDATE change SET delta = NULL WHERE id = old.id AND model IN (${names.join(', ')}) AND delta IS NOT NULL AND NOT change_moves();`
  return `INSERT OR REPLACE INTO trash (seq, model, id, at, actor, doc)
    SELECT last_insert_rowid(), '${model.name}', old.id, change_time(), change_actor(), old.doc WHERE NOT change_moves();`
}
