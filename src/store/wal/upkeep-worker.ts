/** A thread that does one long piece of upkeep and ends: moving a long log, or writing a backup. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { writeBackup } from '../backup/backup.ts'
import { DatabaseFileError } from '../backup/database-copy.ts'
import { moveLongWal } from './move-wal.ts'
import type { UpkeepAnswer, UpkeepTask } from './upkeep-message.ts'

// The executable holds it as a CommonJS script, which cannot await at its top.
void answer(workerData as UpkeepTask).then((done) => parentPort?.postMessage(done))

async function answer(task: UpkeepTask): Promise<UpkeepAnswer> {
  try {
    if (task.kind === 'move') return { kind: 'moved', blanked: moveLongWal(task.move) }
    const { database, target } = task
    return {
      kind: 'written',
      backup: await writeBackup({ database, target, makesDirectory: true, models: STORED_MODELS, now: systemClock }),
    }
  } catch (error) {
    if (error instanceof DatabaseFileError) return { kind: 'refused', message: error.message }
    return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
