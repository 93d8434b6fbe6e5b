/**
 * The client as one file: the types of all models and replies in full, then src/client/client.ts without its imports.
 *
 * The same sources give the same text, byte for byte.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '../src/models/registry.ts'
import * as replies from '../src/models/replies.ts'
import type { Access, Field, Model, RecordField } from '../src/models/schema.ts'
import { takesBody, typeName, typePrinter } from './type-printer.ts'

const CLIENT = join(import.meta.dirname, '..', 'src/client/client.ts')
/** A whole statement; the client has types to import only (tidy.test.ts). */
const IMPORT = /^import type \{([^}]*)\} from '([^']+)'\n/gm

/** The text of dateline.ts. Throws where the client wants a type that no declaration has. */
export function clientSource(version: string): string {
  const source = readFileSync(CLIENT, 'utf8')
  const code = source.replace(IMPORT, '').replace(/^\/\*\*[^]*?\*\/\s*/, '')
  return [header(version), types(importedReplies(source)), code.trimStart()].join('\n')
}

function importedReplies(source: string): readonly string[] {
  const names = [...source.matchAll(IMPORT)].flatMap(([, list = '', from = '']) =>
    from.endsWith('/replies.ts') ? list.split(',').map((name) => name.trim()) : [],
  )
  return names.filter((name) => name !== '')
}

function types(wanted: readonly string[]): string {
  const byName = new Map(Object.entries(replies).map(([name, reply]) => [typeName(name), reply]))
  const named = new Map<Field, string>([...byName].map(([name, reply]) => [reply, name]))
  const printer = typePrinter(named)
  for (const model of MODELS as readonly Model[]) printer.model(model)
  for (const name of wanted) {
    const reply: RecordField | undefined = byName.get(name)
    if (reply === undefined)
      throw new Error(`Cannot print the type ${name}: src/models/replies.ts declares no such record`)
    printer.reply(name, reply)
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
${byModel('Offers', (_, { access }) => offered(access))}`
}

function byModel(name: string, typeOf: (name: string, model: Model) => string): string {
  const lines = (MODELS as readonly Model[]).map((model) => `  readonly ${model.name}: ${typeOf(model.name, model)}\n`)
  return `export interface ${name} {\n${lines.join('')}}\n`
}

function offered(access: Access): string {
  const methods = [
    ...(access.list === 'unsupported' ? [] : ['list', 'iterate', 'explain']),
    ...(access.read === 'unsupported' ? [] : ['get']),
    ...(access.create === 'unsupported' ? [] : ['create']),
    ...(access.replace === 'unsupported' ? [] : ['replace']),
    ...(access.create === 'unsupported' && access.replace === 'unsupported' ? [] : ['check']),
    ...(access.remove === 'unsupported' ? [] : ['remove']),
  ]
  return methods.map((method) => `'${method}'`).join(' | ')
}

function header(version: string): string {
  return `/**
 * A client of Dateline ${version}, made by \`npm run client\`: change the service and make it anew, not this file.
 *
 * It wants nothing but \`fetch\`, and runs as it is in browsers, Node from 18 on, Deno and Bun; what cannot read
 * TypeScript takes the output of any compiler.
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
