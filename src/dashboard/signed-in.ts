/**
 * The session of the page: its token, and what happens when the server takes it no longer.
 *
 * A request that is rejected because the session has ended waits until the reader has signed in again and is sent once
 * more. So nothing that was typed or begun is lost, and the reader stays where they are. Work that one user began is
 * never sent in the name of another.
 */
import { createClient, type Client } from '../client/client.ts'
import type { User } from '../models/user.ts'
import { apiUrl } from './api-url.ts'
import { readNode } from './node-sign.ts'
import { parseExactly } from './exact-json.ts'
import { forgetToken, storedToken, storeToken, type Kept } from './browser-storage.ts'

export interface SessionHooks {
  /** Lets the reader sign in again and resolves then. It is called once, however many requests wait. */
  readonly signInAgain: () => Promise<void>
  /** Something was refused to the roles of the user. */
  readonly onForbidden: () => void
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403
/** Browsers keep at most 64 KiB of requests alive beyond their page (Fetch standard, 4.6). */
const KEPT_CHARS_MAX = 30_000

export function createSessionKeeper({ signInAgain, onForbidden }: SessionHooks) {
  let signingIn: Promise<void> | undefined
  let isClosed = false
  let isEnding = false
  const client: Client = createClient({ url: apiUrl(), fetch: patientFetch, parse: parseExactly })
  use(storedToken())

  function use(token: string | undefined): void {
    try {
      client.token = token
    } catch {
      // Another program has written there: it is no token.
      forgetToken(token ?? '')
    }
  }

  async function patientFetch(input: string | URL | Request, given: RequestInit = {}): Promise<Response> {
    // What is changed while the page closes must still arrive.
    const isShort = typeof given.body !== 'string' || given.body.length <= KEPT_CHARS_MAX
    const isKept = given.method === 'DELETE' || (String(input).endsWith('/data/batch') && isShort)
    const init = isKept ? { ...given, keepalive: true } : given
    const headers = new Headers(init.headers)
    const isPatient = headers.has('Authorization') && !/\/api\/v1\/auth\//.test(String(input))
    const send = async (): Promise<Response> => {
      if (isClosed) throw new TypeError('the page is being left')
      if (isPatient && client.token !== undefined) headers.set('Authorization', `Bearer ${client.token}`)
      const response = await fetch(input, { ...init, headers })
      readNode(response)
      return response
    }
    if (isPatient) await signingIn
    const sent = client.token
    const response = await send()
    if (!isPatient) return response
    if (response.status === FORBIDDEN) onForbidden()
    if (response.status !== UNAUTHORIZED || isEnding || client.token === undefined) return response
    await response.body?.cancel()
    // Another request may have led to a new token while this one was on its way.
    if (client.token === sent) {
      await (signingIn ??= signInAgain().finally(() => {
        signingIn = undefined
      }))
    }
    return send()
  }

  /** Ends the session here alone. */
  function forget(): void {
    forgetToken(client.token ?? '')
    client.token = undefined
  }

  return {
    client,
    forget,
    /** Goes on with a token that was stored. */
    use,
    /** Remembers the token that the client has got. */
    keep: (kept: Kept): void => storeToken(client.token ?? '', kept),
    /** Ends the session at the server, and here in any case. */
    async signOut(): Promise<void> {
      isEnding = true
      const { token } = client
      try {
        await client.auth.signOut()
      } finally {
        isEnding = false
        client.token = token
        forget()
      }
    },
    /** Whose token it is. */
    ownerOf: async (token: string): Promise<User> => createClient({ url: apiUrl(), token }).auth.me(),
    /** From now on nothing is sent any more. */
    close: (): void => void (isClosed = true),
  }
}
