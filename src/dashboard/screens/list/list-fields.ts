/**
 * What a list can do with a model, by its declaration: which columns there are, what can be filtered by, and what is
 * quickly sorted. Nothing here knows a model by name.
 */
import type { Filter } from '../../../client/client.ts'
import { isAdmin } from '../../../models/caller.ts'
import type { Field, Model } from '../../../models/schema.ts'
import { user, type User } from '../../../models/user.ts'
import { sortPath, type TableColumn } from '../../kit/table/table-column.ts'

/** The tab of drafts with a time: no status of their own. */
export const SCHEDULED = 'scheduled'
/** Columns besides the name, without being asked. */
const SHORT_COLUMNS = 2

export interface ListField {
  readonly name: string
  readonly field: Field
}

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
const LINKS = ['httpUrl', 'siteUrl']

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
    if (field.kind === 'text' && LINKS.includes(field.form ?? '')) return [{ key: `${WITHOUT}${name}`, path: name, values: [ON], asked: { $in: ['', null] } }]
    return name === 'handedInAt' ? [{ key: name, path: name, values: [ON], asked: { $gt: '' } }] : []
  })
}

/** Only administrators may read users: others filter by themselves, and by the users of a URL. */
export function personFilter(reader: User): FilterField {
  return { key: 'changedBy', path: '', values: [reader.id], isPerson: true, ...(isAdmin(reader) && { model: user }) }
}

/** Dates that a list is filtered by, the one that is asked for most first. */
const DATES = ['updatedAt', 'publishedAt', 'createdAt'] as const

/** Fields that fit into a cell, the one that names a document first. */
export function columnFields(model: Model): readonly ListField[] {
  const fields = Object.entries(model.fields)
    .map(([name, field]) => ({ name, field: field.kind === 'nullable' || field.kind === 'optional' ? field.of : field }))
    .filter(({ field }) => !['constant', 'list', 'map', 'record', 'nullable'].includes(field.kind))
  const main = nameField(model)
  return [...fields.filter(({ name }) => name === main), ...fields.filter(({ name }) => name !== main)]
}

/** What a document is called by. */
function nameField(model: Model): string {
  return ['title', 'name', 'email'].find((name) => name in model.fields) ?? 'id'
}

/** The columns of a list before anybody chooses others: the name, what it belongs to, its status and its last change. */
export function defaultColumns(model: Model): readonly string[] {
  const [main, ...others] = columnFields(model)
  const short = others.filter(({ name, field }) => field.kind === 'embedded' || (isChoice(field) && name !== 'status'))
  const texts = others.filter(({ name, field }) => field.kind === 'text' && !/url$/i.test(name))
  const chosen = short.length > 0 ? short : texts.slice(0, SHORT_COLUMNS)
  const names = new Set([main, ...chosen].map((one) => one?.name).concat('status', 'updatedAt'))
  return columnFields(model).flatMap(({ name }) => (names.has(name) ? [name] : []))
}

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

function isChoice(field: Field): field is Extract<Field, { kind: 'choice' }> {
  return field.kind === 'choice'
}

/**
 * Sorts in the order of a whole index, in the direction that is wanted first, by their paths. Any other sort would read
 * all documents, however few are shown.
 */
export function sortableFields(model: Model): ReadonlyMap<string, string> {
  const indexes = [...model.indexes, ...(model.unique === undefined ? [] : [[model.unique]])]
  const orders = indexes.map((index) => index.filter((path) => !path.startsWith('+')))
  const whole = orders.flatMap(([first = '', ...others]): [string, string][] => (others.length === 0 ? [[sortPath(first), first]] : []))
  return new Map([...whole, ...(statusSorts(model).size > 0 ? [['status', 'status'] as const] : [])])
}

/** Sorts by status as queries name them: in the order of an index that begins with it, in either direction. */
export function statusSorts(model: Model): ReadonlyMap<string, string> {
  const orders = model.indexes.map((index) => index.filter((path) => !path.startsWith('+')))
  const ofStatus = orders.filter(([first, ...others]) => first === 'status' && others.length === 1).map(([, second]) => second)
  const second = ofStatus.find((path) => path === 'updatedAt:desc') ?? ofStatus[0]
  if (second === undefined) return new Map()
  const turned = sortPath(second) === second ? `${second}:desc` : sortPath(second)
  return new Map([
    ['status', `status,${second}`],
    ['status:desc', `status:desc,${turned}`],
  ])
}

/** By a name that is unique, or else in the order that the model declares first. */
export function defaultSort(model: Model): string | undefined {
  const sortable = sortableFields(model)
  const name = nameField(model)
  return model.unique === name ? sortable.get(name) : [...sortable.values()][0]
}

/**
 * The orders of tabs whose documents have a date of their own, before the reader chooses another: by the day of publishing, which a
 * later change does not move, and by the time to come.
 */
export function tabSorts(model: Model): ReadonlyMap<string, string> {
  const published = sortableFields(model).get('publishedAt')
  return new Map([
    ...(published === undefined ? [] : [['active', published] as const]),
    ...('publishAt' in model.fields ? [[SCHEDULED, 'publishAt'] as const] : []),
  ])
}

/** In rem: of the name, which has two lines; of a column with its gap; and of what stands before and behind all of them. */
const [NAME_ROOM, DETAIL_ROOM, OTHER_ROOM, AROUND] = [16, 9.5, 7, 4]

/**
 * The columns that a table of this width has room for, in their order: the name first, then status and dates, then the
 * others.
 */
export function fittingColumns<C extends Pick<TableColumn<never>, 'isDetail'>>(columns: readonly C[], rem: number): readonly C[] {
  const [name, ...others] = columns
  let room = rem - AROUND - NAME_ROOM
  const byImportance = [...others].sort((a, b) => Number(b.isDetail === true) - Number(a.isDetail === true))
  const fitting = new Set(byImportance.filter(({ isDetail }) => (room -= isDetail === true ? DETAIL_ROOM : OTHER_ROOM) >= 0))
  return columns.filter((one) => one === name || fitting.has(one))
}
