/**
 * Prints TypeScript types of models and records: the same types that `DocumentOf`,
 * `ValueOf` and `Bodies` in src/ are, but in full and with names, for a file that stands alone.
 *
 * Records within others become interfaces named after where they are: `RemoteConfigAdConfig`. A body shares those of
 * the document where they are the same.
 */
import { whoMay } from '../api/openapi/openapi-models.ts'
import { schemaName } from '../api/openapi/openapi-schema.ts'
import { assertNever } from '../base/failure.ts'
import type { Field, Model, RecordField, Shape } from '../models/schema.ts'

const LINE_CHARS_MAX = 120
const DATE_NOTE = 'UTC, such as `2026-03-01T12:00:00.000Z`.'

export interface TypePrinter {
  /** Declares the documents of a model, and what creates and replaces one where something does. */
  model(model: Model): void
  /** Declares a record under this name. */
  record(name: string, record: RecordField): void
  /** All that was declared, in that order. */
  text(): string
}

/** `user_app_settings` and `userAppSettings` are `UserAppSettings`. */
export function typeName(name: string): string {
  return schemaName({ name })
}

/** Whether a client can send a document of the model. */
export function takesBody({ access }: Model): boolean {
  return access.create !== 'unsupported' || access.replace !== 'unsupported'
}

/** `named` are records that have a name of their own wherever they stand. Printing throws where two share a name. */
export function typePrinter(named: ReadonlyMap<Field, string>): TypePrinter {
  const declared = new Map<string, string>()

  const declare = (name: string, text: string): string => {
    if (declared.has(name)) throw new Error(`Cannot print the type ${name}: there are two of that name`)
    declared.set(name, text)
    return name
  }

  const members = (shape: Shape, names: Names): string =>
    Object.entries(shape)
      .filter(([, field]) => names.kind === 'stored' || (field.kind !== 'generated' && field.kind !== 'constant'))
      .map(([name, field]) => {
        const mark = field.kind === 'optional' || (names.kind === 'sent' && mayBeLeftOut(field)) ? '?' : ''
        const note = noteOn(field)
        const type = typeOf(field, within(names, typeName(name)))
        return `${note === '' ? '' : `  /** ${note} */\n`}${broken(`  readonly ${name}${mark}: `, type)}\n`
      })
      .join('')

  /** A record of a body that is no other than that of the document goes by the same name. */
  const inner = (names: Names, body: string): string => {
    if (names.kind === 'sent' && declared.get(names.stored) === interfaceText(names.stored, body)) return names.stored
    const name = names.kind === 'sent' ? names.sent : names.stored
    return declare(name, interfaceText(name, body))
  }

  const typeOf = (field: Field, names: Names): string => {
    switch (field.kind) {
      case 'text':
      case 'date':
      case 'generated':
        return 'string'
      case 'choice':
        return field.values.map(quoted).join(' | ')
      case 'constant':
        return quoted(field.value)
      case 'boolean':
        return 'boolean'
      case 'whole':
        return 'number'
      case 'optional':
        return names.kind === 'sent' ? 'string | null' : 'string'
      case 'nullable':
        return `${typeOf(field.of, names)} | null`
      case 'list': {
        const item = typeOf(field.of, singular(names))
        return `readonly ${item.includes(' ') ? `(${item})` : item}[]`
      }
      case 'record':
        return named.get(field) ?? inner(names, members(field.fields, names))
      case 'map': {
        const item = typeOf(field.of, within(names, 'Entry'))
        return inner(names, field.keys.map((key) => `${broken(`  readonly ${key}?: `, item)}\n`).join(''))
      }
      case 'embedded':
        return names.kind === 'sent' ? `${typeName(field.model.name)} | Reference` : typeName(field.model.name)
      default:
        return assertNever(field)
    }
  }

  return {
    model(model) {
      const name = typeName(model.name)
      const stored: Names = { kind: 'stored', stored: name }
      declare(name, `${accessNote(model)}\n${interfaceText(name, members(model.fields, stored))}`)
      if (!takesBody(model)) return
      const body = `${name}Body`
      const extras =
        model.extras === 'keep' ? 'What it has beyond these members is kept.' : 'What it has beyond these is ignored.'
      const sent: Names = { kind: 'sent', stored: name, sent: body }
      declare(
        body,
        `/** What creates a \`${model.name}\`. ${extras} */\n${interfaceText(body, members(model.fields, sent))}`,
      )
      const initials = Object.entries(model.fields).flatMap(([member, field]) =>
        field.kind === 'choice' && field.initial !== undefined ? [quoted(member)] : [],
      )
      const type = initials.length === 0 ? body : `${body} & Required<Pick<${body}, ${initials.join(' | ')}>>`
      const replacement = `${name}Replacement`
      declare(replacement, `/** What replaces a \`${model.name}\`. */\nexport type ${replacement} = ${type}\n`)
    },
    record: (name, record) =>
      void declare(name, interfaceText(name, members(record.fields, { kind: 'stored', stored: name }))),
    text: () => [...declared.values()].join('\n'),
  }
}

