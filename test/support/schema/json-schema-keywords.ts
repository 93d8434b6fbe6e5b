/**
 * What each keyword of JSON Schema requires, apart from references (json-schema-validation, sections 6 and 7;
 * json-schema-core, sections 10 and 11).
 */
import { isDeepStrictEqual } from 'node:util'
import { isFormat } from './json-schema-formats.ts'
import { FITS, isMembers, misfit, show, type Validate, type Members, type Misfit, type Run } from './json-schema-validator.ts'

export interface KeywordContext {
  /** The schema that the keyword stands in. */
  readonly schema: Members
  readonly closed: boolean
  compile(schema: unknown): Validate
}

/** Reads the value of a keyword once, and returns the function that validates by it. Throws an Error where it makes no sense. */
export type Keyword = (value: unknown, context: KeywordContext) => Validate

/** A value of another type than that of the keyword is valid (json-schema-validation, section 6). */
const ofTexts =
  (validate: (text: string) => readonly Misfit[]): Validate =>
  (value) =>
    typeof value === 'string' ? validate(value) : FITS
const ofNumbers =
  (validate: (number: number) => readonly Misfit[]): Validate =>
  (value) =>
    typeof value === 'number' ? validate(value) : FITS
const ofLists =
  (validate: (list: readonly unknown[], run: Run) => readonly Misfit[]): Validate =>
  (value, run) =>
    Array.isArray(value) ? validate(value as unknown[], run) : FITS
const ofObjects =
  (validate: (members: Members, run: Run) => readonly Misfit[]): Validate =>
  (value, run) =>
    isMembers(value) ? validate(value, run) : FITS

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(value) {
    const kinds = [value].flat()
    for (const kind of kinds) if (!KINDS.includes(String(kind))) throw new Error(`Cannot read the type ${show(kind)}`)
    return (found) => {
      const kind = kindOf(found)
      const isOne = kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'))
      return isOne ? FITS : misfit(`expected ${kinds.join(' or ')}, found ${show(found)}`)
    }
  },
  enum(value) {
    const values = listOf(value)
    const texts = new Set(values.filter((one) => typeof one !== 'object' || one === null))
    const others = values.filter((one) => !texts.has(one))
    return (found) =>
      texts.has(found) || others.some((one) => isDeepStrictEqual(one, found))
        ? FITS
        : misfit(`expected one of ${show(values)}, found ${show(found)}`)
  },
  const: (value) => (found) => (isDeepStrictEqual(value, found) ? FITS : misfit(`expected ${show(value)}, found ${show(found)}`)),

  minimum: (value) => ofNumbers((n) => atLeast(n, numberOf(value), 'number')),
  maximum: (value) => ofNumbers((n) => atMost(n, numberOf(value), 'number')),

  minLength: (value) => ofTexts((text) => atLeast([...text].length, numberOf(value), 'characters')),
  maxLength: (value) => ofTexts((text) => atMost([...text].length, numberOf(value), 'characters')),
  pattern(value) {
    const pattern = new RegExp(textOf(value), 'u')
    return ofTexts((text) => (pattern.test(text) ? FITS : misfit(`expected ${pattern}, found ${show(text)}`)))
  },
  format(value) {
    const name = textOf(value)
    const hasFormat = isFormat(name)
    return ofTexts((text) => (hasFormat(text) ? FITS : misfit(`expected a ${name}, found ${show(text)}`)))
  },

  items(value, { compile }) {
    const validate = compile(value)
    return ofLists((list, run) => list.flatMap((item, i) => below(`[${i}]`, validate, item, run)))
  },
  minItems: (value) => ofLists((list) => atLeast(list.length, numberOf(value), 'items')),
  maxItems: (value) => ofLists((list) => atMost(list.length, numberOf(value), 'items')),

  required(value) {
    const names = listOf(value).map(textOf)
    return ofObjects((members) => {
      const missing = names.filter((name) => !Object.hasOwn(members, name))
      return missing.length === 0 ? FITS : misfit(`expected ${missing.join(', ')}, found ${show(Object.keys(members))}`)
    })
  },
  dependentSchemas(value, { compile }) {
    const validators = Object.entries(membersOf(value)).map(([name, schema]) => [name, compile(schema)] as const)
    return ofObjects((members, run) =>
      validators.flatMap(([name, validate]) => (Object.hasOwn(members, name) ? validate(members, run) : FITS)),
    )
  },
  minProperties: (value) => ofObjects((members) => atLeast(Object.keys(members).length, numberOf(value), 'members')),
  maxProperties: (value) => ofObjects((members) => atMost(Object.keys(members).length, numberOf(value), 'members')),
  propertyNames(value, { compile }) {
    const validate = compile(value)
    return ofObjects((members, run) =>
      Object.keys(members).flatMap((name) => below(`.${name}`, validate, name, { ...run, evaluated: undefined })),
    )
  },
  properties(value, context) {
    const validators = new Map(Object.entries(membersOf(value)).map(([name, one]) => [name, context.compile(one)]))
    const isClosed = context.closed && isSilentOnOthers(context.schema)
    return ofObjects((members, run) => {
      const found: Misfit[] = []
      for (const name in members) {
        const validate = validators.get(name)
        if (validate !== undefined) {
          run.evaluated?.add(name)
          found.push(...below(`.${name}`, validate, members[name], run))
        } else if (isClosed) found.push({ path: `.${name}`, words: 'expected no such member' })
      }
      return found
    })
  },
  patternProperties(value, { compile }) {
    const validators = Object.entries(membersOf(value)).map(([text, one]) => [new RegExp(text, 'u'), compile(one)] as const)
    return ofObjects((members, run) =>
      validators.flatMap(([pattern, validate]) =>
        Object.keys(members)
          .filter((name) => pattern.test(name))
          .flatMap((name) => evaluate(name, validate, members, run)),
      ),
    )
  },
  additionalProperties(value, { schema, compile }) {
    const validate = compile(value)
    const named = new Set(Object.keys(isMembers(schema['properties']) ? schema['properties'] : {}))
    const given = isMembers(schema['patternProperties']) ? schema['patternProperties'] : {}
    const patterns = Object.keys(given).map((text) => new RegExp(text, 'u'))
    return ofObjects((members, run) =>
      Object.keys(members)
        .filter((name) => !named.has(name) && !patterns.some((pattern) => pattern.test(name)))
        .flatMap((name) => evaluate(name, validate, members, run)),
    )
  },
  unevaluatedProperties(value, { compile }) {
    const validate = compile(value)
    return ofObjects((members, run) =>
      Object.keys(members)
        .filter((name) => run.evaluated?.has(name) !== true)
        .flatMap((name) => evaluate(name, validate, members, run)),
    )
  },

  allOf(value, { compile }) {
    const validators = listOf(value).map(compile)
    return (found, run) => validators.flatMap((validate) => validate(found, run))
  },
  anyOf(value, { compile }) {
    const validators = listOf(value).map(compile)
    return (found, run) => {
      const misfits: Misfit[] = []
      let fits = false
      for (const validate of validators) {
        const more = attempt(validate, found, run)
        if (more.length > 0) misfits.push(...more.slice(0, 1))
        // Where evaluated members are collected, all schemas that fit contribute theirs.
        else if (run.evaluated === undefined) return FITS
        else fits = true
      }
      return fits ? FITS : misfit(`fits none: ${misfits.map(({ path, words }) => `${path} ${words}`).join('; ')}`)
    }
  },
  oneOf(value, { compile }) {
    const validators = listOf(value).map(compile)
    return (found, run) => {
      const results = validators.map((validate) => attempt(validate, found, run))
      const count = results.filter((misfits) => misfits.length === 0).length
      if (count === 1) return FITS
      const reasons = results.flatMap((misfits) => misfits.slice(0, 1)).map(({ path, words }) => `${path} ${words}`)
      return misfit(`fits ${count} of ${validators.length}, expected one: ${reasons.join('; ')}`)
    }
  },
  not(value, { compile }) {
    const validate = compile(value)
    return (found, run) =>
      validate(found, { ...run, evaluated: undefined }).length > 0 ? FITS : misfit(`fits what it must not: ${show(value)}`)
  },
  if(value, { schema, compile }) {
    const validate = compile(value)
    const whenSo = compile(schema['then'] ?? true)
    const otherwise = compile(schema['else'] ?? true)
    return (found, run) => (attempt(validate, found, run).length === 0 ? whenSo : otherwise)(found, run)
  },
}

