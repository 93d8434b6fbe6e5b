/**
 * The description of the API for clients of one model, from which generators make clients with its types.
 *
 * The path is the same for every model, so the description of the whole API can give responses only as a choice of all
 * models, and several generators make nothing usable of a choice. Here `model` has one value, and what that decides is
 * no choice any more: documents are whole, bodies name what they embed by its id, and members of a patch are typed.
 * What would make documents partial, the parameters `fields` and `incomplete`, is left out.
 */
import type { JsonSchema, JsonSchemas } from '../../base/json-schema.ts'
import type { Described } from '../../endpoints/endpoint.ts'
import { ENDPOINTS } from '../../endpoints/endpoints.ts'
import { PARAMETERS, type ParameterName } from '../../endpoints/parameters.ts'
import type { Model } from '../../models/schema.ts'
import { MERGE_PATCHES } from './openapi-bodies.ts'
import { openApiDocument } from './openapi.ts'
import { annotated, bodySchemaName, refTo, schemaName } from './openapi-schema.ts'

const MODEL_PARAMETERS: ReadonlySet<string> = new Set(['model', 'models'])
const OF_PARTS: ReadonlySet<string> = new Set(['fields', 'incomplete'])
const REFERENCE = refTo('Reference')['$ref']
const SCHEMAS = '#/components/schemas/'
/** Of all models, and read as those of the one. */
const CHANGES: ReadonlySet<string> = new Set(['changes', 'changeStream', 'changeTicket'])

type Value = unknown
type Members = Readonly<Record<string, Value>>

interface Wanted {
  readonly version: string
  /** The whole API without it. */
  readonly model: Model | undefined
}

export function openApiFor({ version, model }: Wanted): JsonSchema {
  return model === undefined ? openApiDocument({ version }) : ofModel(model, version)
}

function ofModel(model: Model, version: string): JsonSchema {
  const whole = JSON.parse(JSON.stringify(openApiDocument({ version }))) as Members
  const components = whole['components'] as Readonly<Record<string, JsonSchemas>>
  const paths: Record<string, Members> = {}
  for (const endpoint of ENDPOINTS.filter((one) => isOf(one, model))) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const method = endpoint.method.toLowerCase()
    const described = ((whole['paths'] as Members)[path] as Members)[method] as Members
    paths[path] = { ...paths[path], [method]: operationOf(described, endpoint, model) }
  }
  const parameters = Object.fromEntries(
    Object.entries(components['parameters'] ?? {}).map(([name, one]) => [name, parameterOf(one, model)]),
  )
  const schemas = { ...components['schemas'], ...patchSchema(model, components['schemas'] ?? {}) }
  const parts = narrowed({ paths, components: { ...components, parameters, schemas } }, model) as {
    readonly paths: Members
    readonly components: Readonly<Record<string, Members>>
  }
  const { 'x-dateline-models': models, 'x-dateline-operators': operators, info, tags, ...rest } = whole
  return {
    ...rest,
    info: { ...(info as Members), description: `Signing in, and documents of the model \`${model.name}\`. ${ABOUT}` },
    tags: (tags as Members[]).filter(({ name }) => name === 'Accounts' || name === 'Data'),
    paths: parts.paths,
    components: { ...usedComponents(parts.paths, parts.components), securitySchemes: components['securitySchemes'] },
    'x-dateline-models': (models as Members[]).filter(({ name }) => name === model.name),
    'x-dateline-operators': operators,
  }
}

const ABOUT = 'The description of the whole API is without the parameter `model`.'

function isOf({ tag, id, operation, parameters = [] }: Described, { access }: Model): boolean {
  if (tag === 'Accounts' || CHANGES.has(id)) return true
  return operation !== undefined && access[operation] !== 'unsupported' && parameters.some(namesModel)
}

function namesModel(name: ParameterName): boolean {
  return MODEL_PARAMETERS.has(PARAMETERS[name].name)
}

