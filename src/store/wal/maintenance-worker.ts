/** The program of the thread for maintenance: moves a long WAL, writes a backup, or checks one that is to be restored. */
import { systemClock } from '../../base/clock.ts'
import { runTasks } from '../../base/thread.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { VERSION } from '../../base/version.ts'
import { writeBackup, type Backup } from '../backup/backup.ts'
import { checkBackup, type BackupCheckRequest, type CheckedBackup } from '../backup/backup-check.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import { SchemaError } from '../schema/migrate.ts'
import { moveLongWal, type LongMove } from './move-wal.ts'
import type { WalPart } from './wal-file.ts'

export type MaintenanceTask =
  | { readonly kind: 'move'; readonly move: LongMove }
  | { readonly kind: 'backup'; readonly database: string; readonly target: string }
  | ({ readonly kind: 'check' } & Pick<BackupCheckRequest, 'dir' | 'from' | 'to' | 'claim' | 'time'>)

export type MaintenanceResult =
  | { readonly kind: 'moved'; readonly blanked: WalPart }
  | { readonly kind: 'written'; readonly backup: Backup }
  | { readonly kind: 'checked'; readonly checked: CheckedBackup }
  | { readonly kind: 'failed'; readonly message: string }

runTasks(async (task: MaintenanceTask): Promise<MaintenanceResult> => {
  try {
    if (task.kind === 'move') return { kind: 'moved', blanked: moveLongWal(task.move) }
    const options = { models: STORED_MODELS, now: systemClock }
    if (task.kind === 'check') return { kind: 'checked', checked: await checkBackup({ ...task, ...options, version: VERSION }) }
    return { kind: 'written', backup: await writeBackup({ ...task, ...options, makesDirectory: true }) }
  } catch (error) {
    if (error instanceof DatabaseFileError || error instanceof SchemaError) return { kind: 'failed', message: error.message }
    throw error
  }
})
