/**
 * Files that settings name: certificates, keys, passwords, tokens. They are read at start, so that a wrong path is
 * reported then. A secret is judged as ssh judges a private key: a file of our own user that others may read is
 * rejected. The owner of another user's file, such as a mounted secret, decided who may read it: there is a warning.
 */
import { readFileAndStats, WrongFileError } from './regular-file.ts'
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

function read(setting: FileSetting): ReturnType<typeof readFileAndStats> {
  const { path, expected, bytesMax } = setting
  try {
    return readFileAndStats(path, bytesMax)
  } catch (error) {
    if (!(error instanceof WrongFileError)) throw cannotUse(setting, `expected ${expected}, found none (${systemReason(error)})`)
    const limit = error.found === 'a longer one' ? ` of at most ${bytesMax} bytes` : ''
    throw cannotUse(setting, `expected ${expected}${limit}, found ${error.found}`)
  }
}
