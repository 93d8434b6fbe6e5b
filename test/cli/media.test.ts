// also: executable
/** Pictures as an operator sees them: listed, checked, exported with the documents that name them, and imported elsewhere. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

async function done(words: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await runCheaply(words, { input })
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  return stdout
}

const topic = (hash: string): string =>
  `${JSON.stringify({ name: 'Ferries', description: '', iconUrl: `https://old.example.org/media/${hash}.gif`, status: 'active' })}\n`

it('export and import carry the pictures that the documents name, cleaned, each once', async (t) => {
  const place = temporaryDirectory(t)
  const [from, data, to, other] = ['from', 'data', 'to', 'other'].map((name) => join(place, name)) as [string, string, string, string]
  mkdirSync(from)
  writeFileSync(join(from, 'ferry.gif'), samplePicture('gif'))
  writeFileSync(join(from, 'icon.webp'), samplePicture('webp'))
  writeFileSync(join(from, 'readme.txt'), 'not a picture')
  symlinkSync('/dev/zero', join(from, 'endless'))
  const imported = await runCheaply(['import', '--data-dir', data, '--model', 'topic', '--media', from, '-'], { input: topic('0'.repeat(64)) })
  assert.equal(imported.code, 0, imported.stderr)
  assert.match(imported.stderr, /Skipped endless: expected a regular file, found a device or pipe\n/)
  assert.match(imported.stderr, /Skipped readme\.txt: Cannot take the picture: expected JPEG, PNG, WebP, GIF, AVIF, found another kind of file\n/)
  assert.match(imported.stderr, /Took 2 pictures from .*, and knew 0 already\n/)
  const rows = (await done(['media', 'list', '--data-dir', data, '--json'])).trim().split('\n').map((line) => JSON.parse(line) as { hash: string; format: string; uses: number })
  const gif = rows.find(({ format }) => format === 'gif')?.hash ?? ''
  await done(['import', '--data-dir', data, '--model', 'topic', '-'], topic(gif))
  const exported = await done(['export', '--data-dir', data, '--model', 'topic', '--media', to])
  assert.deepEqual(readdirSync(to), [`${gif}.gif`], 'those that documents name, of those that there are')
  assert.equal(readFileSync(join(to, `${gif}.gif`)).includes('SECRET'), false)
  await done(['import', '--data-dir', other, '--model', 'topic', '--media', to, '-'], exported)
  const again = await runCheaply(['import', '--data-dir', other, '--model', 'topic', '--media', to, '-'], { input: exported })
  assert.match(again.stderr, /Took 0 pictures from .*, and knew 1 already\n/)
  assert.match(await done(['media', 'list', '--data-dir', other]), new RegExp(`^ADDED +TYPE .*\n.* image/gif +24 x 16 +\\d+ +1 +${gif}\n`))
  assert.equal((await done(['media', 'list', '--data-dir', data, '--unused', '--json'])).trim().split('\n').length, 1)
  const nowhere = await runCheaply(['import', '--data-dir', other, '--model', 'topic', '--media', join(place, 'nowhere'), '-'], { input: exported })
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /Cannot import pictures from .*: there is no such directory/)
})

it('media check and check find what is missing, damaged and unknown', async (t) => {
  const place = temporaryDirectory(t)
  const [from, data] = ['from', 'data'].map((name) => join(place, name)) as [string, string]
  mkdirSync(from)
  for (const name of ['gif', 'webp', 'png'] as const) writeFileSync(join(from, name), samplePicture(name))
  await done(['import', '--data-dir', data, '--model', 'topic', '--media', from, '-'])
  assert.match(await done(['media', 'check', '--data-dir', data]), /^3 pictures, 0 missing, 0 damaged\n$/)
  assert.match(await done(['check', '--data-dir', data]), /^ok {4}pictures +3 pictures, \d+ bytes of the [\d.]+ GB/m)
  const files = readdirSync(join(data, 'media'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.')).map((name) => join(data, 'media', name)).sort()
  const [gone = '', damaged = ''] = files
  rmSync(gone)
  const bytes = readFileSync(damaged)
  bytes[20] = 255 - (bytes[20] ?? 0)
  writeFileSync(damaged, bytes)
  writeFileSync(join(data, 'media', 'notes.txt'), '')
  const found = await runCheaply(['media', 'check', '--data-dir', data])
  assert.equal(found.code, 1)
  assert.match(found.stdout, /^missing {2}[0-9a-f]{64}\ndamaged {2}[0-9a-f]{64}\nunknown {2}\S+notes\.txt\n3 pictures, 1 missing, 1 damaged: copy these files into/)
  const report = await runCheaply(['check', '--data-dir', data])
  assert.match(report.stdout, /^FAIL {2}pictures +1 of 3 pictures have no whole file in \S+media: run dateline media check$/m)
})
