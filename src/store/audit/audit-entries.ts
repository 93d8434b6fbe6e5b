/** The audit entries of the writes of the store. */
import { isoDate } from '../../base/dates.ts'
import { isObject, parseJson, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import { entityTag } from '../../http/entity-tag.ts'
import type { AuditRecord } from '../../models/audit.ts'
import { hasDashboard } from '../../models/caller.ts'
import { publicName } from '../../models/incomplete.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { user, type User } from '../../models/user.ts'
import type { NewAccount, SignIn, SignInOutcome, TrustedSignIn } from '../accounts/account-tables.ts'
import type { ApiTokenRecord } from '../accounts/api-token-table.ts'
import type { PasskeyAdded, PasskeyRecord, PasskeySignedIn, PasskeySignIn } from '../accounts/passkey-table.ts'
import type { SavedView } from '../accounts/saved-view-table.ts'
import type { SessionRecord } from '../accounts/session-table.ts'
import type { Document } from '../documents/document-tables.ts'
import type { TransactionView, Versions } from '../documents/transaction-view.ts'
import type { ChangedSetting } from '../settings/setting-table.ts'
import { roleOf, type AuditEntry, type AuditSource } from './audit-trail.ts'

/** Members that change with every change. */
const ALWAYS_CHANGED = ['updatedAt']
const ROLES = ['appRole', 'dashboardRole'] as const

/** Readers only change their own settings. */
export function isRecorded({ caller }: TransactionView): boolean {
  return caller !== undefined && hasDashboard(caller)
}

export function created(model: Model, { id, value, text }: Document): AuditEntry {
  return { event: 'document.created', model: publicName(model), documentId: id, after: entityTag(text ?? writeJson(value)) }
}

export function replaced(model: Model, id: string, { before, after }: Versions): AuditEntry {
  const entry = { model: publicName(model), documentId: id, before: entityTag(before), after: entityTag(after) }
  if (model !== remoteConfig) return { event: 'document.replaced', ...entry }
  const changes = changedPaths(parseJson(before) as JsonObject, parseJson(after) as JsonObject, ALWAYS_CHANGED)
  return { event: 'config.changed', ...entry, changes }
}

/** A change at a time of the document: it is archived at one of them, and published or handed in at the other. */
export function scheduled(model: Model, id: string, versions: Versions, { status }: JsonObject): AuditEntry {
  const details = [{ name: 'scheduled', value: status === 'archived' ? 'unpublishAt' : 'publishAt' }]
  return { ...replaced(model, id, versions), details }
}

/** `replacement` is the document that takes its place in all copies. */
export function removed(model: Model, id: string, before: string, replacement?: string): AuditEntry {
  const details = replacement === undefined ? [] : [{ name: 'replaceBy', value: replacement }]
  return { event: 'document.deleted', model: publicName(model), documentId: id, before: entityTag(before), details }
}

/** A document that was put back: out of the trash, where there is no text before, or to an earlier version. */
export function restored(model: Model, id: string, { before, after }: Versions): AuditEntry {
  const versions = { before: before === '' ? '' : entityTag(before), after: entityTag(after) }
  return { event: 'document.restored', model: publicName(model), documentId: id, ...versions }
}

/** A document of the trash that was removed for good. */
export function erased(model: Model, id: string, before: string): AuditEntry {
  return { event: 'document.erased', model: publicName(model), documentId: id, before: entityTag(before) }
}

/** By an administrator, with a note for its author. */
export function givenBack(model: Model, id: string, versions: Versions, note: string): AuditEntry {
  return { ...replaced(model, id, versions), event: 'document.returned', details: [{ name: 'note', value: note }] }
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
export function userChanged(id: string, versions: Versions, view: TransactionView): readonly AuditEntry[] {
  const [before, after] = [parseJson(versions.before), parseJson(versions.after)] as [JsonObject, JsonObject]
  const roles = roleChanged(before, after)
  return roles.length > 0 || !isRecorded(view) ? roles : [replaced(user, id, versions)]
}

/** A new account: a guest signs in with it immediately; any other, such as the first administrator, is there from the start. */
export function accountCreated(account: NewAccount, session: SessionRecord | undefined, hashOf: (email: string) => string): AuditEntry {
  return session === undefined ? userAdded('user.created', account, hashOf) : signedIn(account.user.value, session, 'guest')
}

export function userInvited(account: NewAccount, isByMail: boolean, hashOf: (email: string) => string): AuditEntry {
  const entry = userAdded('user.invited', account, hashOf)
  return isByMail ? { ...entry, details: [...(entry.details ?? []), BY_MAIL] } : entry
}

function userAdded(event: 'user.created' | 'user.invited', { user: { id, value } }: NewAccount, hashOf: (email: string) => string): AuditEntry {
  const details = ROLES.map((name) => ({ name, value: String(value[name]) }))
  return { event, emailHash: hashOf(String(value['email'])), model: user.name, documentId: id, details }
}

/** By another mail. */
export function invitedAgain(documentId: string, emailHash: string): AuditEntry {
  return { event: 'user.invited', emailHash, model: user.name, documentId, details: [BY_MAIL] }
}

const BY_MAIL = { name: 'by', value: 'mail' }

/** How a sign-in went, and the role that the account got with it. */
export function signInEntries({ session }: SignIn, outcome: SignInOutcome, emailHash: string): readonly AuditEntry[] {
  if (outcome.kind !== 'signed-in') {
    const value = outcome.kind === 'rejected' ? `code ${outcome.reason}` : outcome.kind
    return [{ event: 'sign-in.failed', emailHash, details: [{ name: 'reason', value }] }]
  }
  const { user: account, how, before = account } = outcome
  const roles = roleChanged(before, account).map((entry) => ({ ...entry, ...ownSource(account, session) }))
  return [{ ...signedIn(account, session, how), emailHash }, ...roles]
}

export function signedInBy(account: JsonObject, { session, means }: TrustedSignIn, emailHash: string): AuditEntry {
  return { ...signedIn(account, session, means), emailHash }
}

function signedIn(account: JsonObject, session: SessionRecord, how: string): AuditEntry {
  return { event: 'sign-in.succeeded', ...ownSource(account, session), details: [{ name: 'how', value: how }] }
}

/** The account itself as the actor, in its new session. */
function ownSource(account: JsonObject, { jti }: SessionRecord): Pick<AuditSource, 'actor' | 'role' | 'sessionId'> {
  return { actor: String(account['id']), role: roleOf(account as unknown as User), sessionId: jti }
}

export function tokenIssued(userId: string, session: SessionRecord): AuditEntry {
  return sessionBegun(userId, session, 'token')
}

/** A token of the API by its id, never by its text. */
export function apiTokenMade({ id, userId, name, limits, expiresAt }: ApiTokenRecord): AuditEntry {
  const details = [
    { name: 'token', value: id },
    { name: 'name', value: name },
    { name: 'role', value: limits.role },
    { name: 'models', value: narrowed(limits.models) },
    { name: 'methods', value: narrowed(limits.methods) },
    ...(limits.scopes === undefined ? [] : [{ name: 'scopes', value: limits.scopes.join(' ') }]),
    { name: 'expiresAt', value: isoDate(expiresAt) },
  ]
  return { event: 'token.made', model: user.name, documentId: userId, details }
}

const narrowed = (names: readonly string[] | null): string => (names === null ? 'all' : names.join(' ') || 'none')

export function apiTokenRevoked({ id, userId, name }: ApiTokenRecord): AuditEntry {
  const details = [
    { name: 'token', value: id },
    { name: 'name', value: name },
  ]
  return { event: 'token.revoked', model: user.name, documentId: userId, details }
}

export function passkeyAdded({ userId, name, origin }: PasskeyRecord): AuditEntry {
  return accountEntry('passkey.added', userId, [['name', name], ['origin', origin]])
}

export function passkeyRefused({ userId }: PasskeyRecord, outcome: Exclude<PasskeyAdded, 'added'>): AuditEntry {
  const reason = typeof outcome === 'string' ? outcome : outcome.kind === 'rejected' ? `code ${outcome.reason}` : outcome.kind
  return accountEntry('passkey.refused', userId, [['reason', reason]])
}

export function passkeyRemoved({ userId, name }: PasskeyRecord): AuditEntry {
  return accountEntry('passkey.removed', userId, [['name', name]])
}

export function viewSaved({ userId, name }: SavedView): AuditEntry {
  return accountEntry('view.saved', userId, [['name', name]])
}

export function viewRemoved({ userId, name }: SavedView): AuditEntry {
  return accountEntry('view.removed', userId, [['name', name]])
}

function accountEntry(event: AuditEntry['event'], documentId: string, details: readonly (readonly [string, string])[]): AuditEntry {
  return { event, model: user.name, documentId, details: details.map(([name, value]) => ({ name, value })) }
}

export function signedInWithPasskey({ passkey, session }: PasskeySignIn, outcome: PasskeySignedIn): AuditEntry {
  if (outcome.kind === 'signed-in') return signedIn(outcome.user, session, 'passkey')
  return accountEntry('sign-in.failed', passkey.userId, [['reason', `passkey ${outcome.kind}`], ['name', passkey.name]])
}

/** The session of the request is the one that ended. */
export function tokenRefreshed(userId: string, session: SessionRecord): AuditEntry {
  return sessionBegun(userId, session, 'refresh')
}

function sessionBegun(userId: string, { jti }: SessionRecord, how: string): AuditEntry {
  const details = [
    { name: 'how', value: how },
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

/** A value that is not stored is empty; of a secret nothing is told but that there is one. */
export function settingsChanged(changed: readonly ChangedSetting[]): AuditEntry {
  const shown = (value: string | undefined, isSecret: boolean): string => (value === undefined ? '' : isSecret ? '***' : value)
  const changes = changed.map(({ name, before, value, isSecret }) => {
    return { path: name, from: shown(before, isSecret), to: shown(value, isSecret) }
  })
  return { event: 'settings.changed', changes }
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

// The paths at which two versions of a document differ, with both values.

/** Counting stops here: a record of more paths is cut anyway. */
const PATHS_MAX = 200

/** Values as JSON; an empty text where there is none. A list counts as one value. */
export function changedPaths(before: JsonObject, after: JsonObject, except: readonly string[]): AuditRecord['changes'] {
  const found: AuditRecord['changes'][number][] = []
  const compare = (path: string, from: Json | undefined, to: Json | undefined): void => {
    if (found.length >= PATHS_MAX) return
    if (isObject(from) && isObject(to)) {
      for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
        compare(path === '' ? name : `${path}.${name}`, member(from, name), member(to, name))
      }
      return
    }
    const [left, right] = [jsonOf(from), jsonOf(to)]
    if (left !== right && !except.includes(path)) found.push({ path, from: left, to: right })
  }
  compare('', before, after)
  return found
}

/** Inherited names such as `constructor` are no members. */
function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function jsonOf(value: Json | undefined): string {
  return value === undefined ? '' : writeJson(value)
}
