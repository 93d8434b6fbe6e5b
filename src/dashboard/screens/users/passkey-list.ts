/** The passkeys of a user: the own ones, with adding and removing each, or those of any user for administrators. */
import type { Client, RequestOptions } from '../../../client/client.ts'
import type { Passkey, Passkeys } from '../../../models/responses.ts'
import { hasPasskeys, isRefusal } from '../../browser-passkeys.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { CODE_DIGITS, codeIn } from '../sign-in/code-text.ts'
import { ask } from '../../kit/dialog.ts'
import { button, type Child, h } from '../../kit/dom.ts'
import { labelled, problemLine, tag } from '../../kit/elements.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { workButton } from '../../kit/work-button.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { errorText } from '../../kit/states.ts'
import { deviceName } from './session-list.ts'

const NAME_CHARS_MAX = 100

interface PasskeyCalls {
  list(options: RequestOptions): Promise<Passkeys>
  /** Of the own ones. */
  remove?(id: string): Promise<void>
  /** Of another user. */
  removeAll?(): Promise<unknown>
}

export function ownPasskeys(context: ScreenContext): HTMLElement {
  const { client: { auth }, signal } = context
  const calls = { list: (options: RequestOptions) => auth.passkeys(options), remove: (id: string) => auth.removePasskey(id, { signal }) }
  return passkeyList(calls, context)
}

export function passkeysOf(userId: string, context: ScreenContext): HTMLElement {
  const { client: { admin }, signal } = context
  const calls = {
    list: (options: RequestOptions) => admin.passkeys(userId, options),
    removeAll: () => admin.removePasskeys(userId, { signal }),
  }
  return passkeyList(calls, context)
}

function passkeyList({ list, remove, removeAll }: PasskeyCalls, context: ScreenContext): HTMLElement {
  const { signal } = context
  const body = h('div', { class: 'sessions', role: 'group', 'aria-label': t('passkeys.title'), tabindex: -1 })
  const { load } = readInto({ signal }, { element: body, lines: 2, read: list, show })
  return body

  function show({ items }: Passkeys): Child {
    const add = button(t('passkeys.add'), () => void addPasskey(context).then((isAdded) => isAdded && load()))
    const all = workButton(t('passkeys.removeAll'), () => end(t('passkeys.removeAll'), removeAll))
    return [
      items.length === 0
        ? h('p', { class: 'soft' }, t('passkeys.none'))
        : h('ul', { class: 'divided' }, items.map((item) => passkeyItem(item, remove && (() => end(t('passkeys.removeOne', { label: item.name }), () => remove(item.id)))))),
      remove !== undefined && (hasPasskeys() ? h('div', { class: 'buttons' }, add) : h('p', { class: 'soft' }, t('passkeys.unsupported'), atLocalhost())),
      removeAll !== undefined && items.length > 0 && h('div', { class: 'buttons' }, all),
    ]
  }

  async function end(title: string, work: (() => Promise<unknown>) | undefined): Promise<void> {
    if (work === undefined || !(await ask({ title, text: t('passkeys.removeText'), confirm: t('passkeys.remove'), isDangerous: true }))) return
    body.focus()
    await work().finally(load)
    notify(t('passkeys.removed'), { kind: 'done' })
  }
}

/** The way to where browsers offer them, from the address of this machine that the service prints: a passkey needs a name. */
function atLocalhost(): Child {
  const { protocol, hostname, port, pathname } = location
  if (protocol !== 'http:' || !/^127\.|^\[::1\]$/.test(hostname)) return false
  const url = `http://localhost${port === '' ? '' : `:${port}`}${pathname}`
  return [' ', h('a', { href: `${url}#/sessions` }, t('passkeys.atLocalhost', { url }))]
}

function passkeyItem({ name, origin, backedUp, createdAt, lastUsedAt }: Passkey, remove: (() => Promise<void>) | undefined): HTMLElement {
  const used = lastUsedAt === null ? t('passkeys.unused') : [t('users.lastUsed'), ' ', ago(lastUsedAt)]
  return h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', {}, h('bdi', {}, name), backedUp && [' ', tag('', t('passkeys.synced'))]),
      h('p', { class: 'soft' }, used, ' · ', t('passkeys.since'), ' ', dateTime(createdAt), ' · ', h('bdi', {}, origin)),
    ),
    remove !== undefined && workButton(t('passkeys.remove'), remove, { class: 'small', 'aria-label': t('passkeys.removeOne', { label: name }) }),
  )
}

/** Resolves with whether one was added. */
async function addPasskey({ client, user: { email }, signal }: ScreenContext): Promise<boolean> {
  try {
    await client.auth.requestCode({ email, isDashboardLogin: true }, { signal })
  } catch (error) {
    notifyFailure(error)
    return false
  }
  let isAdded = false
  const label = h('input', { required: true, maxlength: NAME_CHARS_MAX, value: deviceName(navigator.userAgent).slice(0, NAME_CHARS_MAX), autocomplete: 'off' })
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
