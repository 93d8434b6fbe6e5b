/**
 * The description of the API (OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1.html) as the reference shows it:
 * references between its parts followed, and everything in lists to be written one after the other.
 */
import { listOf, memberOf, membersOf, textOf, textsOf, type Members } from './loose-json.ts'
import { describedModel, type DescribedModel } from './described-models.ts'

/** References that lead to references; more would be a circle. */
const STEPS_MAX = 10
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

export type Schema = Members
export type Place = 'path' | 'query' | 'header'

export interface Example {
  readonly name: string
  readonly value: unknown
}

export interface Content {
  readonly type: string
  readonly schema: Schema
  readonly examples: readonly Example[]
}

export interface Parameter {
  readonly name: string
  readonly place: Place
  readonly isRequired: boolean
  readonly about: string
  readonly schema: Schema
  /** As it is written into the URL; empty where there is none. */
  readonly example: string
}

export interface Reply {
  readonly status: string
  readonly about: string
  readonly headers: readonly { readonly name: string; readonly about: string }[]
  readonly content: Content | undefined
}

export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly about: string
  readonly token: 'required' | 'optional' | 'none'
  readonly parameters: readonly Parameter[]
  readonly body: Content | undefined
  readonly replies: readonly Reply[]
}

export interface ApiOperator {
  readonly name: string
  readonly kind: string
  readonly about: string
  readonly example: Members
}

export interface ApiDocument {
  readonly title: string
  readonly version: string
  readonly about: string
  readonly tags: readonly { readonly name: string; readonly about: string }[]
  readonly operations: readonly ApiOperation[]
  readonly schemas: ReadonlyMap<string, Schema>
  readonly models: readonly DescribedModel[]
  readonly operators: readonly ApiOperator[]
}

/** Reads the document as it came; undefined where it describes no path at all. */
export function readApiDocument(document: unknown): ApiDocument | undefined {
  const info = membersOf(memberOf(document, 'info'))
  const schemas = membersOf(memberOf(memberOf(document, 'components'), 'schemas'))
  const operations = Object.entries(membersOf(memberOf(document, 'paths'))).flatMap(([path, methods]) =>
    METHODS.filter((method) => memberOf(methods, method) !== undefined).map((method) =>
      readOperation(document, { path, method, given: membersOf(memberOf(methods, method)) }),
    ),
  )
  if (operations.length === 0) return undefined
  const named = listOf(memberOf(document, 'tags')).map((tag) => ({
    name: textOf(memberOf(tag, 'name')),
    about: textOf(memberOf(tag, 'description')),
  }))
  const others = [...new Set(operations.map(({ tag }) => tag))].filter((tag) => !named.some(({ name }) => name === tag))
  return {
    title: textOf(info['title']),
    version: textOf(info['version']),
    about: textOf(info['description']),
    tags: [...named, ...others.map((name) => ({ name, about: '' }))],
    operations,
    schemas: new Map(Object.entries(schemas).map(([name, schema]) => [name, membersOf(schema)])),
    models: listOf(memberOf(document, 'x-dateline-models')).map(describedModel),
    operators: listOf(memberOf(document, 'x-dateline-operators')).map((one) => ({
      name: textOf(memberOf(one, 'name')),
      kind: textOf(memberOf(one, 'kind')),
      about: textOf(memberOf(one, 'about')),
      example: membersOf(memberOf(one, 'example')),
    })),
  }
}

/** The name of the schema that a reference leads to; undefined where it is none. */
export function refName(schema: Schema): string | undefined {
  return /^#\/components\/schemas\/(.+)$/.exec(textOf(schema['$ref']))?.[1]
}

/** The part of the document that a reference leads to, or what stands there without one. */
function followed(document: unknown, part: unknown): Members {
  let found = membersOf(part)
  for (let step = 0; step < STEPS_MAX; step++) {
    const pointer = textOf(memberOf(found, '$ref'))
    if (!pointer.startsWith('#/')) return found
    let target: unknown = document
    // RFC 6901, section 4: `~1` is a slash and `~0` a tilde.
    for (const name of pointer.slice(2).split('/')) {
      target = memberOf(target, name.replaceAll('~1', '/').replaceAll('~0', '~'))
    }
    found = membersOf(target)
  }
  return {}
}

interface Given {
  readonly path: string
  readonly method: string
  readonly given: Members
}

function readOperation(document: unknown, { path, method, given }: Given): ApiOperation {
  const security = listOf(given['security'])
  const isOpen = security.length === 0 || security.some((one) => Object.keys(membersOf(one)).length === 0)
  return {
    id: textOf(given['operationId']) || `${method}${path.replaceAll(/\W+/g, '-')}`,
    method: method.toUpperCase(),
    path,
    tag: textsOf(given['tags'])[0] ?? 'Other',
    summary: textOf(given['summary']) || `${method.toUpperCase()} ${path}`,
    about: textOf(given['description']),
    token: !isOpen ? 'required' : security.length === 0 ? 'none' : 'optional',
    parameters: listOf(given['parameters']).map((one) => readParameter(document, followed(document, one))),
    body: readContent(document, followed(document, given['requestBody'])),
    replies: Object.entries(membersOf(given['responses'])).map(([status, one]) => {
      const reply = followed(document, one)
      const headers = Object.entries(membersOf(reply['headers'])).map(([name, header]) => ({
        name,
        about: textOf(followed(document, header)['description']),
      }))
      return { status, about: textOf(reply['description']), headers, content: readContent(document, reply) }
    }),
  }
}

function readParameter(document: unknown, given: Members): Parameter {
  const content = readContent(document, given)
  const schema = content?.schema ?? membersOf(given['schema'])
  const examples = readExamples(document, given)
  const [example] = [...examples, ...(content?.examples ?? [])].map(({ value }) => value)
  const sample = example ?? listOf(schema['examples'])[0]
  const place = textOf(given['in'])
  return {
    name: textOf(given['name']),
    place: place === 'path' || place === 'header' ? place : 'query',
    isRequired: given['required'] === true,
    about: textOf(given['description']),
    schema,
    example: sample === undefined ? '' : typeof sample === 'string' ? sample : JSON.stringify(sample),
  }
}

/** The first of the kinds that a body or reply may have: there is never another. */
function readContent(document: unknown, given: Members): Content | undefined {
  const [first] = Object.entries(membersOf(given['content']))
  if (first === undefined) return undefined
  const [type, content] = first
  return { type, schema: membersOf(memberOf(content, 'schema')), examples: readExamples(document, membersOf(content)) }
}

function readExamples(document: unknown, given: Members): readonly Example[] {
  if ('example' in given) return [{ name: 'example', value: given['example'] }]
  return Object.entries(membersOf(given['examples'])).map(([name, one]) => ({
    name,
    value: followed(document, one)['value'],
  }))
}
