/** Passkeys in this browser (WebAuthn level 3). */
import type { Client } from '../client/client.ts'
import type { User } from '../models/user.ts'

/** Whether this page may have them: at an address with a name, over https or on this machine. */
export function hasPasskeys(): boolean {
  const isNamed = !/^[\d.]+$|^\[/.test(location.hostname)
  return isNamed && isSecureContext && typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'
}

/** Whether the reader, or the authenticator, did not go through with it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DOMException && error.name !== 'AbortError'
}

/** The user whose passkey the reader chose. Throws DOMException where none was used, and what the service answers. */
export async function signInWithPasskey({ auth }: Client, signal: AbortSignal): Promise<User> {
  const options = await auth.passkeyRequest({ signal })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey, signal })
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('', 'NotAllowedError')
  const { id, response } = credential.toJSON() as AuthenticationResponseJSON
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const handle = userHandle === undefined ? {} : { userHandle }
  const { user } = await auth.signInWithPasskey({ id, clientDataJSON, authenticatorData, signature, ...handle }, { signal })
  return user
}
