/** The program of the thread for maintenance: moves a long WAL, or writes a backup. */
import { systemClock } from '../../base/clock.ts'
import { runTasks } from '../../base/thread.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { writeBackup, type Backup } from '../backup/backup.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import { moveLongWal, type LongMove } from './move-wal.ts'
import type { WalPart } from './wal-file.ts'

export type MaintenanceTask =
  | { readonly kind: 'move'; readonly move: LongMove }
  | { readonly kind: 'backup'; readonly database: string; readonly target: string }

export type MaintenanceResult =
  | { readonly kind: 'moved'; readonly blanked: WalPart }
  | { readonly kind: 'written'; readonly backup: Backup }
  | { readonly kind: 'failed'; readonly message: string }

runTasks(async (task: MaintenanceTask): Promise<MaintenanceResult> => {
  try {
    if (task.kind === 'move') return { kind: 'moved', blanked: moveLongWal(task.move) }
    const options = { makesDirectory: true, models: STORED_MODELS, now: systemClock }
    return { kind: 'written', backup: await writeBackup({ ...task, ...options }) }
  } catch (error) {
    if (error instanceof DatabaseFileError) return { kind: 'failed', message: error.message }
    throw error
  }
})
