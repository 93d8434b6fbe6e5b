/**
 * A directory that receives mails as files, for tests, for trying things out, and for programs that take mail from
 * there. A reader never sees half a mail: it is written under a name that starts with a dot, synced, and renamed. Names
 * sort by time and hold nothing that a user sent.
 */
import { access, constants, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { makeDirectory } from '../../base/directory.ts'
import { systemReason } from '../../base/system-error.ts'
import { DeliveryError } from './delivery-error.ts'
import { cannotUse } from '../settings/setting-file.ts'

/** Mails hold sign-in codes: for the owner's eyes alone. */
const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600

export interface MailFolder {
  /** Stores one message; gives the name of the file. On disk when it resolves. Rejects with a DeliveryError. */
  write(message: string): Promise<string>
}

export interface MailFolderTools {
  readonly now: Clock
  /** Gives unpredictable letters, so that two processes never meet in one name. */
  readonly letters: () => string
}

/** Makes the directory where it is missing. Rejects with a MailSettingError. */
export async function openMailFolder(directory: string, { now, letters }: MailFolderTools): Promise<MailFolder> {
  const folder = resolve(directory)
  try {
    makeDirectory(folder, DIRECTORY_MODE)
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const problem = `expected a directory that can be made and written to, found none (${systemReason(error)})`
    throw cannotUse({ flag: '--mail', path: `file:${folder}` }, problem)
  }
  let lastMs = 0
  let sameMs = 0
  return {
    async write(message) {
      // Order holds within a millisecond and when the clock goes back.
      const ms = Math.max(now(), lastMs)
      sameMs = ms === lastMs ? sameMs + 1 : 0
      lastMs = ms
      // 2025-10-20T12-34-56.789Z-0000-abcdefgh.eml; a colon is no part of a file name everywhere.
      const order = `${isoDate(ms).replaceAll(':', '-')}-${String(sameMs).padStart(4, '0')}`
      const name = `${order}-${letters()}.eml`
      try {
        await writeWhole(folder, name, message)
      } catch (cause) {
        // A full disk or a right taken away: nothing is wrong with the mail.
        const problem = `Cannot write mail to ${JSON.stringify(folder)}: ${systemReason(cause)}`
        throw new DeliveryError(problem, { stage: 'file', temporary: true, cause })
      }
      return name
    },
  }
}

async function writeWhole(folder: string, name: string, message: string): Promise<void> {
  const unfinished = join(folder, `.${name}.tmp`)
  try {
    const file = await open(unfinished, 'wx', FILE_MODE)
    try {
      await file.writeFile(message)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, join(folder, name))
    await syncDirectory(folder)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Makes the new name durable too; fsync(2) of the file alone does not promise that. */
async function syncDirectory(folder: string): Promise<void> {
  // Windows lets nobody open a directory.
  if (process.platform === 'win32') return
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
