/**
 * What is stored of publications beside their documents, whose texts go to readers, the history, exports and changes: the secrets in
 * their addresses, as hashes of 144 random bits, of which a plain SHA-256 reveals nothing, and what a hub was told of last.
 */
import { publication } from '../../models/publication-model.ts'
import type { Database } from '../db/database.ts'
import { lookUp } from '../documents/text-look-up.ts'

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

// What a hub was told of last: so that a restart tells of what changed meanwhile, and of nothing twice.

/** Hashes of what their feeds had when the hub was told, by the ids of publications. */
export function publicationPings(database: Database): ReadonlyMap<string, string> {
  return new Map(database.all('SELECT publication, content FROM publication_ping').map((row) => [String(row['publication']), String(row['content'])]))
}

/** Notes what a hub was told of. Runs inside a transaction. */
export function putPublicationPing(database: Database, id: string, content: string): boolean {
  const sql = `INSERT INTO publication_ping (publication, content) SELECT id, ? FROM publication WHERE id = ?
    ON CONFLICT (publication) DO UPDATE SET content = excluded.content`
  return database.run(sql, content, id) === 1
}
