/**
 * JSON Schema, draft 2020-12 (https://json-schema.org/draft/2020-12/json-schema-core), compiled to functions.
 *
 * It holds the description of the API against the schema that the OpenAPI Initiative publishes, and the replies of the
 * service against the description. A keyword or a format that it does not know is an error, as is a reference that
 * leads nowhere: a schema must not be taken for fulfilled because nobody read it.
 */
import {
  FITS,
  isMembers,
  misfit,
  show,
  type Judge,
  type Members,
  type Misfit,
  type Resource,
} from './json-schema-judge.ts'
import { KEYWORDS, type Keyword } from './json-schema-keywords.ts'

export type Schema = boolean | { readonly [keyword: string]: unknown }

/** Gives what does not fit, as `$.data.id: expected string, found 7`; nothing where all does. */
export type Check = (value: unknown) => readonly string[]

export interface SchemaOptions {
  /** Where in the document the schema stands, as `#/components/schemas/User`. */
  readonly pointer?: string
  /** References to take for others, by the text of both. */
  readonly refs?: Readonly<Record<string, string>>
  /** Schemas that are referred to by their `$id`. */
  readonly others?: readonly Schema[]
  /** Refuses members that an object of `type` and `properties` does not name, unless it says what to do with them. */
  readonly closed?: boolean
}

const BASE = 'https://schema.invalid/'
/** Without effect on what fits. */
const SILENT = new Set(
  (
    '$schema $id $anchor $dynamicAnchor $comment $defs title description default examples example deprecated ' +
    'readOnly writeOnly then else minContains maxContains'
  ).split(' '),
)
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then']
const ONE_LATE = ['unevaluatedProperties']
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED = ['$defs', 'dependentSchemas', 'patternProperties', 'properties']

