/**
 * The audit trail: who did what, one record for each event. It is stored and queried like a document, but it is no
 * model of the data endpoint: only retention and the deletion of an account change records. Members are never null, so
 * that each indexed path holds one text; empty means that there is nothing to tell.
 */
import { choice, date, list, model, record, text, type DocumentOf } from './schema.ts'

export const AUDIT_EVENTS = [
  'sign-in.succeeded',
  'sign-in.failed',
  'code.requested',
  'session.ended',
  'token.made',
  'token.revoked',
  'passkey.added',
  'passkey.refused',
  'passkey.removed',
  'view.saved',
  'view.removed',
  'user.created',
  'user.invited',
  'user.role-changed',
  'user.deleted',
  'document.created',
  'document.replaced',
  'document.returned',
  'document.deleted',
  'document.restored',
  'document.erased',
  'feed.read',
  'feed.secret-set',
  'publication.secret-set',
  'picture.added',
  'picture.described',
  'picture.removed',
  'documents.exported',
  'config.changed',
  'settings.changed',
  'backup.made',
  'backup.downloaded',
  'backup.restored',
  'backup.restore-failed',
  'command',
  'settings',
  'audit.suppressed',
] as const
export type AuditEvent = (typeof AUDIT_EVENTS)[number]

/** The role of a user at that time, the greater of both; `operator` is the command line, `stranger` no user at all. */
const AUDIT_ROLES = [
  'admin', 'publisher', 'premiumUser', 'standardUser', 'guestUser', 'operator', 'service', 'feed', 'stranger',
] as const
export type AuditRole = (typeof AUDIT_ROLES)[number]

/** Begins what stands for an account that was deleted. */
export const DELETED_ACTOR = 'deleted-'

const declared = () => model({
  name: 'audit',
  description: 'A record of the audit trail',
  fields: {
    id: text({ example: '66f000000000000000000901' }),
    time: date({ example: '2026-03-01T09:30:00.000Z' }),
    event: choice(AUDIT_EVENTS, { description: 'What was done', example: 'document.replaced' }),
    actor: text({
      description: 'The id of the user or feed that did it; empty where it was none, `deleted-…` where the account is gone',
      example: '66f000000000000000000601',
    }),
    role: choice(AUDIT_ROLES, {
      description:
        'The role of that user at that time; `operator` is the command line, `feed` a feed, `stranger` a request without a user',
      example: 'publisher',
    }),
    clientAddress: text({ description: 'Where the request came from', example: '192.0.2.7' }),
    sessionId: text({
      description: 'The session of the request, as in the list of sessions',
      example: '66f000000000000000000801',
    }),
    requestId: text({ description: 'As in `X-Request-Id` and in the log', example: '66f000000000000000000902' }),
    emailHash: text({
      description: 'A keyed hash of the e-mail address that was meant: see the parameter `email`',
      example: '',
    }),
    model: text({ description: 'What kind of document it was done to', example: 'headline' }),
    documentId: text({ description: 'Its id', example: '66f000000000000000000501' }),
    before: text({ description: 'The ETag of the version before', example: '"n4bQgYhMfWWaL-qgxVrQFa"' }),
    after: text({ description: 'The ETag of the version after', example: '"Yx2TLwOhMfWWaL-qgxVrQF"' }),
    changes: list(record({ path: text(), from: text(), to: text() }, 'drop'), {
      description: 'Members that have changed, with their values as JSON; of roles and of the remote configuration. Of settings, their texts',
      example: [],
    }),
    details: list(record({ name: text(), value: text() }, 'drop'), {
      description: 'What else belongs to the event, such as the reason of a failure',
      example: [],
    }),
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

// Without effects: the dashboard, which only knows the events, is built without it.
export const audit = /* @__PURE__ */ declared()

export type AuditRecord = DocumentOf<typeof audit>
