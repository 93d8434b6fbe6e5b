/** Pictures in a directory of an operator: those that an export names go there, and an import takes them from there. */
import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createPictureLimit } from '../../app/picture-limit.ts'
import type { Services } from '../../app/services.ts'
import { systemClock } from '../../base/clock.ts'
import { counted } from '../../base/counted.ts'
import { makeDirectory } from '../../base/directory.ts'
import { describe, Failure } from '../../base/failure.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Config } from '../../config/settings.ts'
import { createPictures, type Pictures } from '../../content/kept-pictures.ts'
import { PICTURE_BYTES_MAX } from '../../media/read-picture.ts'
import { OPERATOR } from '../../store/actor.ts'
import type { Database } from '../../store/db/database.ts'
import { fileNameOf, MEDIA_DIRECTORY, pictureFiles } from '../../store/media/picture-files.ts'
import { pictureFile } from '../../store/media/picture-table.ts'
import type { Option, Terminal } from '../command.ts'
import { TransferFileError } from '../documents/transfer-file.ts'
import { singleLine } from '../print-table.ts'

export const MEDIA_FLAG: Option = { flag: '--media', value: 'DIR', meaning: 'directory of the pictures that the documents name' }

const DIRECTORY_MODE = 0o700
const NAMED = /\/media\/([0-9a-f]{64})\./g

/** Adds the hashes that the text of a document names. */
export function collectHashes(text: string, hashes: Set<string>): void {
  if (text.includes('/media/')) for (const [, hash = ''] of text.matchAll(NAMED)) hashes.add(hash)
}

/** Copies pictures into a directory. Those that are there stay, as their names are those of their bytes. Throws TransferFileError. */
export function exportPictures(database: Database, hashes: ReadonlySet<string>, { to, dataDir, terminal }: { readonly to: string; readonly dataDir: string; readonly terminal: Terminal }): void {
  const files = pictureFiles(join(resolve(dataDir), MEDIA_DIRECTORY))
  let [copied, missing] = [0, 0]
  try {
    makeDirectory(resolve(to), DIRECTORY_MODE)
    for (const hash of hashes) {
      const picture = pictureFile(database, hash)
      // An address of another site, whose pictures are not here.
      if (picture === undefined) continue
      if (files.read(picture) === undefined) missing++
      else if (!existsSync(join(to, fileNameOf(picture)))) {
        copyFileSync(files.pathOf(picture), join(to, fileNameOf(picture)))
        copied++
      }
    }
  } catch (error) {
    throw new TransferFileError(`Cannot export pictures to ${describe(to)}: ${systemReason(error)}`, { cause: error })
  }
  const lost = missing === 0 ? '' : `; ${counted(missing, 'picture is', 'pictures are')} missing: see dateline media check`
  terminal.stderr.write(`Wrote ${counted(copied, 'picture')} to ${to}${lost}\n`)
}

/** What keeps pictures in the data directory of a command. */
export function picturesOf(store: Services['store'], { dataDir, mediaMax }: Config): Pictures {
  const directory = resolve(dataDir)
  const files = pictureFiles(join(directory, MEDIA_DIRECTORY))
  return createPictures({ store, files, limit: createPictureLimit(directory, () => mediaMax), now: systemClock })
}

/** Adds the pictures of a directory. Other files are reported and skipped. Throws TransferFileError where there is no such directory. */
export async function importPictures({ store }: Pick<Services, 'store'>, from: string, config: Config, { stderr }: Pick<Terminal, 'stderr'>): Promise<void> {
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() !== true) throw new TransferFileError(`Cannot import pictures from ${describe(from)}: there is no such directory`)
  const pictures = picturesOf(store, config)
  let [added, known] = [0, 0]
  for (const name of readdirSync(from)) {
    try {
      const { isNew } = await pictures.add(readRegularFile(join(from, name), PICTURE_BYTES_MAX), OPERATOR)
      if (isNew) added++
      else known++
    } catch (error) {
      if (error instanceof Failure && error.code !== 'invalidInput') throw new TransferFileError(error.message, { cause: error })
      stderr.write(`Skipped ${singleLine(name)}: ${singleLine(systemReason(error))}\n`)
    }
  }
  stderr.write(`Took ${counted(added, 'picture')} from ${from}, and knew ${known} already\n`)
}