function operationOf(described: Members, { id, operation, body }: Described, model: Model): Members {
  const name = schemaName(model)
  const kept = ((described['parameters'] ?? []) as Members[]).filter(({ $ref }) => {
    const parameter = String($ref).split('/').at(-1) as ParameterName
    return $ref === undefined || !OF_PARTS.has(PARAMETERS[parameter].name)
  })
  const isOfMany = operation === 'list'
  const wanted = body === 'patch' ? `${name}Patch` : bodySchemaName(model, operation === 'replace' ? 'replace' : 'create')
  const hasDocument = body === 'document' || body === 'patch' || body === 'draft'
  return {
    ...described,
    ...(operation === undefined ? {} : { operationId: id + (isOfMany ? plural(name) : name) }),
    ...(kept.length === 0 ? {} : { parameters: kept }),
    ...(hasDocument ? { requestBody: bodyOf(described['requestBody'] as Members, refTo(wanted ?? '')) } : {}),
  }
}

function bodyOf(requestBody: Members, schema: JsonSchema): Members {
  const content = Object.entries(requestBody['content'] as Readonly<Record<string, Members>>)
  return { ...requestBody, content: Object.fromEntries(content.map(([type, one]) => [type, { ...one, schema }])) }
}

function parameterOf(parameter: JsonSchema, { name }: Model): JsonSchema {
  if (!MODEL_PARAMETERS.has(String(parameter['name']))) return parameter
  return { ...parameter, required: true, schema: { type: 'string', enum: [name] }, example: name }
}

/** The body that replaces a document, without a member that has to be there, at any depth of objects. */
function patchSchema(model: Model, schemas: JsonSchemas): JsonSchemas {
  const replacement = bodySchemaName(model, 'replace')
  if (replacement === undefined) return {}
  const description = 'Members of the document, each with its new value; null removes a member that may be missing'
  return { [`${schemaName(model)}Patch`]: { ...loosened(schemas[replacement] ?? {}), description, examples: [MERGE_PATCHES[model.name]] } }
}

function loosened({ required: _, ...schema }: JsonSchema): JsonSchema {
  const properties = schema['properties'] as JsonSchemas | undefined
  if (properties === undefined) return schema
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, loosened(one)])) }
}

/** Without choices that the model decides. */
function narrowed(value: Value, model: Model): Value {
  if (Array.isArray(value)) return value.map((one) => narrowed(one, model))
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, ...rest } = value as JsonSchema
  if (Array.isArray(anyOf) && anyOf.some(({ $ref }: JsonSchema) => $ref === REFERENCE)) {
    return annotated({ $ref: REFERENCE }, rest)
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (name === '$ref') return [[name, oneModelRef(String(one), model)]]
      if (name === 'examples' && isByModel(one, model)) return [[name, { [model.name]: (one as Members)[model.name] }]]
      if (name === 'properties' && hasParts(one)) return [[name, narrowed(withoutParts(one), model)]]
      return [[name, narrowed(one, model)]]
    }),
  )
}

function oneModelRef(ref: string, model: Model): string {
  const name = ref.startsWith(SCHEMAS) ? ref.slice(SCHEMAS.length) : ''
  return name === 'Document' || name === 'DocumentOrPart' ? SCHEMAS + schemaName(model) : ref
}

function isByModel(examples: Value, { name }: Model): boolean {
  return typeof examples === 'object' && examples !== null && !Array.isArray(examples) && name in examples
}

/** Whether they are the members of a query. */
function hasParts(properties: Value): properties is Members {
  return typeof properties === 'object' && properties !== null && [...OF_PARTS].every((name) => name in properties)
}

function withoutParts(properties: Members): Members {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !OF_PARTS.has(name)))
}

/** Those that a path leads to, at any depth. */
function usedComponents(paths: Members, components: Readonly<Record<string, Members>>): Members {
  const used = new Set<string>()
  const visit = (value: Value): void => {
    if (typeof value !== 'object' || value === null) return
    for (const one of Object.values(value)) visit(one)
    const ref: unknown = (value as Members)['$ref']
    if (typeof ref !== 'string' || used.has(ref)) return
    used.add(ref)
    const [, , kind = '', name = ''] = ref.split('/')
    visit(components[kind]?.[name])
  }
  visit(paths)
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
    ]),
  )
}

function plural(name: string): string {
  return name.endsWith('s') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`
}
