/**
 * What is written from declarations into files of the repository, each between two marks. `npm run generate` writes it,
 * and a test compares.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientCalls } from '../src/reference/client-calls.ts'
import { endpointTables, errorTable } from '../src/reference/endpoint-tables.ts'
import { operatorTable, settingsTable } from '../src/reference/guide-tables.ts'

export const ROOT = join(import.meta.dirname, '..')

interface Part {
  readonly file: string
  /** The lines around it. */
  readonly open: string
  readonly close: string
  readonly text: () => string
}

const PARTS: readonly Part[] = [
  {
    file: 'src/client/client.ts',
    open: '// #region endpoints, written by `npm run generate`',
    close: '// #endregion',
    text: clientCalls,
  },
  { file: 'data/guides/api.md', open: '<!-- endpoints -->', close: '<!-- /endpoints -->', text: endpointTables },
  { file: 'data/guides/api.md', open: '<!-- errors -->', close: '<!-- /errors -->', text: errorTable },
  { file: 'data/guides/settings.md', open: '<!-- settings -->', close: '<!-- /settings -->', text: settingsTable },
  { file: 'data/guides/queries.md', open: '<!-- operators -->', close: '<!-- /operators -->', text: operatorTable },
]

/** The files with their parts as the declarations have them now. Throws where a file lacks a mark. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const { file, open, close, text } of PARTS) {
    const whole = files.get(file) ?? readFileSync(join(ROOT, file), 'utf8')
    const start = whole.indexOf(`${open}\n`)
    const end = whole.indexOf(`${close}\n`, start)
    if (start === -1 || end === -1) throw new Error(`Cannot write a part of ${file}: it lacks the lines ${open} and ${close}`)
    files.set(file, `${whole.slice(0, start)}${open}\n\n${text().trim()}\n\n${whole.slice(end)}`)
  }
  return files
}
