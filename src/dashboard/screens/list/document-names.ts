/** Names of documents that are known by their ids only, as in a shared URL. */
import { documentsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'

/** Kept for as long as the page is open: there are as many as the reader filters by. */
const names = new Map<string, string>()

export function nameOf(model: Model, id: string): string | undefined {
  return names.get(`${model.name}/${id}`)
}

export function rememberName(model: Model, document: StoredDocument): void {
  names.set(`${model.name}/${document.id}`, labelOf(document))
}

/** Asks for those that are not known yet; true where there were any. */
export async function fetchNames(
  client: Client,
  { model, ids, signal }: { readonly model: Model; readonly ids: readonly string[]; readonly signal: AbortSignal },
): Promise<boolean> {
  const unknown = ids.filter((id) => nameOf(model, id) === undefined)
  if (unknown.length === 0) return false
  // Page by page: large documents make pages of fewer items than there are ids.
  const found = documentsOf(client, model).iterate({ filter: { id: { $in: unknown } } }, { signal })
  for await (const document of found) rememberName(model, document)
  return true
}
