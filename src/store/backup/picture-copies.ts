/**
 * The pictures of a backup: they lie in `media` beside it, each once for all backups of the directory. On one disk, a file there
 * is a second name for the same bytes and takes no room; elsewhere, it is a copy.
 */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DAY_MS } from '../../base/duration.ts'
import { lookInto, openDatabase, type Database } from '../db/database.ts'
import { MEDIA_DIRECTORY, pictureFiles, type PictureFiles } from '../media/picture-files.ts'
import { allPictures } from '../media/picture-table.ts'

/** What became of the pictures of a database. */
export interface CopiedPictures {
  readonly count: number
  /** How many have no file, or a damaged one. */
  readonly missing: number
}

export interface PictureCopy {
  /** A database file. */
  readonly database: string
  /** Where the files are looked for, in this order. */
  readonly from: readonly PictureFiles[]
  /** Where they are to be; undefined only counts. */
  readonly to: PictureFiles | undefined
  /** Whether each file is read, as its bytes may be others than those of its name. */
  readonly isChecked: boolean
}

/** The files of pictures beside a database or a backup. */
export function picturesBeside(file: string): PictureFiles {
  return pictureFiles(join(dirname(file), MEDIA_DIRECTORY))
}

/** Has the files of all pictures of a database in a directory. Throws the error of the system. */
export function copyPictures({ database: file, from, to, isChecked }: PictureCopy): CopiedPictures {
  return lookInto(file, (database) => {
    if (!hasPictures(database)) return { count: 0, missing: 0 }
    let [count, missing] = [0, 0]
    for (const picture of allPictures(database)) {
      count++
      if (to?.sizeOf(picture) === picture.bytes) continue
      const source = from.find((files) => files.sizeOf(picture) === picture.bytes && (!isChecked || files.read(picture) !== undefined))
      if (source === undefined) missing++
      else to?.take(picture, source.pathOf(picture))
    }
    return { count, missing }
  })
}

/** Removes files beside backups that none of these databases names. A file of the last day may be one of a backup that is being made. */
export function removeUnnamedPictures(files: PictureFiles, databases: readonly string[], now: number): number {
  const opened: Database[] = []
  try {
    for (const file of databases) opened.push(openDatabase(file, { readOnly: true }))
    let removed = 0
    for (const { pictures } of files.all()) {
      for (const picture of pictures) {
        const isNamed = opened.some((database) => hasPictures(database) && database.get('SELECT 1 FROM picture WHERE hash = ?', picture.hash) !== undefined)
        const changedAt = statSync(files.pathOf(picture), { throwIfNoEntry: false })?.ctimeMs ?? now
        if (isNamed || now - changedAt < DAY_MS) continue
        files.remove(picture)
        removed++
      }
    }
    return removed
  } finally {
    for (const database of opened) database.close()
  }
}

/** False for a database of a schema without them. */
export function hasPictures(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE name = 'picture'") !== undefined
}
