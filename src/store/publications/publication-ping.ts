/** What a hub was told of last, for each publication: so that a restart tells of what changed meanwhile, and of nothing twice. */
import type { Database } from '../db/database.ts'

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
