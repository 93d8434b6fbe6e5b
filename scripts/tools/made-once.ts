/** Databases and data directories that are made once in a process, and copied for each test: a copy takes a few milliseconds. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Map<unknown, unknown>()
let root: string | undefined

/**
 * What `make` gave for this key the first time in this process, such as a path or its promise. It gets an empty directory, which
 * goes when the process ends.
 */
export function madeOnce<Made>(key: unknown, make: (directory: string) => Made): Made {
  if (!made.has(key)) made.set(key, make(newDirectory()))
  return made.get(key) as Made
}

/** Copies a file or a directory with the rights that it has, whatever the umask is. */
export function copyMade(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true })
}

function newDirectory(): string {
  if (root === undefined) {
    const parent = (root = mkdtempSync(join(tmpdir(), 'dateline-made-')))
    process.once('exit', () => rmSync(parent, { recursive: true, force: true }))
  }
  const directory = join(root, String(made.size))
  mkdirSync(directory)
  return directory
}
