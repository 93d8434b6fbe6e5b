/**
 * The audit trail: who did what, one record for each event.
 *
 * A record is stored and queried like a document, but it is no model of the data endpoint: the service alone writes
 * records, and only retention and the deletion of an account change them. Members are never null, so that each indexed
 * path holds one text; an empty text means that there is nothing to tell.
 */
import { choice, date, list, model, record, text, type DocumentOf } from './schema.ts'

export const AUDIT_EVENTS = [
  'sign-in.succeeded',
  'sign-in.failed',
  'code.requested',
  'session.ended',
  'user.invited',
  'user.role-changed',
  'user.deleted',
  'document.created',
  'document.replaced',
  'document.deleted',
  'config.changed',
  'backup.made',
  'backup.downloaded',
  'command',
  'settings',
  'audit.suppressed',
] as const
export type AuditEvent = (typeof AUDIT_EVENTS)[number]

/** The role of a user at that time, the greater of both; `operator` is the command line, `stranger` no user at all. */
const AUDIT_ROLES = [
  'admin',
  'publisher',
  'premiumUser',
  'standardUser',
  'guestUser',
  'operator',
  'service',
  'stranger',
] as const
export type AuditRole = (typeof AUDIT_ROLES)[number]

/** Begins what stands for an account that was deleted. */
export const DELETED_ACTOR = 'deleted-'

export const audit = model({
  name: 'audit',
  fields: {
    id: text(),
    time: date(),
    event: choice(AUDIT_EVENTS),
    actor: text(),
    role: choice(AUDIT_ROLES),
    clientAddress: text(),
    sessionId: text(),
    requestId: text(),
    emailHash: text(),
    model: text(),
    documentId: text(),
    before: text(),
    after: text(),
    changes: list(record({ path: text(), from: text(), to: text() }, 'drop')),
    details: list(record({ name: text(), value: text() }, 'drop')),
  },
  extras: 'drop',
  access: { list: 'admin', read: 'admin', create: 'unsupported', replace: 'unsupported', remove: 'unsupported' },
  search: [],
  indexes: [
    ['time:desc'],
    ['event', 'time:desc', '+actor'],
    ['actor', 'time:desc', '+event'],
    ['documentId', 'time:desc', '+model', '+event', '+actor'],
    ['emailHash', 'time:desc', '+event'],
  ],
})

export type AuditRecord = DocumentOf<typeof audit>
