/** Adding a passkey: a fresh code by mail says who adds it, then the browser makes it. */
import type { Client } from '../../../client/client.ts'
import { readUserAgent } from '../../../models/user-agent.ts'
import { isRefusal } from '../../browser-passkeys.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { labelled, problemLine } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { errorText } from '../../kit/states.ts'
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
  const dialog = openFormDialog({
    title: t('passkeys.add'),
    confirm: t('passkeys.add'),
    isChecked: true,
    fields: [h('p', {}, t('signIn.codeSent'), ' ', h('bdi', {}, h('strong', {}, email))), labelled(t('signIn.code'), code), labelled(t('field.name'), label), problem],
    problem,
    send: add,
    wordsOf: (error) => (isRefusal(error) ? t('passkeys.notMade') : errorText(error)),
  })
  await dialog.closed
  return isAdded

  async function add(): Promise<void> {
    if (code.value.length !== CODE_DIGITS) return code.focus()
    await make(client, { code: code.value, name: label.value }, signal)
    isAdded = true
    dialog.close()
    notify(t('passkeys.added'), { kind: 'done' })
  }
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
