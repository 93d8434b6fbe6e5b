/**
 * The session of the dashboard, whose token the browser keeps, for requests that readers try here.
 *
 * The token goes into a header of requests to this service. It is never shown, also not where a response contains it.
 */
import type { Client } from '../../../client/client.ts'
import { apiUrl } from '../../api-url.ts'
import { onTokenChangedElsewhere, storedToken, storeToken } from '../../browser-storage.ts'
import { parseExactly } from '../../exact-json.ts'
import { shareSession } from '../../tab-session.ts'
import { fill, h, type Child } from '../../kit/dom.ts'

/** A user with a session; `client` sends its token. */
export interface DocsUser {
  readonly email: string
  readonly role: string
  readonly client: Client
}

type SessionState = 'checking' | 'signed out' | 'ended' | 'unknown' | DocsUser

export type DocsSession = ReturnType<typeof openSession>

/** Shows its state in every `.session` of the page, and disables what needs a token while there is none. */
export function openSession() {
  const listeners: (() => void)[] = []
  let state: SessionState
  const set = (next: SessionState): void => {
    state = next
    const isMissing = state === 'signed out' || state === 'ended'
    for (const element of document.querySelectorAll('.session')) fill(element, sessionText(state))
    for (const send of document.querySelectorAll('[data-token="required"] button.primary')) {
      send.toggleAttribute('disabled', isMissing)
    }
    for (const run of listeners) run()
  }
  const tabs = shareSession({
    onToken(token) {
      if (storedToken() !== undefined) return
      storeToken(token, 'tab')
      void refresh()
    },
    onEnded: () => void refresh(),
  })
  const refresh = async (): Promise<void> => {
    const token = await tabs.take()
    // The dashboard may sign in or out meanwhile, and then a newer check sets the state.
    const setIfCurrent = (next: SessionState): void => {
      if (storedToken() === token) set(next)
    }
    if (token === undefined) return set('signed out')
    // Most readers have no token, and do without the client.
    const typed = await import('../../../client/client.ts').catch(() => undefined)
    if (typed === undefined) return setIfCurrent('unknown')
    try {
      const client = typed.createClient({ url: apiUrl(), token, parse: parseExactly })
      const { email, dashboardRole } = await client.auth.me()
      setIfCurrent({ email, role: dashboardRole, client })
    } catch (error) {
      // A stored value may not even look like a token.
      setIfCurrent(error instanceof typed.Unauthorized || error instanceof TypeError ? 'ended' : 'unknown')
    }
  }
  set('checking')
  onTokenChangedElsewhere(() => void refresh())
  return {
    /** Undefined while no user is known. */
    user: () => (typeof state === 'object' ? state : undefined),
    refresh,
    onChange: (run: () => void) => void listeners.push(run),
  }
}

function sessionText(state: SessionState): Child {
  if (state === 'checking') return null
  if (state === 'unknown') return 'The session could not be checked.'
  if (typeof state === 'object') {
    const role = state.role === 'none' ? 'reader' : state.role
    return [h('span', {}, 'Signed in as '), h('bdi', {}, state.email), h('span', {}, ` (${role})`)]
  }
  const text = state === 'ended' ? 'Your session has ended. ' : 'You are not signed in. '
  return [h('span', {}, text), h('a', { href: './' }, 'Sign in to the dashboard')]
}
