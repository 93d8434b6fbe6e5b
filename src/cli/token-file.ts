/**
 * The file with the administrator's token for the app that started the service.
 *
 * It is written whole under another name and then renamed, so that whoever waits for it never reads half of it, and
 * made with its mode, so that nobody else can open it at any moment. A link in its place is replaced, not followed; so
 * is what a run left that was killed. A file of anything else stays: a path that is mistyped must not cost a database.
 */
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { readRegularFile } from '../base/regular-file.ts'
import { systemReason } from '../base/system-error.ts'

const FILE_MODE = 0o600
const FILE_BYTES_MAX = 4096
/** What an earlier run left (RFC 7519 section 3), or a file that was made for the token. */
const TOKEN_OR_NOTHING = /^(?:[\w-]+\.[\w-]+\.[\w-]+)?\s*$/

/** A file that cannot be written; the message is one sentence for the operator. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError'
}

export interface TokenFile {
  /** Removes the file, unless somebody has put another one there. */
  remove(): void
}

/** Writes the token and a line feed. `suffix` is a text that nobody can guess. Throws TokenFileError. */
export function writeTokenFile(path: string, token: string, suffix: string): TokenFile {
  const file = resolve(path)
  const text = `${token}\n`
  const draft = `${file}.${suffix}`
  try {
    if (isPrecious(file)) throw new Error('a file of that name is there, and it holds no token')
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
    throw new TokenFileError(`Cannot write the token to "${file}": ${systemReason(error)}`, { cause: error })
  }
  return {
    remove() {
      if (contentOf(file) === text) rmSync(file, { force: true })
    },
  }
}

function isPrecious(file: string): boolean {
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
  return isFile && !TOKEN_OR_NOTHING.test(contentOf(file) ?? 'what cannot be read')
}

/** Undefined for what cannot be read, is no file, or is longer than any token. */
function contentOf(file: string): string | undefined {
  try {
    return readRegularFile(file, FILE_BYTES_MAX).toString()
  } catch {
    return undefined
  }
}
