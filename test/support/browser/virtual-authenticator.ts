/** A virtual authenticator of a browser (WebAuthn level 3, section 11.2), whose user consents at once. */
import type { Session } from './web-driver.ts'

export interface VirtualAuthenticator {
  /** Whether its user is recognised from now on. */
  recognise(isUserVerified: boolean): Promise<void>
}

/** Like the one that is built into a laptop: with a fingerprint, and with passkeys that need no name. */
export async function addAuthenticator({ send }: Session): Promise<VirtualAuthenticator> {
  const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true }
  const id = String(await send('POST', '/webauthn/authenticator', { ...kind, isUserConsenting: true, isUserVerified: true }))
  const path = `/webauthn/authenticator/${id}`
  return {
    recognise: async (isUserVerified) => void (await send('POST', `${path}/uv`, { isUserVerified })),
  }
}
