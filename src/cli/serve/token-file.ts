/**
 * The file with the administrator's token for the app that started the service. It is written under another name, with
 * its mode, and renamed when complete. A link at its path is replaced, not followed; so is the file of an earlier run.
 * A file with other content stays: a mistyped path must not cost a database.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'

const FILE_MODE = 0o600
const FILE_BYTES_MAX = 4096
/** A token of an earlier run (RFC 7519 section 3), or an empty file. */
const TOKEN_OR_NOTHING = /^(?:[\w-]+\.[\w-]+\.[\w-]+)?\s*$/

/** A file that cannot be written; the message is one sentence for the operator. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError'
}

export type TokenFile = ReturnType<typeof writeTokenFile>

/** Checks, before the service creates anything, that the file can be written. Throws TokenFileError. */
export function requireTokenPath(path: string, dataDir: string): void {
  const file = resolve(path)
  const directory = dirname(file)
  try {
    requireReplaceable(file)
    if (directory !== resolve(dataDir) || existsSync(directory)) {
      accessSync(directory, constants.W_OK | constants.X_OK)
    }
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** Writes the token and a line feed. `suffix` must not be guessable. Throws TokenFileError. */
export function writeTokenFile(path: string, token: string, suffix: string) {
  const file = resolve(path)
  const text = `${token}\n`
  const draft = `${file}.${suffix}`
  try {
    requireReplaceable(file)
    const descriptor = openSync(draft, 'wx', FILE_MODE)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw cannotWrite(file, error)
  }
  return {
    /** Removes the file, unless it was replaced by another one. */
    remove(): void {
      if (contentOf(file) === text) rmSync(file, { force: true })
    },
  }
}

function cannotWrite(file: string, cause: unknown): TokenFileError {
  return new TokenFileError(`Cannot write the token to "${file}": ${systemReason(cause)}`, { cause })
}

/** Throws where the path is a directory, or a file with other content than a token. */
function requireReplaceable(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) throw new Error('it is a directory')
  if (found?.isFile() === true && !TOKEN_OR_NOTHING.test(contentOf(file) ?? 'what cannot be read')) {
    throw new Error('a file of that name is there, and it holds no token')
  }
}

/** Undefined for a path that cannot be read, is no file, or is longer than any token. */
function contentOf(file: string): string | undefined {
  try {
    return readRegularFile(file, FILE_BYTES_MAX).toString()
  } catch {
    return undefined
  }
}
