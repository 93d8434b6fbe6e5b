/**
 * How we log in to a mail server: the user of `--mail` with its password, from there or from `--mail-password-file`, or
 * with a token from `--mail-token-file`.
 *
 * Arguments of a process can be seen by others, so a password is better off in a file. A token (XOAUTH2) lives for an
 * hour or so and is renewed by another program: its file is read again at each login.
 */
import { DeliveryError } from '../delivery/delivery-error.ts'
import { isLoginText, LOGIN_CHARS_MAX, type ServerTarget } from './mail-target.ts'
import type { Login, TokenLogin } from '../smtp/smtp-auth.ts'
import { cannotUse, type FileSetting, MailSettingError, readSecretFile } from './setting-file.ts'

/** In UTF-8, with a line end. */
const PASSWORD_BYTES_MAX = 4 * LOGIN_CHARS_MAX + 2
/** With the user, in base64, it must fit the 12,288 bytes of an AUTH line (RFC 4954 section 4). */
const TOKEN_BYTES_MAX = 8_000

export interface LoginFiles {
  readonly mailPasswordFile: string | undefined
  readonly mailTokenFile: string | undefined
}

export interface MailLogin {
  /** Undefined for a relay that wants none. */
  readonly login: Login | TokenLogin | undefined
  readonly warnings: readonly string[]
}

/** Puts the login together. Throws a MailSettingError where its parts are too few, too many, or cannot be read. */
export function readMailLogin(
  { user, password }: Pick<ServerTarget, 'user' | 'password'>,
  { mailPasswordFile, mailTokenFile }: LoginFiles,
): MailLogin {
  const files = [
    ...(mailPasswordFile === undefined ? [] : ['--mail-password-file']),
    ...(mailTokenFile === undefined ? [] : ['--mail-token-file']),
  ]
  const [file, second] = files
  if (file !== undefined && second !== undefined) {
    throw new MailSettingError(`Cannot use ${second}: expected one way to log in, found ${file} as well`)
  }
  if (file !== undefined && user === undefined) {
    throw new MailSettingError(`Cannot use ${file}: expected a user in --mail, as in smtp://user@host, found none`)
  }
  if (file !== undefined && password !== undefined) {
    throw new MailSettingError(`Cannot use ${file}: expected one way to log in, found a password in --mail as well`)
  }
  if (user === undefined) return { login: undefined, warnings: [] }
  if (mailPasswordFile !== undefined) {
    const { text, warnings } = passwordIn(mailPasswordFile)
    return { login: { user, password: text }, warnings }
  }
  if (mailTokenFile !== undefined) {
    // Read now for its sentence at start, and then anew for each login.
    const { warnings } = tokenIn(mailTokenFile)
    return { login: { user, token: async () => freshToken(mailTokenFile) }, warnings }
  }
  if (password !== undefined) return { login: { user, password: password() }, warnings: [] }
  throw new MailSettingError(
    'Cannot use --mail: expected a password with the user, in --mail-password-file or as user:password, or a --mail-token-file, found none',
  )
}

interface SecretLine {
  readonly text: string
  readonly warnings: readonly string[]
}

function passwordIn(path: string): SecretLine {
  const wanted = 'a file with the password as its only line'
  return lineIn({ flag: '--mail-password-file', path, wanted, bytesMax: PASSWORD_BYTES_MAX }, isLoginText)
}

function tokenIn(path: string): SecretLine {
  const wanted = 'a file with an OAuth token as its only line'
  return lineIn({ flag: '--mail-token-file', path, wanted, bytesMax: TOKEN_BYTES_MAX }, isToken)
}

/** RFC 6750 section 2.1: what a bearer token is made of. */
function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text)
}

function lineIn(setting: FileSetting, isGood: (line: string) => boolean): SecretLine {
  const { bytes, warnings } = readSecretFile(setting)
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  if (isGood(text)) return { text, warnings }
  const found = text === '' ? 'an empty one' : /[\r\n]/.test(text) ? 'several lines' : 'one that is none'
  throw cannotUse(setting, `expected ${setting.wanted}, found ${found}`)
}

function freshToken(path: string): string {
  try {
    return tokenIn(path).text
  } catch (error) {
    if (!(error instanceof MailSettingError)) throw error
    // Whoever renews it may be about to.
    throw new DeliveryError(`Cannot deliver mail: ${error.message}`, {
      stage: 'auth',
      temporary: true,
      problem: 'no-token',
      cause: error,
    })
  }
}