const KINDS = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Validates a member or an item. The members evaluated in it are not those of its parent. */
function below(step: string, validate: Validate, value: unknown, run: Run): readonly Misfit[] {
  const found = validate(value, run.evaluated === undefined ? run : { ...run, evaluated: undefined })
  return found.length === 0 ? FITS : found.map(({ path, words }) => ({ path: step + path, words }))
}

function evaluate(name: string, validate: Validate, members: Members, run: Run): readonly Misfit[] {
  run.evaluated?.add(name)
  return below(`.${name}`, validate, members[name], run)
}

/** Validates, and records the evaluated members only where the value fits. */
function attempt(validate: Validate, value: unknown, run: Run): readonly Misfit[] {
  if (run.evaluated === undefined) return validate(value, run)
  const evaluated = new Set<string>()
  const found = validate(value, { ...run, evaluated })
  if (found.length === 0) for (const name of evaluated) run.evaluated.add(name)
  return found
}

function isSilentOnOthers(schema: Members): boolean {
  const speaks = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some((name) => name in schema)
  return schema['type'] === 'object' && !speaks
}

function atLeast(found: number, min: number, what: string): readonly Misfit[] {
  return found >= min ? FITS : misfit(`expected at least ${min} as the ${what}, found ${found}`)
}

function atMost(found: number, max: number, what: string): readonly Misfit[] {
  return found <= max ? FITS : misfit(`expected at most ${max} as the ${what}, found ${found}`)
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new Error(`Cannot read ${show(value)}: expected a number`)
  return value
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`Cannot read ${show(value)}: expected a text`)
  return value
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`Cannot read ${show(value)}: expected a list`)
  return value
}

function membersOf(value: unknown): Members {
  if (!isMembers(value)) throw new Error(`Cannot read ${show(value)}: expected an object`)
  return value
}
