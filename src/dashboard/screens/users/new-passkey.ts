/** Adding a passkey: a fresh code by mail says who adds it, then the browser makes it. */
import type { Client } from '../../../client/client.ts'
import { readUserAgent } from '../../../models/user-agent.ts'
import { isRefusal } from '../../browser-passkeys.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { errorText, orTell } from '../../kit/states.ts'
import { CODE_DIGITS, codeIn } from '../sign-in/code-text.ts'

const NAME_CHARS_MAX = 100

/** Resolves with whether one was added. */
export async function addPasskey({ client, user: { email }, signal }: ScreenContext): Promise<boolean> {
  try {
    await client.auth.requestCode({ email, isDashboardLogin: true }, { signal })
  } catch (error) {
    notifyFailure(error)
    return false
  }
  let isAdded = false
  const { name, system } = readUserAgent(navigator.userAgent)
  const device = system === undefined ? name : t('users.client', { name, system })
  const label = h('input', { required: true, maxlength: NAME_CHARS_MAX, value: device.slice(0, NAME_CHARS_MAX), autocomplete: 'off' })
  const code = h('input', {
    ...{ inputmode: 'numeric', autocomplete: 'one-time-code', class: 'code', required: true, autofocus: true },
    on: { input: () => void (code.value = codeIn(code.value)) },
  })
  const problem = problemLine()
  const send = h('button', { type: 'submit', class: 'primary' }, t('passkeys.add'))
  const form = submitForm(
    { class: 'form' },
    () => void (code.value.length === CODE_DIGITS ? whileBusy(send, () => orTell(problem, add, told)) : code.focus()),
    h('p', {}, t('signIn.codeSent'), ' ', h('bdi', {}, h('strong', {}, email))),
    labelled(t('signIn.code'), code),
    labelled(t('field.name'), label),
    problem,
    h('div', { class: 'buttons end' }, button(t('cancel'), () => dialog.close()), send),
  )
  const dialog = openDialog({ title: t('passkeys.add'), body: form })
  await dialog.closed
  return isAdded

  async function add(): Promise<void> {
    await make(client, { code: code.value, name: label.value }, signal)
    isAdded = true
    dialog.close()
    notify(t('passkeys.added'), { kind: 'done' })
  }
}

function told(error: unknown): string {
  return isRefusal(error) ? t('passkeys.notMade') : errorText(error)
}

/** Throws DOMException where the browser made none, and what the service answers. */
async function make({ auth }: Client, { code, name }: { readonly code: string; readonly name: string }, signal: AbortSignal): Promise<void> {
  const options = await auth.passkeyCreation({ signal })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...options,
    pubKeyCredParams: [],
    excludeCredentials: [...options.excludeCredentials],
  })
  const credential = await navigator.credentials.create({ publicKey, signal })
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('', 'NotAllowedError')
  const { clientDataJSON, attestationObject } = (credential.toJSON() as RegistrationResponseJSON).response
  await auth.addPasskey({ code, name, clientDataJSON, attestationObject }, { signal })
}
