/**
 * A request for curl, for fetch() and for the typed client.
 *
 * The token is a name in all of them: what is copied is pasted into tickets and chats.
 */
import { filled, pathOf, type Given } from '../dashboard/screens/docs/request.ts'
import { exampleCall, type ExampleCall } from './client-calls.ts'
import { BYTES_TYPE, contentOf, tokenOf, type Content, type Operation, type Parameter, type ResponseObject } from './described-api.ts'

export interface RequestExample {
  readonly language: string
  readonly code: string
}

/** What an example request sends. */
export interface ExampleValues {
  readonly given: readonly Given[]
  readonly body: string
}

/** The models that the examples of an operation are for; one empty name where there is only one example. */
export function variantsOf({ requestBody, responses }: Operation): readonly string[] {
  const names = [requestBody, successOf(responses)].map((one) => Object.keys(contentOf(one?.content)?.examples ?? {}))
  const most = names.reduce((one, other) => (other.length > one.length ? other : one))
  return most.length > 1 ? most : ['']
}

export function successOf(responses: Operation['responses']): (ResponseObject & { readonly status: string }) | undefined {
  const [first] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return first === undefined ? undefined : { status: first[0], ...first[1] }
}

/** The example of a variant, as readers see it; else the first. */
export function exampleText(content: Content | undefined, variant: string): string | undefined {
  const examples = content?.examples ?? {}
  const example = Object.hasOwn(examples, variant) ? examples[variant] : Object.values(examples)[0]
  if (example === undefined) return undefined
  return typeof example.value === 'string' ? example.value : JSON.stringify(example.value, null, 2)
}

