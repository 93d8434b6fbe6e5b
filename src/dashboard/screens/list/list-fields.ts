/**
 * What a list can do with a model, by its declaration: which columns there are, what can be filtered by, and what is
 * quickly sorted. Nothing here knows a model by name.
 */
import type { Field, Model } from '../../../models/schema.ts'
import { sortPath } from '../../kit/table/table-column.ts'

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
}

/** Fields that fit into a cell, the one that names a document first. */
export function columnFields(model: Model): readonly ListField[] {
  const fields = Object.entries(model.fields)
    .map(([name, field]) => ({ name, field: field.kind === 'nullable' ? field.of : field }))
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

/** Choices and embedded documents, and those of embedded documents where the model has nothing of their kind itself. */
export function filterFields(model: Model): readonly FilterField[] {
  const own = fieldsBelow(model, '')
  const nested = Object.entries(model.fields).flatMap(([name, field]) =>
    field.kind === 'embedded' ? fieldsBelow(field.model, `${name}.`) : [],
  )
  return nested.reduce<readonly FilterField[]>(
    (all, one) => (all.some((other) => isSameKind(one, other)) ? all : [...all, one]),
    [...own].sort((a, b) => Number(b.key === 'status') - Number(a.key === 'status')),
  )
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
  return new Map(orders.flatMap(([first = '', ...others]) => (others.length === 0 ? [[sortPath(first), first]] : [])))
}

/** By a name that is unique, or else in the order that the model declares first. */
export function defaultSort(model: Model): string | undefined {
  const sortable = sortableFields(model)
  const name = nameField(model)
  return model.unique === name ? sortable.get(name) : [...sortable.values()][0]
}
