/**
 * Changes of accounts, each atomic, with its conditions in the statement.
 *
 * These functions run inside a transaction of the write queue. A statement decides and changes in one step
 * (`WHERE`, `ON CONFLICT`, `RETURNING`), so two requests at once cannot both consume a code, create an email twice
 * or remove the last administrator.
 */
import { isoDate } from '../../base/dates.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { hasDashboard, type Caller } from '../../models/caller.ts'
import { isGuest } from '../../models/guest.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { userAppSettings } from '../../models/user-app-settings.ts'
import { userContentPreferences } from '../../models/user-content-preferences.ts'
import type { User } from '../../models/user.ts'
import type { CallerClaim, Token } from '../actor.ts'
import type { Database, Row } from '../db/database.ts'
import type { Document } from '../documents/document-tables.ts'
import type { Change, Condition, TransactionView, Versions } from '../documents/transaction-view.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { takeCode, type CodeClaim, type CodeFailure } from './code-table.ts'
import { addSession, endSessions, holds, revoke, type SessionRecord } from './session-table.ts'

export interface SignIn {
  /** The code that has to be right, with its email. */
  readonly code: CodeClaim
  /** Whether only a user with a dashboard role may sign in. */
  readonly dashboard: boolean
  /**
   * The session of the request. Where it is a guest's, the guest becomes or joins the account, and the token is revoked;
   * any other is ignored.
   */
  readonly by: CallerClaim | undefined
  /** The user with defaults that is created where none has the email and no guest is converted. */
  readonly newAccount: NewAccount
  /** Becomes a session of that user. */
  readonly session: SessionRecord
  readonly now: number
  /** The account's preferences with the guest's merged into them. */
  readonly merge: (parts: {
    readonly account: JsonObject
    readonly user: JsonObject
    readonly guest: JsonObject
    readonly config: JsonObject | undefined
  }) => JsonObject
}

export interface SignedIn {
  readonly kind: 'signed-in'
  readonly how: 'created' | 'existing' | 'converted' | 'merged'
  readonly user: JsonObject
  /** The account as it was before its role changed. */
  readonly before?: JsonObject
}

/** 'no-dashboard': the code was right and is consumed, and the user, if there is one, has no dashboard role. */
export type SignInOutcome =
  | SignedIn
  | CodeFailure
  | { readonly kind: 'no-dashboard'; readonly user: JsonObject | undefined }

/** A sign-in without a code: something that the service trusts has checked who it is. */
export interface TrustedSignIn {
  readonly email: string
  readonly newAccount: NewAccount
  readonly session: SessionRecord
  /** For the audit trail. */
  readonly means: string
}

/** A user with settings and preferences, which have the user's id. */
export interface NewAccount {
  readonly user: Document
  readonly settings: JsonObject
  readonly preferences: JsonObject
}

export interface AccountDeletion {
  readonly id: string
  readonly now: number
  /** Rejects the deletion of the last administrator. */
  readonly keepLastAdmin: boolean
  /** The token of the request, which is revoked; the others die with their user. */
  readonly token?: Token
  /** Checked in the same transaction. */
  readonly condition?: Condition | undefined
}

const [EMAIL, APP_ROLE] = [valueAt('email'), valueAt('appRole')]
const DASHBOARD_ROLE = valueAt('dashboardRole')
/** Whether another administrator than the user of the row is there. */
const OTHER_ADMIN = `EXISTS (SELECT 1 FROM user AS other WHERE other.${DASHBOARD_ROLE} = 'admin' AND other.id <> user.id)`

export function userByEmail(database: Database, email: string): JsonObject | undefined {
  return document(database.get(`SELECT doc FROM user WHERE ${EMAIL} = ?`, email))
}

export function emailOf(database: Database, id: string): string | undefined {
  const row = database.get(`SELECT ${EMAIL} AS email FROM user WHERE id = ?`, id)
  return row === undefined ? undefined : String(row['email'])
}

/** Whether there is an administrator besides the user of one email. Cheap, however many users there are. */
export function hasAdmin(database: Database, except: string): boolean {
  const sql = `SELECT 1 FROM user WHERE ${DASHBOARD_ROLE} = 'admin' AND ${EMAIL} <> ? LIMIT 1`
  return database.get(sql, except) !== undefined
}

/**
 * One statement that always looks for a user and for settings, so that its time does not reveal whether the email has an
 * account.
 */
