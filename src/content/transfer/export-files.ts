/**
 * The documents of a list as a file: a thread writes what the database has at one moment, in the order of the list, and the
 * response sends the file. So a slow client holds no transaction, and the memory does not grow with the documents.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MINUTE_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import { openRegularFile, type OpenFile } from '../../base/regular-file.ts'
import { startTaskThread } from '../../base/thread.ts'
import type { Model } from '../../models/schema.ts'
import { TOO_MANY_CHANGED } from '../../store/history/changes-of-actors.ts'
import { writeQuery } from '../../store/query/threads/query-message.ts'
import type { ExportResult, ExportTask } from './export-worker.ts'
import type { FindQuery } from '../../store/query/find-query.ts'

const MS_MAX = 2 * MINUTE_MS
const BYTES_MAX = 1024 ** 3
/** An export leaves so much of the disk free. */
const LEFT_FREE_BYTES = 512 * 1024 ** 2
const HEAP_MB_MAX = 256
const NAME_BYTES = 6
const COMMAND = 'narrow the filter, or run "dateline export" where the service runs'

export type ListExports = ReturnType<typeof createListExports>

/** The files stand beside the database, which only its owner can read, and have no name any more when they are sent. */
export function createListExports(database: string) {
  const prefix = `${basename(database)}.export-`
  // Of a process that was killed meanwhile.
  for (const name of readdirSync(dirname(database))) if (name.startsWith(prefix)) rmSync(join(dirname(database), name), { force: true })
  return {
    /**
     * Throws conflict where the export is too large, takes too long or is of too many changes, and networkError where it
     * cannot be written.
     */
    async write(model: Model, query: FindQuery, { format, includes, changers }: Pick<ExportTask, 'format' | 'includes' | 'changers'>): Promise<OpenFile> {
      const { bavail, bsize } = await statfs(dirname(database))
      const bytesMax = Math.min(BYTES_MAX, bavail * bsize - LEFT_FREE_BYTES)
      if (bytesMax <= 0) throw fail('networkError', 'Cannot export: too little of the disk is free: make room')
      const program = new URL('./export-worker.ts', import.meta.url)
      const thread = startTaskThread<ExportTask, ExportResult>(program, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } })
      const to = join(dirname(database), prefix + randomBytes(NAME_BYTES).toString('hex'))
      try {
        const result = await thread.run({ database, query: writeQuery(model.name, query), changers, includes, format, to, msMax: MS_MAX, bytesMax, leftFreeBytes: LEFT_FREE_BYTES })
        if (result.kind === 'tooLarge') throw fail('conflict', `Cannot export this list: it has more than ${bytesMax} bytes: ${COMMAND}`)
        if (result.kind === 'tooLong') throw fail('conflict', `Cannot export this list within ${MS_MAX / 1000} s: ${COMMAND}`)
        if (result.kind === 'tooManyChanged') throw fail('conflict', `Cannot export this list: ${TOO_MANY_CHANGED}`)
        if (result.kind === 'failed') throw fail('networkError', `Cannot export this list: ${result.message}`)
        const file = await openRegularFile(to)
        if (file === undefined) throw new Error('The export is gone')
        return file
      } finally {
        await thread.end()
        await rm(to, { force: true })
      }
    },
  }
}
