/** The program of the thread of backups: writes one, or checks one that is to be restored. */
import { systemClock } from '../../base/clock.ts'
import { runTasks } from '../../base/thread.ts'
import { VERSION } from '../../base/version.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { SchemaError } from '../schema/migrate.ts'
import { checkBackup, type BackupCheckRequest, type CheckedBackup } from './backup-check.ts'
import { writeBackup, type Backup } from './backup.ts'
import { prunePictures } from './restore.ts'
import { DatabaseFileError } from './database-copy.ts'

export type BackupTask =
  | { readonly kind: 'backup'; readonly database: string; readonly target: string; readonly keepsPictures?: boolean }
  /** Removes pictures that no backup names any more. */
  | { readonly kind: 'prune'; readonly database: string; readonly directory: string }
  | ({ readonly kind: 'check' } & Pick<BackupCheckRequest, 'dir' | 'from' | 'to' | 'claim' | 'time' | 'keepsPictures' | 'keepsCredentials'>)

export type BackupResult =
  | { readonly kind: 'written'; readonly backup: Backup }
  | { readonly kind: 'checked'; readonly checked: CheckedBackup }
  | { readonly kind: 'pruned'; readonly files: number }
  | { readonly kind: 'failed'; readonly message: string }

runTasks(async (task: BackupTask): Promise<BackupResult> => {
  const options = { models: STORED_MODELS, now: systemClock }
  try {
    if (task.kind === 'check') return { kind: 'checked', checked: await checkBackup({ ...task, ...options, version: VERSION }) }
    if (task.kind === 'prune') return { kind: 'pruned', files: prunePictures(task, systemClock()) }
    return { kind: 'written', backup: await writeBackup({ ...task, ...options, makesDirectory: true }) }
  } catch (error) {
    if (error instanceof DatabaseFileError || error instanceof SchemaError) return { kind: 'failed', message: error.message }
    throw error
  }
})
