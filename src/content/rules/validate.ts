/**
 * From a request body to the document that is stored: members in declared order, then what the model keeps of further
 * members in the order sent. Embedded copies of other documents are checked as strictly but stored as they were sent:
 * clients find them again by comparing all members, dates included. Users alone add no members to copies (copy-members.ts).
 *
 * Every problem is a 400 that names the member and what was found: `source.language.code: expected a string, found 7`.
 * Where problems are collected, a member that is wrong stays as it was sent.
 */
import { parseIsoDate } from '../../base/dates.ts'
import { assertNever, describe, shortText } from '../../base/failure.ts'
import { isCount, isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Problem, ProblemCode, ProblemParams } from '../../base/problem.ts'
import { EMBEDDED_ID_CHARS_MAX, fieldsOf, type Extras, type Field, type Model, type OptionalField, type Shape } from '../../models/schema.ts'
import { withoutForeignMembers } from './copy-members.ts'
import { problemAt, throwProblem, REPORTED, type Report } from './problems.ts'
import { referenceKey, type Records } from './references.ts'
import { checkStorable } from './storable.ts'
import { isStoredText, TEXT_FORMS, type FormRule, type TextOf } from './text-forms.ts'

/** The members that the server sets. `createdAt` of a replacement is that of the stored document. */
export interface Generated {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a document takes from elsewhere. `stored` is there for a replacement: lists that may be left out keep its value. */
export interface Surroundings {
  readonly generated: Generated
  readonly stored?: JsonObject
  /** The JSON texts of the documents that copies are of. Without it, a copy may have nothing that it could not have by itself. */
  readonly textOf?: TextOf
}

export interface BodyOptions {
  /** Whether the body makes a new document; it replaces a stored one otherwise. */
  readonly creating: boolean
  /** Where problems go; without it, the first is thrown. */
  readonly report?: Report
  /** The records that references of the body name; without it, a reference is validated as a copy like any other. */
  readonly records?: Records
  /** Whether a draft may lack required members, or leave them blank. */
  readonly incomplete?: boolean
}

/**
 * Checks a whole body against a model. The result makes the document to store, if nothing was reported: it only copies
 * members, so that a transaction is short. Throws invalidInput, or what `report` throws.
 */
export function readBody(
  model: Model,
  body: JsonObject,
  { creating, report: tell = throwProblem, records = NO_RECORDS, incomplete = false }: BodyOptions,
): (surroundings: Surroundings) => JsonObject {
  checkStorable(body, tell)
  const missing = new Map<string, Problem>()
  const mayBeMissing = incomplete && body['status'] === 'draft' && body['publishAt'] == null
  const report: Report = (problem) => {
    const isMissing = mayBeMissing && MISSING.has(problem.code) && Object.hasOwn(model.fields, problem.path)
    if (isMissing) missing.set(problem.path, problem)
    else tell(problem)
  }
  const scope: Scope = { creating, report, records, copies: new Map(), malformed: model.owned === true ? undefined : new Map() }
  const members: Member[] = []
  for (const [name, field] of fieldsOf(model.fields)) {
    const given = Object.hasOwn(body, name) ? body[name] : undefined
    if (field.kind === 'generated') members.push({ name, value: null, from: 'server' })
    else if (field.kind === 'list' && field.absent === 'keep' && given === undefined) {
      members.push({ name, value: [], from: 'stored' })
    } else if (field.kind === 'optional') members.push(readOptional(name, field, given, scope))
    else members.push({ name, value: readField(field, given, name, scope), from: 'body' })
  }
  const extras = model.extras === 'keep' ? extraMembers(model.fields, body) : []
  return ({ generated, stored, textOf }) => {
    for (const [path, problem] of scope.malformed ?? []) {
      if (!isStoredText({ model, body, stored, textOf }, path)) report(problem)
    }
    const declared = members.flatMap(({ name, value, from }): [string, Json][] => {
      if (from === 'server') return [[name, generated[name as keyof Generated]]]
      const member = from === 'stored' ? (stored?.[name] ?? value) : value
      return member === ABSENT || missing.has(name) ? [] : [[name, member]]
    })
    // A time that is stored stands for a body that says none.
    if (declared.some(([name]) => name === 'publishAt')) missing.forEach(tell)
    const document = Object.fromEntries([...declared, ...extras])
    return model.owned === true ? withoutForeignMembers(model, document, { stored, textOf }) : document
  }
}

/** A member of the document, and where its value comes from: `value` stands in where nothing is stored. */
interface Member {
  readonly name: string
  readonly value: Json
  readonly from: 'body' | 'server' | 'stored'
}

/** Checks a body and gives the document immediately. Throws as readBody does. */
export function validateDocument(
  model: Model,
  body: JsonObject,
  { generated, stored, textOf, ...options }: Surroundings & Omit<BodyOptions, 'creating'>,
): JsonObject {
  const complete = readBody(model, body, { ...options, creating: stored === undefined })
  return complete({ generated, ...(stored === undefined ? {} : { stored }), ...(textOf === undefined ? {} : { textOf }) })
}

/** Problems of a member that is not filled in yet. */
const MISSING: ReadonlySet<ProblemCode> = new Set(['required', 'blank'])
const NO_RECORDS: Records = new Map()

/** Stands for a member that the document does not have. */
const ABSENT: Json = Object.freeze({})

function readOptional(name: string, field: OptionalField, given: Json | undefined, scope: Scope): Member {
  if (given === undefined) return { name, value: ABSENT, from: scope.creating ? 'body' : 'stored' }
  return { name, value: given === null ? ABSENT : readField(field.of, given, name, scope), from: 'body' }
}

interface Scope {
  /** Whether initial values stand in for what is left out. In an embedded copy, everything has to be there. */
  readonly creating: boolean
  readonly report: Report
  readonly records: Records
  /** Copies of records whose problems were reported already. */
  readonly copies: Map<JsonObject, JsonObject>
  /**
   * Problems of texts that are not of their form, by their paths; some may be stored so. Undefined where forms do not matter:
   * in settings and preferences, whose copies apps send back whole and which only their owner's apps read, and in records.
   */
  readonly malformed: Map<string, Problem> | undefined
}

interface RecordInput {
  readonly extras: Extras
  readonly value: JsonObject
  readonly path: string
  readonly scope: Scope
}

function readRecord(shape: Shape, { extras, value, path, scope }: RecordInput): JsonObject {
  const members = readMembers(shape, value, path, scope)
  return Object.fromEntries(extras === 'keep' ? [...members, ...extraMembers(shape, value)] : members)
}

function readMembers(shape: Shape, value: JsonObject, path: string, scope: Scope): [string, Json][] {
  const members: [string, Json][] = []
  for (const [name, field] of fieldsOf(shape)) {
    // Nothing is to be seen to of an optional member that is not there.
    if (field.kind === 'optional' && value[name] == null) continue
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    members.push([name, readField(field, given, `${path}.${name}`, scope)])
  }
  return members
}

function extraMembers(shape: Shape, value: JsonObject): [string, Json][] {
  return Object.entries(value).filter(([name]) => !Object.hasOwn(shape, name))
}

function readField(field: Field, value: Json | undefined, path: string, scope: Scope): Json {
  /** A wrong value stays as it was sent, for the checks that follow. */
  const reportWrong = (code: ProblemCode, wanted: string, params?: ProblemParams): Json => {
    const message = `expected ${wanted}, found ${describe(value)}`
    scope.report(value == null ? problemAt(path, 'required', message) : problemAt(path, code, message, params))
    return value ?? null
  }
  switch (field.kind) {
    case 'text': {
      const { blank, max, implied, form } = field
      if (value === undefined && implied !== undefined) return implied
      if (typeof value !== 'string') return reportWrong('notText', 'a string')
      if (!blank && value.trim() === '') return reportWrong('blank', 'a text that is not blank')
      if (max !== undefined && isLonger(value, max)) {
        return reportWrong('tooLong', `at most ${max} characters`, { max: String(max) })
      }
      if (form !== undefined) checkForm(TEXT_FORMS[form], value, path, scope)
      return value
    }
    case 'choice': {
      if (value === undefined && field.implied !== undefined) return field.implied
      if (value === undefined && field.initial !== undefined && scope.creating) return field.initial
      if (typeof value === 'string' && field.values.includes(value)) return value
      const choices = field.values.join(', ')
      return reportWrong('notChoice', `one of ${choices}`, { choices })
    }
    case 'boolean':
      if (value === undefined && field.implied !== undefined) return field.implied
      return typeof value === 'boolean' ? value : reportWrong('notBoolean', 'true or false')
    case 'whole':
      if (isCount(value)) return value
      return reportWrong('notWholeNumber', 'a whole number, 0 or more')
    case 'date':
      return (typeof value === 'string' ? parseIsoDate(value) : undefined) ?? reportWrong('notDate', 'an ISO 8601 date')
    case 'optional':
      // In a copy, which keeps the text of its dates.
      if (value != null) readField(field.of, value, path, scope)
      return value ?? null
    case 'nullable':
      return value === undefined || value === null ? null : readField(field.of, value, path, scope)
    case 'list':
      if (!Array.isArray(value)) return reportWrong('notList', 'an array')
      return value.map((item: Json, i) => readField(field.of, item, `${path}[${i}]`, scope))
    case 'record':
      if (!isObject(value)) return reportWrong('notObject', 'an object')
      return readRecord(field.fields, { extras: field.extras, value, path, scope })
    case 'map':
      return isObject(value) ? readMap(field.keys, field.of, value, path, scope) : reportWrong('notObject', 'an object')
    case 'embedded':
      return isObject(value)
        ? readEmbedded(field.model, value, path, scope)
        : reportWrong('notReference', `a whole ${field.model.name} or {"id": …}`, { model: field.model.name })
    case 'generated':
      if (field.as === 'id') {
        if (typeof value !== 'string' || value === '') return reportWrong('notId', 'the id of the embedded document')
        if (value.length <= EMBEDDED_ID_CHARS_MAX) return value
        const max = String(EMBEDDED_ID_CHARS_MAX)
        return reportWrong('tooLong', `an id of at most ${max} characters`, { max })
      }
      if (typeof value === 'string' && parseIsoDate(value) !== undefined) return value
      return reportWrong('notDate', 'an ISO 8601 date')
    case 'constant':
      return field.value
    default:
      return assertNever(field)
  }
}

/** A code that is blank is one that is not filled in. Those of copies are what their originals have, and open nothing. */
function checkForm({ code, wanted, isOf, isOfCopies = false }: FormRule, value: string, path: string, { malformed }: Scope): void {
  if (malformed === undefined || isOf(value) || (!isOfCopies && path.includes('.'))) return
  const message = `expected ${wanted}, found ${describe(value)}`
  malformed.set(path, problemAt(path, value.trim() === '' ? 'blank' : code, message))
}

/** Whether a text has more code points, which are one or two units each. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

function readMap(keys: readonly string[], of: Field, value: JsonObject, path: string, scope: Scope): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (keys.includes(key)) return [key, readField(of, item, `${path}.${key}`, scope)]
      const choices = keys.join(', ')
      const message = `expected no keys but ${choices}, found ${describe(key)}`
      scope.report(problemAt(path, 'unknownName', message, { name: shortText(key), choices }))
      return [key, item]
    }),
  )
}

function readEmbedded(model: Model, value: JsonObject, path: string, scope: Scope): JsonObject {
  const copying: Scope = { ...scope, creating: false }
  const key = referenceKey(model, value)
  const record = key === undefined ? undefined : scope.records.get(key)
  if (record === undefined) return readCopy(model, value, path, copying)
  if (record === REPORTED) return record
  const checked = FLAWLESS.get(record) ?? scope.copies.get(record)
  if (checked !== undefined) return checked
  let isFlawless = true
  const report: Report = (problem) => {
    isFlawless = false
    scope.report(problem)
  }
  // A record is stored as it is: what looks like a reference inside of it is none.
  const copy = readCopy(model, record, path, { ...copying, report, records: NO_RECORDS, malformed: undefined })
  if (isFlawless) FLAWLESS.set(record, copy)
  else scope.copies.set(record, copy)
  return copy
}

/** Copies of records without a problem: what is checked of one follows from the record alone. */
const FLAWLESS = new WeakMap<JsonObject, JsonObject>()

/** An embedded copy keeps the order and the text of its members; only a missing or wrong `type` is put right. */
function readCopy(model: Model, value: JsonObject, path: string, scope: Scope): JsonObject {
  const checked = readMembers(model.fields, value, path, scope)
  const isSame = checked.every(([name, member]) => value[name] === member)
  return isSame ? value : { ...value, ...Object.fromEntries(checked) }
}
