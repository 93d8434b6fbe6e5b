/**
 * Making directories, and syncing the names in them. Parents are made one at a time: Node's recursive mkdir loops
 * forever where a file system takes no directories, as below /proc.
 */
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './system-error.ts'

/** The path itself where it exists, or the nearest directory above it that does. */
export function nearestDirectory(path: string): string {
  return existsSync(path) ? path : nearestDirectory(dirname(path))
}

/** Makes a directory and its missing parents. Returns those that it made, parents first. Throws the system's error. */
export function makeDirectory(path: string, mode: number): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return []
  const parent = dirname(path)
  const made = parent === path ? [] : makeDirectory(parent, mode)
  try {
    mkdirSync(path, { mode })
    return [...made, path]
  } catch (error) {
    // Another process may have been faster.
    const isThere = errorCode(error) === 'EEXIST'
    if (!isThere || statSync(path).isDirectory() !== true) throw error
    return made
  }
}

/** Returns once the names in a directory are on disk. Windows opens no directories and keeps names by itself. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces the content of a file durably: whenever the machine stops, the old one or the new one is there. Throws the system's error. */
export function replaceFile(file: string, content: string, mode: number): void {
  writeFileSync(`${file}.new`, content, { mode, flush: true })
  renameSync(`${file}.new`, file)
  syncDirectory(dirname(file))
}

/**
 * Gives a complete file its final name. Where the name is taken, a link fails with EEXIST and the partial file is
 * removed; a rename would replace the other file. Some file systems have no links.
 */
export function giveName(partial: string, file: string): void {
  try {
    linkSync(partial, file)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      rmSync(partial, { force: true })
      throw error
    }
    renameSync(partial, file)
    return
  }
  rmSync(partial)
}
