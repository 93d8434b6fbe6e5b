/** The tables of settings and of operators in the guides, written from their declarations. */
import { OPERATORS } from '../api/openapi/openapi-filter.ts'
import { SETTINGS } from '../config/settings.ts'

/** The only one that is no setting: other users can see the flags of a process. */
const SECRET = [
  'none',
  '`DATELINE_JWT_SECRET`, `JWT_SECRET_KEY`, or the path of its file in `DATELINE_JWT_SECRET_FILE`, `JWT_SECRET_KEY_FILE`',
  'generated',
  'random secret of at least 32 bytes that signs tokens',
]

export function settingsTable(): string {
  const rows = SETTINGS.map(({ flag, environment, shown, meaning }) => {
    return [code(flag), environment.map(code).join(', '), shown, meaning]
  })
  return table([['flag', 'environment', 'default', 'meaning'], ...rows, SECRET])
}

export function operatorTable(): string {
  const rows = OPERATORS.map(({ name, about, example }) => {
    return [code(String(name)), String(about), code(JSON.stringify(example).replaceAll('|', '\\|'))]
  })
  return table([['operator', 'matches', 'example'], ...rows])
}

function code(text: string): string {
  return `\`${text}\``
}

function table([header = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}
