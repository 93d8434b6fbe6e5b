/**
 * Making directories, and making sure of the names in them.
 *
 * Parents are made one at a time: Node's own recursive mkdir goes round in circles for ever where a file system takes
 * no directories, as below /proc.
 */
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The path itself where it is there, or the nearest above it that is. */
export function nearestDirectory(path: string): string {
  return existsSync(path) ? path : nearestDirectory(dirname(path))
}

/**
 * Makes what is missing of an absolute path, with the given mode. Returns the directories that it made, parents first.
 * Throws the system's error.
 */
export function makeDirectory(path: string, mode: number): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return []
  const parent = dirname(path)
  const made = parent === path ? [] : makeDirectory(parent, mode)
  try {
    mkdirSync(path, { mode })
    return [...made, path]
  } catch (error) {
    // Another process may have been faster.
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere || statSync(path).isDirectory() !== true) throw error
    return made
  }
}

/**
 * Returns when the names in a directory are on disk: a file that was renamed is found under its new name after a power
 * cut. Windows opens no directories and keeps names by itself.
 */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Gives a whole file its final name, which nobody may have taken: a link fails then with EEXIST, and the file is gone;
 * a rename would replace what is there. Some file systems have no links.
 */
export function giveName(partial: string, file: string): void {
  try {
    linkSync(partial, file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      rmSync(partial, { force: true })
      throw error
    }
    renameSync(partial, file)
    return
  }
  rmSync(partial)
}
