/** Backups for administrators: which there are, another one now, and one of them to keep elsewhere. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { OpenFile } from '../base/regular-file.ts'
import type { Session } from '../auth/sessions.ts'
import { requireAdministrator } from '../content/access.ts'
import { created, ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import type { Backup, Backups } from '../models/replies.ts'
import { backupFiles, openBackup, type BackupPlace } from '../store/backup/backup-files.ts'
import { backupMade, type BackupRecord, type BackupRuns } from '../store/backup/backup-runs.ts'
import { DatabaseFileError } from '../store/backup/database-copy.ts'
import type { Writable } from '../store/store.ts'
import { downloadSlots } from './download-slots.ts'

/** https://www.iana.org/assignments/media-types/application/vnd.sqlite3 */
const SQLITE_TYPE = 'application/vnd.sqlite3'

export interface BackupParts extends BackupPlace {
  readonly runs: BackupRuns
  readonly store: Writable
}

export interface BackupRoutes {
  list(): Promise<HttpResponse>
  /** Answers when the backup is made and checked, which takes a while on a large site. */
  make(exchange: Exchange, session: Session): Promise<HttpResponse>
  /** The file, of which only a few leave at the same time: see download-slots.ts. */
  download(exchange: Exchange, session: Session): Promise<HttpResponse>
}

export function backupRoutes({ runs, store, ...place }: BackupParts): BackupRoutes {
  const slots = downloadSlots()
  return {
    async list() {
      const backups: Backups = { items: await orInWords(backupFiles(place)) }
      return ok(JSON.stringify(backups))
    },
    async make(_exchange, { acting }) {
      const made = await orInWords(runs.make('manual'))
      await keepIf(made, store.as(acting(requireAdministrator)).note(backupMade(made)))
      const { file, bytes, at } = made
      const backup: Backup = { name: basename(file), bytes, createdAt: isoDate(at - (at % 1000)) }
      return created(JSON.stringify(backup))
    },
    async download({ params }, { caller, acting }) {
      const name = params['name'] ?? ''
      const release = slots.take(caller.id)
      let file: OpenFile | undefined
      try {
        file = await orInWords(openBackup(place, name))
      } finally {
        if (file === undefined) release()
      }
      if (file === undefined) throw fail('notFound', `No backup has the name ${describe(name)}`)
      try {
        const details = [{ name: 'name', value: name }]
        await store.as(acting(requireAdministrator)).note({ event: 'backup.downloaded', details })
      } catch (error) {
        await file.handle.close()
        release()
        throw error
      }
      const headers = { 'Content-Disposition': `attachment; filename="${name}"` }
      return { kind: 'file', status: 200, contentType: SQLITE_TYPE, file, headers, onClosed: release }
    },
  }
}

/** A backup takes a while. Without the record, as where the caller is no administrator any more, there is no backup. */
async function keepIf({ file }: BackupRecord, recorded: Promise<void>): Promise<void> {
  try {
    await recorded
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** A full disk, a file where the directory should be and the like are no fault of ours, and the sentence says which. */
async function orInWords<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof DatabaseFileError) throw fail('networkError', error.message, { cause: error })
    throw error
  }
}
