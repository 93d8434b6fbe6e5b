/**
 * Reading a file whose path comes from a setting or a user. A pipe would block the program until another one writes,
 * and cannot be read again; a device such as /dev/zero never ends. So only regular files are read, up to a limit.
 */
import { close as closeFile, closeSync, constants, fstatSync, open as openFile, openSync, read as readFile, readSync, type PathLike, type Stats, type StatsBase } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { errorCode } from './system-error.ts'

/** Room for a file that reports no size. */
const FIRST_BYTES = 4 * 1024

/** What reads a file. */
export interface FileReader {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

/** An open file, which its receiver has to close. */
export interface OpenFile {
  readonly handle: FileReader
  /** Where what is meant begins; 0 without it. */
  readonly start?: number
  readonly bytes: number
}

/** Opens a regular file; undefined for anything else, a symbolic link included. Throws other errors of the system. */
export async function openRegularFile(path: PathLike): Promise<(OpenFile & { readonly handle: FileHandle }) | undefined> {
  let handle: FileHandle
  try {
    // Windows has no O_NOFOLLOW.
    if (!(await lstat(path)).isFile()) return undefined
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error))) return undefined
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

/** What a path leads to, for a message: `a directory`. */
export function fileKind(stats: Pick<StatsBase<unknown>, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>): string {
  if (stats.isFile()) return 'a file'
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  return stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'
}

/** Which bytes of a file go where. */
export interface FilePart {
  readonly buffer: Uint8Array
  readonly at: number
  readonly length: number
  /** In the file. */
  readonly from: number
}

/**
 * Reads a part of a file that is opened for it alone, and resolves with how many bytes there were. By callbacks: a FileHandle with
 * its promises takes as long as the reading of a short file.
 */
export function readPart(path: string, { buffer, at, length, from }: FilePart): Promise<number> {
  return new Promise((resolve, reject) => {
    openFile(path, 'r', (failure, descriptor) => {
      if (failure !== null) return reject(failure)
      readFile(descriptor, buffer, at, length, from, (error, bytesRead) => {
        closeFile(descriptor, () => (error === null ? resolve(bytesRead) : reject(error)))
      })
    })
  })
}

/** A path that leads to no regular file of the wanted length. */
export class WrongFileError extends Error {
  override readonly name = 'WrongFileError'
  /** `a directory`, `a device or pipe`, `a longer one`. */
  readonly found: string

  constructor(found: string, message: string) {
    super(message)
    this.found = found
  }
}

/** The bytes of a regular file of at most `bytesMax`. Throws the system's error, or WrongFileError. */
export function readRegularFile(path: string, bytesMax: number): Buffer {
  return readFileAndStats(path, bytesMax).bytes
}

/** The same with what the system knows of the open file. */
export function readFileAndStats(path: string, bytesMax: number): { readonly bytes: Buffer; readonly stats: Stats } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new WrongFileError('a directory', 'it is a directory')
    if (!stats.isFile()) throw new WrongFileError('a device or pipe', 'expected a regular file, found a device or pipe')
    if (stats.size > bytesMax) throw new WrongFileError('a longer one', `expected at most ${bytesMax} bytes, found ${stats.size}`)
    // Files such as those of /proc report a size of 0, and others grow: what counts is how much can be read.
    let bytes = Buffer.alloc(Math.min(bytesMax, Math.max(stats.size, FIRST_BYTES)) + 1)
    let length = 0
    for (let got = -1; got !== 0 && length <= bytesMax; length += got) {
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(bytesMax + 1, 2 * length))
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) throw new WrongFileError('a longer one', `expected at most ${bytesMax} bytes, found more`)
    return { bytes: bytes.subarray(0, length), stats }
  } finally {
    closeSync(file)
  }
}
