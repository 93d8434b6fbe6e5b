/**
 * References by id: where a document embeds another one, a client may send `{"id": "…"}` alone, and the stored record
 * takes its place.
 */
import { describe, fail } from '../base/failure.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../base/json.ts'
import type { Field, Model, Shape } from '../models/schema.ts'
import type { DocumentStore } from '../store/store.ts'

/** References that one body may hold; each costs a look-up. */
const REFERENCES_MAX = 1_000

/** The body with every reference replaced. Throws invalidInput where a record does not exist. */
export async function resolveReferences(
  model: Model,
  body: JsonObject,
  store: Pick<DocumentStore, 'get'>,
): Promise<JsonObject> {
  const places: Place[] = []
  collectFromShape(model.fields, body, '', places)
  if (places.length === 0) return body
  if (places.length > REFERENCES_MAX) {
    throw fail('invalidInput', `Cannot take ${places.length} references by id: at most ${REFERENCES_MAX} in one body`)
  }
  const records = new Map<JsonObject, Json>()
  for (const { target, value, path } of places) {
    const text = await store.get(target, value['id'] as string)
    if (text === undefined) {
      throw fail('invalidInput', `${path}: expected the id of a ${target.name}, found ${describe(value['id'])}, which no ${target.name} has`)
    }
    records.set(value, parseJson(text))
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
