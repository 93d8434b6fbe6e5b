/** The first step: the e-mail address to which a code is sent. */
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { labelled, submitForm } from '../../kit/elements.ts'
import { holdButton } from './held-button.ts'
import type { SignInStep } from './sign-in-state.ts'

export function emailStep({ state, signal, problem, requestCode, openStep, onCodeSent }: SignInStep): HTMLElement {
  const email = h('input', {
    id: 'sign-in-email',
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    required: true,
    autofocus: true,
    value: state.email,
    'aria-describedby': problem.id,
    on: { input: () => void (state.email = email.value.trim()) },
  })
  // Asked here, since the code is sent as soon as it is complete.
  const stays = h('input', {
    type: 'checkbox',
    checked: state.kept === 'browser',
    on: { change: () => void (state.kept = stays.checked ? 'browser' : 'tab') },
  })
  const button = h('button', { type: 'submit', class: 'primary wide' })
  const send = holdButton(button, t('signIn.sendCode'), signal)

  async function submit(): Promise<void> {
    send.busy(true)
    if (await requestCode()) {
      openStep('code')
      onCodeSent?.()
      return
    }
    send.busy(false)
    send.holdUntil(state.sendAgainAt)
    email.focus()
  }

  return submitForm(
    {},
    () => void (!button.disabled && submit()),
    labelled(t('signIn.email'), email),
    problem,
    h('label', { class: 'tick' }, stays, h('span', {}, t('signIn.stay'))),
    button,
  )
}
