/**
 * Reading a file that somebody else names.
 *
 * The path may lead to anything: a pipe would hold up the program until somebody writes into it, signals included, and
 * a device such as /dev/zero has no end but that of the memory. What is read at a start is also read again later, which
 * a pipe could not give. So only regular files are read, and of them no more than a limit.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'

/** A file that somebody has to close. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly bytes: number
}

/**
 * Opens a regular file to be read piece by piece; undefined where the name leads to anything else, a symbolic link
 * included, or to nothing. Throws the system's error for what else is in the way.
 */
export async function openRegularFile(path: string): Promise<OpenFile | undefined> {
  let handle: FileHandle
  try {
    // Windows has no O_NOFOLLOW.
    if (!(await lstat(path)).isFile()) return undefined
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')) {
      return undefined
    }
    throw error
  }
  try {
    const stats = await handle.stat()
    if (stats.isFile()) return { handle, bytes: stats.size }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

/**
 * The bytes of a regular file of at most `bytesMax` bytes. Throws the system's error, or one whose message says what
 * was expected and found.
 */
export function readRegularFile(path: string, bytesMax: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new Error('it is a directory')
    if (!stats.isFile()) throw new Error('expected a regular file, found a device or pipe')
    if (stats.size > bytesMax) throw new Error(`expected at most ${bytesMax} bytes, found ${stats.size}`)
    // Files such as those of /proc say that they are empty, and others grow: their size is what can be read.
    const bytes = Buffer.alloc(bytesMax + 1)
    let length = 0
    for (let got = -1; got !== 0 && length <= bytesMax; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) throw new Error(`expected at most ${bytesMax} bytes, found more`)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
