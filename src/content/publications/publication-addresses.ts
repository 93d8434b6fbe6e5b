/** The addresses of publications, as their administrators hand them out. */
import { parseJson } from '../../base/json.ts'
import { publication, type PublicationDocument } from '../../models/publication-model.ts'
import type { PublicationStates } from '../../models/responses.ts'
import { matchAll } from '../../query/ast.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'

const LISTED_MAX = 500

/** The address of a publication: a path of the service where the URL of the site is not known. */
export function addressOfPublication(site: string | undefined, name: string, secret?: string): string {
  return `${site ?? '/'}p/${name}/${secret === undefined ? '' : `${secret}/`}`
}

/** All publications by their titles, at most 500. */
export async function listPublications(store: Pick<ReadStore, 'documents'>, caller: QueryCaller): Promise<readonly PublicationDocument[]> {
  const sort = [{ path: ['title'], descending: false }]
  const { items } = await store.documents.find(publication, { filter: matchAll, sort, limit: LISTED_MAX, after: undefined }, caller)
  return items.map((text) => parseJson(text) as unknown as PublicationDocument)
}

/** All publications with their addresses. Those of secret ones are null: nothing knows the secret. */
export async function publicationAddresses(store: Pick<ReadStore, 'documents' | 'publications'>, site: string | undefined, caller: QueryCaller): Promise<PublicationStates['items']> {
  const withSecret = store.publications.publicationsWithSecret()
  const all = await listPublications(store, caller)
  return all.map(({ id, name, visibility }) => {
    return { id, address: visibility === 'secret' ? null : addressOfPublication(site, name), hasSecret: withSecret.has(id) }
  })
}
