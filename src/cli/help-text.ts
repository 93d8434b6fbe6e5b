/** What `help` prints. */
import { VERSION } from '../base/version.ts'
import { SECRETS } from '../config/secrets.ts'
import { SETTINGS } from '../config/settings.ts'
import { readGuide, type Guide } from '../guides/guides.ts'
import { parseMarkdown } from '../guides/markdown.ts'
import { plainText } from '../guides/plain-text.ts'
import { takesSetting } from './arguments.ts'
import type { Command } from './command.ts'

/** Columns of a guide where stdout is no terminal, and the fewest that it is wrapped to. */
const COLUMNS = 80
const COLUMNS_MIN = 40

export function guideHelp(topic: string, columns = COLUMNS): string {
  return plainText(parseMarkdown(readGuide(topic)), Math.max(columns, COLUMNS_MIN))
}

export function groupHelp(group: string, members: readonly Command[]): string {
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

export function overview(commands: readonly Command[], guides: readonly Guide[]): string {
  return [
    `Dateline ${VERSION}: a content service with passwordless accounts, in one program`,
    '',
    'Usage: dateline COMMAND [FLAGS]',
    '',
    ...table(commands.map(({ name, summary }) => [name, summary])),
    ...section(
      'Guides',
      guides.map(({ topic, about }) => [topic, about]),
    ),
    '',
    'See "dateline help COMMAND" for its flags, and "dateline help TOPIC" for a guide.',
    'Exit status: 0 done, 1 failed, 2 wrong arguments or settings.',
    '',
  ].join('\n')
}

export function commandHelp(command: Command): string {
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
