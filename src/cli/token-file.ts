/**
 * The file with the administrator's token for the app that started the service.
 *
 * It is written whole under another name and then renamed, so that whoever waits for it never reads half of it, and
 * made with its mode, so that nobody else can open it at any moment. A link in its place is replaced, not followed.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemReason } from '../base/system-error.ts'

const FILE_MODE = 0o600

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
      if (readOr(file, '') === text) rmSync(file, { force: true })
    },
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}
