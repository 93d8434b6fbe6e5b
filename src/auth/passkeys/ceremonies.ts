/**
 * What a relying party checks of a registration and of an authentication (WebAuthn level 3, sections 7.1 and 7.2).
 *
 * A statement about the make of the authenticator (attestation) is not asked for and not read: it would only say which
 * devices people own. Extensions are not used. What the browser said comes as its bytes, since the signature is over them.
 */
import { createHash } from 'node:crypto'
import { isObject, parseJson, type JsonObject } from '../../base/json.ts'
import { equalSecrets } from '../keys.ts'
import { readAuthenticatorData, type AuthenticatorData } from './authenticator-data.ts'
import { readWholeCbor } from './cbor.ts'
import { readPublicKey } from './cose-key.ts'

/** The check that a response did not pass, in a word: for the audit trail, which takes nothing that was sent. */
type CeremonyReason = 'response' | 'ceremony' | 'frame' | 'origin' | 'site' | 'challenge' | 'unknown' | 'user' | 'verification' | 'key' | 'signature' | 'counter'

/** A response that is not accepted; the message says why, for the log. */
export class CeremonyError extends Error {
  override readonly name = 'CeremonyError'
  readonly reason: CeremonyReason

  constructor(reason: CeremonyReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** What the browser says of a ceremony (section 5.8.1), with its challenge as text. */
export interface ClientData {
  readonly challenge: string
  readonly origin: string
}

/** Reads the client data of a ceremony of a kind. Throws CeremonyError. */
export function readClientData(bytes: Uint8Array, type: 'webauthn.create' | 'webauthn.get'): ClientData {
  const said = attempt('response', 'The client data is no JSON', () => parseJson(UTF8.decode(bytes)))
  if (!isObject(said)) throw new CeremonyError('response', 'The client data is no object')
  const { type: found, challenge, origin, crossOrigin, topOrigin } = said as JsonObject
  if (found !== type) throw new CeremonyError('ceremony', `The client data is of another ceremony than ${type}`)
  if (typeof challenge !== 'string' || typeof origin !== 'string') throw new CeremonyError('response', 'The client data has no challenge or no origin')
  // In a frame of another page the reader cannot tell which site asks for the passkey.
  if (crossOrigin === true || topOrigin !== undefined) throw new CeremonyError('frame', 'The client data is of a frame in another page')
  return { challenge, origin }
}

/**
 * The relying party id of an origin, which is its host name. Throws CeremonyError for an origin to which a browser gives
 * no passkeys: neither https nor `http://localhost`.
 */
export function relyingPartyOf(origin: string): string {
  const url = attempt('origin', 'The origin is no URL', () => new URL(origin))
  if (url.origin !== origin) throw new CeremonyError('origin', 'The origin has more than a scheme, a host and a port')
  const { protocol, hostname } = url
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return hostname
  throw new CeremonyError('origin', 'The origin is neither https nor http://localhost')
}

export interface NewPasskey {
  /** base64url, as the public key. */
  readonly id: string
  readonly publicKey: string
  readonly signCount: number
  readonly isBackedUp: boolean
}

/** The passkey of a registration for an origin, whose client data is read already. Throws CeremonyError. */
export function verifyRegistration(attestation: Uint8Array, { origin }: Pick<ClientData, 'origin'>): NewPasskey {
  const data = attempt('response', 'The attestation cannot be read', () => {
    const map = readWholeCbor(attestation)
    const bytes = map instanceof Map ? map.get('authData') : undefined
    if (!(bytes instanceof Uint8Array)) throw new Error('there is no authenticator data')
    return readAuthenticatorData(bytes)
  })
  requireUser(data, origin)
  const { credential, signCount, isBackedUp } = data
  if (credential === undefined) throw new CeremonyError('response', 'The authenticator data has no credential')
  attempt('key', 'The public key cannot be used', () => readPublicKey(credential.publicKey))
  return { id: base64url(credential.id), publicKey: base64url(credential.publicKey), signCount, isBackedUp }
}

/** A passkey as it is stored. */
export interface StoredPasskey extends NewPasskey {
  /** Of the page where it was made. */
  readonly origin: string
}

export interface Assertion {
  readonly authenticatorData: Uint8Array
  readonly clientDataJson: Uint8Array
  readonly signature: Uint8Array
}

/** What of a passkey an authentication changes. Throws CeremonyError where it was not made with the passkey, at its origin. */
export function verifyAssertion(
  { authenticatorData, clientDataJson, signature }: Assertion,
  { origin }: Pick<ClientData, 'origin'>,
  passkey: StoredPasskey,
): Pick<NewPasskey, 'signCount' | 'isBackedUp'> {
  // A page of another port or of a subdomain may belong to others.
  if (origin !== passkey.origin) throw new CeremonyError('origin', 'The passkey was made at another origin')
  const data = attempt('response', 'The authenticator data cannot be read', () => readAuthenticatorData(authenticatorData))
  requireUser(data, origin)
  const key = readPublicKey(Buffer.from(passkey.publicKey, 'base64url'))
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJson)])
  if (!attempt('signature', 'The signature cannot be read', () => key.verifies(signed, signature))) {
    throw new CeremonyError('signature', 'The signature is not that of the passkey')
  }
  const { signCount, isBackedUp } = data
  if (!isLater(signCount, passkey.signCount)) throw new CeremonyError('counter', 'The counter of the passkey went back: a copy of it may be in use')
  return { signCount, isBackedUp }
}

/** Authenticators that do not count say 0 always. */
export function isLater(signCount: number, before: number): boolean {
  return signCount > before || (signCount === 0 && before === 0)
}

/** The person was there and was recognised by the authenticator, for this site. */
function requireUser(data: AuthenticatorData, origin: string): void {
  if (!equalSecrets(sha256(relyingPartyOf(origin)), Buffer.from(data.rpIdHash))) throw new CeremonyError('site', 'The passkey is of another site')
  if (!data.isUserPresent || !data.isUserVerified) throw new CeremonyError('verification', 'The authenticator did not verify the user')
  if (data.isBackedUp && !data.mayBeBackedUp) throw new CeremonyError('response', 'The passkey is said to be backed up, and that it cannot be')
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function attempt<T>(reason: CeremonyReason, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new CeremonyError(reason, `${what}: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}
