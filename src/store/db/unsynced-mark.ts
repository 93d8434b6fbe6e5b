/**
 * The mark of a file that has transactions which were committed and not synced (sqlite.org/pragma.html#pragma_synchronous). A power
 * cut may take them, while those who read meanwhile have them: a follower of the change log has its numbers, an off-site place its
 * commits. So the first of them comes behind a mark that is synced, with the start of the machine. Where the owner of the file finds
 * the mark of another start, some may be gone (open-store.ts).
 */
import type { MachineStart } from '../../base/machine-start.ts'
import { asStoreFailure, type Database } from './database.ts'

export interface UnsyncedMark {
  /** Whether a transaction need not be synced, since the file has the mark of this start. */
  isSet(): boolean
  /** To be called in a transaction that is synced. The mark of an earlier start stays, for the owner to find. */
  set(): void
  /** To be called at the end of a store. Where it owns the file, all is synced, and the mark goes. */
  end(): void
}

export function unsyncedMark(database: Database, start: MachineStart, isOwner: boolean): UnsyncedMark {
  return {
    isSet: () => start.is(readUnsyncedMark(database) ?? ''),
    set: () => void database.run('INSERT INTO unsynced_since VALUES (1, ?) ON CONFLICT DO NOTHING', start.name),
    end() {
      if (!isOwner) return
      try {
        if (readUnsyncedMark(database) !== undefined) clearUnsyncedMark(database)
      } catch (error) {
        // On a disk that fails, the mark stays: followers start over once without need.
        if (asStoreFailure(error) === error) throw error
      }
    },
  }
}

/** The start of the machine that the mark names; undefined where all is synced. */
export function readUnsyncedMark(database: Database): string | undefined {
  const name = database.get('SELECT machine_start FROM unsynced_since')?.['machine_start']
  return name === undefined ? undefined : String(name)
}

/** A transaction that is synced, and takes along all that came before it (sqlite.org/wal.html). The mark goes with it. */
export function clearUnsyncedMark(database: Database): void {
  database.run('DELETE FROM unsynced_since')
}

/** The same, and the mark stays: others may write. */
export function renewUnsyncedMark(database: Database): void {
  database.run('UPDATE unsynced_since SET machine_start = machine_start')
}
