/** What a list can be filtered by, as the declaration of its model says. Nothing here knows a model by name. */
import type { Filter } from '../../../client/client.ts'
import { isAdmin } from '../../../models/caller.ts'
import type { Field, Model } from '../../../models/schema.ts'
import { user, type User } from '../../../models/user.ts'

export interface FilterField {
  /** In the URL: `topic`, `source.language`. */
  readonly key: string
  /** In the filter: `topic.id`, `source.language.id`. */
  readonly path: string
  /** The values of a choice. */
  readonly values: readonly string[]
  /** Whose documents the values are; absent for a choice. */
  readonly model?: Model
  /** Whether its only value is a range of dates. */
  readonly isDate?: true
  /** Whether its values are users who have changed a document. */
  readonly isPerson?: true
  /** Whether it leaves the documents with its values out. */
  readonly isNot?: true
  /** Of a filter that is on or off, with the value ON: what its path is asked for then. */
  readonly asked?: Filter[string]
}

/** The value of a filter that is on. */
export const ON = 'true'
const NOT = 'not.'
const WITHOUT = 'without.'
/** Members that a document may have no value of, and that readers look for then. */
const LINKS: readonly (string | undefined)[] = ['httpUrl', 'siteUrl']

/** The other side of filters by values: without them. */
export function notFields(fields: readonly FilterField[]): readonly FilterField[] {
  return fields.filter(({ isDate }) => isDate !== true).map((field) => ({ ...field, key: notKey(field.key), isNot: true }))
}

export function notKey(key: string): string {
  return `${NOT}${key}`
}

/** The field that a filter is about, by its key. */
export function fieldKey(key: string): string {
  return key.startsWith(NOT) ? key.slice(NOT.length) : key.startsWith(WITHOUT) ? key.slice(WITHOUT.length) : key
}

/** Filters that are on or off: without a link or a picture, and drafts that are handed in. */
export function flagFields(model: Model): readonly FilterField[] {
  return Object.entries(model.fields).flatMap(([name, field]): readonly FilterField[] => {
    // An incomplete draft lacks the member.
    if (isLink(field)) return [{ key: `${WITHOUT}${name}`, path: name, values: [ON], asked: { $in: ['', null] } }]
    return name === 'handedInAt' ? [{ key: name, path: name, values: [ON], asked: { $gt: '' } }] : []
  })
}

/** Only administrators may read users: others filter by themselves, and by the users of a URL. */
export function personFilter(reader: User): FilterField {
  return { key: 'changedBy', path: '', values: [reader.id], isPerson: true, ...(isAdmin(reader) && { model: user }) }
}

/** Dates that a list is filtered by, the one that is asked for most first. */
const DATES = ['updatedAt', 'publishedAt', 'createdAt'] as const

/** Choices, embedded documents and dates, and those of embedded documents where the model has nothing of their kind itself. */
export function filterFields(model: Model): readonly FilterField[] {
  const own = fieldsBelow(model, '')
  const nested = Object.entries(model.fields).flatMap(([name, field]) =>
    field.kind === 'embedded' ? fieldsBelow(field.model, `${name}.`) : [],
  )
  const values = nested.reduce<readonly FilterField[]>(
    (all, one) => (all.some((other) => isSameKind(one, other)) ? all : [...all, one]),
    [...own].sort((a, b) => Number(b.key === 'status') - Number(a.key === 'status')),
  )
  const dates = DATES.filter((name) => name in model.fields)
  return [...values, ...dates.map((name): FilterField => ({ key: name, path: name, values: [], isDate: true }))]
}

function fieldsBelow(model: Model, prefix: string): readonly FilterField[] {
  return Object.entries(model.fields).flatMap(([name, field]): readonly FilterField[] => {
    const key = prefix + name
    if (isChoice(field)) return [{ key, path: key, values: field.values }]
    return field.kind === 'embedded' ? [{ key, path: `${key}.id`, values: [], model: field.model }] : []
  })
}

function isSameKind(a: FilterField, b: FilterField): boolean {
  return a.model === undefined ? a.values.join() === b.values.join() : a.model === b.model
}

export function isLink(field: Field): boolean {
  return field.kind === 'text' && LINKS.includes(field.form)
}

export function isChoice(field: Field): field is Extract<Field, { kind: 'choice' }> {
  return field.kind === 'choice'
}
