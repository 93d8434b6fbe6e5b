/** The addresses of publications, as their administrators hand them out. */
import { publication } from '../../models/publication-model.ts'
import type { PublicationStates } from '../../models/responses.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { documentsByTitle } from '../reads/documents-by-title.ts'

/** The address of a publication: a path of the service where the URL of the site is not known. */
export function addressOfPublication(site: string | undefined, name: string, secret?: string): string {
  return `${site ?? '/'}p/${name}/${secret === undefined ? '' : `${secret}/`}`
}

/** All publications with their addresses. Those of secret ones are null: nothing knows the secret. */
export async function publicationAddresses(store: Pick<ReadStore, 'documents' | 'publications'>, site: string | undefined, caller: QueryCaller): Promise<PublicationStates['items']> {
  const withSecret = store.publications.publicationsWithSecret()
  const all = await documentsByTitle(store, publication, caller)
  return all.map(({ id, name, visibility }) => {
    return { id, address: visibility === 'secret' ? null : addressOfPublication(site, name), hasSecret: withSecret.has(id) }
  })
}
