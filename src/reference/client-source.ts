/**
 * The client as one file: the types of all models and responses in full, then src/client/client.ts without its imports.
 *
 * The same sources give the same text, byte for byte.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '../models/registry.ts'
import { isReviewed } from '../models/workflow.ts'
import * as responses from '../models/responses.ts'
import type { Field, Model, RecordField } from '../models/schema.ts'
import { takesBody, typeName, typePrinter } from './type-printer.ts'

const CLIENT = join(import.meta.dirname, '../client/client.ts')
/** A whole statement; the client has types to import only (tidy.test.ts). */
const IMPORT = /^import type \{([^}]*)\} from '([^']+)'\n/gm

/** Of content; personal data has no history and no trash, and nothing embeds it. */
const PAST = ['history', 'version', 'trash', 'restore', 'eraseTrashed', 'usage', 'usageOfMany', 'duplicates']

/** Around what is written from the endpoints: see generated-parts.ts. */
const MARK = /^\/\/ #(?:end)?region.*\n+/gm

/** The text of dateline.ts. Throws where the client wants a type that no declaration has. */
export function clientSource(version: string): string {
  const source = readFileSync(CLIENT, 'utf8')
  const code = source.replace(IMPORT, '').replace(MARK, '').replace(/^\/\*\*[^]*?\*\/\s*/, '')
  return [header(version), types(importedRecords(source)), code.trimStart()].join('\n')
}

function importedRecords(source: string): readonly string[] {
  const names = [...source.matchAll(IMPORT)].flatMap(([, list = '', from = '']) =>
    from.endsWith('/responses.ts') ? list.split(',').map((name) => name.trim()) : [],
  )
  return names.filter((name) => name !== '')
}

function types(wanted: readonly string[]): string {
  const byName = new Map(Object.entries(responses).map(([name, record]) => [typeName(name), record]))
  const named = new Map<Field, string>([...byName].map(([name, record]) => [record, name]))
  const printer = typePrinter(named)
  for (const model of MODELS as readonly Model[]) printer.model(model)
  for (const name of wanted) {
    const record: RecordField | undefined = byName.get(name)
    if (record === undefined)
      throw new Error(`Cannot print the type ${name}: src/models/responses.ts declares no such record`)
    printer.record(name, record)
  }
  return `${printer.text()}
/** Stands in a body for a whole copy; the stored document takes its place. */
export interface Reference {
  readonly id: string
}

export type ModelName = keyof Models

/** The documents of each model. */
${byModel('Models', typeName)}
/** What creates a document of each model. */
${byModel('Bodies', (name, model) => (takesBody(model) ? `${typeName(name)}Body` : 'never'))}
/** What replaces one. */
${byModel('Replacements', (name, model) => (takesBody(model) ? `${typeName(name)}Replacement` : 'never'))}
/** The methods that each model has. */
${byModel('Offers', (_, model) => offered(model))}`
}

function byModel(name: string, typeOf: (name: string, model: Model) => string): string {
  const lines = (MODELS as readonly Model[]).map((model) => `  readonly ${model.name}: ${typeOf(model.name, model)}\n`)
  return `export interface ${name} {\n${lines.join('')}}\n`
}

function offered(model: Model): string {
  const { access } = model
  const methods = [
    ...(access.list === 'unsupported' ? [] : ['list', 'iterate', 'counts', 'explain']),
    ...(access.read === 'unsupported' ? [] : ['get']),
    ...(access.create === 'unsupported' ? [] : ['create']),
    ...(access.replace === 'unsupported' ? [] : ['replace', 'patch']),
    ...(access.create === 'unsupported' && access.replace === 'unsupported' ? [] : ['check']),
    ...(access.remove === 'unsupported' ? [] : ['remove']),
    ...(access.read === 'everybody' && access.replace !== 'unsupported' ? PAST : []),
    ...(isReviewed(model) ? ['review', 'giveBack'] : []),
  ]
  return methods.map((method) => `'${method}'`).join(' | ')
}

function header(version: string): string {
  return `/**
 * A client of Dateline ${version}, written by \`dateline client\`: do not edit it, write that of another version.
 *
 * It wants nothing but \`fetch\`, and runs as it is in browsers, Node from 18 on, Deno and Bun; what cannot read
 * TypeScript takes dateline.js, with its types in dateline.d.ts.
 *
 *     import { createClient, PreconditionFailed } from './dateline.ts'
 *
 *     const client = createClient({ url: 'https://news.example.org' })
 *     await client.auth.requestCode({ email: 'you@example.org' })
 *     await client.auth.verifyCode({ email: 'you@example.org', code: '123456' })
 *     for await (const headline of client.data('headline').iterate({ filter: { status: 'active' } })) {
 *       console.log(headline.title, headline.source.name)
 *     }
 *
 * All numbers that the service sends are whole, 0 or more. A copy of a document within another has the dates that it
 * was sent with: ISO 8601, with or without time and zone. Requests end by an AbortSignal, as in
 * \`list({}, { signal: AbortSignal.timeout(5000) })\`; there is no other deadline.
 */
`
}