export function languageOf(database: Database, email: string): string | undefined {
  const row = database.get(
    `SELECT ${valueAt('language.code')} AS code FROM ${SETTINGS}
      WHERE id = coalesce((SELECT id FROM user WHERE ${EMAIL} = ?), '')`,
    email,
  )
  return typeof row?.['code'] === 'string' ? row['code'] : undefined
}

export function createAccount(database: Database, account: NewAccount, session?: SessionRecord): 'inserted' | 'exists' {
  const inserted = database.run(
    'INSERT INTO user (id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING',
    account.user.id,
    writeJson(account.user.value),
  )
  if (inserted === 0) return 'exists'
  ensureBelongings(database, account.user.id, account)
  if (session !== undefined) addSession(database, account.user.id, session)
  return 'inserted'
}

export function promote(database: Database, email: string, now: number): JsonObject | undefined {
  return document(
    database.get(
      `UPDATE user SET doc = json_set(doc, '$.dashboardRole', 'admin', '$.updatedAt', ?) WHERE ${EMAIL} = ? RETURNING doc`,
      isoDate(now),
      email,
    ),
  )
}

export function signIn(database: Database, request: SignIn): SignInOutcome {
  const failure = takeCode(database, request.code)
  if (failure !== undefined) return failure
  if (request.dashboard) {
    const user = userByEmail(database, request.code.email)
    if (user === undefined || !hasDashboard(user as JsonObject & Caller)) return { kind: 'no-dashboard', user }
  }
  const signedIn = findAccount(database, request)
  addSession(database, String(signedIn.user['id']), request.session)
  return signedIn
}

export function signInTrusted(database: Database, { email, newAccount, session }: TrustedSignIn): SignedIn {
  const account = userByEmail(database, email)
  if (account === undefined) {
    createAccount(database, newAccount, session)
    return { kind: 'signed-in', how: 'created', user: newAccount.user.value }
  }
  const id = String(account['id'])
  ensureBelongings(database, id, newAccount)
  addSession(database, id, session)
  return { kind: 'signed-in', how: 'existing', user: account }
}

export function signInFirstAdmin(database: Database, request: TrustedSignIn, except: string): SignedIn | 'refused' {
  if (hasAdmin(database, except)) return 'refused'
  const signedIn = signInTrusted(database, request)
  const user = promote(database, request.email, request.session.createdAt)
  return user === undefined ? signedIn : { ...signedIn, user, before: signedIn.user }
}

/** The account of the email: an existing one, the converted guest, or a new one. */
function findAccount(database: Database, request: SignIn): SignedIn {
  const { code, by, newAccount, now } = request
  const account = userByEmail(database, code.email)
  const guestId = by !== undefined && isOfGuest(database, by, now) ? by.userId : undefined
  if (by !== undefined && guestId !== undefined) {
    revoke(database, { jti: by.jti, expiresAt: by.expiresAt, now })
    if (account === undefined) {
      // A token that another client has must not become one of the account.
      endSessions(database, guestId, now)
      const user = convertGuest(database, guestId, request)
      ensureBelongings(database, guestId, newAccount)
      return { kind: 'signed-in', how: 'converted', user }
    }
  }
  if (account === undefined) {
    createAccount(database, newAccount)
    return { kind: 'signed-in', how: 'created', user: newAccount.user.value }
  }
  const accountId = String(account['id'])
  ensureBelongings(database, accountId, newAccount)
  if (guestId === undefined) return { kind: 'signed-in', how: 'existing', user: account }
  mergePreferences(database, { accountId, user: account, guestId, request })
  database.run('DELETE FROM user WHERE id = ?', guestId)
  return { kind: 'signed-in', how: 'merged', user: account }
}

/** The id stays, and with it settings, preferences and a role that an administrator gave. */
function convertGuest(database: Database, id: string, { code, now }: SignIn): JsonObject {
  const row = database.get(
    `UPDATE user SET doc = json_set(doc, '$.appRole', iif(${APP_ROLE} = 'guestUser', 'standardUser', ${APP_ROLE}), '$.email', ?, '$.updatedAt', ?)
      WHERE id = ? RETURNING doc`,
    code.email,
    isoDate(now),
    id,
  )
  return document(row) as JsonObject
}

