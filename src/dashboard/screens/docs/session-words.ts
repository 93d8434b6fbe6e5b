/** Who is signed in, in words, and where to sign in. */
import { h } from '../../kit/dom.ts'
import type { SignedInState } from './docs-session.ts'

export function sessionWords(state: SignedInState): HTMLElement {
  if (typeof state === 'object') {
    const role = state.role === 'none' ? 'reader' : state.role
    return h(
      'p',
      { class: 'session' },
      h('span', { class: 'soft' }, 'Signed in as '),
      h('bdi', {}, state.email),
      h('span', { class: 'soft' }, ` (${role})`),
    )
  }
  if (state === 'checking') return h('p', { class: 'session' })
  if (state === 'unknown') return h('p', { class: 'session soft' }, 'The session could not be checked.')
  // The dashboard is the page beside this one, and stores the token where it is read here.
  const link = h('a', { href: './' }, 'Sign in to the dashboard')
  return state === 'ended'
    ? h('p', { class: 'session' }, h('span', { class: 'soft' }, 'Your session has ended. '), link)
    : h('p', { class: 'session' }, h('span', { class: 'soft' }, 'Nobody is signed in. '), link)
}
