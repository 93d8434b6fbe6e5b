/**
 * The secrets in the addresses of publications, as hashes: 144 random bits, so that a plain SHA-256 reveals nothing. They are
 * no members of documents, whose texts go to readers, the history, exports and changes.
 */
import { lookUp } from '../documents/text-look-up.ts'
import type { Database } from '../db/database.ts'
import { publication } from '../../models/publication-model.ts'

/** A publication as readers of its address need it. */
export interface NamedPublication {
  readonly text: string
  /** Undefined for one that has no secret yet. */
  readonly secretHash: Uint8Array | undefined
}

/** The publication of a name, and the hash of its secret; undefined where there is none. */
export function publicationNamed(database: Database, name: string): NamedPublication | undefined {
  const [found] = lookUp(database, publication, 'name', [{ from: name, to: name }], 1)
  // It is looked for in any case: the time does not tell whether there is a publication.
  const secretHash = hashOf(database, found?.id ?? '')
  return found && { text: found.text, secretHash }
}

/** The ids of the publications that have a secret. */
export function publicationsWithSecret(database: Database): ReadonlySet<string> {
  return new Set(database.all('SELECT publication FROM publication_secret').map((row) => String(row['publication'])))
}

/** Replaces the hash of a secret; false where there is no such publication. Runs inside a transaction. */
export function putPublicationSecret(database: Database, id: string, hash: Uint8Array): boolean {
  if (database.get('SELECT 1 FROM publication WHERE id = ?', id) === undefined) return false
  database.run('INSERT INTO publication_secret (publication, hash) VALUES (?, ?) ON CONFLICT (publication) DO UPDATE SET hash = excluded.hash', id, hash)
  return true
}

function hashOf(database: Database, id: string): Uint8Array | undefined {
  return database.get('SELECT hash FROM publication_secret WHERE publication = ?', id)?.['hash'] as Uint8Array | undefined
}
