/** The identity of off-site backups, in a file of age: as it is, or encrypted with a passphrase, as "age -p" does. */
import type { Readable } from 'node:stream'
import { decryptAge } from '../../age/age.ts'
import { VERSION_LINE } from '../../age/age-header.ts'
import { AgeError } from '../../age/age-error.ts'
import { parseIdentityFile, type AgeIdentity } from '../../age/age-keys.ts'
import { streamOf } from '../../base/byte-source.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { UsageError } from '../command.ts'

const FILE_BYTES_MAX = 64 * 1024
const LINE_BYTES_MAX = 4_096

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

/** The first line of standard input. Throws UsageError for an empty one. */
export async function firstLineOf(stdin: Readable, wanted: string): Promise<string> {
  let read = ''
  for await (const chunk of stdin) {
    read += String(chunk)
    if (read.includes('\n') || read.length > LINE_BYTES_MAX) break
  }
  const line = read.split(/\r?\n/)[0] ?? ''
  if (line === '' || line.length > LINE_BYTES_MAX) throw new UsageError(`Expected ${wanted} on standard input, found ${line === '' ? 'nothing' : 'a longer text'}`)
  return line
}
