/** Checks that the earlier versions that a file keeps can be read, and are those that its change log names. */
import { describe } from '../../base/failure.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { storedModelNamed } from '../../models/registry.ts'
import type { Database, Row } from '../db/database.ts'
import { getDocument } from '../documents/document-tables.ts'
import { isWhole, unpackText } from './document-history.ts'

const FAULTS_MAX = 5

/** The changes of each document one after the other, newest first, in the order of an index. */
const CHANGES = `
  SELECT seq, model, id, before, replaced FROM change ORDER BY id DESC, model DESC, seq DESC`

/** What is in the trash, with the version that its deletion names. */
const TRASHED = 'SELECT trash.model, trash.id, doc, change.before FROM trash JOIN change ON change.seq = trash.seq'

/** A sentence for each fault, at most a few. Reads all versions, one document at a time. */
export function historyFaults(database: Database): readonly string[] {
  const faults: string[] = []
  let document: string | undefined
  let text: Uint8Array | undefined
  for (const row of database.iterate(CHANGES)) {
    const name = nameOf(row)
    if (name !== document) [document, text] = [name, storedText(database, row)]
    const fault = ({ text } = earlierOf(row, text)).fault
    if (fault !== undefined) faults.push(`the version of ${name} before change ${String(row['seq'])} ${fault}`)
    if (faults.length === FAULTS_MAX) return faults
  }
  for (const row of database.iterate(TRASHED)) {
    if (versionOf(String(row['doc'])) !== row['before']) faults.push(`${nameOf(row)} in the trash is not what was deleted`)
    if (faults.length === FAULTS_MAX) break
  }
  return faults
}

interface Earlier {
  /** Undefined where there was no document, or its text is not kept. */
  readonly text: Uint8Array | undefined
  readonly fault?: string
}

/** The text that a change replaced. Behind a fault, the texts before it are unknown up to one that is kept as a whole. */
function earlierOf({ before, replaced }: Row, later: Uint8Array | undefined): Earlier {
  if (!(replaced instanceof Uint8Array)) return { text: undefined }
  try {
    if (later === undefined && !isWhole(replaced)) return { text: undefined, fault: 'lacks the one behind it, from which it is made' }
    const text = unpackText(replaced, later)
    return versionOf(text) === before ? { text } : { text: undefined, fault: 'is not the one that the log names' }
  } catch {
    return { text: undefined, fault: 'is damaged' }
  }
}

function storedText(database: Database, { model, id }: Row): Uint8Array | undefined {
  const known = storedModelNamed(String(model))
  const text = known && getDocument(database, known, String(id))
  return text === undefined ? undefined : Buffer.from(text)
}

function versionOf(text: string | Uint8Array): string {
  return entityTag(text).slice(1, -1)
}

function nameOf({ model, id }: Row): string {
  return `${String(model)} ${describe(String(id))}`
}
