/** How far interrupted imports have come: notes in the database, each written with the batch that it describes. */
import { createHash } from 'node:crypto'
import { describe } from '../../base/failure.ts'
import type { BulkWriter } from '../../store/writes/bulk-tables.ts'
import { TransferFileError } from '../documents/transfer-file.ts'
import type { ImportSource } from './import-reader.ts'
import type { ImportRequest } from './import-request.ts'
import type { ImportState } from './import-writer.ts'

const PREFIX = 'import '
/** Notes of imports that were not resumed; the oldest are deleted. */
const NOTES_MAX = 20

export const NOTHING_DONE = { inserted: 0, replaced: 0, unchanged: 0, refused: 0, newIds: 0 }

/** The name of the note for this file in its present state, imported in this way; undefined where none is kept. */
export function noteName({ model, format, keep, incomplete, asDrafts, isDryRun }: ImportRequest, { file }: ImportSource): string | undefined {
  if (file === undefined || isDryRun) return undefined
  const parts = [model.name, format, keep, file.path, file.fingerprint, ...(incomplete ? ['incomplete'] : []), ...(asDrafts ? ['drafts'] : [])]
  return PREFIX + createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Where an earlier import stopped; undefined to begin. Throws TransferFileError for flags that contradict it. */
export async function startingState(
  { file, resume, again }: ImportRequest,
  writer: BulkWriter,
  name: string | undefined,
): Promise<ImportState | undefined> {
  const text = name === undefined ? undefined : (await writer.notes(name)).get(name)
  const noted = text === undefined ? undefined : { ...NOTHING_DONE, ...(JSON.parse(text) as ImportState) }
  if (resume) {
    if (noted !== undefined) return noted
    throw new TransferFileError(
      `Cannot resume ${describe(file)}: no import of it was cut off, or the file or the other flags have changed: import it without --resume`,
    )
  }
  if (noted === undefined || noted.newIds === 0 || again) return undefined
  throw new TransferFileError(
    `Cannot import ${describe(file)} from its beginning: ${noted.newIds} of its rows have no id and are there already, ` +
      'from an import that was cut off: continue with --resume, or import them again with --again',
  )
}

/** Deletes this note, and the oldest of too many others. Writes nothing where there is nothing to delete. */
export async function deleteNotes(writer: BulkWriter, name: string): Promise<void> {
  const all = await writer.notes(PREFIX)
  const notes = [...all].filter(([other]) => other !== name)
  const at = (text: string): number => (JSON.parse(text) as { readonly at: number }).at
  const old = notes.sort(([, a], [, b]) => at(b) - at(a)).slice(NOTES_MAX - 1)
  const gone = [...old.map(([other]) => other), ...(all.has(name) ? [name] : [])]
  if (gone.length > 0) await writer.transact((tables) => gone.forEach((one) => tables.note(one, undefined)), true)
}
