/** Files of age by Debian's `age`, in both directions. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decryptAge, encryptAge } from '../../../src/age/age.ts'
import { newIdentity, parseIdentityFile, parseRecipient } from '../../../src/age/age-keys.ts'
import { streamOf } from '../../../src/base/byte-source.ts'
import { NotAvailable, type CheckRun } from '../conformance.ts'
import { temporaryDirectory } from '../../tools/temporary-directory.ts'

const LENGTHS = [0, 1, 65_535, 65_536, 65_537, 131_072, 3_000_001]

export async function checkAge({ cleanup, say }: CheckRun): Promise<void> {
  if (spawnSync('age', ['--version']).status !== 0) throw new NotAvailable('install the package age of Debian')
  const directory = temporaryDirectory(cleanup)
  const [own, theirs] = [join(directory, 'own.txt'), join(directory, 'theirs.txt')]
  const made = newIdentity()
  writeFileSync(own, `# ours\n${made.identity}\n`)
  run('age-keygen', ['-o', theirs])
  const recipient = run('age-keygen', ['-y', theirs]).toString().trim()
  assert.equal(run('age-keygen', ['-y', own]).toString().trim(), made.recipient)
  const identities = parseIdentityFile(readFileSync(theirs, 'utf8'))
  for (const length of LENGTHS) {
    const plain = randomBytes(length)
    const both = [parseRecipient(recipient), parseRecipient(made.recipient)]
    const sealed = Buffer.concat(await Array.fromAsync(encryptAge(both, streamOf(plain))))
    for (const identity of [own, theirs]) assert.ok(plain.equals(run('age', ['-d', '-i', identity], sealed)), `${length} bytes of ours`)
    const opened = Buffer.concat(await Array.fromAsync(decryptAge(identities, streamOf(run('age', ['-r', recipient], plain)))))
    assert.ok(plain.equals(opened), `${length} bytes of age`)
  }
  say(`${LENGTHS.length * 3} files of age were the same in both directions`)
}

function run(program: string, words: readonly string[], input: Buffer = Buffer.alloc(0)): Buffer {
  const { status, stdout, stderr } = spawnSync(program, words, { input, maxBuffer: 64 * 1024 * 1024 })
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stderr}`)
  return stdout
}
