/** The server's secrets: a file in the data directory, one secret per line. The first signs, all verify. */
import { openSync, closeSync, readFileSync, writeSync, fsyncSync } from 'node:fs'
import { systemReason } from '../base/system-error.ts'
import { DataDirError } from './data-dir.ts'

const FILE_MODE = 0o600
/** RFC 7518 section 3.2: a key for HS256 has at least 256 bits. */
export const SECRET_BYTES_MIN = 32

/** Reads the secrets, making the first one where the file is missing. Throws DataDirError. */
export function loadSecrets(file: string, random: (bytes: number) => Buffer): readonly string[] {
  try {
    createSecret(file, random)
    const secrets = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < SECRET_BYTES_MIN)) {
      throw new DataDirError(
        `Cannot use the secrets in "${file}": expected one secret of at least ${SECRET_BYTES_MIN} bytes per line`,
      )
    }
    return secrets
  } catch (error) {
    if (error instanceof DataDirError) throw error
    throw new DataDirError(`Cannot read the secrets in "${file}": ${systemReason(error)}`, { cause: error })
  }
}

/** Exclusive creation: of two processes that start at once, one makes the secret and both read it. */
function createSecret(file: string, random: (bytes: number) => Buffer): void {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx', FILE_MODE)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
  try {
    writeSync(descriptor, `${random(SECRET_BYTES_MIN).toString('base64url')}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
