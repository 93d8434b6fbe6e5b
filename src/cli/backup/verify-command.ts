/**
 * `dateline verify`: whether a downloaded file is the one that was published. A list of checksums protects only against
 * broken downloads: an attacker who can replace the file can replace the list. Its signature (Ed25519, RFC 8032, 64
 * bytes in a file of its own) protects against that, with a key that came another way.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { EXIT, UsageError, type Arguments, type Command } from '../command.ts'

const SUMS_NAME = 'SHA256SUMS'
const SUMS_BYTES_MAX = 1024 ** 2
const SMALL_BYTES_MAX = 16 * 1024

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'check that a downloaded file is the one that was published',
  operands: [{ name: 'FILE', meaning: 'the file to check' }],
  options: [
    { flag: '--sums', value: 'FILE', meaning: `the list of sums; without it ${SUMS_NAME} beside the file` },
    {
      flag: '--key',
      value: 'FILE',
      meaning: 'the public key of the publisher (PEM), to check the signature of the list',
    },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: [],
  examples: ['dateline verify dateline-linux-x64.tar.gz --key dateline.pub'],
  async run(args, terminal) {
    try {
      const verified = await verifyFile(args)
      terminal.stdout.write(args.options.has('--json') ? `${JSON.stringify(verified)}\n` : verifiedText(verified))
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error
      terminal.stderr.write(`${error.message}\n`)
      return EXIT.failed
    }
  },
}

class VerifyError extends Error {}

interface Verified {
  readonly file: string
  readonly sha256: string
  readonly sums: string
  /** Whether the signature of the list was checked, which needs a key. */
  readonly signed: boolean
}

async function verifyFile({ operands: [file = ''], options }: Arguments): Promise<Verified> {
  const key = options.has('--key') ? readKey(options.get('--key') ?? '') : undefined
  // First, so that a file that is not there is named before the list beside it.
  const sha256 = await sumOf(file)
  const sums = options.get('--sums') ?? join(dirname(file), SUMS_NAME)
  const list = readSmall(sums, SUMS_BYTES_MAX)
  if (key !== undefined) {
    const signature = readSmall(`${sums}.sig`, SMALL_BYTES_MAX)
    if (!verify(null, list, key, signature)) {
      throw new VerifyError(
        `Cannot trust "${sums}": its signature was not made with the key of "${options.get('--key')}"`,
      )
    }
  }
  const wanted = listedSum(list.toString('utf8'), { sums, name: basename(file) })
  if (sha256 !== wanted) {
    throw new VerifyError(
      `"${file}" is not the file that was published: expected the SHA-256 ${wanted}, found ${sha256}`,
    )
  }
  return { file, sha256, sums, signed: key !== undefined }
}

/** Lines of `sha256sum`: the sum, a blank, a blank or `*`, the name. */
function listedSum(list: string, { sums, name }: { readonly sums: string; readonly name: string }): string {
  const found = list.split(/\r?\n/).flatMap((line) => {
    const [, sum = '', listed] = /^([0-9a-f]{64}) [ *](.+)$/i.exec(line) ?? []
    return listed === name ? [sum.toLowerCase()] : []
  })
  const [sum] = found
  if (sum === undefined) throw new VerifyError(`Cannot check "${name}": "${sums}" does not list it`)
  if (found.length > 1) throw new VerifyError(`Cannot check "${name}": "${sums}" lists it more than once`)
  return sum
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
  } catch (error) {
    throw new VerifyError(`Cannot read "${file}": ${systemReason(error)}`, { cause: error })
  }
  return hash.digest('hex')
}

function readSmall(file: string, bytesMax: number): Buffer {
  try {
    return readRegularFile(file, bytesMax)
  } catch (error) {
    throw new VerifyError(`Cannot read "${file}": ${systemReason(error)}`, { cause: error })
  }
}

function readKey(file: string): KeyObject {
  const text = readSmall(file, SMALL_BYTES_MAX)
  try {
    const key = createPublicKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Reported below, as for a key of another kind.
  }
  throw new UsageError(`Cannot use --key "${file}": expected a public key of Ed25519 as PEM`)
}

function verifiedText({ file, sums, signed }: Verified): string {
  const trust = signed
    ? `"${sums}" is signed with the key`
    : `The signature of "${sums}" was not checked: give the key of the publisher with --key`
  return `"${file}" has the sum in "${sums}"\n${trust}\n`
}
