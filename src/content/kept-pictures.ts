/**
 * Pictures of our own: what is sent is cleaned, written, and known from then on.
 *
 * A file is on disk before its row is, and goes after it: so a picture that is known is whole, whatever is killed. A picture may
 * be removed while it is sent again; so the file is looked for once more behind the row, and is removed only where there is none.
 */
import { sizeText } from '../base/counted.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import { systemReason } from '../base/system-error.ts'
import { readPicture } from '../media/read-picture.ts'
import { actorName, type Actor } from '../store/actor.ts'
import { fileNameOf, hashOfBytes, type PictureFiles } from '../store/media/picture-files.ts'
import type { CountedPicture, PictureName } from '../store/media/picture-table.ts'
import type { ReadStore } from '../store/read-store.ts'
import type { Writable } from '../store/writes/writer.ts'

/** What all pictures together may take. */
export interface PictureLimit {
  readonly bytesMax: number
  /** Whether the disk has no room for more, whatever pictures there are. */
  readonly isDiskShort: boolean
}

export interface PicturesOptions {
  readonly store: Pick<ReadStore, 'pictures'> & Writable
  readonly files: Pick<PictureFiles, 'has' | 'write' | 'remove'>
  readonly limit: () => PictureLimit
  readonly now: Clock
}

export type Pictures = ReturnType<typeof createPictures>

/** Where pictures are, below the address of the site. */
export const MEDIA_PATH = 'media/'

/** `media/HASH.webp`, below the address of the site. */
export function picturePath(picture: PictureName): string {
  return MEDIA_PATH + fileNameOf(picture)
}

export function noPicture(hash: string): Failure {
  return fail('notFound', `No picture has the hash ${describe(hash)}`)
}

export function createPictures({ store, files, limit, now }: PicturesOptions) {
  const isKnown = ({ hash }: PictureName): boolean => store.pictures.pictureFile(hash) !== undefined
  /** Removes the file of a picture without a row. */
  const removeFile = (name: PictureName): void => {
    if (!isKnown(name)) files.remove(name)
  }
  const writeFile = async (name: PictureName, bytes: Buffer): Promise<void> => {
    try {
      await files.write(name, bytes)
    } catch (error) {
      throw fail('networkError', `Cannot keep the picture: ${systemReason(error)}`, { cause: error })
    }
  }
  const foundOf = (hash: string): CountedPicture => {
    const found = store.pictures.getPicture(hash)
    if (found === undefined) throw noPicture(hash)
    return found
  }

  const requireDisk = (): PictureLimit => {
    const limits = limit()
    if (limits.isDiskShort) throw fail('conflict', 'Cannot keep the picture: the disk is nearly full: make room on it')
    return limits
  }

  return {
    /** Throws conflict where there is no room for any picture: none needs to be fetched then. */
    requireRoom(): void {
      const { bytesMax } = requireDisk()
      if (store.pictures.pictureTotals().bytes >= bytesMax) throw noRoom(bytesMax)
    },
    /**
     * Keeps a picture; the buffer is changed. Throws invalidInput for what is none, conflict where there is no room, and
     * networkError where the disk takes no file. `isNew` is false for one that is known already.
     */
    async add(sent: Buffer, actor: Actor): Promise<{ readonly picture: CountedPicture; readonly isNew: boolean }> {
      const { bytes, ...facts } = readPicture(sent)
      const name = { hash: hashOfBytes(bytes), format: facts.format }
      const { bytesMax } = requireDisk()
      if (!isKnown(name) || !files.has(name)) await writeFile(name, bytes)
      const row = { ...facts, hash: name.hash, bytes: bytes.length, alt: '', focus: undefined, createdAt: now(), actor: actorName(actor) }
      let done
      try {
        done = await store.as(actor).addPicture(row, bytesMax)
        if (done === 'full') throw noRoom(bytesMax)
      } catch (error) {
        removeFile(name)
        throw error
      }
      if (!files.has(name)) await writeFile(name, bytes)
      return { picture: foundOf(name.hash), isNew: done === 'added' }
    },
    /** Changes what is said of a picture. Throws notFound. */
    async describe(hash: string, said: Pick<CountedPicture, 'alt' | 'focus'>, actor: Actor): Promise<CountedPicture> {
      if (!(await store.as(actor).describePicture(hash, said))) throw noPicture(hash)
      return foundOf(hash)
    },
    /** Removes a picture with its file. Throws notFound, and conflict where a document names it. */
    async remove(hash: string, actor: Actor): Promise<void> {
      const removed = await store.as(actor).removePicture(hash)
      if (removed === 'missing') throw noPicture(hash)
      if (removed === 'used') {
        const [user] = store.pictures.pictureUsers(hash, 1)
        const example = user === undefined ? '' : `, such as the ${user.model.draftsOf ?? user.model.name} ${describe(user.id)}`
        throw fail('conflict', `Cannot remove the picture: documents name it${example}: change these first`)
      }
      removeFile(removed)
    },
  }
}

function noRoom(bytesMax: number): Failure {
  return fail(
    'conflict',
    `Cannot keep the picture: all pictures together may take ${sizeText(bytesMax)}, which are in use: remove some that nothing names, or raise --media-max`,
  )
}
