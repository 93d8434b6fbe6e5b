/** The audit trail: the record of a write is a row of the same transaction. Listeners hear of it after the commit. */
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { idGenerator } from '../../base/ids.ts'
import { writeJson, type JsonObject } from '../../base/json.ts'
import type { LogFields } from '../../base/log.ts'
import { audit, DELETED_ACTOR, type AuditEvent, type AuditRecord, type AuditRole } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { ACTOR_NAMES, SYSTEM, type Actor, type Visitor } from '../actor.ts'
import type { Database } from '../db/database.ts'
import { tableOf } from '../schema/names.ts'
import { createAuditBounds } from './audit-bounds.ts'

/** Who did it, and from where; unknown texts are empty. */
export type AuditSource = Pick<AuditRecord, 'actor' | 'role' | 'clientAddress' | 'sessionId' | 'requestId'>

/** What was done. Omitted members are empty; members of the source replace the actor's own. */
export interface AuditEntry extends Partial<Omit<AuditRecord, 'id' | 'time' | 'event'>> {
  readonly event: AuditEvent
}

export interface AuditOutside {
  /** Called for each record once it is on disk. */
  recorded(record: AuditRecord): void
  /** Called for each record that is left out because there are too many. */
  suppressed(event: AuditEvent): void
  /** The hashes of an email: first the one for new records, then those that older records may have. */
  emailHashes(email: string): readonly string[]
}

interface AuditTrailParts {
  readonly now: Clock
  readonly outside: AuditOutside
  readonly inserts: GatheredRecords
}

export type AuditTrail = ReturnType<typeof createAuditTrail>

/** Makes a record of how many records were left out, if any were. */
export const SUPPRESSED: AuditEntry = { event: 'audit.suppressed' }

/** Of one record: its lists, the names in them, and all other texts. */
const ITEMS_MAX = 100
const NAME_CHARS_MAX = 120
const VALUE_CHARS_MAX = 300

const NOWHERE = { clientAddress: '', requestId: '' }
const SERVICE = sourceOf(SYSTEM, undefined)

export function createAuditTrail(
  database: Database,
  { now, outside, inserts }: AuditTrailParts,
) {
  const newId = idGenerator(now)
  const bounds = createAuditBounds(outside.suppressed)
  const insert = (entry: AuditEntry, source: AuditSource): AuditRecord => {
    const record = recordOf(entry, source, { id: newId(), now: now() })
    insertRecord({ database, inserts }, record)
    return record
  }
  const isAdmitted = ({ event, role, actor }: AuditEntry, source: AuditSource): boolean => {
    const sender = { role: role ?? source.role, actor: actor ?? source.actor, clientAddress: source.clientAddress }
    return bounds.admits(event, sender, now())
  }
  return {
    hasSuppressed: (): boolean => bounds.hasCounts(),
    emailHash: (email: string): string => outside.emailHashes(email)[0] ?? '',
    /** All hashes that records of an email may have. */
    emailHashes: (email: string): readonly string[] => outside.emailHashes(email),
    /** Replaces the id of a deleted account. It is random: nothing leads from it to the account. */
    newPseudonym: (): string => DELETED_ACTOR + newId(),
    /**
     * The records of one run of a write, which ends in `committed` or `rolledBack`. `caller` has the roles of this moment.
     * A write that runs again hands over `admitted` of its last run: its records are within the bounds once.
     */
    begin(actor: Actor | Visitor, caller: Caller | undefined, admitted: boolean[] = []) {
      const source = sourceOf(actor, caller)
      const records: AuditRecord[] = []
      let entries = 0
      const counted: ReadonlyMap<AuditEvent, number>[] = []
      const addCounts = (): void => {
        const counts = bounds.take()
        if (counts.size === 0) return
        counted.push(counts)
        const details = [...counts].map(([name, count]) => ({ name, value: String(count) }))
        records.push(insert({ ...SUPPRESSED, details }, SERVICE))
      }
      return {
        add(entry: AuditEntry): void {
          if (entry === SUPPRESSED) return addCounts()
          if (bounds.isDue(now())) addCounts()
          if ((admitted[entries++] ??= isAdmitted(entry, source))) records.push(insert(entry, source))
        },
        admitted,
        committed: (): void => records.forEach((record) => outside.recorded(record)),
        /** May be called again: a run that was rolled back may be followed by one that does not begin. */
        rolledBack: (): void => counted.splice(0).forEach((counts) => bounds.restore(counts)),
      }
    },
  }
}

