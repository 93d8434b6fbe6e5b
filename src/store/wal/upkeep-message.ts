/** What is said between the service and a thread for upkeep. */
import type { Backup } from '../backup/backup.ts'
import type { LongMove } from './move-wal.ts'
import type { WalPart } from './wal-file.ts'

export type UpkeepTask =
  | { readonly kind: 'move'; readonly move: LongMove }
  | { readonly kind: 'backup'; readonly database: string; readonly target: string }

export type UpkeepAnswer =
  | { readonly kind: 'moved'; readonly blanked: WalPart }
  | { readonly kind: 'written'; readonly backup: Backup }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: Error }
