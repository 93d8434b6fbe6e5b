/** Descriptions of the API in which markup stands wherever a declaration could bring it. */

const IMAGE = `<img src=x onerror="document.title='run'">`
export const MARKUP = `${IMAGE}<script>document.title="run"</script>`

type Members = Readonly<Record<string, unknown>>

/** Names, and what the page decides by: see withHostileNames(). */
const DECIDING = new Set([
  ...['$ref', 'in', 'grant', 'kind', 'name', 'code', 'tags', 'operationId'],
  ...['schema', 'createBody', 'replaceBody', 'required', 'pattern', 'enum'],
])

/** The description with markup after every text that it has. */
export function spoilt(value: object, isDeciding?: boolean): object
export function spoilt(value: unknown, isDeciding?: boolean): unknown
export function spoilt(value: unknown, isDeciding = false): unknown {
  if (typeof value === 'string') return isDeciding ? value : value + MARKUP
  if (Array.isArray(value)) return value.map((one) => spoilt(one, isDeciding))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoilt(one, decides(name, one))]))
}

/** The type of a schema is a word of JSON Schema; a member of a document that is named so is not. */
function decides(name: string, value: unknown): boolean {
  return DECIDING.has(name) || (name === 'type' && (value === 'array' || Array.isArray(value)))
}

/** The description with one more of everything that has a name, named with markup or as a member of every object. */
export function withHostileNames(description: object): object {
  const { paths, components, ...rest } = structuredClone(description) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Members>>>>
    readonly components: { readonly schemas: Members }
    readonly 'x-dateline-models': readonly Members[]
    readonly 'x-dateline-operators': readonly Members[]
  }
  const list = paths['/api/v1/data']?.['get'] as Members
  const [model] = rest['x-dateline-models']
  const [operator] = rest['x-dateline-operators']
  // A name of a schema has no slash, which would be a step of a reference.
  const names = [IMAGE, '__proto__', 'constructor', 'javascript:alert(1)']
  const made = <T>(make: (name: string) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(names.map((name) => [name, make(name)]))
  const schema = { type: 'object', description: MARKUP, pattern: MARKUP, properties: made(() => ({ type: 'string' })) }
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const failure = (code: string) => ({ value: { error: { code, message: code } } })
  const hostile = {
    ...list,
    operationId: MARKUP,
    summary: MARKUP,
    parameters: names.map((name) => ({ name, in: 'query', schema: { type: 'string', enum: names }, example: name })),
    requestBody: { content: made((name) => ({ schema: { anyOf: names.map(refTo) }, examples: made(failure), example: name })) },
    responses: {
      200: { description: MARKUP, headers: made((description) => ({ description })) },
      [MARKUP]: { description: MARKUP, content: { [MARKUP]: { schema, examples: made(failure) } } },
    },
  }
  return {
    ...rest,
    paths: { ...paths, [`/${MARKUP}`]: { get: hostile, post: { ...hostile, operationId: 'constructor' } } },
    components: { ...components, schemas: { ...components.schemas, ...made(() => schema) } },
    'x-dateline-models': [
      ...rest['x-dateline-models'],
      ...names.map((name) => ({ ...model, name, schema: name, access: { list: { grant: name, who: name } } })),
    ],
    'x-dateline-operators': [
      ...rest['x-dateline-operators'],
      ...names.map((name) => ({ ...operator, name, kind: name, example: { [name]: { $eq: name } } })),
    ],
  }
}
