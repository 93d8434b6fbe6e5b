/**
 * Members beyond the declared ones in the copies that users keep in settings and preferences: as many as the original has.
 *
 * A publisher may give a headline an `author`, and an app that saves the headline keeps it. But any stranger becomes a guest,
 * and members that no model declares would make a store of arbitrary data of copies: so such a member stays where the
 * document that the copy is of has it with this value, or the stored document has it in its copy already, and is left out
 * elsewhere. Apps of strictly typed languages send none.
 */
import { isObject, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { isSameJson } from '../../base/same-json.ts'
import { nestingFields, type Field, type Model, type Shape } from '../../models/schema.ts'
import type { TextOf } from './text-forms.ts'

/** Originals that are read for one document: a few milliseconds. Apps keep a few headlines of a few sources. */
const ORIGINALS_MAX = 200
/** Of one document, whose copies in a stored document may be of several times. */
const VERSIONS_MAX = 4

export interface KnownCopies {
  readonly stored: JsonObject | undefined
  readonly textOf: TextOf | undefined
}

/** The document, with copies that have no members but declared ones and those of their originals. */
export function withoutForeignMembers(model: Model, document: JsonObject, known: KnownCopies): JsonObject {
  return withinShape(model.fields, document, knownVersions(model, known))
}

/** The versions of a document that a copy may have its members from. */
type VersionsOf = (model: Model, id: string) => readonly JsonObject[]

function knownVersions(model: Model, { stored, textOf }: KnownCopies): VersionsOf {
  const versions = new Map<string, JsonObject[]>()
  let isStoredRead = false
  const note = (target: Model, copy: JsonObject): void => {
    const key = `${target.name} ${String(copy['id'])}`
    const noted = versions.get(key) ?? []
    if (noted.length < VERSIONS_MAX) noted.push(copy)
    versions.set(key, noted)
  }
  const looked = new Set<string>()
  return (target, id) => {
    const key = `${target.name} ${id}`
    if (!looked.has(key) && looked.size < ORIGINALS_MAX) {
      looked.add(key)
      const text = textOf?.(target, id)
      if (text !== undefined) note(target, parseJson(text) as JsonObject)
    }
    if (stored !== undefined && !isStoredRead) eachCopy(model.fields, stored, note)
    isStoredRead = true
    return versions.get(key) ?? []
  }
}

/** The same object where nothing has to change. */
function withinShape(shape: Shape, value: JsonObject, versionsOf: VersionsOf): JsonObject {
  let changed: Record<string, Json> | undefined
  for (const [name, field] of nestingFields(shape)) {
    if (!Object.hasOwn(value, name)) continue
    const before = value[name] as Json
    const after = withinField(field, before, versionsOf)
    if (after !== before) (changed ??= { ...value })[name] = after
  }
  return changed ?? value
}

function withinField(field: Field, value: Json, versionsOf: VersionsOf): Json {
  switch (field.kind) {
    case 'list': {
      if (!Array.isArray(value)) return value
      const items = value.map((item: Json) => withinField(field.of, item, versionsOf))
      return items.every((item, i) => item === value[i]) ? value : items
    }
    case 'record':
      return isObject(value) ? withinShape(field.fields, value, versionsOf) : value
    case 'embedded':
      return isObject(value) ? withinCopy(field.model, value, versionsOf) : value
    default:
      return value
  }
}

function withinCopy(model: Model, sent: JsonObject, versionsOf: VersionsOf): JsonObject {
  const copy = withinShape(model.fields, sent, versionsOf)
  const foreign = Object.keys(copy).filter((name) => !Object.hasOwn(model.fields, name))
  if (foreign.length === 0) return copy
  const versions = versionsOf(model, String(copy['id']))
  const isKnown = (name: string): boolean =>
    versions.some((version) => Object.hasOwn(version, name) && isSameJson(version[name] as Json, copy[name] as Json))
  const dropped = new Set(foreign.filter((name) => !isKnown(name)))
  return dropped.size === 0 ? copy : Object.fromEntries(Object.entries(copy).filter(([name]) => !dropped.has(name)))
}

/** Calls back for each copy in a document, and those in it. */
function eachCopy(shape: Shape, value: JsonObject, found: (model: Model, copy: JsonObject) => void): void {
  const look = (field: Field, inner: Json | undefined): void => {
    if (field.kind === 'list' && Array.isArray(inner)) for (const item of inner as readonly Json[]) look(field.of, item)
    if (field.kind === 'record' && isObject(inner)) eachCopy(field.fields, inner, found)
    if (field.kind !== 'embedded' || !isObject(inner)) return
    found(field.model, inner)
    eachCopy(field.model.fields, inner, found)
  }
  for (const [name, field] of nestingFields(shape)) if (Object.hasOwn(value, name)) look(field, value[name])
}
