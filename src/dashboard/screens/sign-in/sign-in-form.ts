/**
 * Signing in with e-mail and code, as a page or in a dialog over work that goes on afterwards.
 *
 * Two steps in one place: the address, then the code that was sent to it.
 */
import { t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { codeStep } from './code-step.ts'
import { holdButton } from './held-button.ts'
import type { SignInOptions } from './sign-in-state.ts'
import { signInWords, waitOf } from './sign-in-words.ts'

/** Between two codes; the server's own limits come later. */
const RESEND_MS = 30_000

export function signInForm(options: SignInOptions): HTMLElement {
  const { client, state, reason, signal } = options
  const step = h('div', {})
  const problem = h('p', { id: 'sign-in-problem', class: 'field-problem', role: 'alert' })
  const tell = (words = ''): void => void fill(problem, words)
  let stepLeft = new AbortController()
  signal.addEventListener('abort', () => stepLeft.abort())
  show()
  return h('div', { class: 'sign-in' }, reason === undefined ? null : h('p', {}, reason), step)

  function show(): void {
    stepLeft.abort()
    stepLeft = new AbortController()
    if (signal.aborted) return
    const parts = { ...options, signal: stepLeft.signal, problem, tell, requestCode, onOtherAddress }
    fill(step, state.isCodeSent ? codeStep(parts) : addressStep())
    step.querySelector<HTMLElement>('input')?.focus()
  }

  function onOtherAddress(): void {
    tell()
    Object.assign(state, { isCodeSent: false, code: '', sendAgainAt: 0 })
    show()
  }

  /** Throws what the service refuses; then it is told already. */
  async function requestCode(): Promise<void> {
    tell()
    try {
      await client.auth.requestCode({ email: state.email, isDashboardLogin: true }, { signal })
      state.sendAgainAt = now() + RESEND_MS
    } catch (error) {
      state.sendAgainAt = now() + waitOf(error)
      if (!signal.aborted) tell(signInWords(error, 'code'))
      throw error
    }
  }

  function addressStep(): HTMLElement {
    const address = h('input', {
      id: 'sign-in-email',
      name: 'email',
      type: 'email',
      autocomplete: 'email',
      required: true,
      autofocus: true,
      value: state.email,
      'aria-describedby': 'sign-in-problem',
      on: { input: () => void (state.email = address.value.trim()) },
    })
    // Asked here, since the code is sent as soon as it is complete.
    const stays = h('input', {
      type: 'checkbox',
      checked: state.kept === 'browser',
      on: { change: () => void (state.kept = stays.checked ? 'browser' : 'tab') },
    })
    const button = h('button', { type: 'submit', class: 'primary wide' })
    const send = holdButton(button, t('signIn.sendCode'), stepLeft.signal)
    return h(
      'form',
      {
        on: {
          submit(event) {
            event.preventDefault()
            if (!button.disabled) void submit()
          },
        },
      },
      h('label', { class: 'field', for: 'sign-in-email' }, h('span', {}, t('signIn.email')), address),
      problem,
      h('label', { class: 'tick' }, stays, h('span', {}, t('signIn.stay'))),
      button,
    )

    async function submit(): Promise<void> {
      send.busy(true)
      try {
        await requestCode()
        state.isCodeSent = true
        show()
        options.onCodeSent?.()
      } catch {
        send.busy(false)
        send.holdUntil(state.sendAgainAt)
        address.focus()
      }
    }
  }
}
