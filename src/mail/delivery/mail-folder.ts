/**
 * A directory that receives mails as files. A reader never sees half a mail: it is written under a name that starts
 * with a dot, synced, and renamed. Names sort by time and contain no user input.
 */
import { access, constants, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { makeDirectory, syncDirectory } from '../../base/directory.ts'
import { systemReason } from '../../base/system-error.ts'
import { cannotUse } from '../../base/setting-file.ts'
import { DeliveryError } from './delivery-error.ts'

/** Mails contain sign-in codes: only the owner may read them. */
const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600

/** Makes the directory. `letters` are unpredictable, so that names are unique. Rejects with a SettingError. */
export async function openMailFolder(directory: string, now: Clock, letters: () => string) {
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
    /** Stores one message; resolves with the name of the file once it is on disk. Rejects with a DeliveryError. */
    async write(message: string): Promise<string> {
      // The order holds within a millisecond and when the clock goes back.
      const ms = Math.max(now(), lastMs)
      sameMs = ms === lastMs ? sameMs + 1 : 0
      lastMs = ms
      // 2025-10-20T12-34-56.789Z-0000-abcdefgh.eml; some file systems forbid colons.
      const order = `${isoDate(ms).replaceAll(':', '-')}-${String(sameMs).padStart(4, '0')}`
      const name = `${order}-${letters()}.eml`
      try {
        await writeAtomically(folder, name, message)
      } catch (cause) {
        // A full disk or a missing permission: the mail is not at fault.
        const text = `Cannot write mail to ${JSON.stringify(folder)}: ${systemReason(cause)}`
        throw new DeliveryError(text, { stage: 'file', temporary: true, cause })
      }
      return name
    },
  }
}

async function writeAtomically(folder: string, name: string, message: string): Promise<void> {
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
    syncDirectory(folder)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
