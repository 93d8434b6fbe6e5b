/**
 * Who is signed in, for what the reference tries: the session of the dashboard, whose token the browser keeps.
 *
 * The token goes into a header of requests to this service. It is never shown, also not where a reply has one in it.
 */
import { createClient, Unauthorized, type Client } from '../../../client/client.ts'
import { storedToken } from '../../browser-storage.ts'
import { parseExactly } from '../../exact-json.ts'

export type SignedInState =
  'checking' | 'nobody' | 'ended' | 'unknown' | { readonly email: string; readonly role: string }

export interface DocsSession {
  readonly client: Client
  /** Of the service, with a slash at its end, wherever a proxy has put it. */
  readonly address: string
  /** Undefined where nobody is signed in. */
  token(): string | undefined
  state(): SignedInState
  /** Asks the service again who is signed in; those who watch hear of it. */
  refresh(): Promise<void>
  /** Runs now and after each change. */
  watch(run: (state: SignedInState) => void): void
}

export function openSession(): DocsSession {
  const address = new URL('.', document.baseURI).href
  const client = createClient({ url: address.replace(/\/$/, ''), parse: parseExactly })
  const watching = new Set<(state: SignedInState) => void>()
  let state: SignedInState = storedToken() === undefined ? 'nobody' : 'checking'
  const set = (next: SignedInState): void => {
    state = next
    for (const run of watching) run(next)
  }
  return {
    client,
    address,
    token: () => storedToken(),
    state: () => state,
    async refresh() {
      const token = storedToken()
      // The dashboard may sign in or out meanwhile, and what is known of it then is newer.
      const setIfCurrent = (next: SignedInState): void => {
        if (storedToken() === token) set(next)
      }
      if (token === undefined) return set('nobody')
      try {
        client.token = token
        const { email, dashboardRole } = await client.auth.me()
        setIfCurrent({ email, role: dashboardRole })
      } catch (error) {
        // What is stored may not even look like a token.
        setIfCurrent(error instanceof Unauthorized || error instanceof TypeError ? 'ended' : 'unknown')
      }
    },
    watch(run) {
      watching.add(run)
      run(state)
    },
  }
}
