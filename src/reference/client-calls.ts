/**
 * The methods of the typed client that are one endpoint each, as TypeScript: their interfaces, and functions that make
 * them of a transport. They stand in src/client/client.ts between two marks: see generated-parts.ts.
 */
import { recordName } from '../api/openapi/openapi-schema.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import type { Described } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { PARAMETERS } from '../endpoints/parameters.ts'
import { signedIn } from '../models/responses.ts'

const LINE_CHARS_MAX = 120
const EXAMPLE_MEMBERS_MAX = 3
const GROUPS = {
  auth: 'AuthCalls',
  dashboard: 'DashboardCalls',
  admin: 'AdminCalls',
  data: 'DocumentCalls<M extends ModelName>',
} as const
type Group = keyof typeof GROUPS

/** A parameter of the query as a member of an object. */
interface QueryMember {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly isRequired: boolean
}

interface Argument {
  readonly name: string
  readonly type: string
  /** What stands in for it where it is left out. */
  readonly default?: string
  /** The members that the call uses of an object that may be left out. */
  readonly members?: readonly string[]
  /** Whether one of these members has to be there. */
  readonly isRequired?: boolean
}

interface Method {
  readonly group: Group
  readonly name: string
  readonly docs: string
  readonly result: string
  /** Before the options. */
  readonly args: readonly Argument[]
  /** The type of the options, and which of their members the call uses. */
  readonly options: string
  readonly optionNames: readonly string[]
  /** The expression that makes the request. */
  readonly call: string
  /** Declares the members of its query under a name of its own. */
  readonly query: readonly QueryMember[]
}

export interface ExampleCall {
  /** What the client's file exports for it, beside createClient(). */
  readonly imports: readonly string[]
  readonly call: string
}

/** Calls that are no methods of one endpoint: a batch is of no model, and functions beside the client read changes. */
const WRITTEN_CALLS: Readonly<Record<string, ExampleCall>> = {
  batch: { imports: [], call: 'const results = await client.batch($body)' },
  changes: { imports: ['readChanges'], call: 'const { items, next, hasMore } = await readChanges(client, $query)' },
  changeStream: {
    imports: ['changes', 'mapStore', 'mirror'],
    call: `for await (const event of changes(client, $query)) console.log(event.kind, event.next)

// Or keep a copy of the topics in step:
const topics = new Map()
for await (const event of mirror(client, 'topic', { store: mapStore(topics) })) console.log(event.kind, topics.size)`,
  },
  changeTicket: {
    imports: ['changeTicket'],
    call: `const { ticket } = await changeTicket(client)
const stream = new EventSource(\`/api/v1/changes/stream?ticket=\${ticket}\`)`,
  },
}

/**
 * A call of the client for examples; `$body` and `$query` stand for objects, any other name with a dollar for a parameter.
 * Undefined where the client has none.
 */
export function exampleCall(id: string): ExampleCall | undefined {
  if (Object.hasOwn(WRITTEN_CALLS, id)) return WRITTEN_CALLS[id]
  const endpoint = ENDPOINTS.find((one) => one.id === id)
  if (endpoint?.client === undefined) return undefined
  const [group = '', name = ''] = endpoint.client.split('.')
  const { path, parameters = [], body } = endpoint
  const isQueried =
    body === undefined && !path.includes(':id') && parameters.some((one) => PARAMETERS[one].name !== 'model' && PARAMETERS[one].in === 'query')
  const args = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, step = '']) => `$${step}`),
    ...(body === undefined || body === 'empty' ? [] : [body === 'bytes' ? '$bytes' : '$body']),
    ...(isQueried ? ['$query'] : []),
  ]
  const call = `await client.${group}${group === 'data' ? '($model)' : ''}.${name}(${args.join(', ')})`
  const result = exampleResult(endpoint)
  return { imports: [], call: result === undefined ? call : `const ${result} = ${call}` }
}

/** What an example takes of the result: a few members, or a variable that is named after it. */
function exampleResult({ response }: Described): string | undefined {
  if (response === undefined) return undefined
  if (response.kind === 'raw') return 'file'
  const of = response.kind === 'record' ? response : response.schema
  if (of === 'Document') return '{ document, etag }'
  if (of === 'Page') return '{ items, cursor }'
  if (typeof of === 'string') return of.toLowerCase()
  const names = Object.keys(of.fields)
  if (names.length <= EXAMPLE_MEMBERS_MAX) return `{ ${names.join(', ')} }`
  return recordName(of)
    .replace(/^.*(?=[A-Z])/, '')
    .toLowerCase()
}

/** A name that two endpoints have is a method that chooses between them, and is written by hand. */
const byClient = Map.groupBy(
  ENDPOINTS.filter(({ client }) => client !== undefined),
  ({ client }) => client,
)

