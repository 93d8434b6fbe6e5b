/**
 * Signing in with a passkey (WebAuthn level 3) in place of a code from a mail, for users with a role in the dashboard.
 *
 * A passkey is discoverable, so no e-mail address is typed, and its authenticator verifies the person. It is added behind
 * a fresh code: an open session alone, such as one that was left in a browser, must not become a way in that lasts. Every
 * failure of a sign-in has the same response; the reason goes to the log and the audit trail.
 */
import { fail, type Failure } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { hasDashboard } from '../../models/caller.ts'
import type { AuditEvent } from '../../models/audit.ts'
import { user, type User } from '../../models/user.ts'
import type { Authorize, Token, Visitor } from '../../store/actor.ts'
import type { AuditEntry } from '../../store/audit/audit-trail.ts'
import { PASSKEYS_MAX, type PasskeyRecord } from '../../store/accounts/passkey-table.ts'
import type { SignInResult } from '../accounts.ts'
import type { Codes } from '../codes.ts'
import type { Session, Sessions } from '../sessions.ts'
import { CeremonyError, readClientData, verifyAssertion, verifyRegistration, type ClientData } from './ceremonies.ts'
import { CHALLENGE_MS, type Challenges } from './challenges.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writable } from '../../store/writes/writer.ts'

export const PASSKEY_NAME_CHARS_MAX = 100

const SIGN_IN = 'sign-in'
const registration = (userId: string): string => `registration ${userId}`

interface PasskeysOptions {
  readonly store: Pick<ReadStore, 'accounts'> & Writable
  readonly codes: Pick<Codes, 'claim' | 'failureOf'>
  readonly sessions: Pick<Sessions, 'open' | 'token'>
  readonly challenges: Challenges
  readonly onSignIn: (how: 'existing') => void
}

export interface PasskeySignInRequest {
  readonly visitor: Visitor
  readonly id: string
  readonly clientDataJson: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
  /** Of the user, as the authenticator knows it; empty where it sent none. */
  readonly userHandle: string
  /** The name of the client, for the list of sessions. */
  readonly client: string
  readonly now: number
}

export interface PasskeyAdditionRequest {
  readonly session: Session
  readonly code: string
  readonly name: string
  /** What the request itself says of its page: `Origin`. */
  readonly origin: string | undefined
  readonly clientDataJson: Uint8Array
  readonly attestationObject: Uint8Array
  readonly clientAddress: string
  readonly now: number
}

export type Passkeys = ReturnType<typeof createPasskeys>

