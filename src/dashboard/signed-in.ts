/**
 * The session of the page: its token, and what happens when the server takes it no longer.
 *
 * A request that is refused because the session has ended waits until the reader has signed in again and is sent once
 * more. So nothing that was typed or begun is lost, and the reader stays where they are.
 */
import { createClient, type Client } from '../client/client.ts'
import { forgetToken, storedToken, storeToken, type Kept } from './browser-storage.ts'

export interface SessionKeeper {
  readonly client: Client
  /** Remembers the token that the client has got. */
  keep(kept: Kept): void
  /** Ends the session at the server, and here in any case. */
  signOut(): Promise<void>
}

const UNAUTHORIZED = 401

/** `askAgain` lets the reader sign in again and resolves then. It is called once, however many requests wait. */
export function createSessionKeeper(askAgain: () => Promise<void>): SessionKeeper {
  let asking: Promise<void> | undefined
  const client: Client = createClient({ url: apiAddress(), fetch: patientFetch })
  const token = storedToken()
  if (token !== undefined) client.token = token

  async function patientFetch(input: string | URL | Request, given: RequestInit = {}): Promise<Response> {
    // What is deleted while the page closes must still arrive.
    const init = given.method === 'DELETE' ? { ...given, keepalive: true } : given
    const reply = await fetch(input, init)
    const headers = new Headers(init.headers)
    const isAboutSignIn = /\/api\/v1\/auth\//.test(String(input))
    if (reply.status !== UNAUTHORIZED || !headers.has('Authorization') || isAboutSignIn) return reply
    await reply.body?.cancel()
    // Another request may have led to a new token while this one was on its way.
    if (headers.get('Authorization') === `Bearer ${client.token}`) {
      await (asking ??= askAgain().finally(() => {
        asking = undefined
      }))
    }
    headers.set('Authorization', `Bearer ${client.token}`)
    return fetch(input, { ...init, headers })
  }

  return {
    client,
    keep: (kept) => storeToken(client.token ?? '', kept),
    async signOut() {
      try {
        await client.auth.signOut()
      } finally {
        forgetToken()
        client.token = undefined
      }
    },
  }
}

/** The API lies beside the page, wherever a proxy has put both. */
function apiAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '')
}
