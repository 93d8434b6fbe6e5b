/** The secrets in use: one from the environment, or from a file named there, or else those of the data directory. */
import { randomBytes } from 'node:crypto'
import { readRegularFile } from '../base/regular-file.ts'
import { secretWeakness } from '../base/secret-strength.ts'
import { systemReason } from '../base/system-error.ts'
import { loadSecrets } from '../store/db/secret-file.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './settings.ts'

export interface Secrets {
  /** Replaces the generated secret. */
  readonly jwtSecret: string | undefined
}

const SECRET_VARIABLES = ['DATELINE_JWT_SECRET', 'JWT_SECRET_KEY'] as const
/** Variables that name a file with the secret in it. */
const SECRET_FILE_VARIABLES: readonly string[] = ['DATELINE_JWT_SECRET_FILE', 'JWT_SECRET_KEY_FILE']
const SECRET_FILE_BYTES_MAX = 4096
const REMEDY = 'make one with "openssl rand -base64 32"; with a new secret, everyone signs in again'

/** Environment variables of secrets. They have no flag: other users can see the arguments of a process. */
export const SECRETS: readonly string[] = [...SECRET_VARIABLES, ...SECRET_FILE_VARIABLES]

/** Throws ConfigError where a secret is too weak (secretWeakness), or its file cannot be read. */
export function readSecrets(environment: Environment): Secrets {
  const source = SECRETS.find((name) => (environment[name] ?? '') !== '')
  if (source === undefined) return { jwtSecret: undefined }
  const text = environment[source] ?? ''
  const jwtSecret = SECRET_FILE_VARIABLES.includes(source) ? secretIn(source, text) : text
  const weakness = secretWeakness(jwtSecret)
  if (weakness !== undefined) throw new ConfigError(`Cannot use ${source}: ${weakness}: ${REMEDY}`)
  return { jwtSecret }
}

/**
 * The first one signs, all verify. Where there is none in the environment, `file` names the file of the data directory, which is
 * made where it is missing. Throws DataDirError.
 */
export function secretsInUse({ jwtSecret }: Secrets, file: () => string): readonly [string, ...string[]] {
  return jwtSecret === undefined ? loadSecrets(file(), randomBytes) : [jwtSecret]
}

/** The variable in use that names a file, and that file; undefined where none does. */
export function secretFile(environment: Environment): { readonly variable: string; readonly path: string } | undefined {
  const variable = SECRETS.find((name) => (environment[name] ?? '') !== '')
  if (variable === undefined || !SECRET_FILE_VARIABLES.includes(variable)) return undefined
  return { variable, path: environment[variable] ?? '' }
}

/** The line break at the end of such files is not a part of the secret. */
function secretIn(variable: string, path: string): string {
  try {
    return readRegularFile(path, SECRET_FILE_BYTES_MAX)
      .toString()
      .replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(`Cannot use ${variable}: the file "${path}" cannot be read: ${systemReason(error)}`)
  }
}
