/** The second step: the code, which is sent as soon as it is complete, however it was typed or pasted. */
import { t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { CODE_DIGITS, codeIn } from './code-text.ts'
import { holdButton } from './held-button.ts'
import type { SignInOptions } from './sign-in-state.ts'
import { signInWords, waitOf } from './sign-in-words.ts'

export interface CodeStepOptions extends SignInOptions {
  /** Where that stands. */
  readonly problem: HTMLElement
  /** Shows what is wrong, or nothing. */
  readonly tell: (words?: string) => void
  readonly requestCode: () => Promise<void>
  readonly onOtherAddress: () => void
}

export function codeStep(options: CodeStepOptions): HTMLElement {
  const { client, state, signal, problem, tell, requestCode, onOtherAddress, onSignedIn } = options
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
    'aria-describedby': 'sign-in-problem',
    on: {
      input: () => take(code.value),
      paste(event) {
        event.preventDefault()
        take(event.clipboardData?.getData('text') ?? '')
      },
    },
  })
  const button = h('button', { type: 'submit', class: 'primary wide' })
  const enter = holdButton(button, t('signIn.enter'), signal)
  const again = h('button', { type: 'button', class: 'link', on: { click: () => void sendAgain() } })
  const resend = holdButton(again, t('signIn.resend'), signal)
  resend.holdUntil(state.sendAgainAt)
  const form = h(
    'form',
    {
      on: {
        submit(event) {
          event.preventDefault()
          if (!isBusy && !button.disabled) void verify()
        },
      },
    },
    h('p', {}, t('signIn.codeSent'), ' ', h('bdi', {}, h('strong', {}, state.email))),
    h('label', { class: 'field', for: 'sign-in-code' }, h('span', {}, t('signIn.code')), code),
    problem,
    button,
    h(
      'p',
      { class: 'buttons spread' },
      h('button', { type: 'button', class: 'link', on: { click: onOtherAddress } }, t('signIn.otherAddress')),
      again,
    ),
  )
  return form

  async function sendAgain(): Promise<void> {
    resend.busy(true)
    try {
      await requestCode()
      code.focus()
    } catch {
      // It is told already.
    }
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
      tell(signInWords(error, 'enter'))
      enter.holdUntil(now() + waitOf(error))
      code.select()
      code.focus()
    } finally {
      isBusy = false
      enter.busy(false)
    }
  }
}
