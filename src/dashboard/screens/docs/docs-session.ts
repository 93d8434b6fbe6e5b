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
import { textOr } from '../../texts.ts'
import { docsText, inOwnLanguage } from './docs-texts.ts'

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
  let state: SessionState = 'checking'
  const show = (): void => {
    for (const element of document.querySelectorAll<HTMLElement>('.session')) fill(inOwnLanguage(element), sessionText(state))
  }
  const set = (next: SessionState): void => {
    state = next
    const isMissing = state === 'signed out' || state === 'ended'
    show()
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
  onTokenChangedElsewhere(() => void refresh())
  return {
    /** Undefined while no user is known. */
    user: () => (typeof state === 'object' ? state : undefined),
    refresh,
    /** Once more, in another language. */
    show,
    onChange: (run: () => void) => void listeners.push(run),
  }
}

function sessionText(state: SessionState): Child {
  if (state === 'checking') return null
  if (state === 'unknown') return docsText('docs.unchecked')
  if (typeof state === 'object') {
    const role = textOr(`docsRole.${state.role}`, state.role)
    return [h('span', {}, docsText('docs.signedInAs'), ' '), h('bdi', {}, state.email), h('span', {}, ` (${role})`)]
  }
  const text = docsText(state === 'ended' ? 'docs.ended' : 'docs.signedOut')
  return [h('span', {}, text, ' '), h('a', { href: './' }, docsText('docs.signIn'))]
}
