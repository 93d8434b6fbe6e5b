/**
 * Whether a response is what the description of the API says of it: its status, its headers, the type of its body, and the
 * body itself, with no member that is not described. Calls of the tests go through here, so that the description cannot
 * tell of another API than the one that there is.
 *
 * A path that no route has is left to the tests, but for the form of its failure.
 */
import assert from 'node:assert/strict'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import type { ResponseHeaders } from '../service/http-client.ts'
import { compileSchema, type Check } from './json-schema.ts'

export interface ResponseToCheck {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
}

interface Described {
  readonly headers?: Readonly<Record<string, Reference | { readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, unknown>>
}
interface Reference {
  readonly $ref: string
}
interface Place {
  readonly pattern: RegExp
  readonly path: string
  readonly methods: Readonly<Record<string, { readonly responses: Readonly<Record<string, Reference | Described>> }>>
}

/** Headers that tell a client what to do: none of them may come without its words. */
const TELLING = ['allow', 'content-disposition', 'content-range', 'etag', 'location', 'retry-after', 'www-authenticate']
const document = openApiDocument({ version: '0.0.0' })
const components = document['components'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>
const DOCUMENT = '#/components/schemas/Document'
const DOCUMENT_OR_PART = '#/components/schemas/DocumentOrPart'
const SCHEMA_OF = new Map(
  (document['x-dateline-models'] as { readonly name: string; readonly schema: string }[]).map((model) => [
    model.name,
    model.schema,
  ]),
)
/** The path that names more goes first, as in the router. */
const PLACES: readonly Place[] = Object.entries(document['paths'] as Record<string, Place['methods']>)
  .map(([path, methods]) => {
    const parts = path.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)))
    return { pattern: new RegExp(`^${parts.join('/')}$`), path, methods }
  })
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
const checks = new Map<string, Check>()

/** How many responses of each endpoint, status and model are compared in a process. */
const COMPARED_MAX = 3
const compared = new Map<string, number>()

/** assertDescribed() for the first responses of their kind; the others are too many to be compared in each run. */
export function assertDescribedAtFirst(response: ResponseToCheck): void {
  const [path = '', query = ''] = response.path.split('?')
  const place = PLACES.find(({ pattern }) => pattern.test(path))
  const model = new URLSearchParams(query).get('model')
  const key = [response.method, place?.path, response.status, model].join(' ')
  const count = compared.get(key) ?? 0
  if (count === COMPARED_MAX) return
  compared.set(key, count + 1)
  assertDescribed(response)
}

/** Throws an AssertionError that says what the description does not tell, or tells otherwise. */
export function assertDescribed(response: ResponseToCheck): void {
  const { method, path: target, status, headers, text } = response
  const [path = '', query = ''] = target.split('?')
  if (method === 'OPTIONS') return
  const place = PLACES.find(({ pattern }) => pattern.test(path))
  const verb = method === 'HEAD' ? 'GET' : method
  const operation = place?.methods[verb.toLowerCase()]
  const what = `The description of ${verb} ${place?.path ?? path}`
  if (place === undefined || operation === undefined) {
    const wanted = place === undefined ? [400, 403, 404, 405, 421] : [400, 403, 405, 421]
    assert.ok(wanted.includes(status), `${what} is missing, and yet the response has ${status}`)
    assertFits(checkOf('#/components/schemas/Failure'), text, `${what}, ${status}`)
    return
  }
  const given = operation.responses[status]
  assert.ok(given !== undefined, `${what} has no status ${status}, which the response has: ${text}`)
  const isShared = '$ref' in given
  const described = isShared ? (resolve(given.$ref) as Described) : given
  for (const [name, one] of Object.entries(described.headers ?? {})) {
    const { required } = ('$ref' in one ? resolve(one.$ref) : one) as { readonly required?: boolean }
    if (required === true) assert.ok(headers.has(name), `${what} has a header ${name} for ${status}, the response has none`)
  }
  const told = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()))
  for (const name of TELLING)
    assert.ok(!headers.has(name) || told.has(name), `${what} has no header ${name} for ${status}, the response has one`)
  const type = headers.get('content-type')?.split(';')[0]
  if (described.content === undefined) {
    assert.equal(text, '', `${what} has no body for ${status}, the response has one`)
    return
  }
  assert.ok(type !== undefined && type in described.content, `${what} has no type ${type} for ${status}`)
  if (method === 'HEAD' || type !== 'application/json') return
  const at = isShared ? given.$ref : `#/paths/${escaped(place.path)}/${verb.toLowerCase()}/responses/${status}`
  const params = new URLSearchParams(query)
  const model = SCHEMA_OF.get(params.get('model') ?? '')
  const isWhole = !params.has('fields') && !params.has('incomplete') && !isPart(text)
  assertFits(checkOf(`${at}/content/${escaped(type)}/schema`, { model, isWhole }), text, `${what}, ${status}`)
  if (status >= 400) assertCode(described.content[type], text, `${what}, ${status}`)
}

/** Whether it may be an incomplete draft, or is the id alone, which a token gets that may write and not read. */
function isPart(text: string): boolean {
  const { data } = JSON.parse(text) as { readonly data?: { readonly status?: string } }
  return data !== undefined && (data.status === 'draft' || Object.keys(data).join() === 'id')
}

interface Kind {
  readonly model?: string | undefined
  /** Whether documents have all their members. */
  readonly isWhole?: boolean
}

/** Compiled once for each place and kind of documents. */
function checkOf(pointer: string, { model, isWhole = true }: Kind = {}): Check {
  const key = `${pointer} ${model ?? ''} ${isWhole}`
  let check = checks.get(key)
  if (check === undefined) {
    const whole = `#/components/schemas/${model}`
    const refs = model === undefined ? {} : { [DOCUMENT]: whole, ...(isWhole ? { [DOCUMENT_OR_PART]: whole } : {}) }
    checks.set(key, (check = compileSchema(document, { pointer, refs, closed: true })))
  }
  return check
}

/** Whether the failure is one of those that are shown there. */
function assertCode(content: unknown, text: string, what: string): void {
  const { examples } = content as { readonly examples: Readonly<Record<string, unknown>> }
  const { error } = JSON.parse(text) as { readonly error?: { readonly code: string } }
  if (error !== undefined) assert.ok(error.code in examples, `${what}, has no code ${error.code}`)
}

function assertFits(check: Check, text: string, what: string): void {
  assert.deepEqual(check(JSON.parse(text)), [], `${what}, is not what the response is: ${text.slice(0, 500)}`)
}

function resolve(ref: string): unknown {
  const [, , kind = '', name = ''] = ref.split('/')
  return components[kind]?.[name]
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}
