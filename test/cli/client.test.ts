// also: executable
// isolated: it sets the umask of the process
/** `client`: the files that it writes, and those that it leaves alone. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { VERSION } from '../../src/base/version.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const FILES = ['dateline.d.ts', 'dateline.js', 'dateline.ts']

it('client writes TypeScript, JavaScript and declarations, and replaces those of another version', async (t) => {
  const directory = join(temporaryDirectory(t), 'src', 'api')
  // As the program sets it for its data.
  const umask = process.umask(0o077)
  t.after(() => process.umask(umask))
  const { code, stdout, stderr } = await runCheaply(['client', '--to', directory])
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(stdout.trim().split('\n').sort(), FILES.map((name) => join(directory, name)))
  for (const path of [directory, ...FILES.map((name) => join(directory, name))]) assert.equal(statSync(path).mode & 0o044, 0o044, path)
  assert.equal(process.umask(), 0o077)
  const text = (name: string): string => readFileSync(join(directory, name), 'utf8')
  for (const name of FILES) assert.ok(text(name).startsWith(`/**\n * A client of Dateline ${VERSION}, `), name)
  assert.match(text('dateline.d.ts'), /^export declare function createClient\(/m)
  const { createClient } = (await import(pathToFileURL(join(directory, 'dateline.js')).href)) as { createClient: unknown }
  assert.equal(typeof createClient, 'function')
  writeFileSync(join(directory, 'dateline.ts'), '/**\n * A client of Dateline 0.0.9, old.\n */\n')
  assert.equal((await runCheaply(['client', '--to', directory])).code, 0)
  assert.match(text('dateline.ts'), new RegExp(`Dateline ${VERSION.replaceAll('.', '\\.')},`))
})

it('client leaves files alone that it did not write, and names what it needs', async (t) => {
  const directory = join(temporaryDirectory(t), 'mine')
  mkdirSync(directory)
  writeFileSync(join(directory, 'dateline.js'), 'mine')
  const refused = await runCheaply(['client', '--to', directory])
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^Cannot write the client to ".*": the file "dateline\.js" is no client of Dateline: choose another directory\n$/)
  assert.deepEqual(readdirSync(directory), ['dateline.js'])
  assert.equal(readFileSync(join(directory, 'dateline.js'), 'utf8'), 'mine')
  const bare = await runCheaply(['client'])
  assert.equal(bare.code, 2)
  assert.match(bare.stderr, /^dateline client needs --to DIR/)
})
