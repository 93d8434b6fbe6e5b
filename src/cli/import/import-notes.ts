/**
 * How far interrupted imports have come, as notes in the database: each is written with the batch that it speaks of, so
 * it is right after any crash. An import that ends well forgets its note.
 */
import { createHash } from 'node:crypto'
import type { BulkWriter } from '../../store/sqlite/bulk-writer.ts'
import { NOTHING_DONE, type ImportState } from './import-run.ts'

const PREFIX = 'import '
/** Notes of imports that nobody went on with; the oldest are forgotten. */
const NOTES_MAX = 20

/** The name of the note for a file in its present state, imported in this way. */
export function noteName(parts: readonly (string | boolean)[]): string {
  return PREFIX + createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Where an import stopped; undefined where there is no note of it. */
export function notedState(writer: BulkWriter, name: string): ImportState | undefined {
  const text = writer.notes(name).get(name)
  if (text === undefined) return undefined
  return { offset: 0, line: 1, ...NOTHING_DONE, ...(JSON.parse(text) as Partial<ImportState>) }
}

/** Forgets this note, and the oldest of too many others. Writes nothing where there is nothing to forget. */
export async function forgetNotes(writer: BulkWriter, name: string): Promise<void> {
  const notes = [...writer.notes(PREFIX)].filter(([other]) => other !== name)
  const at = (text: string): number => (JSON.parse(text) as { readonly at: number }).at
  const old = notes.sort(([, a], [, b]) => at(b) - at(a)).slice(NOTES_MAX - 1)
  const gone = [...old.map(([other]) => other), ...(writer.notes(name).has(name) ? [name] : [])]
  if (gone.length > 0) await writer.transact((tables) => gone.forEach((one) => tables.note(one, undefined)), true)
}
