/**
 * Files in a data directory that belong to another user than the directory, as those that commands of root left, and the
 * remedy. Links and templates may belong to another user: the service only reads them.
 */
import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { BACKUPS_DIRECTORY } from '../../store/backup/backup.ts'

const STRANGERS_SHOWN_MAX = 5

/** Undefined where there are none, and where the directory is missing. */
export function strangersIn(directory: string, entries: readonly Dirent[]): string | undefined {
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined) return undefined
  const backups = join(directory, BACKUPS_DIRECTORY)
  const hasBackups = entries.some((entry) => entry.isDirectory() && entry.name === BACKUPS_DIRECTORY)
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name))
  const strangers = (found: readonly string[]) =>
    found.flatMap((path) => {
      const uid = lstatSync(path, { throwIfNoEntry: false })?.uid ?? owner.uid
      return uid === owner.uid ? [] : [`${path} (${uid === 0 ? 'root' : `user ${uid}`})`]
    })
  const above = strangers(hasBackups ? [...files, backups] : files)
  // A directory of another user may be closed.
  const all = above.length > 0 || !hasBackups ? above : strangers(readdirSync(backups).map((name) => join(backups, name)))
  if (all.length === 0) return undefined
  const more = all.length > STRANGERS_SHOWN_MAX ? ` and ${all.length - STRANGERS_SHOWN_MAX} more` : ''
  const named = all.slice(0, STRANGERS_SHOWN_MAX).join(', ')
  return `not of ${owner.uid === 0 ? 'root' : `user ${owner.uid}`}, as the directory is: ${named}${more}: run chown -R ${owner.uid}:${owner.gid} "${directory}"`
}
