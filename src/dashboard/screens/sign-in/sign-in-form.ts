/** Signing in with an e-mail address and a code: as a page, or in a dialog over work that goes on afterwards. */
import { now } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { problemLine } from '../../kit/elements.ts'
import { codeStep } from './code-step.ts'
import { emailStep } from './email-step.ts'
import type { SignInOptions } from './sign-in-state.ts'
import { signInMessage, waitOf } from './sign-in-failure.ts'

/** Between two codes; the server's own limits come later. */
const RESEND_MS = 30_000

export function signInForm(options: SignInOptions): HTMLElement {
  const { client, state, reason, signal } = options
  const stepElement = h('div', {})
  const problem = problemLine('sign-in-problem')
  const tell = (words = ''): void => void fill(problem, words)
  let stepLeft = new AbortController()
  signal.addEventListener('abort', () => stepLeft.abort())
  show()
  return h('div', { class: 'sign-in' }, reason === undefined ? null : h('p', {}, reason), stepElement)

  function show(): void {
    stepLeft.abort()
    stepLeft = new AbortController()
    if (signal.aborted) return
    const step = { ...options, signal: stepLeft.signal, problem, tell, requestCode, openStep }
    fill(stepElement, state.isCodeSent ? codeStep(step) : emailStep(step))
    stepElement.querySelector('input')?.focus()
  }

  function openStep(step: 'email' | 'code'): void {
    if (step === 'email') {
      tell()
      Object.assign(state, { code: '', sendAgainAt: 0 })
    }
    state.isCodeSent = step === 'code'
    show()
  }

  /** False where the service refuses one, which is told. */
  async function requestCode(): Promise<boolean> {
    tell()
    try {
      await client.auth.requestCode({ email: state.email, isDashboardLogin: true }, { signal })
      state.sendAgainAt = now() + RESEND_MS
      return true
    } catch (error) {
      state.sendAgainAt = now() + waitOf(error)
      if (!signal.aborted) tell(signInMessage(error, 'code'))
      return false
    }
  }
}
