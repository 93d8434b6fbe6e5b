/** Passkeys of users: the public half of each, with the page where it was made. They go with their user. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { hasDashboard, type Caller } from '../../models/caller.ts'
import type { Token } from '../actor.ts'
import type { Database, Row } from '../db/database.ts'
import { takeCode, type CodeClaim, type CodeFailure } from './code-table.ts'
import { addSession, useTicket, type SessionRecord } from './session-table.ts'

export interface PasskeyRecord {
  /** base64url, as the public key. */
  readonly id: string
  readonly userId: string
  readonly origin: string
  readonly publicKey: string
  readonly signCount: number
  readonly isBackedUp: boolean
  readonly name: string
  /** Milliseconds since the epoch, as below. */
  readonly createdAt: number
  /** Undefined where it was not used yet. */
  readonly usedAt: number | undefined
}

export interface PasskeyAddition {
  /** Has to be right. */
  readonly code: CodeClaim
  /** Is used up. */
  readonly challenge: Token
  readonly passkey: PasskeyRecord
}

/** 'repeated': the challenge was used before. 'exists': the id is that of a passkey, maybe of another user. */
export type PasskeyAdded = 'added' | 'repeated' | 'exists' | 'full' | 'missing' | CodeFailure

export interface PasskeySignIn {
  /** What was checked, as it was read. */
  readonly passkey: PasskeyRecord
  readonly signCount: number
  readonly isBackedUp: boolean
  /** Is used up. */
  readonly challenge: Token
  readonly session: SessionRecord
  readonly now: number
}

/** 'changed': the passkey was removed or used elsewhere meanwhile. */
export type PasskeySignedIn =
  | { readonly kind: 'signed-in'; readonly user: JsonObject }
  | { readonly kind: 'repeated' | 'changed' | 'no-dashboard' }

/** Of one user. */
export const PASSKEYS_MAX = 20

/** The passkey with this id; undefined where there is none. */
export function findPasskey(database: Database, id: string): PasskeyRecord | undefined {
  const row = database.get('SELECT * FROM passkey WHERE id = ?', id)
  return row === undefined ? undefined : recordOf(row)
}

/** The passkeys of a user, newest first. */
export function passkeysOf(database: Database, userId: string): readonly PasskeyRecord[] {
  return database.all('SELECT * FROM passkey WHERE user_id = ? ORDER BY created_at DESC, id', userId).map(recordOf)
}

/** The code is consumed where it is right. */
export function addPasskey(database: Database, { code, challenge, passkey }: PasskeyAddition): PasskeyAdded {
  const failure = takeCode(database, code)
  if (failure !== undefined) return failure
  if (!useTicket(database, { ...challenge, now: code.now })) return 'repeated'
  const { id, userId, origin, publicKey, signCount, isBackedUp, name, createdAt } = passkey
  if (passkeysOf(database, userId).length >= PASSKEYS_MAX) return 'full'
  if (findPasskey(database, id) !== undefined) return 'exists'
  const added = database.run(
    `INSERT INTO passkey (id, user_id, origin, public_key, sign_count, is_backed_up, name, created_at)
      SELECT ?, id, ?, ?, ?, ?, ?, ? FROM user WHERE id = ?`,
    ...[id, origin, publicKey, signCount, Number(isBackedUp), name, createdAt, userId],
  )
  return added === 1 ? 'added' : 'missing'
}

/** The passkey is as it was when it was checked, or no session is made: of two uses of one counter, one succeeds. */
export function signInWithPasskey(database: Database, request: PasskeySignIn): PasskeySignedIn {
  const { passkey, signCount, isBackedUp, challenge, session, now } = request
  if (!useTicket(database, { ...challenge, now })) return { kind: 'repeated' }
  const changed = database.run(
    `UPDATE passkey SET sign_count = ?, is_backed_up = ?, used_at = ?
      WHERE id = ? AND user_id = ? AND public_key = ? AND sign_count = ?`,
    ...[signCount, Number(isBackedUp), now, passkey.id, passkey.userId, passkey.publicKey, passkey.signCount],
  )
  const row = database.get('SELECT doc FROM user WHERE id = ?', passkey.userId)
  if (changed === 0 || row === undefined) return { kind: 'changed' }
  const user = parseJson(String(row['doc'])) as JsonObject
  if (!hasDashboard(user as JsonObject & Caller)) return { kind: 'no-dashboard' }
  addSession(database, passkey.userId, session)
  return { kind: 'signed-in', user }
}

/** Removes a passkey of a user, or all; returns those that were removed. */
export function removePasskeys(database: Database, userId: string, id?: string): readonly PasskeyRecord[] {
  return database
    .all('DELETE FROM passkey WHERE user_id = ? AND id = coalesce(?, id) RETURNING *', userId, id ?? null)
    .map(recordOf)
}

function recordOf(row: Row): PasskeyRecord {
  return {
    id: String(row['id']),
    userId: String(row['user_id']),
    origin: String(row['origin']),
    publicKey: String(row['public_key']),
    signCount: Number(row['sign_count']),
    isBackedUp: row['is_backed_up'] === 1,
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    usedAt: row['used_at'] === null ? undefined : Number(row['used_at']),
  }
}