export function createPasskeys({ store, codes, sessions, challenges, onSignIn }: PasskeysOptions) {
  const readChallenge = ({ challenge }: ClientData, purpose: string, now: number): Token => {
    const found = challenges.read(challenge, purpose, now)
    if (found === undefined) throw new CeremonyError('challenge', 'The challenge is unknown or too old')
    return found
  }
  return {
    /** What a browser needs to ask for any passkey of the site. */
    requestOptions: (now: number) => ({
      challenge: challenges.issue(SIGN_IN, now),
      timeout: CHALLENGE_MS,
      userVerification: 'required' as const,
    }),
    /** What a browser needs to make a passkey for a user, at a site of that name. */
    async creationOptions({ caller, user: account }: Session, { siteName, now }: { readonly siteName: string; readonly now: number }) {
      const { email } = JSON.parse(account) as User
      const known = store.accounts.passkeysOf(caller.id)
      return {
        challenge: challenges.issue(registration(caller.id), now),
        timeout: CHALLENGE_MS,
        rp: { name: siteName },
        user: { id: Buffer.from(caller.id).toString('base64url'), name: email, displayName: email },
        pubKeyCredParams: [],
        excludeCredentials: known.map(({ id }) => ({ type: 'public-key' as const, id })),
        authenticatorSelection: { residentKey: 'required' as const, userVerification: 'required' as const },
      }
    },
    /** Adds a passkey for the user of the session. Throws invalidInput, tooManyRequests or conflict. */
    async add({ session, code, name, origin, clientDataJson, attestationObject, clientAddress, now }: PasskeyAdditionRequest): Promise<PasskeyRecord> {
      const { caller, user: account, acting } = session
      const writer = store.as(acting(requirePasskeyUser))
      const { challenge, made } = await refusing(() => {
        const client = readClientData(clientDataJson, 'webauthn.create')
        if (origin !== undefined && origin !== client.origin) throw new CeremonyError('origin', 'The request came from another origin')
        const found = readChallenge(client, registration(caller.id), now)
        return { challenge: found, made: { ...verifyRegistration(attestationObject, client), origin: client.origin } }
      }, async ({ reason, message }) => {
        await writer.record(refused('passkey.refused', { userId: caller.id }, reason))
        return notAdded(message)
      })
      const { email } = JSON.parse(account) as User
      const passkey = { ...made, userId: caller.id, name, createdAt: now, usedAt: undefined }
      const claim = codes.claim({ email, code, clientAddress, now })
      const outcome = await writer.addPasskey({ code: claim, challenge, passkey })
      if (outcome === 'added') return passkey
      if (typeof outcome === 'object') throw codes.failureOf(outcome)
      if (outcome === 'full') throw fail('conflict', `You have ${PASSKEYS_MAX} passkeys, which is the most: remove one first`)
      throw outcome === 'exists' ? fail('conflict', 'This passkey is known already') : notAdded(outcome)
    },
    /** Signs in the user of a passkey. Throws unauthorized, or forbidden for a user without a role in the dashboard. */
    async signIn({ visitor, id, userHandle, client: label, now, ...assertion }: PasskeySignInRequest): Promise<SignInResult> {
      const writer = store.as(visitor)
      const known = store.accounts.findPasskey(id)
      const { passkey, challenge, checked } = await refusing(() => {
        const client = readClientData(assertion.clientDataJson, 'webauthn.get')
        const found = readChallenge(client, SIGN_IN, now)
        if (known === undefined) throw new CeremonyError('unknown', 'There is no such passkey')
        const isOwn = userHandle === '' || Buffer.from(userHandle, 'base64url').toString() === known.userId
        if (!isOwn) throw new CeremonyError('user', 'The passkey is of another user')
        return { passkey: known, challenge: found, checked: verifyAssertion(assertion, client, known) }
      }, async ({ reason, message }) => {
        await writer.record(refused('sign-in.failed', known, `passkey ${reason}`))
        return notAccepted(message)
      })
      const session = sessions.open({ label, now })
      const outcome = await writer.signInWithPasskey({ passkey, ...checked, challenge, session, now })
      if (outcome.kind === 'no-dashboard') throw fail('forbidden', 'This user may not open the dashboard any more: ask an administrator')
      if (outcome.kind !== 'signed-in') throw notAccepted(outcome.kind)
      onSignIn('existing')
      return { user: outcome.user as JsonObject & User, token: sessions.token(passkey.userId, session) }
    },
  }
}

/** Passkeys are for those who may open the dashboard. */
export const requirePasskeyUser: Authorize = (caller) => {
  if (!hasDashboard(caller)) throw fail('forbidden', 'Passkeys are for users with a role in the dashboard')
}

async function refusing<T>(work: () => T, failureOf: (error: CeremonyError) => Promise<Failure>): Promise<T> {
  try {
    return work()
  } catch (error) {
    if (error instanceof CeremonyError) throw await failureOf(error)
    throw error
  }
}

/** The passkey by its name, where it is known: a counter that went back may be that of a copy, which is to be removed. */
function refused(event: AuditEvent, passkey: { readonly userId: string; readonly name?: string } | undefined, reason: string): AuditEntry {
  const details = [{ name: 'reason', value: reason }]
  if (passkey === undefined) return { event, details }
  if (passkey.name !== undefined) details.push({ name: 'name', value: passkey.name })
  return { event, model: user.name, documentId: passkey.userId, details }
}

function notAdded(cause: string): Failure {
  return fail('invalidInput', 'The passkey cannot be added: begin again', { cause })
}

function notAccepted(cause: string): Failure {
  return fail('unauthorized', 'This passkey is not accepted: sign in with a code, and add a new passkey', { cause })
}