/** The text between the marks. */
export function clientCalls(): string {
  const methods = [...byClient].flatMap(([, endpoints]) => (endpoints.length === 1 ? endpoints.map(methodOf) : []))
  const queries = methods.filter(({ query }) => query.length > 0).map((method) => queryInterface(method))
  const groups = Object.keys(GROUPS) as Group[]
  return [
    importOf(methods.map(({ result }) => result)),
    ...queries,
    ...groups.map((group) =>
      callInterface(
        group,
        methods.filter((method) => method.group === group),
      ),
    ),
    ...groups.map((group) =>
      callFunction(
        group,
        methods.filter((method) => method.group === group),
      ),
    ),
  ].join('\n')
}

function methodOf(endpoint: Described): Method {
  const [group = '', name = ''] = (endpoint.client ?? '').split('.')
  const { method, path, parameters = [], body, summary, description } = endpoint
  const steps = [...path.matchAll(/:(\w+)/g)].map(([, step = '']) => step)
  const declared = parameters.map((one) => PARAMETERS[one])
  const members = declared.filter((one) => one.in === 'query' && one.name !== 'model').map(memberOf)
  const isModel = declared.some(({ name: one }) => one === 'model')
  const hasCondition = method !== 'GET' && declared.some(({ name: one }) => one === 'If-Match')
  // Beside a body or the id of a document, the query goes into the options.
  const isQueried = body === undefined && !(isModel && steps.length > 0)
  const query = isQueried ? members : []
  const inOptions = isQueried ? [] : members.map((member) => member.name)
  const hasQueryBody = typeof body === 'object' && body.kind === 'schema' && body.name === 'Query'
  const args = [
    ...steps.map((step) => ({ name: step, type: 'string' })),
    ...(body === undefined || body === 'empty'
      ? []
      : hasQueryBody
        ? [{ name: 'query', type: 'ListQuery', default: '{}' }]
        : body === 'bytes'
          ? [{ name: 'bytes', type: 'Blob | Uint8Array<ArrayBuffer>' }]
          : [{ name: 'body', type: bodyType(endpoint) }]),
    ...(query.length === 0 ? [] : [{ name: 'query', type: queryName(name), members: query.map((one) => one.name), isRequired: query.some((one) => one.isRequired) }]),
  ]
  const escaped = path.replace('/api/v1/', '').replaceAll(/:(\w+)/g, '${step($1)}')
  const plain = steps.length === 0 ? `'${escaped}'` : `\`${escaped}\``
  const values = [
    ...(isModel ? ['model'] : []),
    ...inOptions,
    ...query.map((member) => member.name),
  ]
  const target = values.length === 0 ? plain : `withQuery(${plain}, { ${values.join(', ')} })`
  const isRepeatable = declared.some(({ name: one }) => one === 'Idempotency-Key')
  const optionNames = [
    ...inOptions,
    ...(hasCondition ? ['ifMatch'] : []),
    ...(isRepeatable ? ['idempotencyKey'] : []),
    'signal',
  ]
  const sent = [
    `method: '${method}'`,
    `path: ${target}`,
    ...(body === undefined ? [] : [body === 'empty' ? 'body: {}' : body === 'bytes' ? 'bytes' : hasQueryBody ? 'body: queryBody(query)' : 'body']),
    ...optionNames.filter((one) => !inOptions.includes(one)),
  ]
  return {
    group: group as Group,
    name,
    docs: `${summary}.${description === undefined ? '' : ` ${description}`}`,
    result: resultType(endpoint),
    args,
    options: isRepeatable ? 'CreateOptions' : optionsType(name, inOptions, hasCondition),
    optionNames,
    call: `${transportCall(endpoint)}({ ${sent.join(', ')} }${transportArguments(endpoint)})`,
    query,
  }
}

function optionsType(name: string, members: readonly string[], hasCondition: boolean): string {
  if (members.some((member) => member !== 'incomplete')) return `${capital(name)}Options`
  if (hasCondition) return 'WriteOptions'
  return members.length > 0 ? 'DraftOptions' : 'RequestOptions'
}

function memberOf(parameter: (typeof PARAMETERS)[keyof typeof PARAMETERS]): QueryMember {
  const { name, description, required: isRequired = false } = parameter as { readonly name: string; readonly description: string; readonly required?: boolean }
  if (name === 'filter') return { name, description, isRequired, type: 'Filter' }
  if (name === 'cursor') return { name, description, isRequired, type: 'string | null' }
  return { name, description, isRequired, type: schemaType('schema' in parameter ? parameter.schema : {}) }
}

function bodyType({ body, operation }: Described): string {
  if (body === 'draft') return 'object'
  if (body === 'patch') return 'MergePatch<Replacements[M]>'
  if (body === 'document') return `${operation === 'replace' ? 'Replacements' : 'Bodies'}[M] | IncompleteDraft<M>`
  if (typeof body !== 'object') throw new Error('Cannot print the type of no body')
  if (body.kind === 'record') {
    // A body's record has texts only so far.
    return `{ ${Object.keys(body.fields).map((name) => `readonly ${name}: string`).join('; ')} }`
  }
  return schemaType(body.schema)
}

