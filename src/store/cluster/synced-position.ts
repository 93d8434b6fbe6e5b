/**
 * The position that a power cut cannot set back. Commits of a node are not synced, as the log is the durable copy
 * (`synchronous=NORMAL`: sqlite.org/pragma.html#pragma_synchronous): so the log may be trimmed only behind this one.
 *
 * What is committed is in the WAL, or was moved to the database by a checkpoint, which syncs both: once the WAL is synced,
 * all of it is durable. SQLite holds no locks on the WAL file, so closing a descriptor of it gives none up.
 */
import { open } from 'node:fs/promises'

/** `file` is the database; `position` is that of its last commit. */
export function createDurablePosition(file: string, position: () => number) {
  let durable = 0
  return {
    position: (): number => durable,
    /** Makes what is committed now durable. Rejects with the error of the file system. */
    async sync(): Promise<void> {
      const reached = position()
      if (reached === durable) return
      await syncFile(`${file}-wal`)
      durable = reached
    },
  }
}

async function syncFile(path: string): Promise<void> {
  try {
    await using file = await open(path, 'r+')
    await file.datasync()
  } catch (error) {
    // Closing the database moves all of the WAL and removes it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
