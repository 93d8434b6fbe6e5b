/**
 * The login to a mail server: the user of `--mail` with its password, from there or from a file (other users can see
 * the arguments of a process), or with a token (XOAUTH2), which another program renews: its file is read at each login.
 */
import { DeliveryError } from '../delivery/delivery-error.ts'
import { isLoginText, LOGIN_CHARS_MAX, type ServerTarget } from './mail-target.ts'
import type { Login } from '../smtp/smtp-auth.ts'
import { cannotUse, type FileSetting, SettingError, readSecretFile } from '../../base/setting-file.ts'

/** In UTF-8, with a line end. */
const PASSWORD_BYTES_MAX = 4 * LOGIN_CHARS_MAX + 2
/** With the user, in base64, it must fit the 12,288 bytes of an AUTH line (RFC 4954 section 4). */
const TOKEN_BYTES_MAX = 8_000

export interface LoginFiles {
  readonly mailPasswordFile: string | undefined
  readonly mailTokenFile: string | undefined
}

/** `login` is undefined for a relay that requires none. Throws a SettingError. */
export function readMailLogin(
  { user, password }: Pick<ServerTarget, 'user' | 'password'>,
  { mailPasswordFile, mailTokenFile }: LoginFiles,
): { readonly login: Login | undefined; readonly warnings: readonly string[] } {
  const files = [
    ...(mailPasswordFile === undefined ? [] : ['--mail-password-file']),
    ...(mailTokenFile === undefined ? [] : ['--mail-token-file']),
  ]
  const [file, second] = files
  if (file !== undefined && second !== undefined) {
    throw new SettingError(`Cannot use ${second}: expected one way to log in, found ${file} as well`)
  }
  if (file !== undefined && user === undefined) {
    throw new SettingError(`Cannot use ${file}: expected a user in --mail, as in smtp://user@host, found none`)
  }
  if (file !== undefined && password !== undefined) {
    throw new SettingError(`Cannot use ${file}: expected one way to log in, found a password in --mail as well`)
  }
  if (user === undefined) return { login: undefined, warnings: [] }
  if (mailPasswordFile !== undefined) {
    const { text, warnings } = readPassword(mailPasswordFile)
    return { login: { user, password: text }, warnings }
  }
  if (mailTokenFile !== undefined) {
    // Read here only to report a mistake at start.
    const { warnings } = readToken(mailTokenFile)
    return { login: { user, token: async () => freshToken(mailTokenFile) }, warnings }
  }
  if (password !== undefined) return { login: { user, password: password() }, warnings: [] }
  throw new SettingError(
    'Cannot use --mail: expected a password with the user, in --mail-password-file or as user:password, or a --mail-token-file, found none',
  )
}

interface SecretLine {
  readonly text: string
  readonly warnings: readonly string[]
}

function readPassword(path: string): SecretLine {
  const expected = 'a file with the password as its only line'
  return readLine({ flag: '--mail-password-file', path, expected, bytesMax: PASSWORD_BYTES_MAX }, isLoginText)
}

function readToken(path: string): SecretLine {
  const expected = 'a file with an OAuth token as its only line'
  return readLine({ flag: '--mail-token-file', path, expected, bytesMax: TOKEN_BYTES_MAX }, isToken)
}

/** RFC 6750 section 2.1: the characters of a bearer token. */
function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text)
}

function readLine(setting: FileSetting, isValid: (line: string) => boolean): SecretLine {
  const { bytes, warnings } = readSecretFile(setting)
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  if (isValid(text)) return { text, warnings }
  const found = text === '' ? 'an empty one' : /[\r\n]/.test(text) ? 'several lines' : 'an invalid one'
  throw cannotUse(setting, `expected ${setting.expected}, found ${found}`)
}

function freshToken(path: string): string {
  try {
    return readToken(path).text
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    // The program that renews the file may be about to write it.
    throw new DeliveryError(`Cannot deliver mail: ${error.message}`, {
      stage: 'auth',
      temporary: true,
      kind: 'no-token',
      cause: error,
    })
  }
}
