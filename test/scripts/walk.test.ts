// gate: measures a service under the inspector
/** `npm run tidy -- walk`: the files that a warm request enters, as the contributor guide tells them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const GUIDE = readFileSync(join(ROOT, 'data/guides/contributing.md'), 'utf8')

function walk(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/tidy.ts', 'walk', ...words], { cwd: ROOT, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Files of src that a walk has entered, by its name. */
function enteredBy(stdout: string): ReadonlyMap<string, string> {
  return new Map([...stdout.matchAll(/^(\S+) +\d+ files +\d+ functions\n((?: {2}.*\n)*)/gm)].map(([, name, files]) => [name ?? '', files ?? '']))
}

it('walk get prints the files of a cached read by id: the versions of the models, and neither a statement nor a write', () => {
  const { status, stdout, stderr } = walk('get', '--files')
  assert.equal(status, 0, stderr)
  const files = enteredBy(stdout).get('get') ?? ''
  assert.match(files, /^ {2}src\/store\/documents\/model-versions\.ts: /m)
  assert.doesNotMatch(files, /document-tables|document-writes|write-queue/)
})

it('the numbered lists of the contributor guide name files that the requests enter', () => {
  const walks = { 'A filter becomes SQL': 'list', 'A sign-in code becomes an SMTP dialogue': 'request-code', 'A body reaches the disk': 'create', 'A topic is renamed': 'rename' }
  const { status, stdout, stderr } = walk(...Object.values(walks), '--files')
  assert.equal(status, 0, stderr)
  const entered = enteredBy(stdout)
  for (const [title, name] of Object.entries(walks)) {
    const [, section = ''] = GUIDE.split(`## ${title}\n`)
    const list = /(?:^\d+\. .*\n(?: {3}.*\n)*)+/m.exec(section)?.[0] ?? ''
    const files = [...list.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, file]) => file)
    assert.ok(files.length > 2, title)
    assert.deepEqual(files.filter((file) => !entered.get(name)?.includes(`  ${file}: `)), [], `${title}: not entered`)
  }
})

it('the contributor guide names the program of each thread', () => {
  const programs = globSync('src/**/*-worker.ts', { cwd: ROOT })
  assert.deepEqual(programs.filter((program) => !GUIDE.includes(`\`${program}\``)), [])
})

it('walk with an unknown name says which there are, and ends with 2', () => {
  const { status, stderr } = walk('nothing')
  assert.equal(status, 2)
  assert.match(stderr, /^There is no walk nothing: wanted some of get, list, create, /m)
})
