/**
 * The files of pictures: `media/ab/abcd….webp` in the data directory, named by the SHA-256 of their bytes. A file gets its name
 * when all of it is on disk, and never changes then. No text of a request becomes a part of a path: only the hash and the
 * extension of a name that was checked do.
 */
import { hash as hashOf, randomBytes } from 'node:crypto'
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeDirectory, syncDirectory } from '../../base/directory.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { PICTURE_FORMATS, type PictureFormat } from '../../media/picture-format.ts'
import { PICTURE_BYTES_MAX } from '../../media/read-picture.ts'
import { DataDirError, hasDatabase } from '../db/data-dir.ts'
import type { PictureName } from './picture-table.ts'

export const MEDIA_DIRECTORY = 'media'
const [DIRECTORY_MODE, FILE_MODE] = [0o700, 0o600]
const FAN_OUT = /^[0-9a-f]{2}$/
const HASH = /^[0-9a-f]{64}$/
const FILE_NAME = /^([0-9a-f]{64})\.([a-z]{3,4})$/
const PARTIAL_BYTES = 6
const FORMATS = Object.entries(PICTURE_FORMATS) as [PictureFormat, (typeof PICTURE_FORMATS)[PictureFormat]][]

export function hashOfBytes(bytes: Uint8Array): string {
  return hashOf('sha256', bytes)
}

/** `HASH.webp`, as a picture is called in addresses. */
export function fileNameOf({ hash, format }: PictureName): string {
  return `${hash}.${PICTURE_FORMATS[format].extension}`
}

/** The picture that a file name means; undefined for any other text. */
export function parseFileName(text: string): PictureName | undefined {
  const [, hash, extension] = FILE_NAME.exec(text) ?? []
  const format = FORMATS.find(([, one]) => one.extension === extension)?.[0]
  return hash === undefined || format === undefined ? undefined : { hash, format }
}

export type PictureFiles = ReturnType<typeof pictureFiles>

/** Those in a directory, which need not exist. */
export function pictureFiles(directory: string) {
  const pathOf = (picture: PictureName): string => {
    if (!HASH.test(picture.hash)) throw new Error('Cannot name the file of a picture: its hash is none')
    return join(directory, picture.hash.slice(0, 2), fileNameOf(picture))
  }
  /** The directory of a file, which is on disk as well. */
  const place = (path: string): void => {
    for (const made of makeDirectory(dirname(path), DIRECTORY_MODE)) syncDirectory(dirname(made))
  }
  /** Another name beside a file, under which it is made. */
  const partialOf = (path: string): string => `${path}.partial-${process.pid}-${randomBytes(PARTIAL_BYTES).toString('hex')}`
  /** Gives a whole file its name. */
  const giveName = (partial: string, path: string): void => {
    renameSync(partial, path)
    syncDirectory(dirname(path))
  }
  return {
    directory,
    has: (picture: PictureName): boolean => existsSync(pathOf(picture)),
    /** Undefined where there is none. */
    sizeOf: (picture: PictureName): number | undefined => statSync(pathOf(picture), { throwIfNoEntry: false })?.size,
    /** The bytes of a file, whose hash is right; undefined for one that is missing or damaged. */
    read(picture: PictureName): Buffer | undefined {
      if (!existsSync(pathOf(picture))) return undefined
      const bytes = readRegularFile(pathOf(picture), PICTURE_BYTES_MAX)
      return hashOfBytes(bytes) === picture.hash ? bytes : undefined
    },
    /** Writes a file, which is on disk when this resolves. One that is there is replaced. Rejects with the error of the system. */
    async write(picture: PictureName, bytes: Uint8Array): Promise<void> {
      const path = pathOf(picture)
      place(path)
      const partial = partialOf(path)
      try {
        await writeFile(partial, bytes, { flag: 'wx', mode: FILE_MODE, flush: true })
        giveName(partial, path)
      } catch (error) {
        rmSync(partial, { force: true })
        throw error
      }
    },
    /** Takes a file of another directory: by a second name for the same bytes where both are on one disk, else by a copy. */
    take(picture: PictureName, from: string): void {
      const path = pathOf(picture)
      place(path)
      const partial = partialOf(path)
      try {
        linkOrCopy(from, partial)
        giveName(partial, path)
      } finally {
        // Also where both were names of one file: rename(2) then leaves both.
        rmSync(partial, { force: true })
      }
    },
    pathOf,
    remove: (picture: PictureName): void => rmSync(pathOf(picture), { force: true }),
    /** All files, in parts: the names of pictures, and the paths of others. */
    *all(): Generator<{ readonly pictures: readonly PictureName[]; readonly others: readonly string[] }> {
      for (const part of namesIn(directory)) {
        const inner = join(directory, part)
        if (!FAN_OUT.test(part)) {
          yield { pictures: [], others: [inner] }
          continue
        }
        const names = namesIn(inner)
        const pictures = names.flatMap((name) => parseFileName(name) ?? [])
        const others = names.filter((name) => parseFileName(name)?.hash.startsWith(part) !== true)
        yield { pictures: pictures.filter(({ hash }) => hash.startsWith(part)), others: others.map((name) => join(inner, name)) }
      }
    },
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, FILE_MODE)
    const descriptor = openSync(to, 'r+')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** None where there is no such directory. */
function namesIn(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(directory) : []
}

/**
 * Throws DataDirError for a data directory with pictures and without a database. A new one would name none of them, and
 * housekeeping removes pictures that the database does not name.
 */
export function requireDatabase(path: string): void {
  if (hasDatabase(path)) return
  const media = join(resolve(path), MEDIA_DIRECTORY)
  if (!pictureFiles(media).all().some(({ pictures }) => pictures.length > 0)) return
  const remedy = `put its database back, with "dateline restore" from a backup, or move "${media}" away to begin a new site`
  throw new DataDirError(`Cannot use the data directory "${resolve(path)}": it has pictures and no database: ${remedy}`)
}

/** A file that a process was making when it was killed. */
export function isLeftOver(path: string): boolean {
  return /\.partial-\d+-[0-9a-f]+$/.test(path)
}
