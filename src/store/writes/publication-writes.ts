/** The writes about publications beside their documents. */
import { putPublicationPing, putPublicationSecret } from '../publications/publication-rows.ts'
import type { ActorTransactions } from './actor-transactions.ts'

export function publicationWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    /** Replaces the hash of the secret of a publication; false where there is no such publication. */
    putPublicationSecret: (publication: string, hash: Uint8Array) =>
      write((_, record) => {
        const isPut = putPublicationSecret(database, publication, hash)
        if (isPut) record({ event: 'publication.secret-set', model: 'publication', documentId: publication })
        return isPut
      }),
    /** Notes what a hub was told of. What a power cut takes is told of once more. */
    putPublicationPing: (publication: string, content: string) => writeUnsynced(() => putPublicationPing(database, publication, content)),
  }
}
