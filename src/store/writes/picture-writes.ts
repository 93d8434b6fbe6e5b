/** The writes about pictures of our own. Their files are the business of those who call: see content/kept-pictures.ts. */
import type { AuditEntry } from '../audit/audit-trail.ts'
import * as pictures from '../media/picture-table.ts'
import type { ActorTransactions } from './actor-transactions.ts'

const entry = (event: AuditEntry['event'], hash: string, details: AuditEntry['details'] = []): AuditEntry => ({ event, documentId: hash, details })

export function pictureWrites({ database, write }: ActorTransactions) {
  return {
    /** Adds a picture whose file is on disk. 'known' where we have it, 'full' where there is no room. */
    addPicture: (picture: pictures.PictureRow, bytesMax: number) =>
      write((_, record) => {
        const done = pictures.addPicture(database, picture, bytesMax)
        if (done === 'added') record(entry('picture.added', picture.hash, [{ name: 'bytes', value: String(picture.bytes) }]))
        return done
      }),
    /** Changes what people say of a picture; false where we do not have it. */
    describePicture: (hash: string, said: Pick<pictures.PictureRow, 'alt' | 'focus'>) =>
      write((_, record) => {
        const isKnown = pictures.describePicture(database, hash, said)
        if (isKnown) record(entry('picture.described', hash))
        return isKnown
      }),
    /** Removes a picture that no document of the site names. Its file is to be removed after it. */
    removePicture: (hash: string) =>
      write((_, record) => {
        const removed = pictures.removePicture(database, hash)
        if (typeof removed === 'object') record(entry('picture.removed', hash))
        return removed
      }),
    /** Removes some pictures that nothing has named since a time. Their files are to be removed after them. */
    removeUnusedPictures: (before: number, after: pictures.RemovedPictures['next']) =>
      write((_, record) => {
        const done = pictures.removeUnusedPictures(database, before, after)
        for (const { hash } of done.removed) record(entry('picture.removed', hash, [{ name: 'reason', value: 'unused' }]))
        return done
      }),
  }
}