/** The names of the type at hand, should it need one: for a body also that of its place in the document. */
type Names =
  | { readonly kind: 'stored'; readonly stored: string }
  | { readonly kind: 'sent'; readonly stored: string; readonly sent: string }

function within(names: Names, part: string): Names {
  return mapNames(names, (name) => name + part)
}

/** One of `limits` is a `Limit`, one of `replies` a `Reply`; an `address` is one already, and so is a `status`. */
function singular(names: Names): Names {
  return mapNames(names, (name) => (/(?:ss|us)$/.test(name) ? name : name.replace(/ies$/, 'y').replace(/(?:(?<=ss|us)e)?s$/, '')))
}

function mapNames(names: Names, change: (name: string) => string): Names {
  const stored = change(names.stored)
  return names.kind === 'stored' ? { kind: 'stored', stored } : { kind: 'sent', stored, sent: change(names.sent) }
}

function mayBeLeftOut(field: Field): boolean {
  switch (field.kind) {
    case 'nullable':
      return true
    case 'text':
    case 'boolean':
      return field.implied !== undefined
    case 'choice':
      return field.initial !== undefined || field.implied !== undefined
    case 'list':
      return field.absent === 'keep'
    default:
      return false
  }
}

function interfaceText(name: string, body: string): string {
  return `export interface ${name} {\n${body}}\n`
}

function quoted(text: string): string {
  return `'${text}'`
}

/** A union that does not fit its line has a line for each of its members. */
function broken(start: string, type: string): string {
  const line = `${start}${type}`
  if (line.length <= LINE_CHARS_MAX || !/^'.*'$/.test(type)) return line
  return `${start.trimEnd()}\n${type
    .split(' | ')
    .map((one) => `    | ${one}`)
    .join('\n')}`
}

function noteOn(field: Field): string {
  switch (field.kind) {
    case 'text':
      if (field.implied !== undefined) return 'Empty where it is left out.'
      return field.blank ? '' : 'Not blank.'
    case 'boolean':
      return field.implied === undefined ? '' : `\`${field.implied}\` where it is left out.`
    case 'date':
      return DATE_NOTE
    case 'generated':
      return field.as === 'date' ? `Set by the service. ${DATE_NOTE}` : 'Set by the service.'
    case 'choice': {
      const value = field.initial ?? field.implied
      return value === undefined ? '' : `\`${value}\` where a new one leaves it out.`
    }
    case 'list':
      return field.absent === 'keep' ? 'A replacement that leaves it out keeps the list.' : ''
    case 'optional':
      return field.of.kind === 'date' ? `${field.description ?? ''}. ${DATE_NOTE}` : `${field.description ?? ''}.`
    case 'nullable':
      return noteOn(field.of)
    default:
      return ''
  }
}

/** A document's comment: who may do what with it. */
function accessNote({ name, access, extras }: Model): string {
  const rights = (['list', 'read', 'create', 'replace', 'remove'] as const).filter(
    (operation) => access[operation] !== 'unsupported',
  )
  const said = Map.groupBy(rights, (operation) => access[operation])
  const clauses = [...said].map(([grant, operations]) => ` *   ${operations.join(', ')}: ${whoMay(grant)}`)
  const more = extras === 'keep' ? [' * It may have members beyond these, as they were sent.'] : []
  return ['/**', ` * A document of the model \`${name}\`.`, ...clauses, ...more, ' */'].join('\n')
}
