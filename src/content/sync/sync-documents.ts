/**
 * Documents as RxDB's clients want them: whole, and each with `_deleted`.
 *
 * A client that validates stores no tombstone without the members that its schema requires, and asks for it again and
 * again. So a tombstone is a whole document too, of which only the id is true: it tells nothing of what was deleted.
 */
import { isoDate } from '../../base/dates.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Field, Model, Shape } from '../../models/schema.ts'

/** Members of RxDB's own, which no document keeps. */
const OWN_MEMBERS = ['_deleted', '_rev', '_meta', '_attachments']

/** Stands in where a text must not be blank. */
const SOME_TEXT = '-'

/** The JSON text of a stored document with its last member. A stored `_deleted` comes before it, and the last one counts. */
export function liveText(text: string): string {
  return `${text.slice(0, -1)},"_deleted":false}`
}

/** The JSON text of a document that is no more, or no more for this caller. */
export function tombstoneText(model: Model, id: string): string {
  return JSON.stringify({ ...blankOf(model), id, _deleted: true })
}

/** What a client sent, without RxDB's own members. */
export function withoutOwnMembers(sent: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !OWN_MEMBERS.includes(name)))
}

/** Of the declaration, which does not change: made once. */
const blanks = new WeakMap<Model, JsonObject>()

function blankOf(model: Model): JsonObject {
  const blank = blanks.get(model) ?? blankShape(model.fields)
  blanks.set(model, blank)
  return blank
}

function blankShape(shape: Shape): JsonObject {
  const members = Object.entries(shape).filter(([, { kind }]) => kind !== 'optional')
  return Object.fromEntries(members.map(([name, field]) => [name, blankValue(field)]))
}

function blankValue(field: Field): Json {
  switch (field.kind) {
    case 'text':
      return field.blank ? '' : SOME_TEXT
    case 'choice':
      return field.values.at(-1) ?? ''
    case 'boolean':
      return false
    case 'whole':
      return 0
    case 'date':
      return isoDate(0)
    case 'nullable':
    case 'optional':
      return null
    case 'list':
      return []
    case 'record':
      return blankShape(field.fields)
    case 'map':
      return {}
    case 'embedded':
      return blankShape(field.model.fields)
    case 'generated':
      return field.as === 'date' ? isoDate(0) : SOME_TEXT
    case 'constant':
      return field.value
  }
}
