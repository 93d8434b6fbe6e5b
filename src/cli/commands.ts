/** The table of commands, and help, which is printed from it. */
import { didYouMean } from '../base/nearest.ts'
import { VERSION } from '../base/version.ts'
import { SECRETS } from '../config/secrets.ts'
import { SETTINGS } from '../config/settings.ts'
import { parseArguments, takesSetting } from './arguments.ts'
import { EXIT, UsageError, type Command, type ExitCode, type Terminal } from './command.ts'
import { adminCommand, seedCommand } from './documents/data-commands.ts'
import { auditCommand } from './users/audit-command.ts'
import { backupCommand } from './backup/backup-command.ts'
import { configCommand, openApiCommand, versionCommand } from './about-commands.ts'
import { explainCommand } from './documents/explain-command.ts'
import { mailTestCommand } from './mail/mail-test-command.ts'
import { exportCommand } from './documents/export-command.ts'
import { importCommand } from './import/import-command.ts'
import { mailOutboxCommand, mailRetryCommand } from './mail/mail-outbox-command.ts'
import { matchCommand } from './documents/match-command.ts'
import { checkCommand } from './backup/check-command.ts'
import { restoreCommand } from './backup/restore-command.ts'
import { serveCommand } from './serve/serve-command.ts'
import { verifyCommand } from './backup/verify-command.ts'
import { tokenCommand } from './users/token-command.ts'
import { userDeleteCommand, userSetRoleCommand, userSignOutCommand } from './users/user-change-commands.ts'
import { userListCommand, userShowCommand } from './users/user-commands.ts'

const COMMANDS: readonly Command[] = [
  serveCommand,
  seedCommand,
  adminCommand,
  userListCommand,
  userShowCommand,
  userSetRoleCommand,
  userSignOutCommand,
  userDeleteCommand,
  tokenCommand,
  auditCommand,
  mailTestCommand,
  mailOutboxCommand,
  mailRetryCommand,
  matchCommand,
  explainCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  exportCommand,
  importCommand,
  configCommand,
  openApiCommand,
  versionCommand,
]

const HELP_FLAGS = ['--help', '-h']

/**
 * Runs the command that the words name: one word, or two as in `user list`. Throws UsageError for words that name none
 * or do not fit it.
 */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [first = 'help', ...rest] = words
  if (first === 'help' || HELP_FLAGS.includes(first)) {
    terminal.stdout.write(helpText(rest))
    return EXIT.ok
  }
  const named = first === '--version' ? ['version', ...rest] : words
  if (named.some((word) => HELP_FLAGS.includes(word))) {
    terminal.stdout.write(helpText(named.filter((word) => !HELP_FLAGS.includes(word))))
    return EXIT.ok
  }
  const command = commandNamed(named)
  return command.run(parseArguments(command, named.slice(command.name.split(' ').length)), terminal)
}

function commandNamed(words: readonly string[]): Command {
  const [first = '', second = ''] = words
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
  if (command !== undefined) return command
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (members.length > 0) throw unknownMember(first, second, members)
  const known = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? '')), 'help']
  throw new UsageError(`Unknown command "${first}"${didYouMean(first, known) || ': see "dateline help"'}`)
}

/** For a word that opens a group of commands, and nothing, a flag or a strange word behind it. */
function unknownMember(group: string, word: string, members: readonly string[]): UsageError {
  const wanted = members.map((name) => `"dateline ${name}"`).join(', ')
  if (word === '' || word.startsWith('-')) return new UsageError(`dateline ${group} is one of ${wanted}`)
  const guess = didYouMean(`${group} ${word}`, members)
  return new UsageError(`Unknown command "${group} ${word}"${guess || `: expected ${wanted}`}`)
}

function helpText(words: readonly string[]): string {
  const [first = 'help', second] = words
  if (first === 'help') return overview()
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  return second === undefined && members.length > 0 ? groupHelp(first, members) : commandHelp(commandNamed(words))
}

function groupHelp(group: string, members: readonly Command[]): string {
  const rows = members.map(({ name, summary }): [string, string] => [name, summary])
  return [
    `dateline ${group}:`,
    '',
    ...table(rows),
    '',
    `See "dateline help ${group} …" for the flags of each`,
    '',
  ].join('\n')
}

function overview(): string {
  return [
    `Dateline ${VERSION}: a content service with passwordless accounts, in one program`,
    '',
    'Usage: dateline COMMAND [FLAGS]',
    '',
    ...table(COMMANDS.map(({ name: command, summary }) => [command, summary])),
    '',
    'See "dateline help COMMAND" for its flags. Exit status: 0 done, 1 failed, 2 wrong arguments or settings',
    '',
  ].join('\n')
}

function commandHelp(command: Command): string {
  const { operands = [] } = command
  const settings = SETTINGS.filter(({ name }) => takesSetting(command, name))
  return [
    `dateline ${command.name}: ${command.summary}`,
    ...section(
      'Operands',
      operands.map(({ name, meaning }) => [name, meaning]),
    ),
    ...section('Flags', [
      ...command.options.map(({ flag, value, meaning }): [string, string] => [
        value === undefined ? flag : `${flag} ${value}`,
        meaning,
      ]),
      ...settings.map(({ flag, shown, meaning }): [string, string] => [flag, `${meaning} (default: ${shown})`]),
    ]),
    ...(settings.length === 0
      ? []
      : [
          '',
          `Each setting is also an environment variable, as --port is DATELINE_PORT. Secrets: ${SECRETS.join(' or ')}`,
        ]),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n')
}

function section(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', `${title}:`, ...table(rows)]
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
