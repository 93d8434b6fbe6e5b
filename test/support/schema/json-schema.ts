/**
 * JSON Schema, draft 2020-12 (https://json-schema.org/draft/2020-12/json-schema-core), compiled to functions: the part
 * that our own schemas and the one of the OpenAPI Initiative use.
 *
 * It checks the description of the API against the schema that the OpenAPI Initiative publishes, and the responses of the
 * service against the description. A keyword or a format that it does not know is an error, as is a reference that
 * leads nowhere: a schema that was not read must not pass.
 */
import { FITS, isMembers, misfit, show, type Validate, type Members, type Misfit } from './json-schema-validator.ts'
import { KEYWORDS } from './json-schema-keywords.ts'

export type Schema = boolean | { readonly [keyword: string]: unknown }

/** Gives what does not fit, as `$.data.id: expected string, found 7`; nothing where all does. */
export type Check = (value: unknown) => readonly string[]

export interface SchemaOptions {
  /** Where in the document the schema stands, as `#/components/schemas/User`. */
  readonly pointer?: string
  /** References to take for others, by the text of both. */
  readonly refs?: Readonly<Record<string, string>>
  /** Refuses members that an object of `type` and `properties` does not name, unless it says what to do with them. */
  readonly closed?: boolean
}

/** Without effect on what fits. */
const SILENT = new Set(
  (
    '$schema $id $dynamicAnchor $comment $defs title description default examples example deprecated readOnly ' +
    'writeOnly then else discriminator contentMediaType contentSchema'
  ).split(' '),
)

/** Compiles a schema, or the one at the pointer of any document. Throws an Error where it is none that we understand. */
export function compileSchema(document: unknown, options: SchemaOptions = {}): Check {
  const { pointer = '#', refs = {}, closed = false } = options
  const validators = new Map<object, Validate>()

  const compile = (schema: unknown): Validate => {
    if (schema === true) return () => FITS
    if (schema === false) return (value) => misfit(`expected nothing, found ${show(value)}`)
    if (!isMembers(schema)) throw new Error(`Cannot read ${show(schema)} as a schema`)
    const known = validators.get(schema)
    if (known !== undefined) return known
    let validate: Validate = () => FITS
    // A schema may lead back to itself before it is compiled.
    validators.set(schema, (value, run) => validate(value, run))
    validate = compileMembers(schema)
    validators.set(schema, validate)
    return validate
  }

  const compileMembers = (schema: Members): Validate => {
    const validatorOf = ([name, value]: [string, unknown]): Validate => {
      if (name === '$ref') return compile(lookUp(document, refs[String(value)] ?? String(value)))
      const keyword = KEYWORDS[name]
      if (keyword === undefined) throw new Error(`Cannot read the keyword "${name}" of a schema`)
      return keyword(value, { schema, closed, compile })
    }
    const keywords = Object.entries(schema).filter(([name]) => !SILENT.has(name) && !name.startsWith('x-'))
    // It speaks of what all other keywords have left over.
    const isLate = ([name]: [string, unknown]): boolean => name === 'unevaluatedProperties'
    const late = keywords.filter(isLate).map(validatorOf)
    const all = [...keywords.filter((one) => !isLate(one)).map(validatorOf), ...late]
    return (value, run) => {
      const own = late.length === 0 ? run : { evaluated: new Set<string>() }
      const found = all.flatMap((validate) => validate(value, own))
      if (own !== run) for (const name of own.evaluated ?? []) run.evaluated?.add(name)
      return found
    }
  }

  const validate = compile(lookUp(document, refs[pointer] ?? pointer))
  return (value) => validate(value, { evaluated: undefined }).map(({ path, words }: Misfit) => `$${path}: ${words}`)
}

/** The schema at a JSON Pointer in a URI fragment (RFC 6901 section 6). */
function lookUp(document: unknown, ref: string): unknown {
  let at = ref.startsWith('#') ? document : undefined
  for (const step of decodeURIComponent(ref).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined
  }
  if (typeof at !== 'boolean' && !isMembers(at)) throw new Error(`Cannot follow "${ref}": there is no schema`)
  return at
}
