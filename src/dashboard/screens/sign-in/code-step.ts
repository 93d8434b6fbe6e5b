/** The second step: the code, which is sent as soon as it is complete, however it was typed or pasted. */
import { t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, submitForm } from '../../kit/elements.ts'
import { CODE_DIGITS, codeIn } from './code-text.ts'
import { holdButton } from './held-button.ts'
import type { SignInStep } from './sign-in-state.ts'
import { signInMessage, waitOf } from './sign-in-failure.ts'

export function codeStep(step: SignInStep): HTMLElement {
  const { client, state, signal, problem, tell, requestCode, openStep, onSignedIn } = step
  let isBusy = false
  const take = (text: string): void => {
    state.code = codeIn(text)
    if (code.value !== state.code) code.value = state.code
    if (state.code.length === CODE_DIGITS) form.requestSubmit()
  }
  const code = h('input', {
    id: 'sign-in-code',
    name: 'code',
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    class: 'code',
    required: true,
    autofocus: true,
    value: state.code,
    'aria-describedby': problem.id,
    on: {
      input: () => take(code.value),
      paste(event) {
        event.preventDefault()
        take(event.clipboardData?.getData('text') ?? '')
      },
    },
  })
  const send = h('button', { type: 'submit', class: 'primary wide' })
  const enter = holdButton(send, t('signIn.enter'), signal)
  const again = button('', () => void sendAgain(), { class: 'link' })
  const resend = holdButton(again, t('signIn.resend'), signal)
  resend.holdUntil(state.sendAgainAt)
  const form = submitForm(
    {},
    () => void (!isBusy && !send.disabled && verify()),
    h('p', {}, t(state.codesBy === 'mail' ? 'signIn.codeSent' : 'signIn.codeMade'), ' ', h('bdi', {}, h('strong', {}, state.email))),
    labelled(t('signIn.code'), code),
    problem,
    send,
    h('p', { class: 'buttons spread' }, button(t('signIn.otherAddress'), () => openStep('email'), { class: 'link' }), again),
  )
  return form

  async function sendAgain(): Promise<void> {
    resend.busy(true)
    if (await requestCode()) code.focus()
    resend.busy(false)
    resend.holdUntil(state.sendAgainAt)
  }

  async function verify(): Promise<void> {
    isBusy = true
    enter.busy(true)
    tell()
    try {
      const given = { email: state.email, code: state.code, isDashboardLogin: true }
      const { user } = await client.auth.verifyCode(given, { signal })
      onSignedIn(user)
    } catch (error) {
      if (signal.aborted) return
      tell(signInMessage(error, 'enter'))
      enter.holdUntil(now() + waitOf(error))
      code.select()
      code.focus()
    } finally {
      isBusy = false
      enter.busy(false)
    }
  }
}