/** Whether a claim is that of a sign-in, still holds, and its user is a guest. A token of the API acts for a person, and is none. */
function isOfGuest(database: Database, claim: CallerClaim, now: number): boolean {
  const text = claim.apiToken === undefined ? holds(database, claim, now) : undefined
  return text !== undefined && isGuest(parseJson(text) as JsonObject & User)
}

interface Merge {
  readonly accountId: string
  readonly user: JsonObject
  readonly guestId: string
  readonly request: SignIn
}

function mergePreferences(database: Database, { accountId, user, guestId, request }: Merge): void {
  const preferences = (id: string) => document(database.get(`SELECT doc FROM ${PREFERENCES} WHERE id = ?`, id))
  const [account, guest] = [preferences(accountId), preferences(guestId)]
  if (account === undefined || guest === undefined) return
  const config = document(database.get(`SELECT doc FROM ${CONFIG} WHERE id = ?`, remoteConfig.singleton ?? ''))
  const merged = request.merge({ account, user, guest, config })
  database.run(`UPDATE ${PREFERENCES} SET doc = ? WHERE id = ?`, writeJson(merged), accountId)
}

const [SETTINGS, PREFERENCES, CONFIG] = [userAppSettings, userContentPreferences, remoteConfig].map((model: Model) =>
  tableOf(model),
) as [string, string, string]

/** Settings and preferences of a user, with defaults where they are missing. */
function ensureBelongings(database: Database, id: string, { settings, preferences }: NewAccount): void {
  for (const [table, value] of [
    [SETTINGS, settings],
    [PREFERENCES, preferences],
  ] as const) {
    database.run(
      `INSERT INTO ${table} (id, doc) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`,
      id,
      writeJson({ ...value, id }),
    )
  }
}

/** 'last-admin' where the change would leave the site without an administrator. */
export function updateUser(
  database: Database,
  id: string,
  change: Change,
  view: TransactionView,
): Versions | 'missing' | 'last-admin' {
  const before = userText(database, id)
  if (before === undefined) return 'missing'
  const doc = writeJson(change(parseJson(before) as JsonObject, before, view))
  const row = database.get(
    `UPDATE user SET doc = ? WHERE id = ? AND
      (${DASHBOARD_ROLE} <> 'admin' OR ? ->> '$.dashboardRole' = 'admin' OR ${OTHER_ADMIN}) RETURNING doc`,
    doc,
    id,
    doc,
  )
  return row === undefined ? 'last-admin' : { before, after: String(row['doc']) }
}

/** Replaces the document of a user, the email included. */
export function replaceUser(database: Database, id: string, doc: string): 'replaced' | 'taken' | 'last-admin' {
  const row = database.get(
    `UPDATE OR IGNORE user SET doc = ? WHERE id = ? AND
      (${DASHBOARD_ROLE} <> 'admin' OR ? ->> '$.dashboardRole' = 'admin' OR ${OTHER_ADMIN}) RETURNING id`,
    doc,
    id,
    doc,
  )
  if (row !== undefined) return 'replaced'
  const holder = database.get(`SELECT id FROM user WHERE ${EMAIL} = ? ->> '$.email' AND id <> ?`, doc, id)
  return holder === undefined ? 'last-admin' : 'taken'
}

export function deleteAccount(
  database: Database,
  { id, now, keepLastAdmin, token, condition }: AccountDeletion,
): 'deleted' | 'missing' | 'last-admin' {
  if (condition !== undefined) {
    const stored = userText(database, id)
    if (stored !== undefined) condition(stored)
  }
  const row = database.get(
    `DELETE FROM user WHERE id = ? AND (? OR ${DASHBOARD_ROLE} <> 'admin' OR ${OTHER_ADMIN}) RETURNING ${EMAIL} AS email`,
    id,
    keepLastAdmin ? 0 : 1,
  )
  if (row === undefined) {
    return database.get('SELECT 1 FROM user WHERE id = ?', id) === undefined ? 'missing' : 'last-admin'
  }
  if (token !== undefined) revoke(database, { ...token, now })
  const email = String(row['email'])
  database.run('DELETE FROM code WHERE email = ?', email)
  database.run('DELETE FROM outbox WHERE address = ?', email)
  return 'deleted'
}

function userText(database: Database, id: string): string | undefined {
  const row = database.get('SELECT doc FROM user WHERE id = ?', id)
  return row === undefined ? undefined : String(row['doc'])
}

function document(row: Row | undefined): JsonObject | undefined {
  return row === undefined ? undefined : (parseJson(String(row['doc'])) as JsonObject)
}
