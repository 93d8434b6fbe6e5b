/** Makes audit records of entries, bounded in all their parts, whatever was sent. */
import { isoDate } from '../../base/dates.ts'
import type { LogFields } from '../../base/log.ts'
import type { AuditEvent, AuditRecord, AuditRole } from '../../models/audit.ts'
import type { Caller } from '../../models/caller.ts'
import { ACTOR_NAMES, type Actor, type Visitor } from '../actor.ts'

const ITEMS_MAX = 100
const NAME_CHARS_MAX = 120
const VALUE_CHARS_MAX = 300

/** Who did it, and from where; unknown texts are empty. */
export type AuditSource = Pick<AuditRecord, 'actor' | 'role' | 'clientAddress' | 'sessionId' | 'requestId'>

/** What was done. Omitted members are empty; members of the source replace the actor's own. */
export interface AuditEntry extends Partial<Omit<AuditRecord, 'id' | 'time' | 'event'>> {
  readonly event: AuditEvent
}

/** `caller` has the roles of the moment in which the actor writes. */
export function sourceOf(actor: Actor | Visitor, caller: Caller | undefined): AuditSource {
  const { clientAddress, requestId } = 'origin' in actor ? actor.origin : NOWHERE
  const { userId, jti } = actor.kind === 'caller' ? actor.claim : { userId: actor.kind === 'feed' ? actor.id : '', jti: '' }
  const role = actor.kind !== 'caller' ? ACTOR_NAMES[actor.kind] : caller === undefined ? 'stranger' : roleOf(caller)
  return { actor: userId, role, clientAddress, sessionId: jti, requestId }
}

const NOWHERE = { clientAddress: '', requestId: '' }

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
