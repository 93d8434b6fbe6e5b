/**
 * The server's secrets: a file in the data directory, one secret per line. The first signs, all verify.
 *
 * With a secret, anyone can sign a token of any user. So a file that other users may read, change or replace is
 * refused, as ssh does with its keys, and so is a secret that was typed rather than generated.
 */
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveName, syncDirectory } from '../../base/directory.ts'
import { exposureOf, replacementIn } from '../../base/file-mode.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { secretWeakness } from '../../base/secret-strength.ts'
import { errorCode, systemReason } from '../../base/system-error.ts'
import { DataDirError } from './data-dir.ts'

const FILE_MODE = 0o600
const FILE_BYTES_MAX = 64 * 1024
const SECRET_BYTES = 32

/**
 * Reads the secrets, making the first one where the file is missing. Throws DataDirError, which names the remedy, where
 * others may read, change or replace the file, or a secret is weak (secretWeakness).
 */
export function loadSecrets(file: string, random: (bytes: number) => Buffer): readonly [string, ...string[]] {
  try {
    createSecret(file, random)
    const lines = readRegularFile(file, FILE_BYTES_MAX).toString().split('\n')
    requirePrivate(file)
    const [first, ...older] = lines.map((line) => line.trim()).filter((line) => line !== '')
    if (first === undefined) throw unusable(file, `expected one secret per line, found none: ${renewal(file)}`)
    for (const secret of [first, ...older]) {
      const weakness = secretWeakness(secret)
      if (weakness !== undefined) throw unusable(file, `${weakness}: ${renewal(file)}`)
    }
    return [first, ...older]
  } catch (error) {
    if (error instanceof DataDirError) throw error
    throw new DataDirError(`Cannot read the secrets in "${file}": ${systemReason(error)}`, { cause: error })
  }
}

function requirePrivate(file: string): void {
  const exposure = exposureOf(file)
  if (exposure !== undefined) {
    throw unusable(file, `${exposure}: run chmod 600 "${file}". If one of them may have done so, ${renewal(file)}`)
  }
  const directory = dirname(realpathSync(file))
  const replacement = replacementIn(directory)
  if (replacement !== undefined) throw unusable(file, replacement)
  // Another user may have made the file while the directory was open to others.
  const owner = statSync(file).uid
  const trusted = [0, process.getuid?.() ?? owner, statSync(directory).uid]
  if (!trusted.includes(owner)) {
    throw unusable(file, `it belongs to another user (uid ${owner}): ${renewal(file)}`)
  }
}

/** How to renew the secret, and what that means. */
function renewal(file: string): string {
  return `remove "${file}", and the next start makes a new secret; everyone then signs in again`
}

function unusable(file: string, problem: string): DataDirError {
  return new DataDirError(`Cannot use the secrets in "${file}": ${problem}`)
}

/**
 * The file gets its name when it is complete: a process that is killed or finds no room leaves no file without a secret, which the
 * next start would refuse. Of two processes that start at once, one makes the secret and both read it.
 */
function createSecret(file: string, random: (bytes: number) => Buffer): void {
  if (existsSync(file)) return
  const draft = `${file}.new-${process.pid}`
  try {
    writeFileSync(draft, `${random(SECRET_BYTES).toString('base64url')}\n`, { mode: FILE_MODE, flush: true })
    giveName(draft, file)
    syncDirectory(dirname(file))
  } catch (error) {
    rmSync(draft, { force: true })
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
