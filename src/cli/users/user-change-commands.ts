/** What the operator may do with an account: `user set-role`, `user set-name`, `user sign-out` and `user delete`. */
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { throwProblem } from '../../content/rules/problems.ts'
import { checkRoles, patchUser } from '../../content/user-changes.ts'
import { hasDashboard, type Caller } from '../../models/caller.ts'
import { withoutIdleName } from '../../models/display-name.ts'
import { guestEmail } from '../../models/guest.ts'
import { APP_ROLES, DASHBOARD_ROLES, type User } from '../../models/user.ts'
import { OPERATOR } from '../../store/actor.ts'
import { UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { commandRecord } from '../command-record.ts'
import { singleLine } from '../print-table.ts'
import { withData } from '../with-services.ts'
import { requireServiceSecret } from './service-secret.ts'
import { findUser, readRole, USER_OPERAND, userNotFound } from './user-argument.ts'

const LAST_ADMIN = 'it is the last administrator; make another one first'

export const userSetRoleCommand: Command = {
  name: 'user set-role',
  summary: 'change what an account may do',
  operands: USER_OPERAND,
  options: [
    { flag: '--dashboard', value: 'ROLE', meaning: `role in the dashboard: ${DASHBOARD_ROLES.join(', ')}` },
    { flag: '--app', value: 'ROLE', meaning: 'role in the app: standardUser, premiumUser' },
  ],
  settings: DATA_SETTINGS,
  examples: ['dateline user set-role you@example.org --dashboard publisher'],
  run(args, terminal) {
    const dashboardRole = readRole(args.options.get('--dashboard'), DASHBOARD_ROLES)
    // A guest has no e-mail address, so no account becomes one.
    const appRole = readRole(
      args.options.get('--app'),
      APP_ROLES.filter((role) => role !== 'guestUser'),
    )
    if (dashboardRole === undefined && appRole === undefined) {
      throw new UsageError('dateline user set-role needs --dashboard ROLE or --app ROLE')
    }
    const roles = {
      ...(dashboardRole === undefined ? {} : { dashboardRole }),
      ...(appRole === undefined ? {} : { appRole }),
    }
    return withData(args, terminal, async (services) => {
      const operator = services.store.as(OPERATOR)
      const { id, value } = await findUser(services, args)
      const updatedAt = isoDate(systemClock())
      const outcome = await operator.updateUser(id, (stored) => {
        const changed = { ...stored, ...roles, updatedAt } as JsonObject & User
        if (changed.email === guestEmail(id)) throw fail('forbidden', 'Cannot change the role of a guest: guests sign in first')
        checkRoles(changed, throwProblem)
        return withoutIdleName(changed)
      })
      if (outcome === 'missing') throw userNotFound(id)
      if (outcome === 'last-admin') throw fail('conflict', `Cannot change the role of ${singleLine(String(value['email']))}: ${LAST_ADMIN}`)
      await operator.record(commandRecord('user set-role', roles, id))
      const changed = parseJson(outcome) as unknown as User
      terminal.stdout.write(
        `${singleLine(changed.email)} is ${changed.appRole}, in the dashboard ${changed.dashboardRole}\n`,
      )
    })
  },
}

/** The rights with which a name is changed: those of an administrator. */
const NAMING: Caller = { id: '', appRole: 'standardUser', dashboardRole: 'admin' }

export const userSetNameCommand: Command = {
  name: 'user set-name',
  summary: 'change what a publisher or an administrator is called in the dashboard',
  operands: [...USER_OPERAND, { name: 'NAME', meaning: 'the name, as colleagues see it; none takes it away', isOptional: true }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline user set-name you@example.org "Ana Lima"', 'dateline user set-name you@example.org'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const operator = services.store.as(OPERATOR)
      const { id, value } = await findUser(services, args)
      const email = singleLine(String(value['email']))
      const [, displayName = null] = args.operands
      const change = patchUser({ displayName }, systemClock())
      const outcome = await operator.updateUser(id, (stored) => {
        if (!hasDashboard(stored as JsonObject & User)) throw fail('conflict', `Cannot name ${email}: only publishers and administrators have a name`)
        return change(stored, NAMING)
      })
      if (outcome === 'missing' || outcome === 'last-admin') throw userNotFound(id)
      // Without the name: the trail outlives the account.
      await operator.record(commandRecord('user set-name', {}, id))
      const named = (parseJson(outcome) as unknown as User).displayName
      terminal.stdout.write(named === undefined ? `${email} has no name\n` : `${email} is called ${singleLine(named)}\n`)
    }),
}

export const userSignOutCommand: Command = {
  name: 'user sign-out',
  summary: 'end the sessions and tokens of an account',
  operands: USER_OPERAND,
  options: [{ flag: '--session', value: 'ID', meaning: 'only this one, as "dateline user show" lists it' }],
  settings: DATA_SETTINGS,
  examples: ['dateline user sign-out you@example.org'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const operator = services.store.as(OPERATOR)
      const { id, value } = await findUser(services, args)
      const email = singleLine(String(value['email']))
      const session = args.options.get('--session')
      if (session === undefined) {
        const ended = await operator.endSessions(id, systemClock())
        await operator.record(commandRecord('user sign-out', {}, id))
        terminal.stdout.write(
          `${email} is signed out everywhere: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended\n`,
        )
        return
      }
      if (!(await operator.endSession(id, session, systemClock()))) {
        throw fail('notFound', `Cannot end the session "${session}": ${email} has none of that id`)
      }
      await operator.record(commandRecord('user sign-out', { session }, id))
      terminal.stdout.write(`The session ${session} of ${email} is ended\n`)
    }),
}

export const userDeleteCommand: Command = {
  name: 'user delete',
  summary: 'delete an account and its data, for good',
  operands: USER_OPERAND,
  options: [{ flag: '--yes', meaning: 'confirm; without it nothing is deleted' }],
  settings: DATA_SETTINGS,
  examples: ['dateline user delete reader@example.org --yes'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const operator = services.store.as(OPERATOR)
      const { id, value } = await findUser(services, args)
      const email = singleLine(String(value['email']))
      if (!args.options.has('--yes')) {
        throw new UsageError(`This would delete ${email} with settings and preferences, for good: say so with --yes`)
      }
      // The e-mail address is found in the audit trail by its hash.
      await requireServiceSecret(services)
      const outcome = await operator.deleteAccount({ id, now: systemClock(), keepLastAdmin: true })
      if (outcome === 'missing') throw userNotFound(id)
      if (outcome === 'last-admin') throw fail('conflict', `Cannot delete ${email}: ${LAST_ADMIN}`)
      // Without the id: the record must not tell which account it was.
      await operator.record(commandRecord('user delete'))
      terminal.stdout.write(`${email} is deleted\n`)
    }),
}
