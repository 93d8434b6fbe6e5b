/**
 * Documents as rows of cells, and back, so that an export that was imported again gives equal documents.
 *
 * A declared record, and an embedded copy of another document, has a column for each of its members, under its dotted
 * path; lists and keyed maps stand as JSON in one cell. All that has no column stands in the last one, `$more`, as
 * JSON: no member has a name that begins with `$`.
 *
 * An empty cell is the empty text, null where the member may be null, otherwise no member at all; for a text that may
 * be null, `""` in quotes is the empty text. A copy of whose cells only `id` holds something is a reference.
 *
 * Where a spreadsheet would take a text for a formula, an apostrophe is put in front, which is removed again when the cell is
 * read. One that separates cells by semicolons or tabs, as those of many countries do, sees cells and rows begin within a
 * text as well: quotes hold a cell together only where they begin it. Two quotes that hold nothing may stand in front of a
 * formula there.
 */
import { describe, fail, type Failure } from '../../base/failure.ts'
import { isCount, isObject, JsonError, parseJson, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import type { Cell } from '../../base/csv.ts'
import type { Field, Model, Shape } from '../../models/schema.ts'

const MORE_COLUMN = '$more'

/** The places in front of what a formula begins with, and of the apostrophes that a text may have of its own there. */
const FORMULA = /^(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const MARKED_FORMULA = /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])'(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** The day of a date as spreadsheets write it in the countries that write dots: in all of them it comes first. */
const DOTTED_DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$| )/

export function csvColumns(model: Model): readonly string[] {
  return [...columnsOf(model.fields, ''), MORE_COLUMN]
}

function columnsOf(shape: Shape, prefix: string): readonly string[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const inner = shapeIn(field)
    return inner === undefined ? [prefix + name] : columnsOf(inner, `${prefix}${name}.`)
  })
}

/** The members that have columns of their own; undefined for a field of one cell. */
function shapeIn(field: Field): Shape | undefined {
  if (field.kind === 'record') return field.fields
  return field.kind === 'embedded' ? field.model.fields : undefined
}

/** The cells of a stored document, in the order of csvColumns(). */
export function cellsOfDocument(model: Model, document: JsonObject): readonly (string | undefined)[] {
  const cells: (string | undefined)[] = []
  const more = writeShape(model.fields, document, cells)
  return [...cells, more === undefined ? undefined : writeJsonCell(more)]
}

function writeShape(shape: Shape, value: JsonObject, cells: (string | undefined)[]): JsonObject | undefined {
  const more: [string, Json][] = []
  for (const [name, field] of Object.entries(shape)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    const inner = shapeIn(field)
    if (inner === undefined) {
      const cell = writeCell(field, member)
      cells.push(cell)
      if (cell === undefined && member !== undefined && !(member === null && field.kind === 'nullable')) {
        more.push([name, member])
      }
      continue
    }
    const before = cells.length
    const left = writeShape(inner, isObject(member) ? member : {}, cells)
    const isTold = cells.slice(before).some((cell) => cell !== undefined)
    if (isObject(member) && left === undefined && isTold) continue
    if (isObject(member)) more.push([name, left ?? {}])
    else if (member !== undefined) more.push([name, member])
  }
  for (const [name, member] of Object.entries(value)) if (!Object.hasOwn(shape, name)) more.push([name, member])
  return more.length === 0 ? undefined : Object.fromEntries(more)
}

/** Undefined where the cell cannot tell the value. */
function writeCell(field: Field, value: Json | undefined): string | undefined {
  switch (field.kind) {
    case 'text':
      return writeText(value)
    case 'choice':
    case 'constant':
    case 'date':
    case 'generated':
      return value === '' ? undefined : writeText(value)
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'whole':
      return isCount(value) ? String(value) : undefined
    case 'nullable':
    case 'optional':
      return value === null ? undefined : writeCell(field.of, value)
    default:
      return value === undefined ? undefined : writeJsonCell(value)
  }
}