/** Of the few kinds that bodies and parameters have. */
function schemaType(schema: JsonSchema): string {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => (value === null ? 'null' : `'${String(value)}'`)).join(' | ')
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(schemaType).join(' | ')
  // The client declares it by itself.
  if (schema['$ref'] === '#/components/schemas/Filter') return 'Filter'
  if (schema['type'] === 'object') {
    if (schema['properties'] === undefined) return 'object'
    const required = (schema['required'] ?? []) as readonly string[]
    const members = Object.entries(schema['properties'] as Readonly<Record<string, JsonSchema>>).map(([name, member]) =>
      required.includes(name)
        ? `readonly ${name}: ${schemaType(member)}`
        : `readonly ${name}?: ${schemaType(member)} | undefined`,
    )
    return `{ ${members.join('; ')} }`
  }
  const types = [schema['type']].flat().map((type) => {
    if (type === 'array') return `readonly (${schemaType(schema['items'] as JsonSchema)})[]`
    return type === 'integer' ? 'number' : String(type)
  })
  return types.join(' | ')
}

function resultType({ response }: Described): string {
  if (response === undefined) return 'void'
  switch (response.kind) {
    case 'record':
      return recordName(response)
    case 'raw':
      return 'Blob'
    case 'text':
      if (response.schema === 'Document') return 'Stored<Models[M]>'
      return typeof response.schema === 'string' ? "Models['user']" : recordName(response.schema)
  }
}

function transportCall({ response, parameters = [] }: Described): string {
  if (response === undefined) return 'done'
  if (response === signedIn) return 'signIn'
  if (response.kind === 'raw') return 'file'
  if (response.kind === 'text' && response.schema === 'Document') return 'stored'
  return parameters.includes('cursor') ? 'page' : 'data'
}

function transportArguments({ response, status, parameters = [] }: Described): string {
  if (response === undefined) return `, ${status}`
  if (response.kind === 'raw') return `, '${response.type}'`
  return response.kind !== 'text' || parameters.includes('cursor') === false ? '' : ', cursor'
}

/** The types of the records that methods give; `SignedIn` is the client's own. */
function importOf(results: readonly string[]): string {
  const records = [...new Set(results.filter((name) => /^\w+$/.test(name)))]
  const names = records.filter((name) => !['void', 'Blob', 'SignedIn'].includes(name)).sort()
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '../models/responses.ts'\n`
}

function queryName(method: string): string {
  return `${capital(method)}Query`
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function queryInterface({ name, query }: Method): string {
  const members = query.map(
    ({ name: member, type, description, isRequired }) =>
      `${comment(`${description}.`, '  ')}  readonly ${member}${isRequired ? `: ${type}` : `?: ${type} | undefined`}\n`,
  )
  return `export interface ${queryName(name)} {\n${members.join('')}}\n`
}

function callInterface(group: Group, methods: readonly Method[]): string {
  const members = methods.map(({ name, docs, args, options, result }) => {
    const given = args.map((one) => `${one.name}${mayBeLeftOut(one) ? '?' : ''}: ${one.type}`)
    return comment(docs, '  ') + broken(`  ${name}(`, [...given, `options?: ${options}`], `): Promise<${result}>`)
  })
  const start = group === 'data' ? 'interface' : 'export interface'
  return `${start} ${GROUPS[group]} {\n${members.join('\n')}\n}\n`
}

function callFunction(group: Group, methods: readonly Method[]): string {
  const used = [...new Set(methods.map(({ call }) => call.slice(0, call.indexOf('('))))].sort()
  const transport = `{ ${used.join(', ')} }: Transport`
  const start =
    group === 'data'
      ? `function documentCalls<M extends ModelName>(model: M, ${transport}): DocumentCalls<M> {\n`
      : `function ${group}Calls(${transport}): ${GROUPS[group]} {\n`
  const members = methods.map(({ name, args, optionNames, call }) => {
    const given = args.map(argumentText)
    const line = `    ${name}: async (${[...given, `{ ${optionNames.join(', ')} } = {}`].join(', ')}) => ${call},`
    return line.length <= LINE_CHARS_MAX ? line : line.replace(' => ', ' =>\n      ')
  })
  return `${start}  return {\n${members.join('\n')}\n  }\n}\n`
}

function mayBeLeftOut(argument: Argument): boolean {
  return argument.default !== undefined || (argument.members !== undefined && argument.isRequired !== true)
}

function argumentText({ name, default: value, members, isRequired }: Argument): string {
  if (members !== undefined) return `{ ${members.join(', ')} }${isRequired === true ? '' : ' = {}'}`
  return value === undefined ? name : `${name} = ${value}`
}

/** The items between start and end, in lines of their own where they do not fit one. */
function broken(start: string, items: readonly string[], end: string): string {
  const line = `${start}${items.join(', ')}${end}`
  if (line.length <= LINE_CHARS_MAX) return line
  return `${start}\n${items.map((item) => `    ${item},\n`).join('')}  ${end}`
}

function comment(text: string, indent: string): string {
  const line = `${indent}/** ${text} */\n`
  if (line.length <= LINE_CHARS_MAX + 1) return line
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (`${indent} *${last} ${word}`.length <= LINE_CHARS_MAX) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(` ${word}`)
  }
  return `${indent}/**\n${lines.map((one) => `${indent} *${one}\n`).join('')}${indent} */\n`
}
