/** `dateline passkey list` and `passkey remove`: the passkeys of a user, such as one whose device was lost. */
import { counted } from '../../base/counted.ts'
import { fail } from '../../base/failure.ts'
import { shownPasskey } from '../../endpoints/passkeys.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_LINES_FLAG, UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable, singleLine } from '../print-table.ts'
import { withData } from '../with-services.ts'
import { findUser, USER_OPERAND } from './user-argument.ts'

export const passkeyListCommand: Command = {
  name: 'passkey list',
  summary: 'list the passkeys of an account, newest first',
  operands: USER_OPERAND,
  options: [JSON_LINES_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline passkey list you@example.org'],
  run: (args, terminal) =>
    withData(args, terminal, async (services) => {
      const { id: userId } = await findUser(services, args)
      const passkeys = services.store.accounts.passkeysOf(userId).map(shownPasskey)
      if (args.options.has('--json')) {
        terminal.stdout.write(passkeys.map((passkey) => `${JSON.stringify(passkey)}\n`).join(''))
        return
      }
      const rows = passkeys.map(({ id, name, origin, createdAt, lastUsedAt }) => [id, name, origin, createdAt, lastUsedAt ?? 'never'])
      terminal.stdout.write(printTable(['ID', 'NAME', 'ADDRESS', 'SINCE', 'USED'], rows))
    }),
}

export const passkeyRemoveCommand: Command = {
  name: 'passkey remove',
  summary: 'remove a passkey of an account, or all; "user sign-out" ends the sessions that it opened',
  operands: USER_OPERAND,
  options: [
    { flag: '--id', value: 'ID', meaning: 'this one, as "dateline passkey list" shows it' },
    { flag: '--all', meaning: 'all of the account' },
  ],
  settings: DATA_SETTINGS,
  examples: ['dateline passkey remove you@example.org --all'],
  run(args, terminal) {
    const id = args.options.get('--id')
    if ((id === undefined) !== args.options.has('--all')) throw new UsageError('dateline passkey remove needs --id ID or --all')
    return withData(args, terminal, async (services) => {
      const { id: userId, value } = await findUser(services, args)
      const email = singleLine(String(value['email']))
      const removed = await services.store.as(OPERATOR).removePasskeys(userId, id)
      if (removed === 0 && id !== undefined) {
        throw fail('notFound', `${email} has no passkey "${singleLine(id)}": see "dateline passkey list ${email}"`)
      }
      terminal.stdout.write(`Removed ${counted(removed, 'passkey')} of ${email}\n`)
    })
  },
}
