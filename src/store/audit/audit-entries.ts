/** The audit entries of the writes of the store. */
import { entityTag } from '../../http/request/entity-tag.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { hasDashboard } from '../../models/caller.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { user, type User } from '../../models/user.ts'
import { changedPaths } from './changed-paths.ts'
import { roleOf, type AuditEntry, type AuditSource } from './audit-record.ts'
import type { Document, Moment, NewAccount, SessionRecord, SignIn, SignInOutcome } from '../store.ts'

/** Members that change with every change. */
const ALWAYS_CHANGED = ['updatedAt']
const ROLES = ['appRole', 'dashboardRole'] as const

/** Readers only change their own settings. */
export function isRecorded({ caller }: Moment): boolean {
  return caller !== undefined && hasDashboard(caller)
}

export function created(model: Model, { id, value, text }: Document): AuditEntry {
  return { event: 'document.created', model: model.name, documentId: id, after: entityTag(text ?? writeJson(value)) }
}

export function replaced(model: Model, id: string, { before, after }: Versions): AuditEntry {
  const entry = { model: model.name, documentId: id, before: entityTag(before), after: entityTag(after) }
  if (model !== remoteConfig) return { event: 'document.replaced', ...entry }
  const changes = changedPaths(parseJson(before) as JsonObject, parseJson(after) as JsonObject, ALWAYS_CHANGED)
  return { event: 'config.changed', ...entry, changes }
}

export function removed(model: Model, id: string, before: string): AuditEntry {
  return { event: 'document.deleted', model: model.name, documentId: id, before: entityTag(before) }
}

/** The JSON text of a document before and after. */
export interface Versions {
  readonly before: string
  readonly after: string
}

/** A change of roles by any actor; empty where they stay the same. */
export function roleChanged(before: JsonObject, after: JsonObject): readonly AuditEntry[] {
  const changes = ROLES.filter((role) => before[role] !== after[role]).map((path) => {
    return { path, from: String(before[path]), to: String(after[path]) }
  })
  if (changes.length === 0) return []
  const versions = { before: entityTag(writeJson(before)), after: entityTag(writeJson(after)) }
  return [{ event: 'user.role-changed', model: user.name, documentId: String(after['id']), ...versions, changes }]
}

/** A change of a user: of the roles, or by a publisher or administrator of anything else. */
export function userChanged(id: string, versions: Versions, moment: Moment): readonly AuditEntry[] {
  const [before, after] = [parseJson(versions.before), parseJson(versions.after)] as [JsonObject, JsonObject]
  const roles = roleChanged(before, after)
  return roles.length > 0 || !isRecorded(moment) ? roles : [replaced(user, id, versions)]
}

/** A new account: a guest signs in with it at once, any other user is invited. */
export function accountCreated(
  { user: { id, value } }: NewAccount,
  session: SessionRecord | undefined,
  hashOf: (email: string) => string,
): AuditEntry {
  if (session !== undefined) return signedIn(value, session, 'guest')
  const details = ROLES.map((name) => ({ name, value: String(value[name]) }))
  const emailHash = hashOf(String(value['email']))
  return { event: 'user.invited', emailHash, model: user.name, documentId: id, details }
}

/** How a sign-in by code went, and the role that an account got from a guest who joined it. */
export function signInEntries({ session }: SignIn, outcome: SignInOutcome, emailHash: string): readonly AuditEntry[] {
  if (outcome.kind !== 'signed-in') {
    const value = outcome.kind === 'rejected' ? `code ${outcome.reason}` : outcome.kind
    return [{ event: 'sign-in.failed', emailHash, details: [{ name: 'reason', value }] }]
  }
  const { user: account, how, before = account } = outcome
  const roles = roleChanged(before, account).map((entry) => ({ ...entry, ...ownSource(account, session) }))
  return [{ ...signedIn(account, session, how), emailHash }, ...roles]
}

function signedIn(account: JsonObject, session: SessionRecord, how: string): AuditEntry {
  return { event: 'sign-in.succeeded', ...ownSource(account, session), details: [{ name: 'how', value: how }] }
}

/** The account itself as the actor, in its new session. */
function ownSource(account: JsonObject, { jti }: SessionRecord): Pick<AuditSource, 'actor' | 'role' | 'sessionId'> {
  return { actor: String(account['id']), role: roleOf(account as unknown as User), sessionId: jti }
}

export function tokenIssued(userId: string, { jti }: SessionRecord): AuditEntry {
  const details = [
    { name: 'how', value: 'token' },
    { name: 'session', value: jti },
  ]
  return { event: 'sign-in.succeeded', model: user.name, documentId: userId, details }
}

export function codeRequested(emailHash: string, outcome: string): AuditEntry {
  return { event: 'code.requested', emailHash, details: [{ name: 'outcome', value: outcome }] }
}

/** `name` and `value` say which session it was, or how many. */
export function sessionEnded(userId: string, name: 'session' | 'ended', value: string): AuditEntry {
  return { event: 'session.ended', model: user.name, documentId: userId, details: [{ name, value }] }
}

/** Only the pseudonym of the account is recorded. */
export function userDeleted(pseudonym: string, { isOwn }: { readonly isOwn: boolean }): AuditEntry {
  const actor = isOwn ? { actor: pseudonym, clientAddress: '', sessionId: '', requestId: '' } : {}
  return { event: 'user.deleted', ...actor, model: user.name, documentId: pseudonym }
}

export function guestsRemoved(count: number): AuditEntry {
  const details = [
    { name: 'reason', value: 'guests who stayed away' },
    { name: 'count', value: String(count) },
  ]
  return { event: 'user.deleted', model: user.name, details }
}