/** A NUL ends texts in many programs: one that holds it is told in JSON, where it is escaped. */
function writeText(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || value.includes('\0')) return undefined
  return value.replaceAll(FORMULA, "'")
}

/** JSON begins no formula, but a semicolon within its texts may begin a cell: it is escaped there. */
function writeJsonCell(value: Json): string {
  return writeJson(value).replaceAll(/;(?='*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, '\\u003b')
}

function readText(text: string): string {
  return text.replaceAll(MARKED_FORMULA, '')
}

/** The cells of a row by the names of their columns. */
export type NamedCells = ReadonlyMap<string, Cell>

/** The document that a row tells, for validation. Throws invalidInput where a cell is not of the kind of its member. */
export function documentOfCells(model: Model, cells: NamedCells): JsonObject {
  const told = readShape(model.fields, '', cells)
  const more = cells.get(MORE_COLUMN)?.text ?? ''
  if (more === '') return told
  const further = readJsonCell(MORE_COLUMN, more)
  if (!isObject(further)) throw cellFailure(MORE_COLUMN, 'a JSON object', more)
  return mergeOver(told, further)
}

function readShape(shape: Shape, prefix: string, cells: NamedCells): JsonObject {
  const members: [string, Json][] = []
  for (const [name, field] of Object.entries(shape)) {
    const path = prefix + name
    const value = readMember(field, path, cells)
    if (value !== undefined) members.push([name, value])
  }
  return Object.fromEntries(members)
}

function readMember(field: Field, path: string, cells: NamedCells): Json | undefined {
  const inner = shapeIn(field)
  if (inner === undefined) {
    const cell = cells.get(path)
    return cell === undefined ? undefined : readCell(field, path, cell)
  }
  const filled = columnsOf(inner, `${path}.`).filter((name) => isFilled(cells.get(name)))
  if (filled.length === 0) return undefined
  const [only, ...others] = filled
  if (field.kind === 'embedded' && only === `${path}.id` && others.length === 0) {
    return { id: readText(cells.get(only)?.text ?? '') }
  }
  return readShape(inner, `${path}.`, cells)
}

function isFilled(cell: Cell | undefined): boolean {
  return cell !== undefined && (cell.text !== '' || cell.isQuoted)
}

function readCell(field: Field, path: string, cell: Cell): Json | undefined {
  const { text, isQuoted } = cell
  if (field.kind === 'text') return readText(text)
  if (text === '' && (field.kind !== 'nullable' || field.of.kind !== 'text' || !isQuoted)) {
    return field.kind === 'nullable' ? null : undefined
  }
  switch (field.kind) {
    case 'choice':
    case 'constant':
    case 'generated':
      return readText(text)
    case 'date':
      return readText(text).replace(DOTTED_DAY, (_, day: string, month: string, year: string) => [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'))
    case 'boolean': {
      const lower = text.toLowerCase() // Spreadsheets write TRUE.
      if (lower === 'true' || lower === 'false') return lower === 'true'
      throw cellFailure(path, 'true or false', text)
    }
    case 'whole':
      if (/^\d{1,15}$/.test(text)) return Number(text)
      throw cellFailure(path, 'a whole number, 0 or more', text)
    case 'nullable':
    case 'optional':
      return readCell(field.of, path, cell)
    default:
      return readJsonCell(path, text)
  }
}

function readJsonCell(path: string, text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonError)
      throw fail('invalidInput', `${path}: cannot read the JSON in this cell: ${error.message}`)
    throw error
  }
}

/** What the columns could not tell goes over what they tell. */
function mergeOver(base: JsonObject, over: JsonObject): JsonObject {
  const members = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(over)) {
    const below = members.get(name)
    members.set(name, isObject(below) && isObject(value) ? mergeOver(below, value) : value)
  }
  // Not by assignment: a member named __proto__ stays one, and is rejected like any of that name.
  return Object.fromEntries(members)
}

function cellFailure(path: string, wanted: string, found: string): Failure {
  return fail('invalidInput', `${path}: expected ${wanted}, found ${describe(found)}`)
}
