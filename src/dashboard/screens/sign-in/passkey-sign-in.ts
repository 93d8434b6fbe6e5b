/** Signing in with a passkey; loaded when the reader asks for it. */
import type { Client } from '../../../client/client.ts'
import type { User } from '../../../models/user.ts'

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
