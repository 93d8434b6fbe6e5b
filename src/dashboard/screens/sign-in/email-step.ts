/** The first step: the e-mail address to which a code is sent. */
import { Forbidden, Unauthorized } from '../../../client/client.ts'
import { hasPasskeys, signInWithPasskey } from '../../browser-passkeys.ts'
import { t } from '../../texts.ts'
import { button as textButton, h } from '../../kit/dom.ts'
import { labelled, submitForm } from '../../kit/elements.ts'
import { holdButton } from './held-button.ts'
import { whyOver } from './setup-address.ts'
import { passkeyMessage, signInMessage } from './sign-in-failure.ts'
import type { SignInStep } from './sign-in-state.ts'

export function emailStep(step: SignInStep): HTMLElement {
  const { client, state, signal, problem, tell, requestCode, openStep, onSetupChanged, onSignedIn } = step
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
  const send = holdButton(button, t(state.setupToken === '' ? 'signIn.sendCode' : 'signIn.enter'), signal)

  /** The address of the first set-up, in place of a code. It works once: after a failure, a code is the way in. */
  async function setUp(): Promise<void> {
    try {
      const { user } = await client.auth.setup({ token: state.setupToken, email: state.email }, { signal })
      return onSignedIn(user)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Unauthorized || error instanceof Forbidden) {
        const reason = await whyOver(client)
        state.setupToken = ''
        openStep('email')
        tell(reason)
        return onSetupChanged?.()
      }
      tell(signInMessage(error, 'code'))
      send.busy(false)
    }
  }

  async function usePasskey(): Promise<void> {
    tell()
    try {
      onSignedIn(await signInWithPasskey(client, signal))
    } catch (error) {
      if (!signal.aborted) tell(passkeyMessage(error))
    }
  }

  async function submit(): Promise<void> {
    send.busy(true)
    if (state.setupToken !== '') return setUp()
    if (await requestCode()) {
      openStep('code')
      onSetupChanged?.()
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
    hasPasskeys() && state.setupToken === '' && textButton(t('signIn.passkey'), () => void usePasskey(), { class: 'link' }),
  )
}
