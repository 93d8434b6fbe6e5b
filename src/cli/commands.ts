/** The table of commands, and help, which is printed from it. */
import { didYouMean } from '../base/nearest.ts'
import { VERSION } from '../base/version.ts'
import { SECRETS, SETTINGS } from '../config.ts'
import { parseArguments } from './arguments.ts'
import { EXIT, UsageError, type Command, type ExitCode, type Terminal } from './command.ts'
import { adminCommand, seedCommand } from './data-commands.ts'
import { explainCommand } from './explain-command.ts'
import { matchCommand } from './match-command.ts'
import { serveCommand } from './serve-command.ts'

const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  options: [],
  settings: [],
  examples: ['dateline version'],
  run: async (_args, { stdout }) => {
    stdout.write(`dateline ${VERSION}\n`)
    return EXIT.ok
  },
}

const COMMANDS: readonly Command[] = [
  serveCommand,
  seedCommand,
  adminCommand,
  matchCommand,
  explainCommand,
  versionCommand,
]

/** Runs the command that the words name. Throws UsageError for words that name none or do not fit it. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = 'help', ...rest] = words
  if (name === 'help' || name === '--help' || name === '-h') {
    terminal.stdout.write(helpText(rest[0]))
    return EXIT.ok
  }
  const command = commandNamed(name === '--version' ? 'version' : name)
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.stdout.write(helpText(command.name))
    return EXIT.ok
  }
  return command.run(parseArguments(command, rest), terminal)
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return command
  const known = [...COMMANDS.map((one) => one.name), 'help']
  throw new UsageError(`Unknown command "${name}"${didYouMean(name, known) || ': see "dateline help"'}`)
}

function helpText(name: string | undefined): string {
  return name === undefined || name === 'help' ? overview() : commandHelp(commandNamed(name))
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
  const settings = SETTINGS.filter(({ name }) => command.settings.includes(name))
  return [
    `dateline ${command.name}: ${command.summary}`,
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
