/** Backup and restore as an operator uses them. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { get, guestToken } from '../support/service/program-calls.ts'
import { siteWithSamples } from '../support/service/made-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('backup beside a service, restore, and the same responses to the same token', async (t) => {
  const data = await siteWithSamples(t)
  const copy = join(temporaryDirectory(t), 'copy.db')
  const first = await serveCheaply(t, ['--data-dir', data])
  const token = await guestToken(first.url)
  const queries = ['topic', 'headline&sort=updatedAt:desc', 'country&limit=100', 'remote_config']
  const responses = (url: string): Promise<unknown[]> =>
    Promise.all(
      queries.map(async (query) => {
        const response = await get(url, `/api/v1/data?model=${query}`, token)
        return ((await response.json()) as { data: unknown }).data
      }),
    )
  const before = await responses(first.url)
  assert.ok(JSON.stringify(before).length > 50_000)

  const backup = await runCheaply(['backup', '--data-dir', data, '--to', copy, '--json'])
  assert.equal(backup.code, 0, backup.stderr)
  const { file, items } = JSON.parse(backup.stdout) as { file: string; items: Record<string, number> }
  assert.deepEqual([file, items['headline']], [copy, 408])
  const again = await runCheaply(['backup', '--data-dir', data, '--to', copy])
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /^Cannot back up "[^\n]*": a file of that name is there: choose another name with --to\n$/)

  const refused = await runCheaply(['restore', copy, '--data-dir', data])
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /is using it: stop it first, or choose another --data-dir\n$/)
  await first.end('SIGTERM')

  rmSync(join(data, 'dateline.db'))
  writeFileSync(join(data, 'dateline.db'), 'x'.repeat(10_000))
  const restored = await runCheaply(['restore', copy, '--data-dir', data])
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /^Restored .*, 9\d\d items\nThe database that was there is kept as .*\.replaced-\d{8}T\d{6}Z\n/)
  const second = await serveCheaply(t, ['--data-dir', data])
  assert.deepEqual(await responses(second.url), before)
})

it('backup without --to writes into the data directory, under a name that tells the time', async (t) => {
  const data = await siteWithSamples(t)
  const { code, stdout } = await runCheaply(['backup', '--data-dir', data])
  assert.equal(code, 0)
  assert.match(stdout, /^Wrote .*dateline-\d{8}T\d{6}Z\.db: \d+\.\d MB, \d+ items, checked, in \d+\.\d s\nIts 32 pictures are in \S+media\n$/)
  assert.deepEqual(readdirSync(join(data, 'backups')).filter((name) => !name.endsWith('.db')), ['media'])
  assert.equal(readdirSync(join(data, 'backups')).length, 2)
  const nowhere = await runCheaply(['backup', '--data-dir', join(data, 'none')])
  assert.deepEqual([nowhere.code, existsSync(join(data, 'none'))], [1, false])
})

it('restore says that it is done where an old database cannot be removed, and which', async (t) => {
  const [data, copy] = [await siteWithSamples(t), join(temporaryDirectory(t), 'copy.db')]
  assert.equal((await runCheaply(['backup', '--data-dir', data, '--to', copy])).code, 0)
  const name = (second: string): string => `dateline.db.replaced-20200101T00000${second}Z`
  // A directory is what no removal of a file takes away.
  mkdirSync(join(data, name('1')))
  for (const second of ['2', '3', '4']) writeFileSync(join(data, name(second)), '')
  const { code, stdout, stderr } = await runCheaply(['restore', copy, '--data-dir', data])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^Restored /)
  const trail = await runCheaply(['audit', '--json', '--data-dir', data])
  assert.match(trail.stdout, /"value":"restore"/, 'the restored database has a record of it')
  assert.doesNotMatch(stderr, /Not recorded/)
  assert.match(stdout, /Removed dateline\.db\.replaced-20200101T000002Z: of replaced databases, the newest 3 are kept\n/)
  assert.match(stderr, /The database is restored, but .*000001Z could not be removed \(.+\): remove it by hand, with its -wal, -shm and -journal\n$/)
  assert.ok(!existsSync(join(data, name('2'))) && existsSync(join(data, name('3'))))
  const json = JSON.parse((await runCheaply(['restore', copy, '--json', '--data-dir', data])).stdout) as { readonly leftFiles: readonly { readonly name: string }[] }
  assert.deepEqual(json.leftFiles.map((one) => one.name), [name('1')])
})