// Audit records of entries, bounded in all their parts, whatever was sent.

/** `caller` has the roles of the moment in which the actor writes. */
export function sourceOf(actor: Actor | Visitor, caller: Caller | undefined): AuditSource {
  const { clientAddress, requestId } = 'origin' in actor ? actor.origin : NOWHERE
  const { userId, jti } = actor.kind === 'caller' ? actor.claim : { userId: actor.kind === 'feed' ? actor.id : '', jti: '' }
  const role = actor.kind !== 'caller' ? ACTOR_NAMES[actor.kind] : caller === undefined ? 'stranger' : roleOf(caller)
  return { actor: userId, role, clientAddress, sessionId: jti, requestId }
}

export function roleOf({ appRole, dashboardRole }: Pick<Caller, 'appRole' | 'dashboardRole'>): AuditRole {
  return dashboardRole === 'none' ? appRole : dashboardRole
}

export function recordOf(
  { event, ...told }: AuditEntry,
  source: AuditSource,
  { id, now }: { readonly id: string; readonly now: number },
): AuditRecord {
  const { changes = [], details = [], ...texts } = told
  return {
    id,
    time: isoDate(now),
    event,
    ...source,
    emailHash: '',
    model: '',
    documentId: '',
    before: '',
    after: '',
    ...texts,
    changes: bounded(
      changes.map(({ path, from, to }) => ({ path: cut(path, NAME_CHARS_MAX), from: cut(from), to: cut(to) })),
      (more) => ({ path: '…', from: '', to: more }),
    ),
    details: bounded(
      details.map(({ name, value }) => ({ name: cut(name, NAME_CHARS_MAX), value: cut(value) })),
      (more) => ({ name: '…', value: more }),
    ),
  }
}

/** The record as fields of a line in the log, which has the time and the event besides; empty members are left out. */
export function recordFields({ id, time: _, event: __, changes, details, ...texts }: AuditRecord): LogFields {
  return {
    record: id,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(changes.length === 0 ? {} : { changes }),
    ...(details.length === 0 ? {} : { details: Object.fromEntries(details.map(({ name, value }) => [name, value])) }),
  }
}

function bounded<T>(items: readonly T[], rest: (more: string) => T): readonly T[] {
  if (items.length <= ITEMS_MAX) return items
  return [...items.slice(0, ITEMS_MAX), rest(`${items.length - ITEMS_MAX} more`)]
}

/** Half of a surrogate pair, which a cut can leave, has no UTF-8 form. */
function cut(text: string, charsMax = VALUE_CHARS_MAX): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`).toWellFormed()
}

// The rows, in the transaction of the write that they record.

/** Adds a new record, with others of its transaction where those are gathered. */
export function insertRecord({ database, inserts }: RecordTables, record: AuditRecord): void {
  const text = writeJson(asJson(record))
  if (inserts?.addRecord(record.id, text) === true) return
  database.run(`INSERT INTO ${tableOf(audit)} (id, doc) VALUES (?, ?)`, record.id, text)
}

/** Rows of a transaction that are inserted together. */
export interface GatheredRecords {
  /** Whether the row was taken; otherwise it is to be inserted immediately. */
  addRecord(id: string, doc: string): boolean
}

interface RecordTables {
  readonly database: Database
  readonly inserts?: GatheredRecords
}

/** The same for a record that is updated, as that of an import with each batch. */
export function putRecord(database: Database, record: AuditRecord): void {
  const sql = `INSERT INTO ${tableOf(audit)} (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc`
  database.run(sql, record.id, writeJson(asJson(record)))
}

/** The types of declared records have no index signature, which JSON wants. */
function asJson(record: AuditRecord): JsonObject {
  return record as unknown as JsonObject
}
