/** The program of the thread that moves a long WAL. */
import { runTasks } from '../../../base/thread.ts'
import { moveLongWal, type LongMove } from './move-wal.ts'
import type { WalPart } from './wal-file.ts'

/** Returns the part that is blanked then. */
runTasks((move: LongMove): WalPart => moveLongWal(move))