/** Compiles a schema, or the one at the pointer of any document. Throws an Error where it is none that we understand. */
export function compileSchema(document: unknown, options: SchemaOptions = {}): Check {
  const { pointer = '#', refs = {}, others = [], closed = false } = options
  const resources = new Map<string, Resource>()
  const homes = new Map<object, Resource>()
  const judges = new Map<object, Judge>()

  const register = (schema: unknown, around: Resource | undefined, base: string): Resource | undefined => {
    if (!isMembers(schema)) return around
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema
    let home = around
    if (home === undefined || typeof id === 'string') {
      const uri = new URL(typeof id === 'string' ? id : '', base).href.replace(/#$/, '')
      home = { uri, root: schema, anchors: new Map(), dynamicAnchors: new Map() }
      resources.set(uri, home)
    }
    homes.set(schema, home)
    if (typeof anchor === 'string') home.anchors.set(anchor, schema)
    if (typeof dynamicAnchor === 'string') {
      home.anchors.set(dynamicAnchor, schema)
      home.dynamicAnchors.set(dynamicAnchor, schema)
    }
    for (const inner of innerSchemas(schema)) register(inner, home, home.uri)
    return home
  }

  const resolve = (ref: string, from: Resource): { readonly schema: Schema; readonly home: Resource } => {
    const [uri = '', fragment = ''] = new URL(ref, from.uri).href.split('#')
    const resource = resources.get(uri)
    if (resource === undefined) throw new Error(`Cannot follow "${ref}": there is no schema "${uri}"`)
    const name = decodeURIComponent(fragment)
    const found = name === '' || name.startsWith('/') ? lookUp(resource, name) : { at: resource.anchors.get(name) }
    const { at } = found
    if (typeof at !== 'boolean' && !isMembers(at)) throw new Error(`Cannot follow "${ref}": there is no schema`)
    return { schema: at, home: ('home' in found ? found.home : undefined) ?? resource }
  }

  const lookUp = (resource: Resource, path: string): { readonly at: unknown; readonly home: Resource } => {
    let [at, home]: [unknown, Resource] = [resource.root, resource]
    for (const step of path.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined
      if (isMembers(at)) home = homes.get(at) ?? home
    }
    return { at, home }
  }

  const compile = (schema: unknown, home: Resource): Judge => {
    if (schema === true) return () => FITS
    if (schema === false) return (value) => misfit(`expected nothing, found ${show(value)}`)
    if (!isMembers(schema)) throw new Error(`Cannot read ${show(schema)} as a schema`)
    const known = judges.get(schema)
    if (known !== undefined) return known
    let judge: Judge = () => FITS
    // A schema may lead back to itself before it is compiled.
    judges.set(schema, (value, run) => judge(value, run))
    judge = compileMembers(schema, homes.get(schema) ?? home)
    judges.set(schema, judge)
    return judge
  }

  const compileMembers = (schema: Members, home: Resource): Judge => {
    const context = {
      schema,
      closed,
      compile: (inner: unknown) => compile(inner, home),
    }
    const early: Judge[] = []
    const late: Judge[] = []
    for (const [name, value] of Object.entries(schema)) {
      if (SILENT.has(name) || name.startsWith('x-')) continue
      const keyword: Keyword | undefined =
        name === '$ref' ? follow(home) : name === '$dynamicRef' ? followDynamically(home) : KEYWORDS[name]
      if (keyword === undefined) throw new Error(`Cannot read the keyword "${name}" of a schema`)
      const judge = keyword(value, context)
      if (ONE_LATE.includes(name)) late.push(judge)
      else early.push(judge)
    }
    const all = [...early, ...late]
    return (value, run) => {
      const scope = run.scope?.resource === home ? run.scope : { resource: home, outer: run.scope }
      const evaluated = late.length === 0 ? run.evaluated : new Set<string>()
      const own = scope === run.scope && evaluated === run.evaluated ? run : { scope, evaluated }
      let found = FITS
      for (const judge of all) {
        const more = judge(value, own)
        if (more.length > 0) found = found.length === 0 ? more : [...found, ...more]
      }
      if (late.length > 0) for (const name of evaluated ?? []) run.evaluated?.add(name)
      return found
    }
  }

  const follow =
    (home: Resource): Keyword =>
    (ref) => {
      const target = resolve(refs[String(ref)] ?? String(ref), home)
      return compile(target.schema, target.home)
    }

  /** The anchor of the outermost schema that has it, if the one that is meant at first has it at all. */
  const followDynamically =
    (home: Resource): Keyword =>
    (ref) => {
      const target = resolve(String(ref), home)
      const first = compile(target.schema, target.home)
      const name = String(ref).split('#')[1] ?? ''
      if (target.home.dynamicAnchors.get(name) !== target.schema) return first
      return (value, run) => {
        let outermost: Judge = first
        for (let { scope } = run; scope !== undefined; scope = scope.outer) {
          const schema = scope.resource.dynamicAnchors.get(name)
          if (schema !== undefined) outermost = compile(schema, scope.resource)
        }
        return outermost(value, run)
      }
    }

  for (const other of others) register(other, undefined, BASE)
  const root = register(document, undefined, BASE)
  if (root === undefined) {
    const judge = compile(document, { uri: BASE, root: document, anchors: new Map(), dynamicAnchors: new Map() })
    return (value) => judge(value, { scope: undefined, evaluated: undefined }).map(inWords)
  }
  const { schema, home } = resolve(refs[pointer] ?? pointer, root)
  const judge = compile(schema, home)
  return (value) => judge(value, { scope: undefined, evaluated: undefined }).map(inWords)
}

function inWords({ path, words }: Misfit): string {
  return `$${path}: ${words}`
}

function innerSchemas(schema: Members): readonly unknown[] {
  return [
    ...[...ONE, ...ONE_LATE].map((name) => schema[name]),
    ...MANY.flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as unknown[]) : [])),
    ...NAMED.flatMap((name) => (isMembers(schema[name]) ? Object.values(schema[name]) : [])),
  ]
}
