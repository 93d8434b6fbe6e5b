/**
 * A file of secrets in the data directory, which only its owner may read. It is replaced as a whole: whatever ends the
 * process, the file is the old one or the new one. The bytes of the old one are overwritten, as far as a file system
 * lets a program do that: one that copies on write, and an SSD, may keep them until they reuse the space.
 */
import { closeSync, fsyncSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { exposureOf } from '../../base/file-mode.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { DataDirError } from '../../store/db/data-dir.ts'

const FILE_MODE = 0o600
const FILE_BYTES_MAX = 256 * 1024

/** The text of a file; undefined where there is none. Throws DataDirError where others may read or change it. */
export function readPrivateFile(file: string): string | undefined {
  try {
    const text = readRegularFile(file, FILE_BYTES_MAX).toString()
    const exposure = exposureOf(file)
    if (exposure === undefined) return text
    throw new DataDirError(`Cannot use the keys in "${file}": ${exposure}: run chmod 600 "${file}"`)
  } catch (error) {
    if (error instanceof DataDirError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new DataDirError(`Cannot read the keys in "${file}": ${systemReason(error)}`, { cause: error })
  }
}

/** Replaces a file durably, and overwrites what it had. Throws the system's error. */
export function writePrivateFile(file: string, text: string): void {
  const old = openExisting(file)
  try {
    const draft = `${file}.new`
    withFile(openSync(draft, 'w', FILE_MODE), (descriptor) => {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    })
    renameSync(draft, file)
    if (process.platform !== 'win32') withFile(openSync(dirname(file), 'r'), fsyncSync)
    if (old !== undefined) {
      writeSync(old, Buffer.alloc(fstatSync(old).size), 0, undefined, 0)
      fsyncSync(old)
    }
  } finally {
    if (old !== undefined) closeSync(old)
  }
}

function openExisting(file: string): number | undefined {
  try {
    return openSync(file, 'r+')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function withFile(descriptor: number, work: (descriptor: number) => void): void {
  try {
    work(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
