/** `user invite`: adds an account or finds it, and invites a publisher or an administrator by mail where that is wanted. */
import type { Services } from '../../app/services.ts'
import { readEmail } from '../../auth/accounts.ts'
import { systemClock } from '../../base/clock.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { whyNoInvitation } from '../../auth/invitations.ts'
import { INVITATION_LANGUAGES } from '../../mail/templates/invitation-mail.ts'
import { audit, type AuditRecord } from '../../models/audit.ts'
import { APP_ROLES, DASHBOARD_ROLES, type User } from '../../models/user.ts'
import { eq } from '../../query/ast.ts'
import { OPERATOR } from '../../store/actor.ts'
import { readTyped, type Arguments, type Command } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { singleLine } from '../print-table.ts'
import { settingsInUse, type SettingsOfCommand } from '../settings-in-use.ts'
import { withData } from '../with-services.ts'
import { findPages } from './operator-list.ts'
import { requireServiceSecret } from './service-secret.ts'
import { readLanguage, readRole } from './user-argument.ts'

const ROLES = APP_ROLES.filter((role) => role !== 'guestUser')

export const userInviteCommand: Command = {
  name: 'user invite',
  summary: 'add an account, and invite a publisher or an administrator by mail; a running service sends it within half a minute',
  operands: [{ name: 'ADDRESS', meaning: 'the e-mail address' }],
  options: [
    { flag: '--dashboard', value: 'ROLE', meaning: `role in the dashboard: ${DASHBOARD_ROLES.join(', ')}; publisher without it` },
    { flag: '--app', value: 'ROLE', meaning: `role in the app: ${ROLES.join(', ')}` },
    { flag: '--language', value: 'TAG', meaning: `of the mail and the account: ${INVITATION_LANGUAGES.join(', ')}` },
    { flag: '--no-mail', meaning: 'send no mail' },
    { flag: '--again', meaning: 'send another mail to an account that exists' },
  ],
  settings: [...DATA_SETTINGS, 'invitationUrl'],
  examples: ['dateline user invite editor@example.org --dashboard publisher --language de'],
  run(args, terminal) {
    const { options } = args
    const email = emailIn(args)
    const dashboardRole = readRole(options.get('--dashboard'), DASHBOARD_ROLES) ?? 'publisher'
    const appRole = readRole(options.get('--app'), ROLES) ?? 'standardUser'
    const language = readLanguage(options.get('--language'))
    return withData(args, terminal, async (services, config) => {
      const { accounts, store } = services
      const means = await meansInUse({ args, terminal, services, config })
      const problem = whyNoInvitation(dashboardRole, means)
      const byMail = problem === undefined && !options.has('--no-mail')
      // The mail waits sealed for the service.
      if (byMail || options.has('--again')) await requireServiceSecret(services)
      const wish = { byMail, ...means, languages: language === undefined ? [] : [language] }
      const now = systemClock()
      const found = options.has('--again') ? store.accounts.userByEmail(email) : undefined
      if (found !== undefined) await accounts.inviteAgain(found as JsonObject & User, { wish, now }, OPERATOR)
      else await accounts.invite({ email, appRole, dashboardRole, language, wish, now }, OPERATOR)
      await store.as(OPERATOR).record(commandRecord('user invite'))
      const reason = options.has('--no-mail') ? '' : `, because ${problem}`
      const sent = byMail || found !== undefined ? 'the invitation is in the outbox' : `no mail is sent${reason}`
      terminal.stdout.write(`${singleLine(email)} ${found === undefined ? 'has an account' : 'is invited again'}: ${sent}\n`)
    })
  },
}

function emailIn({ operands: [given = ''] }: Arguments): string {
  return readTyped(() => readEmail(given, 'ADDRESS'))
}

/** Mail and address as the service has them: with what is stored in the database, and what the service was started with. */
async function meansInUse(command: SettingsOfCommand & { readonly services: Services }) {
  const { mail, invitationUrl } = settingsInUse(command)
  const started = await settingsOfLastStart(command.services.store)
  const hasMail = mail.kind !== 'console' || started.get('mail')?.startsWith('console') === false
  return { hasMail, url: invitationUrl ?? started.get('invitationUrl') }
}

/** Those that differed from their defaults, as the audit trail has them: flags of the service are not those of this command. */
async function settingsOfLastStart(store: Services['store']): Promise<ReadonlyMap<string, string>> {
  const query = { filter: eq(['event'], 'settings'), sort: [{ path: ['time'], descending: true }], after: undefined }
  const { items: [last] } = await findPages(store, audit, { ...query, limit: 1 })
  const details = last === undefined ? [] : (parseJson(last) as unknown as AuditRecord).details
  return new Map(details.map(({ name, value }) => [name, value]))
}
