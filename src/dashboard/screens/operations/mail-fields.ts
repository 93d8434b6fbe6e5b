/** The settings of mail as an administrator thinks of them: a provider, a server with its login, and the sender. */
import { MAIL_PASSWORD } from '../../../models/editable-settings.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import { choiceAmong, problemLine } from '../../kit/elements.ts'
import { lockedBy, settingTitle, type EditableItem, type SettingFields } from './setting-fields.ts'
import {
  defaultPort,
  ENCRYPTIONS,
  mailServerOf,
  mailSettingsOf,
  PROVIDER_NAMES,
  providerOf,
  PROVIDERS,
  withHostTyped,
  withProvider,
  type Encryption,
  type MailServer,
} from './mail-server.ts'

export interface MailItems {
  readonly mail: EditableItem
  readonly mailPassword: EditableItem
  readonly mailFrom: EditableItem
  readonly mailTls: EditableItem
}

/** `onInput` runs whenever the reader has changed something in them. */
export function mailFields({ mail, mailPassword, mailFrom, mailTls }: MailItems, onInput: () => void): SettingFields {
  const winner = mail.edit.overriddenBy
  const isLocked = winner !== null
  const stored = mail.edit.stored ?? ''
  const initial = mailServerOf(isLocked ? mail.value : stored, isLocked ? mailTls.value : mailTls.edit.stored)
  const input = (name: string, more: Readonly<Record<string, string | boolean>>): HTMLInputElement =>
    h('input', { id: `mail-${name}`, type: 'text', dir: 'ltr', spellcheck: 'false', autocomplete: 'off', disabled: isLocked, on: { input: changed }, ...more })
  const providers = ['', ...PROVIDER_NAMES] as const
  const provider = choiceAmong(providers, (name) => (name === '' ? t('mail.own') : PROVIDERS[name].title), { id: 'mail-provider', disabled: isLocked, on: { change: choose } })
  const host = input('host', { placeholder: 'mail.example.org' })
  host.addEventListener('change', () => show(fields()))
  const port = input('port', { inputmode: 'numeric' })
  const encryption = choiceAmong(ENCRYPTIONS, (one) => t(`mailTls.${one}`), { id: 'mail-encryption', disabled: isLocked, on: { change: changed } })
  const user = input('user', { 'aria-describedby': 'mail-user-problem' })
  const userProblem = problemLine('mail-user-problem')
  const hasPassword = mailPassword.edit.stored !== null
  const password = input('password', { type: 'password', autocomplete: 'new-password', 'aria-describedby': 'mail-password-problem' })
  const passwordProblem = problemLine('mail-password-problem')
  const from = input('from', { placeholder: 'News <news@example.org>', 'aria-describedby': 'mail-from-hint' })
  const fromWinner = mailFrom.edit.overriddenBy
  setAttributes(from, { disabled: fromWinner !== null, value: fromWinner === null ? mailFrom.edit.stored : mailFrom.value })
  const about = h('p', { class: 'soft mail-about' })
  show(initial)

  function fields(): MailServer {
    const typed = { host: host.value, port: port.value, encryption: encryption.value as Encryption, user: user.value }
    return withHostTyped(typed, host.value)
  }

  function show(server: MailServer): void {
    host.value = server.host
    port.value = server.port
    encryption.value = server.encryption
    user.value = server.user
    if (server.password !== undefined) password.value = server.password
    describe(server)
  }

  /** What belongs to the server that stands in the fields. */
  function describe(server: MailServer): void {
    const name = providerOf(server.host)
    provider.value = name ?? ''
    port.placeholder = defaultPort(server)
    fill(about, winner !== null ? lockedBy(winner) : name !== undefined ? t(`mailAbout.${name}`) : server.host === '' && t('mail.none'))
    const isKept = hasPassword && server.user !== '' && newMail(server) === undefined
    password.placeholder = isKept ? '••••••••' : ''
  }

  function changed(): void {
    fill(userProblem)
    fill(passwordProblem)
    describe(fields())
    onInput()
  }

  function choose(): void {
    const name = PROVIDER_NAMES.find((one) => one === provider.value)
    show(name === undefined ? { ...fields(), host: '', port: '', encryption: 'auto' } : withProvider(fields(), name))
    if (name === undefined) host.focus()
    changed()
  }

  /** The value of `mail` where it is another one: one that was written otherwise stays as it is. */
  function newMail(server: MailServer): string | null | undefined {
    const now = mailSettingsOf(server).mail
    return now === mailSettingsOf(initial).mail ? undefined : now
  }

  function changes(): Readonly<Record<string, string | null>> {
    const sender = from.value.trim()
    const ofSender = fromWinner !== null || sender === (mailFrom.edit.stored ?? '') ? {} : { mailFrom: sender === '' ? null : sender }
    if (isLocked) return ofSender
    const server = fields()
    const secret = server.password ?? password.value
    const [url, tls] = [newMail(server), mailSettingsOf(server).mailTls]
    const needsNoPassword = hasPassword && (server.host === '' || server.user.trim() === '')
    return {
      ...(url === undefined ? {} : { mail: url }),
      ...(tls === mailTls.edit.stored ? {} : { mailTls: tls }),
      ...(secret === '' ? needsNoPassword && { [MAIL_PASSWORD]: null } : { [MAIL_PASSWORD]: secret }),
      ...ofSender,
    }
  }

  /** A stored password is for the server that it was stored with. */
  function check(): boolean {
    const server = fields()
    show(server)
    const isServer = !isLocked && server.host.trim() !== ''
    const hasUser = server.user.trim() !== ''
    const isKept = hasPassword && newMail(server) === undefined
    const lacksPassword = isServer && hasUser && password.value === '' && !isKept
    const lacksUser = isServer && !hasUser && password.value !== ''
    fill(passwordProblem, lacksPassword && t('mail.needsPassword'))
    fill(userProblem, lacksUser && t('mail.needsUser'))
    if (lacksPassword) password.focus()
    if (lacksUser) user.focus()
    return !lacksPassword && !lacksUser
  }

  return {
    element: h(
      'div',
      { class: 'mail-fields' },
      field(provider, t('mail.provider')),
      about,
      field(host, settingTitle('mail')),
      field(port, t('mail.port')),
      field(encryption, settingTitle('mailTls')),
      field(user, t('mail.user'), userProblem),
      field(password, settingTitle('mailPassword'), passwordProblem),
      field(
        from,
        settingTitle('mailFrom'),
        h('p', { class: 'soft', id: 'mail-from-hint' }, fromWinner === null ? t('mail.fromAbout') : lockedBy(fromWinner)),
      ),
    ),
    changes,
    check,
  }
}

function field(input: HTMLInputElement | HTMLSelectElement, title: string, ...more: readonly Child[]): HTMLElement {
  return h('div', { class: `field ${input.id}` }, h('label', { for: input.id }, title), input, more)
}
