/**
 * Projections: the parameter `fields` names the members of documents that a response has, by their dotted paths. A path
 * that leads through a list takes the member of each of its items. The id is always there.
 *
 * Paths are those that the model declares, so that a mistyped one is told. A projection is made of a document that its
 * caller may read, and only leaves out.
 */
import { decimalReader } from '../../base/decimal-reader.ts'
import { describe, fail } from '../../base/failure.ts'
import { isObject, parseJson, parseJsonInTurns, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import { didYouMean } from '../../base/nearest.ts'
import type { Field, Model, Shape } from '../../models/schema.ts'
import type { TurnWork } from '../../store/query/threads/turn-lane.ts'

const FIELDS_MAX = 50
const FIELDS_CHARS_MAX = 2_000
/** Texts of this length take milliseconds to parse. */
const LONG_CHARS = 64 * 1024
/** Of a long text, the names and values that are read at once, and the steps of 10 ns that it takes. */
const SLICE_TOKENS = 2_500
const SLICE_STEPS = 100_000
/** What a page counts for while it waits, so that a long one is not refused for its length. */
const HELD_CHARS_MAX = 256 * 1024
/** To parse a character and to write it. */
const CHARS_PER_STEP = 1

/** The wanted members of an object; the whole of one, or members of it. */
interface Members {
  readonly [name: string]: Members | 'whole'
}

export interface Projection {
  /** The same for all texts that mean the same. */
  readonly key: string
  readonly members: Members
}

/** Reads `title,source.name`; undefined for no text. Throws badRequest for what is no path of the model, and past a limit. */
export function readProjection(model: Model, text: string | undefined): Projection | undefined {
  if (text === undefined) return undefined
  if (text.length > FIELDS_CHARS_MAX) {
    throw fail('badRequest', `Cannot read fields: expected at most ${FIELDS_CHARS_MAX} characters, found ${text.length}`)
  }
  const paths = [...new Set(['id', ...text.split(',')])].sort()
  if (paths.length > FIELDS_MAX + 1) {
    throw fail('badRequest', `Cannot read fields: expected at most ${FIELDS_MAX} of them, found more`)
  }
  for (const path of paths) requirePath(model, path)
  return { key: paths.join(), members: membersOf(paths.map((path) => path.split('.'))) }
}

function requirePath(model: Model, path: string): void {
  if (leadsInto(model.fields, path.split('.'))) return
  const wanted = `paths of members of ${model.name}, separated by commas`
  const hint = path === '' ? '' : didYouMean(path, Object.keys(model.fields))
  throw fail('badRequest', `Cannot read fields: expected ${wanted}, found ${describe(path)}${hint}`)
}

function leadsInto(shape: Shape, [name = '', ...rest]: readonly string[]): boolean {
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined
  return field !== undefined && hasPath(field, rest)
}

function hasPath(field: Field, rest: readonly string[]): boolean {
  if (rest.length === 0) return true
  switch (field.kind) {
    case 'nullable':
    case 'optional':
    case 'list':
      return hasPath(field.of, rest)
    case 'record':
      return leadsInto(field.fields, rest)
    case 'embedded':
      return leadsInto(field.model.fields, rest)
    case 'map':
      return field.keys.includes(rest[0] ?? '') && hasPath(field.of, rest.slice(1))
    default:
      return false
  }
}

function membersOf(paths: readonly (readonly string[])[]): Members {
  const byName = Map.groupBy(paths, ([name = '']) => name)
  return Object.fromEntries(
    [...byName].map(([name, some]) => {
      const isWhole = some.some((path) => path.length === 1)
      return [name, isWhole ? 'whole' : membersOf(some.map((path) => path.slice(1)))]
    }),
  )
}

/** The wanted members of the JSON text of a document, in their order there. */
export async function projectText(text: string, { members }: Projection): Promise<string> {
  const value = text.length > LONG_CHARS ? await parseJsonInTurns(text) : parseJson(text)
  return writeJson(project(value as JsonObject, members))
}

/** The same of many documents, step by step. */
export function projecting(texts: readonly string[], { members }: Projection): TurnWork<readonly string[]> {
  const projected: string[] = []
  const chars = texts.reduce((sum, { length }) => sum + length, 0)
  let steps = 0
  let reader: ReturnType<typeof decimalReader> | undefined
  /** Undefined where there is more to read of a long text. */
  const read = (text: string): Json | undefined => {
    if (text.length <= LONG_CHARS) return parseJson(text)
    reader ??= decimalReader(text)
    steps += SLICE_STEPS
    return reader.read(SLICE_TOKENS) ? (reader.value as Json) : undefined
  }
  return {
    stepsExpected: chars / CHARS_PER_STEP,
    spent: () => steps,
    held: () => Math.min(chars, HELD_CHARS_MAX),
    advance(mayGoOn) {
      do {
        const text = texts[projected.length]
        if (text === undefined) return projected
        const value = read(text)
        if (value === undefined) continue
        projected.push(writeJson(project(value as JsonObject, members)))
        reader = undefined
        steps += text.length / CHARS_PER_STEP
      } while (mayGoOn())
      return undefined
    },
  }
}

function project(value: Json, wanted: Members): Json {
  if (Array.isArray(value)) return value.map((item: Json) => project(item, wanted))
  if (!isObject(value)) return value
  const kept: [string, Json][] = []
  for (const [name, member] of Object.entries(value)) {
    const inner = Object.hasOwn(wanted, name) ? wanted[name] : undefined
    if (inner !== undefined) kept.push([name, inner === 'whole' ? member : project(member, inner)])
  }
  return Object.fromEntries(kept)
}
