/**
 * References by id: where a document embeds another one, a client may send `{"id": "…"}` alone, and the stored record
 * takes its place.
 *
 * So a small body becomes a large document. Each record is looked up and parsed once, however often it is named, and
 * what all places together take in is bounded: otherwise one request could fill the memory.
 */
import { describe } from '../base/failure.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../base/json.ts'
import type { Field, Model, Shape } from '../models/schema.ts'
import type { DocumentStore } from '../store/store.ts'
import { refuse, REPORTED, reportInvalid, type Report } from './problems.ts'

/** References that one body may hold. */
const REFERENCES_MAX = 1_000
/** Characters of JSON that all of them together may put in their places. */
const RECORDS_CHARS_MAX = 4 * 1024 * 1024

/** Asks for the JSON text of a record, and is told it, or that there is none. */
type Resolution = Generator<{ readonly model: Model; readonly id: string }, JsonObject, string | undefined>

/**
 * The body with every reference replaced. Where a record does not exist, that is reported: without `report` it throws
 * invalidInput.
 */
export async function resolveReferences(
  model: Model,
  body: JsonObject,
  store: Pick<DocumentStore, 'get'>,
  report: Report = refuse,
): Promise<JsonObject> {
  const steps = resolution(model, body, report)
  let step = steps.next()
  while (step.done !== true) step = steps.next(await store.get(step.value.model, step.value.id))
  return step.value
}

/** The same where records are at hand: `textOf` gives the JSON text of one, or undefined. */
export function resolveReferencesNow(
  model: Model,
  body: JsonObject,
  textOf: (model: Model, id: string) => string | undefined,
): JsonObject {
  const steps = resolution(model, body, refuse)
  let step = steps.next()
  while (step.done !== true) step = steps.next(textOf(step.value.model, step.value.id))
  return step.value
}

function* resolution(model: Model, body: JsonObject, report: Report): Resolution {
  const places: Place[] = []
  collectFromShape(model.fields, body, '', places)
  if (places.length === 0) return body
  const found = new Map<string, { readonly record: Json; readonly chars: number }>()
  // Until its record is there: of a reference that has none enough is said once.
  const records = new Map<JsonObject, Json>(places.map(({ value }) => [value, REPORTED]))
  if (places.length > REFERENCES_MAX) {
    reportInvalid(report, '', `Cannot take ${places.length} references by id: at most ${REFERENCES_MAX} in one body`)
    return replaced(body, records) as JsonObject
  }
  let charsLeft = RECORDS_CHARS_MAX
  for (const { target, value, path } of places) {
    const key = `${target.name} ${String(value['id'])}`
    let entry = found.get(key)
    if (entry === undefined) {
      const text = yield { model: target, id: String(value['id']) }
      if (text === undefined) {
        const nobodys = `${describe(value['id'])}, which no ${target.name} has`
        reportInvalid(report, path, `expected the id of a ${target.name}, found ${nobodys}`)
        continue
      }
      found.set(key, (entry = { record: parseJson(text), chars: text.length }))
    }
    charsLeft -= entry.chars
    if (charsLeft < 0) {
      const wanted = `records of at most ${RECORDS_CHARS_MAX} characters in all references by id`
      reportInvalid(report, path, `expected ${wanted}, found more`)
      break
    }
    records.set(value, entry.record)
  }
  return replaced(body, records) as JsonObject
}

interface Place {
  readonly target: Model
  readonly value: JsonObject
  readonly path: string
}

function collectFromShape(shape: Shape, value: JsonObject, path: string, places: Place[]): void {
  for (const [name, field] of Object.entries(shape)) {
    if (Object.hasOwn(value, name)) collect(field, value[name], path === '' ? name : `${path}.${name}`, places)
  }
}

function collect(field: Field, value: Json | undefined, path: string, places: Place[]): void {
  switch (field.kind) {
    case 'embedded':
      if (!isObject(value)) return
      if (isReference(value)) places.push({ target: field.model, value, path })
      else collectFromShape(field.model.fields, value, path, places)
      return
    case 'record':
      if (isObject(value)) collectFromShape(field.fields, value, path, places)
      return
    case 'list':
      if (Array.isArray(value)) value.forEach((item: Json, i) => collect(field.of, item, `${path}[${i}]`, places))
      return
    default:
      return
  }
}

function isReference(value: JsonObject): boolean {
  const [only, ...more] = Object.keys(value)
  return only === 'id' && more.length === 0 && typeof value['id'] === 'string'
}

function replaced(value: Json, records: ReadonlyMap<JsonObject, Json>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => replaced(item, records))
  if (!isObject(value)) return value
  const record = records.get(value)
  if (record !== undefined) return record
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, records)]))
}
