/** `npm run tidy -- walk`: the files that a warm request enters, as the contributor guide tells them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

function walk(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/tidy.ts', 'walk', ...words], { cwd: ROOT, encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('walk get prints the files of a cached read by id: the versions of the models, and neither a statement nor a write', () => {
  const { status, stdout, stderr } = walk('get', '--files')
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^get +\d+ files +\d+ functions$/m)
  assert.match(stdout, /^ {2}src\/store\/sqlite\/model-versions\.ts: /m)
  assert.doesNotMatch(stdout, /document-tables|document-writes|write-queue/)
})

it('walk with an unknown name says which there are, and ends with 2', () => {
  const { status, stderr } = walk('nothing')
  assert.equal(status, 2)
  assert.match(stderr, /^There is no walk nothing: wanted some of get, list, create, /m)
})
