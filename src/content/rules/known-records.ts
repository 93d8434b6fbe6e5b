/**
 * Records that references named last, parsed: the documents of an hour are of few sources, topics and countries. A record
 * counts for as long as its text is the stored one. It is frozen, as many documents share it.
 */
import { setNewest } from '../../base/bounded-map.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../base/json.ts'

/** With CHARS_MAX, some megabytes. */
const RECORDS_MAX = 500
/** A longer record is parsed each time. */
const CHARS_MAX = 4_096

export interface KnownRecord {
  readonly record: JsonObject
  /** Objects and arrays within one another. */
  readonly levels: number
}

const known = new Map<string, KnownRecord & { readonly text: string }>()

/** The record of a stored text; `key` identifies the record. */
export function knownRecord(key: string, text: string): KnownRecord {
  const before = known.get(key)
  if (before?.text === text) return before
  const record = parseJson(text) as JsonObject
  const found = { text, record, levels: levelsOf(record) }
  if (text.length > CHARS_MAX) return found
  freeze(record)
  setNewest(known, key, found, RECORDS_MAX)
  return found
}

function levelsOf(value: Json): number {
  if (!Array.isArray(value) && !isObject(value)) return 0
  let most = 0
  for (const inner of Object.values(value)) most = Math.max(most, levelsOf(inner as Json))
  return most + 1
}

function freeze(value: Json): void {
  if (!Array.isArray(value) && !isObject(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner as Json)
}
