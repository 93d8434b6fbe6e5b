/** `dateline media list` and `dateline media check`: the pictures of a site, and whether their files are whole. Both change nothing. */
import { join, resolve } from 'node:path'
import { counted, sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { readConfig } from '../../config/read-config.ts'
import { PICTURE_FORMATS } from '../../media/picture-format.ts'
import { MEDIA_DIRECTORY, pictureFiles } from '../../store/media/picture-files.ts'
import { allPictures, listPictures, pictureTotals, type CountedPicture, type PictureQuery } from '../../store/media/picture-table.ts'
import type { Database } from '../../store/db/database.ts'
import { EXIT, JSON_FLAG, JSON_LINES_FLAG, type Command } from '../command.ts'
import { openForReading } from '../documents/open-for-reading.ts'
import { printTable } from '../print-table.ts'
import { LIMIT_FLAG, readLimit } from '../users/operator-list.ts'

export const mediaListCommand: Command = {
  name: 'media list',
  summary: 'list the pictures of the site, those first that came last; also while the service runs',
  options: [{ flag: '--unused', meaning: 'only pictures that no document names' }, LIMIT_FLAG, JSON_LINES_FLAG],
  settings: ['dataDir'],
  examples: ['dateline media list', 'dateline media list --unused --json'],
  async run({ options, settings }, terminal) {
    const limit = readLimit(options.get('--limit'))
    const database = openForReading(readConfig(settings, terminal.environment))
    try {
      const found = pictures(database, limit, options.has('--unused'))
      if (options.has('--json')) for (const picture of found) terminal.stdout.write(`${JSON.stringify({ ...picture, createdAt: isoDate(picture.createdAt) })}\n`)
      else {
        terminal.stdout.write(printTable(['ADDED', 'TYPE', 'SIZE', 'BYTES', 'USES', 'HASH'], found.map(rowOf)))
        const { pictures: all, bytes } = pictureTotals(database)
        terminal.stderr.write(`${counted(all, 'picture')}, ${sizeText(bytes)}\n`)
      }
      return EXIT.ok
    } finally {
      database.close()
    }
  },
}

function pictures(database: Database, limit: number, unused: boolean): readonly CountedPicture[] {
  const found: CountedPicture[] = []
  for (let after: PictureQuery['after'], isLast = false; !isLast && found.length < limit; ) {
    const page = listPictures(database, { limit: Math.min(1_000, limit - found.length), unused, after })
    found.push(...page.items)
    after = page.next
    isLast = after === undefined
  }
  return found
}

function rowOf({ createdAt, format, width, height, bytes, uses, hash }: CountedPicture): readonly string[] {
  return [isoDate(createdAt), PICTURE_FORMATS[format].type, `${width} x ${height}`, String(bytes), String(uses), hash]
}

export const mediaCheckCommand: Command = {
  name: 'media check',
  summary: 'read the files of all pictures, and name those that are missing, damaged or unknown; also while the service runs',
  options: [JSON_FLAG],
  settings: ['dataDir'],
  examples: ['dateline media check'],
  async run({ options, settings }, terminal) {
    const config = readConfig(settings, terminal.environment)
    const directory = join(resolve(config.dataDir), MEDIA_DIRECTORY)
    const database = openForReading(config)
    try {
      const files = pictureFiles(directory)
      const [missing, damaged, known]: [string[], string[], Set<string>] = [[], [], new Set()]
      for (const picture of allPictures(database)) {
        known.add(picture.hash)
        if (!files.has(picture)) missing.push(picture.hash)
        else if (files.read(picture)?.length !== picture.bytes) damaged.push(picture.hash)
      }
      const unknown = [...files.all()].flatMap((part) => [...part.pictures.filter(({ hash }) => !known.has(hash)).map(files.pathOf), ...part.others])
      const isWhole = missing.length + damaged.length === 0
      if (options.has('--json')) terminal.stdout.write(`${JSON.stringify({ ok: isWhole, pictures: known.size, missing, damaged, unknown })}\n`)
      else {
        for (const hash of missing) terminal.stdout.write(`missing  ${hash}\n`)
        for (const hash of damaged) terminal.stdout.write(`damaged  ${hash}\n`)
        for (const path of unknown) terminal.stdout.write(`unknown  ${path}\n`)
        const advice = isWhole ? '' : `: copy these files into ${directory} from a backup, which has them in its directory "media"`
        terminal.stdout.write(`${counted(known.size, 'picture')}, ${missing.length} missing, ${damaged.length} damaged${advice}\n`)
      }
      return isWhole ? EXIT.ok : EXIT.failed
    } finally {
      database.close()
    }
  },
}
