/** The identity of off-site backups, in a file of age: as it is, or encrypted with a passphrase, as "age -p" does. */
import { decryptAge } from '../../age/age.ts'
import { VERSION_LINE } from '../../age/age-header.ts'
import { AgeError } from '../../age/age-error.ts'
import { parseIdentityFile, type AgeIdentity } from '../../age/age-keys.ts'
import { streamOf } from '../../base/byte-source.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { UsageError } from '../command.ts'

const FILE_BYTES_MAX = 64 * 1024

/** Throws UsageError, without a secret in it. `passphrase` is asked for where the file has one. */
export async function readIdentityFile(file: string, passphrase: () => Promise<string>): Promise<readonly AgeIdentity[]> {
  try {
    const bytes = readRegularFile(file, FILE_BYTES_MAX)
    const isSealed = bytes.subarray(0, VERSION_LINE.length + 1).toString('latin1') === `${VERSION_LINE}\n`
    const text = isSealed ? await opened(bytes, await passphrase()) : bytes.toString('utf8')
    return parseIdentityFile(text)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Cannot read the identity in "${file}": ${error instanceof AgeError ? error.message : systemReason(error)}`)
  }
}

async function opened(bytes: Buffer, passphrase: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(decryptAge([{ kind: 'passphrase', passphrase }], streamOf(bytes)))).toString('utf8')
}
