/**
 * Values that are easier to read in rows and columns than one below the other: what a declaration has of them, and how
 * the cells become a value again.
 *
 * An empty cell is a member that is not there. So clearing the cells of a role takes the role out of a map, which is
 * how the apps are told to show it nothing, and what was not there and was not touched stays away.
 */
import type { Json } from '../../../client/client.ts'
import type { Field, MapField, RecordField } from '../../../models/schema.ts'
import { isMembers, memberOf } from '../../any-documents.ts'

/** More columns than this are easier to read as fields. */
const COLUMNS_MAX = 6

export interface Column {
  /** From a row's value to that of the cell. */
  readonly steps: readonly string[]
  /** Those of the steps that are keys of maps. */
  readonly keys: readonly string[]
  /** The last step where it is a member of a record. */
  readonly member: string | undefined
  readonly field: Field
}

/** The columns of a map's rows, or undefined where it has other than short values, or too many. */
export function columnsOf({ of }: MapField): readonly Column[] | undefined {
  const columns = leaves(of, { steps: [], keys: [], member: undefined })
  return columns.length <= COLUMNS_MAX && columns.every(({ field }) => isShort(field)) ? columns : undefined
}

function leaves(field: Field, at: Omit<Column, 'field'>): readonly Column[] {
  const { steps, keys } = at
  if (field.kind === 'record') {
    return Object.entries(field.fields).flatMap(([name, inner]) =>
      leaves(inner, { steps: [...steps, name], keys, member: name }),
    )
  }
  if (field.kind === 'map') {
    return field.keys.flatMap((key) =>
      leaves(field.of, { steps: [...steps, key], keys: [...keys, key], member: undefined }),
    )
  }
  return [{ ...at, field }]
}

function isShort(field: Field): boolean {
  if (field.kind === 'nullable') return isShort(field.of)
  return field.kind === 'whole' || field.kind === 'boolean' || field.kind === 'choice'
}

/** Gives the value of a cell; null where it is empty, false where it is not ticked. */
export type CellValue = (steps: readonly string[]) => Json | undefined

export interface CellsOptions {
  /** What the cells were filled with. */
  readonly original: Json | undefined
  readonly cell: CellValue
  readonly steps?: readonly string[]
}

/** The value of a map or one of its rows by its cells; undefined where nothing is in any of them. */
export function valueFromCells(field: Field, { original, cell, steps = [] }: CellsOptions): Json | undefined {
  const within = (name: string, inner: Field): Json | undefined =>
    valueFromCells(inner, { original: memberOf(original, name), cell, steps: [...steps, name] })
  if (field.kind === 'map') {
    const members = present(field.keys.map((key): Member => [key, within(key, field.of)]))
    const wasEmpty = isMembers(original) && Object.keys(original).length === 0
    return members.length > 0 || wasEmpty ? Object.fromEntries(members) : undefined
  }
  if (field.kind === 'record') {
    const all = Object.entries(field.fields).map(([name, inner]) => ({ name, inner, value: within(name, inner) }))
    if (all.every(({ inner, value }) => isNothing(inner, value))) return undefined
    const whole = all.map(({ name, inner, value }): Member => [name, value ?? initial(inner)])
    return Object.fromEntries([...present(whole), ...further(field, original)])
  }
  const value = cell(steps) ?? undefined
  return value === false && original === undefined ? undefined : value
}

type Member = readonly [name: string, value: Json | undefined]

function present(members: readonly Member[]): readonly (readonly [string, Json])[] {
  return members.filter((member): member is readonly [string, Json] => member[1] !== undefined)
}

function isNothing(field: Field, value: Json | undefined): boolean {
  return value === undefined || (field.kind === 'map' && isMembers(value) && Object.keys(value).length === 0)
}

/** The value of a member that was not filled in, in a record that has others. A missing number is asked for. */
function initial(field: Field): Json | undefined {
  if (field.kind === 'nullable') return null
  if (field.kind === 'boolean') return false
  if (field.kind === 'choice') return field.values[0]
  return field.kind === 'map' ? {} : undefined
}

/** Members that the declaration does not know. */
function further({ fields }: RecordField, original: Json | undefined): readonly (readonly [string, Json])[] {
  return isMembers(original) ? Object.entries(original).filter(([name]) => !Object.hasOwn(fields, name)) : []
}
