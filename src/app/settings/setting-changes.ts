/**
 * Changes of settings: what is wanted is checked as a whole, mail is tested by sending one, and only then is it stored, in
 * the transaction that checks the administrator once more.
 *
 * A changed mail server could be any host of the network of the service. So that an administrator's account is no port
 * scanner, it is asked on the ports of `--mail-ports` only; an SMTP client says nothing before it is greeted, so no other
 * protocol is spoken to. Relays in the own network are usual, and stay possible. A stored password is kept only for the
 * server and user that it was given for: with another server it would be sent there.
 */
import type { Keys } from '../../auth/keys.ts'
import { fail } from '../../base/failure.ts'
import { overriddenBy, type StoredValues } from '../../config/stored-settings.ts'
import type { Config } from '../../config/settings.ts'
import type { MailSettings } from '../../mail/settings/mail-settings.ts'
import type { ServerTarget } from '../../mail/settings/mail-target.ts'
import { editable, MAIL_NAMES, MAIL_PASSWORD, type EditableName } from '../../models/editable-settings.ts'
import { SettingError } from '../../base/setting-file.ts'
import type { SettingChange, StoredSetting } from '../../store/settings/setting-table.ts'
import { openStored, storedForm, type LiveSettings } from './live-settings.ts'

/** Undefined removes a value. */
type WantedSettings = ReadonlyMap<EditableName, string | undefined>

interface CheckedChanges {
  readonly changes: readonly SettingChange[]
  /** Those that would be in use. */
  readonly config: Config
  /** How mail would be sent; undefined where that stays as it is. */
  readonly mail: MailSettings | undefined
  /** Whether a mail has to be accepted first: one that is printed in the terminal of the service always is. */
  readonly isTested: boolean
}

interface PlanOptions {
  readonly live: Pick<LiveSettings, 'given' | 'configWith'>
  readonly keys: Pick<Keys, 'settings'>
  readonly readMail: (config: Config) => MailSettings
}

/** What is to be written for the wanted settings. Throws invalidInput, and conflict where the operator's own value wins. */
export function planChanges(wanted: WantedSettings, stored: readonly StoredSetting[], { live, keys, readMail }: PlanOptions): CheckedChanges {
  const before = openStored(stored, keys)
  const all = withoutOrphans(wanted, before)
  const after = new Map(before)
  for (const [name, text] of all) {
    if (text === undefined) after.delete(name)
    else after.set(name, text)
    const by = text === undefined ? undefined : overriddenBy(name, live.given)
    if (by !== undefined) throw fail('conflict', `Cannot change ${name}: ${by} says it, and wins: remove it where the service is started`)
  }
  const config = live.configWith(after)
  const changesMail = MAIL_NAMES.some((name) => after.get(name) !== before.get(name))
  const mail = changesMail ? mailOf(config, after, readMail) : undefined
  const isSecret = (name: EditableName): boolean => editable(name).kind === 'secret'
  const changes = [...all].map(([name, text]) => {
    const isSame = text !== undefined && before.get(name) === text
    const kept = isSame ? stored.find((row) => row.name === name)?.value : undefined
    return { name, isSecret: isSecret(name), value: kept ?? (text === undefined ? undefined : storedForm(name, text, keys)) }
  })
  return { changes, config, mail, isTested: mail !== undefined && mail.route.kind !== 'console' }
}

/** Another server or user, and none, ends the stored password unless the same change brings one; none ends encryption too. */
function withoutOrphans(wanted: WantedSettings, before: StoredValues): WantedSettings {
  if (!wanted.has('mail') || wanted.get('mail') === before.get('mail')) return wanted
  const orphans = wanted.get('mail') === undefined ? [MAIL_PASSWORD, 'mailTls'] as const : [MAIL_PASSWORD] as const
  return new Map([...wanted, ...orphans.filter((name) => !wanted.has(name)).map((name) => [name, undefined] as const)])
}

function mailOf(config: Config, after: StoredValues, readMail: PlanOptions['readMail']): MailSettings {
  const { mail, mailPorts } = config
  if (mail.kind === 'smtp') requireServer(mail, after, mailPorts)
  else {
    const left = MAIL_NAMES.find((name) => name !== 'mailFrom' && name !== 'mail' && after.has(name))
    if (left !== undefined) throw fail('invalidInput', `${left}: expected a mail server in mail with it, found none`)
  }
  try {
    return readMail(config)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw fail('invalidInput', error.message, { cause: error })
  }
}

/** Of a server that the operator has named, nothing is asked here. */
function requireServer({ user, servers }: ServerTarget, after: StoredValues, ports: readonly number[]): void {
  if (!after.has('mail')) return
  const hasPassword = after.has(MAIL_PASSWORD)
  if (user !== undefined && !hasPassword) {
    throw fail('invalidInput', `${MAIL_PASSWORD}: expected the password of the user in mail with it, found none`)
  }
  if (user === undefined && hasPassword) {
    throw fail('invalidInput', `mail: expected a user, as in smtp://user@host, since there is a ${MAIL_PASSWORD}`)
  }
  const port = servers.map((server) => server.port).find((one) => !ports.includes(one))
  if (port === undefined) return
  throw fail(
    'invalidInput',
    `mail: expected one of the ports ${ports.join(', ')}, found ${port}: allow it with --mail-ports, or set the server with --mail`,
  )
}
