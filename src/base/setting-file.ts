/**
 * Files that settings name: certificates, keys, passwords, tokens. They are read at start, so that a wrong path is
 * reported then. A secret is judged as ssh judges a private key: a file of our own user that others may read is
 * rejected. The owner of another user's file, such as a mounted secret, decided who may read it: there is a warning.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { systemReason } from './system-error.ts'

/** A setting that cannot be used: which, what was expected and found; one sentence without secrets. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

export interface FileSetting {
  /** Names the setting: `--mail-ca`. */
  readonly flag: string
  readonly path: string
  /** The expected content: `a file of PEM certificates`. */
  readonly expected: string
  readonly bytesMax: number
}

/** Reads a file that all users may read. Throws a SettingError. */
export function readSettingFile(setting: FileSetting): Buffer {
  return read(setting).bytes
}

/** Reads a file that other users must not read. Throws a SettingError. */
export function readSecretFile(setting: FileSetting): { readonly bytes: Buffer; readonly warnings: readonly string[] } {
  const { bytes, stats } = read(setting)
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  // Windows has no such modes.
  const ours = process.getuid?.()
  if (stats.uid === ours && (stats.mode & 0o077) !== 0) {
    throw cannotUse(setting, `expected a file that its owner alone can read, found mode ${mode}; run chmod 600 on it`)
  }
  const isOpen = ours !== undefined && (stats.mode & 0o004) !== 0
  const warning = `all users of this machine can read the file of ${setting.flag} (mode ${mode})`
  return { bytes, warnings: isOpen ? [warning] : [] }
}

/** `Cannot use --mail-ca "ca.pem": …`. */
export function cannotUse({ flag, path }: Pick<FileSetting, 'flag' | 'path'>, problem: string): SettingError {
  return new SettingError(`Cannot use ${flag} ${JSON.stringify(path)}: ${problem}`)
}

function read(setting: FileSetting): { readonly bytes: Buffer; readonly stats: Stats } {
  const { path, expected, bytesMax } = setting
  let file: number | undefined
  try {
    // Opening a named pipe would block the start until another process writes to it.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (!stats.isFile()) {
      throw cannotUse(setting, `expected ${expected}, found ${stats.isDirectory() ? 'a directory' : 'a device or pipe'}`)
    }
    const bytes = Buffer.alloc(bytesMax + 1)
    let length = 0
    for (let got = -1; got !== 0 && length <= bytesMax; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) {
      throw cannotUse(setting, `expected ${expected} of at most ${bytesMax} bytes, found a longer one`)
    }
    return { bytes: bytes.subarray(0, length), stats }
  } catch (error) {
    if (error instanceof SettingError) throw error
    throw cannotUse(setting, `expected ${expected}, found none (${systemReason(error)})`)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
