/** Secrets that replace the generated one: from the environment, or from a file that it names. */
import { readRegularFile } from '../base/regular-file.ts'
import { systemReason } from '../base/system-error.ts'
import { SECRET_BYTES_MIN } from '../store/secret-file.ts'
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

/** Environment variables that hold secrets. They have no flag: arguments of a process can be seen by others. */
export const SECRETS: readonly string[] = [...SECRET_VARIABLES, ...SECRET_FILE_VARIABLES]

/** Throws ConfigError where a secret is too short to protect anything, or its file cannot be read. */
export function readSecrets(environment: Environment): Secrets {
  const source = SECRETS.find((name) => (environment[name] ?? '') !== '')
  if (source === undefined) return { jwtSecret: undefined }
  const text = environment[source] ?? ''
  const jwtSecret = SECRET_FILE_VARIABLES.includes(source) ? secretIn(source, text) : text
  if (Buffer.byteLength(jwtSecret) < SECRET_BYTES_MIN) {
    throw new ConfigError(
      `Cannot use ${source}: expected a secret of at least ${SECRET_BYTES_MIN} bytes, found ${Buffer.byteLength(jwtSecret)}`,
    )
  }
  return { jwtSecret }
}

/** Such files end with a line break that is no part of the secret. */
function secretIn(variable: string, path: string): string {
  try {
    return readRegularFile(path, SECRET_FILE_BYTES_MAX)
      .toString()
      .replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(`Cannot use ${variable}: the file "${path}" cannot be read: ${systemReason(error)}`)
  }
}
