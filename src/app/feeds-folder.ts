/** The setting `feedsFolder`, checked before the service starts: what is in the folder will be moved. */
import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { nearestDirectory } from '../base/directory.ts'
import { prepareInbox } from '../base/inbox.ts'
import { cannotUse } from '../base/setting-file.ts'
import { systemReason } from '../base/system-error.ts'

/** Prepares the folder. Rejects with a SettingError where it cannot be used, or has the files of the service. */
export async function requireFeedsFolder(path: string | undefined, dataDir: string): Promise<void> {
  if (path === undefined) return
  const setting = { flag: '--feeds-folder', path }
  if (isWithin(realPath(path), realPath(dataDir))) throw cannotUse(setting, 'it is the data directory of the service, or in it: use another folder')
  try {
    await prepareInbox(resolve(path))
  } catch (error) {
    throw cannotUse(setting, systemReason(error))
  }
}

/** Of a path that may not be there yet. */
function realPath(path: string): string {
  const whole = resolve(path)
  const there = nearestDirectory(whole)
  return join(realpathSync(there), relative(there, whole))
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}${sep}`)
}
