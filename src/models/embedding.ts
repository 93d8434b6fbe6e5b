/** Where documents hold whole copies of others, as the models declare it. A copy's own copies are part of it. */
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { STORED_MODELS } from './registry.ts'
import type { Field, Model, Shape } from './schema.ts'

export interface Embedding {
  /** The model of the copies. */
  readonly target: Model
  /** Dotted path to the copy, or to the list of copies. */
  readonly path: string
  /** The lists on the way, outermost first, where the copies are in one. */
  readonly lists: readonly string[]
}

/** Returns what takes the place of a copy: itself for no change, undefined to leave it out of its list. */
export type MapCopy = (target: Model, copy: JsonObject) => JsonObject | undefined

/** The copies that documents of a model hold. */
export function embeddingsOf(model: Model): readonly Embedding[] {
  let known = embeddings.get(model)
  // Copies of incomplete drafts follow nothing; see incomplete.ts, which makes all their members nullable.
  if (known === undefined) embeddings.set(model, (known = model.draftsOf === undefined ? declared(model.fields, { prefix: '', lists: [] }) : []))
  return known
}

/** Of the declaration, which does not change: computed once. */
const embeddings = new WeakMap<Model, readonly Embedding[]>()

/** The models whose documents hold copies. */
export const HOLDERS: readonly Model[] = STORED_MODELS.filter((model) => embeddingsOf(model).length > 0)

/** The models whose documents hold copies of those of a model. */
export function holdersOf(target: Model): readonly Model[] {
  return HOLDERS_OF.get(target) ?? []
}

const HOLDERS_OF: ReadonlyMap<Model, readonly Model[]> = new Map(
  STORED_MODELS.map((target) => [target, HOLDERS.filter((model) => embeddingsOf(model).some((one) => one.target === target))]),
)

interface Nesting {
  readonly prefix: string
  readonly lists: readonly string[]
}

function declared(shape: Shape, { prefix, lists }: Nesting): Embedding[] {
  return Object.entries(shape).flatMap(([name, field]) => copiesIn(field, { prefix: prefix + name, lists }))
}

function copiesIn(field: Field, { prefix, lists }: Nesting): Embedding[] {
  switch (field.kind) {
    case 'embedded':
      return [{ target: field.model, path: prefix, lists }]
    case 'nullable':
      return copiesIn(field.of, { prefix, lists })
    case 'record':
      return declared(field.fields, { prefix: prefix === '' ? '' : `${prefix}.`, lists })
    case 'list':
      // The path begins again at the items.
      return copiesIn(field.of, { prefix: '', lists: [...lists, prefix] })
    default:
      return []
  }
}

/** The document with its copies mapped; the same object where nothing changed. */
export function mapCopies(model: Model, document: JsonObject, map: MapCopy): JsonObject {
  return mapShape(model.fields, document, map)
}

function mapShape(shape: Shape, value: JsonObject, map: MapCopy): JsonObject {
  const changed: [string, Json][] = []
  for (const [name, field] of Object.entries(shape)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === undefined) continue
    const mapped = mapField(field, member, map)
    if (mapped !== undefined && mapped !== member) changed.push([name, mapped])
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function mapField(field: Field, value: Json, map: MapCopy): Json | undefined {
  switch (field.kind) {
    case 'embedded':
      return isObject(value) ? map(field.model, value) : value
    case 'record':
      return isObject(value) ? mapShape(field.fields, value, map) : value
    case 'list':
      return Array.isArray(value) ? mapList(field.of, value, map) : value
    case 'nullable':
      return value === null ? value : mapField(field.of, value, map)
    default:
      return value
  }
}

function mapList(of: Field, items: readonly Json[], map: MapCopy): readonly Json[] {
  const mapped = items.map((item) => mapField(of, item, map))
  if (mapped.every((item, i) => item === items[i])) return items
  const kept = new Set(mapped.filter((item, i) => item === items[i]).map(idOf))
  return mapped.filter((item, i): item is Json => {
    if (item === undefined) return false
    // A copy that took the place of another must not stand twice in a list.
    const isReplaced = idOf(item) !== idOf(items[i])
    if (!isReplaced || idOf(item) === undefined) return true
    if (kept.has(idOf(item))) return false
    kept.add(idOf(item))
    return true
  })
}

function idOf(value: Json | undefined): Json | undefined {
  return isObject(value) ? value['id'] : undefined
}
