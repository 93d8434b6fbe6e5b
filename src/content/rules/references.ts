/**
 * References by id: where a document embeds another one, a client may send `{"id": "…"}` alone, and validate.ts puts a
 * copy of the stored record in its place. So a small body becomes a large document: each record is looked up and parsed
 * once, and the number of references, their bytes and levels of nesting are bounded before it is built.
 */
import { describe } from '../../base/failure.ts'
import { isObject, JSON_DEPTH_MAX, type Json, type JsonObject } from '../../base/json.ts'
import { nestingFields, type Field, type Model, type Shape } from '../../models/schema.ts'
import { knownRecord } from './known-records.ts'
import { problemAt, throwProblem, REPORTED, TOO_DEEP, type Report } from './problems.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** References that one body may hold. */
const REFERENCES_MAX = 1_000

/** The records that references of a body name, by `referenceKey`. REPORTED stands for one that does not exist. */
export type Records = ReadonlyMap<string, JsonObject>

export interface ReferenceOptions {
  /** Where problems go; without it, the first is thrown. */
  readonly report?: Report
  /** UTF-8 bytes of JSON that all references together may bring in, each mention counted. */
  readonly bytesMax: number
  /** Told these bytes before any record is parsed, which waits for it; may reject them by what it throws. */
  readonly onGrowth?: (bytes: number) => Promise<void>
}

/** Asks for the JSON text of a record, and is told it, or that there is none. */
type Lookup = Generator<{ readonly model: Model; readonly id: string }, Found, string | undefined>

interface Found {
  readonly mentions: readonly Mention[]
  /** The JSON texts of the records, by the key of their references. */
  readonly texts: ReadonlyMap<string, string>
  /** What all mentions bring in. */
  readonly bytes: number
}

/** Looks up the records that a body names. Where one does not exist, or a limit is exceeded, that is reported. */
export async function findRecords(
  model: Model,
  body: JsonObject,
  documents: Pick<ReadStore['documents'], 'get'>,
  options: ReferenceOptions,
): Promise<Records> {
  const steps = lookup(model, body, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next(documents.get(step.value.model, step.value.id))
  await options.onGrowth?.(step.value.bytes)
  return parsed(step.value, options)
}

/** The same where records are at hand: `textOf` gives the JSON text of one, or undefined. */
export function findRecordsNow(
  model: Model,
  body: JsonObject,
  textOf: (model: Model, id: string) => string | undefined,
  options: Pick<ReferenceOptions, 'report' | 'bytesMax'>,
): Records {
  const steps = lookup(model, body, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next(textOf(step.value.model, step.value.id))
  return parsed(step.value, options)
}

/** The key of a reference in Records; undefined for a value that is a whole copy. */
export function referenceKey(model: Model, value: JsonObject): string | undefined {
  const { id } = value
  return typeof id === 'string' && Object.keys(value).length === 1 ? `${model.name} ${id}` : undefined
}

interface Mention {
  readonly target: Model
  readonly id: string
  readonly key: string
  readonly path: string
  /** The level of the record in the document. */
  readonly level: number
}

function* lookup(
  model: Model,
  body: JsonObject,
  { report = throwProblem, bytesMax }: Omit<ReferenceOptions, 'onGrowth'>,
): Lookup {
  const mentions: Mention[] = []
  collectFromShape(model.fields, body, { path: '', level: 1 }, mentions)
  const texts = new Map<string, string>()
  const nothing: Found = { mentions, texts: new Map(), bytes: 0 }
  if (mentions.length > REFERENCES_MAX) {
    const message = `Cannot take ${mentions.length} references by id: at most ${REFERENCES_MAX} in one body`
    report(problemAt('', 'tooManyReferences', message, { max: String(REFERENCES_MAX) }))
    return nothing
  }
  let bytes = 0
  for (const { target, id, key, path } of mentions) {
    const text = texts.get(key) ?? (yield { model: target, id })
    if (text === undefined) {
      const { name } = target
      const message = `expected the id of a ${name}, found ${describe(id)}, which no ${name} has`
      report(problemAt(path, 'unknownReference', message, { model: name }))
      continue
    }
    texts.set(key, text)
    bytes += Buffer.byteLength(text)
    if (bytes > bytesMax) {
      const message = `expected records of at most ${bytesMax} bytes in all references by id, found more`
      report(problemAt(path, 'tooLarge', message, { max: String(bytesMax) }))
      return nothing
    }
  }
  return { mentions, texts, bytes }
}

function parsed({ mentions, texts }: Found, { report = throwProblem }: Pick<ReferenceOptions, 'report'>): Records {
  const records = new Map<string, JsonObject>(mentions.map(({ key }) => [key, REPORTED]))
  const levels = new Map<string, number>()
  for (const [key, text] of texts) {
    const known = knownRecord(key, text)
    records.set(key, known.record)
    levels.set(key, known.levels)
  }
  const isTooDeep = mentions.some(({ key, level }) => level - 1 + (levels.get(key) ?? 0) > JSON_DEPTH_MAX)
  if (isTooDeep) report(TOO_DEEP)
  return records
}

/** Where a value is in the body: its path, and its level. */
type Nesting = Pick<Mention, 'path' | 'level'>

function collectFromShape(shape: Shape, value: JsonObject, { path, level }: Nesting, mentions: Mention[]): void {
  for (const [name, field] of nestingFields(shape)) {
    if (!Object.hasOwn(value, name)) continue
    collect(field, value[name], { path: path === '' ? name : `${path}.${name}`, level: level + 1 }, mentions)
  }
}

function collect(field: Field, value: Json | undefined, nesting: Nesting, mentions: Mention[]): void {
  const { path, level } = nesting
  switch (field.kind) {
    case 'embedded': {
      if (!isObject(value)) return
      const key = referenceKey(field.model, value)
      if (key === undefined) collectFromShape(field.model.fields, value, nesting, mentions)
      else mentions.push({ target: field.model, id: String(value['id']), key, path, level })
      return
    }
    case 'record':
      if (isObject(value)) collectFromShape(field.fields, value, nesting, mentions)
      return
    case 'nullable':
      return collect(field.of, value, nesting, mentions)
    case 'list':
      if (!Array.isArray(value)) return
      value.forEach((item: Json, i) => collect(field.of, item, { path: `${path}[${i}]`, level: level + 1 }, mentions))
      return
    default:
      return
  }
}
