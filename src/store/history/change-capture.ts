/**
 * Writes the change log (change data capture): each change of a document becomes a row of `change` in the transaction that
 * makes it, whichever function makes it, cascades and merges included.
 *
 * The rows are written by triggers (schema/change-triggers.ts), so that no path can be forgotten. They call functions of this
 * program: for the name of a version, the actor and the time. A node of a cluster that applies an entry finds the rows in the
 * entry, and its triggers are silent meanwhile.
 *
 * For content they also keep the text that a change replaces, packed by the new one, and put what is deleted
 * in the trash. Personal data has neither, and any guest may change it a thousand times a minute: of each such document the
 * log keeps the newest change alone, whose seq every reader of an earlier one has still to come to.
 */
import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { pageKey } from '../../base/page-address.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { actorName, SYSTEM, type Actor, type Visitor } from '../actor.ts'
import type { Database } from '../db/database.ts'
import { CREATE_PICTURE_TRIGGER, createChangeTriggers, DROP_PICTURE_TRIGGER, dropChangeTriggers } from '../schema/change-triggers.ts'
import { packText } from './document-history.ts'

/**
 * Of so many replaced texts, one is packed by itself: reading an earlier one goes over those up to there. Which ones
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
  const logged = models.filter((model) => model !== audit)
  let actor = actorName(SYSTEM)
  let mode: Mode | undefined
  /** The row that a trigger is at: its WHEN clause hands it over once, and the statements of the trigger ask about it. */
  let row: ChangedRow = { earlier: null, later: null, cause: undefined }
  /** Why the rows change that a later statement inserts, in their order. */
  let gathered: Cause[] = []
  const causeNow = (): Cause => ({ actor, kind: mode === 'restored' || mode === 'followed' ? mode : undefined })

  database.define('change_begins', (earlier, later) => {
    row = { earlier: earlier as Uint8Array | null, later: later as Uint8Array | null, cause: gathered.shift() }
    return mode === 'silent' ? 0 : 1
  })
  database.define('change_time', now)
  database.define('change_actor', () => (row.cause ?? causeNow()).actor)
  database.define('change_kind', (kind) => (row.cause ?? causeNow()).kind ?? kind)
  database.define('change_silent', () => (mode === 'silent' ? 1 : 0))
  database.define('change_moves', () => (mode === 'moved' ? 1 : 0))
  database.define('change_before', () => versionOf(row.earlier))
  database.define('change_after', () => versionOf(row.later))
  database.define('change_text', () => packed(row))
  database.define('change_page', (url) => pageKey(String(url ?? '')) ?? null)

  const as = <T>(next: Mode, work: () => T): T => {
    const before = mode
    mode = next
    try {
      return work()
    } finally {
      mode = before
    }
  }

  return {
    /** Creates the triggers. The file has the schema of this program. */
    start(): void {
      for (const model of logged) database.exec(createChangeTriggers(model, { trash }))
      database.exec(CREATE_PICTURE_TRIGGER)
    },
    /** Drops the triggers: a migration must not meet them. */
    stop(): void {
      for (const model of logged) database.exec(dropChangeTriggers(model))
      database.exec(DROP_PICTURE_TRIGGER)
    },
    /** Names the actor of the changes that follow, until it is called again. */
    actBy(next: Actor | Visitor): void {
      actor = actorName(next)
    },
    /** Keeps the present actor and kind for a row that is inserted later, ahead of all other changes. */
    gatherCause: (): void => void gathered.push(causeNow()),
    /** Forgets those of rows that are not inserted. */
    forgetGathered: (): void => void (gathered = []),
    /** Runs work that puts documents back as they were: their changes are of the kind 'restored'. */
    restoring: <T>(work: () => T): T => as('restored', work),
    /** Runs work that brings copies in documents up to date: their changes are of the kind 'followed'. */
    following: <T>(work: () => T): T => as('followed', work),
    /** Runs work that moves a document between its two tables: none is deleted, so all of its past stays. */
    moving: <T>(work: () => T): T => as('moved', work),
    /** Runs work whose changes have rows in the log already. */
    silently: <T>(work: () => T): T => as('silent', work),
  }
}

/** What is special about the changes of some work. */
type Mode = 'restored' | 'followed' | 'moved' | 'silent'

/** What the change of a row came of. */
interface Cause {
  readonly actor: string
  readonly kind: 'restored' | 'followed' | undefined
}

/** The texts of a document before and behind its change, in UTF-8; null where there is none. */
interface ChangedRow {
  readonly earlier: Uint8Array | null
  readonly later: Uint8Array | null
  /** Undefined where it is that of the moment. */
  readonly cause: Cause | undefined
}

function packed({ earlier, later }: ChangedRow): Uint8Array {
  const bytes = earlier ?? new Uint8Array()
  return later === null || randomInt(TEXTS_PER_WHOLE) === 0 ? packText(bytes) : packText(bytes, later)
}

/** The name of a version of a document: its entity tag without the quotes. */
function versionOf(text: Uint8Array | null): string | null {
  return text === null ? null : entityTag(text).slice(1, -1)
}