/** As it is written into a URL; empty where there is none. */
export function parameterExample({ schema, content, example }: Parameter): string {
  const value = example ?? contentOf(content)?.example ?? schema?.examples?.[0] ?? ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What is required, and for reading also what is optional. */
export function exampleValues(operation: Operation, variant: string): ExampleValues {
  const { parameters = [], requestBody, method } = operation
  const document = listedDocument(operation, variant)
  const given = parameters.map((parameter) => {
    const { name, in: location, required = false } = parameter
    const isShown = required || (method === 'GET' && location === 'query' && name !== 'cursor')
    const text = parameterExample(parameter)
    const fitting = document === undefined || text === '' ? text : fittingText(name, text, document)
    const example = fitting || (location === 'path' ? name.toUpperCase() : '')
    return { name, location, required, value: !isShown ? '' : name === 'model' && variant !== '' ? variant : example }
  })
  const body = exampleText(contentOf(requestBody?.content), variant) ?? '{}'
  return { given, body: document === undefined || requestBody === undefined ? body : fittingQuery(body, document) }
}

/** A document of the list that the example response of a variant is; undefined where it is none. */
function listedDocument({ responses }: Operation, variant: string): object | undefined {
  const example = contentOf(successOf(responses)?.content)?.examples?.[variant]?.value
  return (example as { readonly data?: { readonly items?: readonly object[] } } | undefined)?.data?.items?.[0]
}

/** The text of a filter or sort with the paths that a document has; empty where it has none of them. */
function fittingText(name: string, text: string, document: object): string {
  if (name === 'sort') {
    return text
      .split(',')
      .filter((key) => hasPath(document, key))
      .join(',')
  }
  if (name !== 'filter') return text
  let filter: object
  try {
    filter = JSON.parse(text) as object
  } catch {
    // An example that is no JSON is shown as it is.
    return text
  }
  const fitting = Object.entries(filter).filter(([path]) => hasPath(document, path))
  return fitting.length === 0 ? '' : JSON.stringify(Object.fromEntries(fitting))
}

function fittingQuery(body: string, document: object): string {
  const query = JSON.parse(body) as Readonly<Record<string, unknown>>
  const filter = fittingText('filter', JSON.stringify(query['filter'] ?? {}), document)
  const sort = fittingText('sort', String(query['sort'] ?? ''), document)
  const fitting = { ...query, filter: JSON.parse(filter || '{}') as object, sort: sort || undefined }
  return JSON.stringify(fitting, null, 2)
}

function hasPath(document: object, path: string): boolean {
  return Object.hasOwn(document, /^\w+/.exec(path)?.[0] ?? '')
}

/** `url` is that of the service, with a slash at its end. */
export function requestExamples(operation: Operation, values: ExampleValues, url: string): readonly RequestExample[] {
  const call = exampleCall(operation.operationId)
  return [
    { language: 'curl', code: forCurl(operation, values, url) },
    { language: 'JavaScript', code: forFetch(operation, values, url) },
    ...(call === undefined ? [] : [{ language: 'Client', code: forClient(operation, values, { ...call, url }) }]),
  ]
}

/** A file, wherever the code runs. */
const FILE = "await (await fetch('https://example.org/picture.jpg')).blob()"

function forCurl(operation: Operation, { given, body }: ExampleValues, service: string): string {
  const { method, path, responses, requestBody } = operation
  const target = service + pathOf(path, given)
  const query = filled(given, 'query')
  const isPlain = query.every(({ value }) => encodeURIComponent(value) === value)
  const pairs = query.map(({ name, value }) => `${name}=${value}`)
  const type = contentOf(requestBody?.content)?.type
  const isDefault = method === 'GET' || (method === 'POST' && type !== undefined)
  const url = isPlain && pairs.length > 0 ? `${target}?${pairs.join('&')}` : target
  return [
    `curl ${isDefault ? '' : `-X ${method} `}${quoted(url)}`,
    ...(isPlain ? [] : ['-G', ...pairs.map((pair) => `--data-urlencode ${quoted(pair)}`)]),
    // A file is kept from the terminal, and an error from the file.
    ...(resultKind(responses) === 'file' ? ['--fail -O'] : []),
    ...(tokenOf(operation) === 'required' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...filled(given, 'header').map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(type === undefined ? [] : type === BYTES_TYPE ? [`-H ${quoted(`Content-Type: ${type}`)}`, '--data-binary @picture.jpg'] : [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ')
}

function forFetch(operation: Operation, { given, body }: ExampleValues, url: string): string {
  const { method, path, responses, requestBody } = operation
  const type = contentOf(requestBody?.content)?.type
  const headers = [
    ...(tokenOf(operation) === 'required' ? ['Authorization: `Bearer ${TOKEN}`'] : []),
    ...filled(given, 'header').map(({ name, value }) => `${literal(name)}: ${literal(value)}`),
    ...(type === undefined ? [] : [`'Content-Type': ${literal(type)}`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} },`]),
    ...(type === undefined ? [] : type === BYTES_TYPE ? [`body: ${FILE},`] : [`body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`]),
  ]
  const reading = {
    none: [],
    json: [`const ${hasData(operation) ? '{ data }' : 'body'} = await response.json()`],
    text: ['const text = await response.text()'],
    file: ['const file = await response.blob()'],
  }
  return [
    `const url = new URL(${literal(url + pathOf(path, given))})`,
    ...filled(given, 'query').map(
      ({ name, value }) => `url.searchParams.set(${literal(name)}, ${queryValue(value)})`,
    ),
    `const response = await fetch(url${options.length === 0 ? '' : `, {\n  ${options.join('\n  ')}\n}`})`,
    'if (!response.ok) throw new Error((await response.json()).error.message)',
    ...reading[resultKind(responses)],
  ].join('\n')
}

/** Parameters that the client sets by itself. */
const OF_THE_CLIENT = ['model', 'ticket']

function forClient(operation: Operation, { given, body }: ExampleValues, example: ExampleCall & { readonly url: string }): string {
  const { imports, call, url } = example
  const query = filled(given, 'query').filter(({ name }) => !OF_THE_CLIENT.includes(name))
  const members = query.map(({ name, value }) => `${name}: ${memberText(name, value)}`)
  const argumentFor = (name: string): string => {
    if (name === 'body') return body
    if (name === 'bytes') return FILE
    if (name === 'query') return `{ ${members.join(', ')} }`
    return literal(given.find((one) => one.name === name)?.value ?? '')
  }
  const options = `{ url: ${literal(url.replace(/\/$/, ''))}${tokenOf(operation) === 'required' ? ', token: TOKEN' : ''} }`
  const statement = call.replace(/\$(\w+)/g, (_, name: string) => argumentFor(name))
  const names = ['createClient', ...imports].sort()
  return `import { ${names.join(', ')} } from './dateline.ts'\n\nconst client = createClient(${options})\n${statement}`
}

/** A value of the query as the client takes it: names of models and of edited documents are a list there. */
function memberText(name: string, value: string): string {
  if (name === 'models' || name === 'editing') return `[${value.split(',').map(literal).join(', ')}]`
  // A cursor of changes begins with digits as well.
  return /^(?:[[{]|\d+$|true$|false$)/.test(value) ? value : literal(value)
}

/** What a successful response has to be read as. */
function resultKind(responses: Operation['responses']): 'none' | 'json' | 'text' | 'file' {
  const type = contentOf(successOf(responses)?.content)?.type
  if (type === undefined) return 'none'
  if (type === 'application/json') return 'json'
  return type.startsWith('text/') ? 'text' : 'file'
}

/** Whether the response is an envelope: probes and the OpenAPI document are none. */
function hasData({ responses }: Operation): boolean {
  const [example] = Object.values(contentOf(successOf(responses)?.content)?.examples ?? {})
  return typeof example?.value === 'object' && example.value !== null && Object.hasOwn(example.value, 'data')
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

/** JSON in a parameter is easier to read as the object that it is made of. */
function queryValue(text: string): string {
  return /^[[{]/.test(text) ? `JSON.stringify(${text})` : literal(text)
}
