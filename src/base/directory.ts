/**
 * Making a directory with its parents, one at a time.
 *
 * Node's own recursive mkdir goes round in circles for ever where a file system takes no directories, as below /proc.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes what is missing of an absolute path, with the given mode. Throws the system's error. */
export function makeDirectory(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere || statSync(path).isDirectory() !== true) throw error
  }
}
