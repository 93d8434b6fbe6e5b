/**
 * Files that mail settings name: certificates, keys, passwords, tokens. They are read at start, so that a wrong path is
 * a sentence then and not a mail that fails at night.
 *
 * A secret is judged as ssh judges a private key: where the file is ours and others may read it, it is refused, for
 * then somebody forgot `chmod 600`, and one command mends it. Where it belongs to somebody else, such as root, who gave
 * it to us through a group or a mounted secret, its owner decided who may read it and we could not change it; if
 * everybody may, that is worth a warning.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { systemReason } from '../../base/system-error.ts'

/** A mail setting that cannot be used: which, what was found, what is wanted; one sentence without secrets. */
export class MailSettingError extends Error {
  override readonly name = 'MailSettingError'
}

export interface FileSetting {
  /** Names the setting: `--mail-ca`. */
  readonly flag: string
  readonly path: string
  /** What should be in the file: `a file of PEM certificates`. */
  readonly wanted: string
  readonly bytesMax: number
}

export interface SettingFile {
  readonly bytes: Buffer
  /** What the operator should know about the file. */
  readonly warnings: readonly string[]
}

/** Reads a file that anybody may read. Throws a MailSettingError. */
export function readSettingFile(setting: FileSetting): SettingFile {
  return { bytes: read(setting).bytes, warnings: [] }
}

/** Reads a file that nobody else may read. Throws a MailSettingError. */
export function readSecretFile(setting: FileSetting): SettingFile {
  const { bytes, stats } = read(setting)
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  // Windows has no such modes.
  const ours = process.getuid?.()
  if (stats.uid === ours && (stats.mode & 0o077) !== 0) {
    throw cannotUse(setting, `expected a file that its owner alone can read, found mode ${mode}; run chmod 600 on it`)
  }
  const isOpen = ours !== undefined && (stats.mode & 0o004) !== 0
  const warning = `everybody on this machine can read the file of ${setting.flag} (mode ${mode})`
  return { bytes, warnings: isOpen ? [warning] : [] }
}

/** `Cannot use --mail-ca "ca.pem": …`. */
export function cannotUse({ flag, path }: Pick<FileSetting, 'flag' | 'path'>, problem: string): MailSettingError {
  return new MailSettingError(`Cannot use ${flag} ${JSON.stringify(path)}: ${problem}`)
}

function read(setting: FileSetting): { readonly bytes: Buffer; readonly stats: Stats } {
  const { path, wanted, bytesMax } = setting
  let file: number | undefined
  try {
    // A named pipe would hold up the start until somebody writes into it.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (!stats.isFile()) {
      throw cannotUse(setting, `expected ${wanted}, found ${stats.isDirectory() ? 'a directory' : 'a device or pipe'}`)
    }
    const bytes = Buffer.alloc(bytesMax + 1)
    let length = 0
    for (let got = -1; got !== 0 && length <= bytesMax; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) {
      throw cannotUse(setting, `expected ${wanted} of at most ${bytesMax} bytes, found a longer one`)
    }
    return { bytes: bytes.subarray(0, length), stats }
  } catch (error) {
    if (error instanceof MailSettingError) throw error
    throw cannotUse(setting, `expected ${wanted}, found none (${systemReason(error)})`)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
