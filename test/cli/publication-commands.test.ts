/** `publication list`, `add`, `secret` and `remove`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'
import { siteWithBoss } from '../support/service/made-site.ts'

it('publications are added, listed, given secrets and removed on the command line, and recorded', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  const added = await run('publication', 'add', 'harbour', '--title', 'Harbour News', '--filter', '{"topic.name":"Harbours"}', '--members', 'source, topic', '--size', '50')
  assert.deepEqual([added.code, added.stdout, added.stderr], [0, '/p/harbour/\n', ''])
  const secret = await run('publication', 'add', 'inside', '--secret', '--public-url', 'https://news.example.org')
  assert.match(secret.stdout, /^https:\/\/news\.example\.org\/p\/inside\/[\w-]{24}\/\n$/)
  const listed = (await run('publication', 'list', '--json')).stdout.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(listed.map(({ name, title, pageSize, members, visibility }) => [name, title, pageSize, members, visibility]), [
    ['harbour', 'Harbour News', 50, ['source', 'topic'], 'public'],
    ['inside', 'inside', 30, ['excerpt', 'source', 'topic'], 'secret'],
  ])
  const table = (await run('publication', 'list')).stdout
  assert.match(table, /^NAME +TITLE +OPEN TO +ADDRESS\nharbour +Harbour News +public +\/p\/harbour\/\ninside +inside +secret +\/p\/inside\/SECRET\/\n$/)
  const other = await run('publication', 'secret', 'inside')
  assert.match(other.stdout, /^\/p\/inside\/[\w-]{24}\/\n$/)
  assert.equal(secret.stdout.includes(other.stdout.split('/')[3] ?? ''), false)
  assert.match((await run('publication', 'secret', 'harbour')).stderr, /^It is public: /)
  const again = await run('publication', 'add', 'harbour')
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /^name: expected a name that no other publication has/)
  assert.equal((await run('publication', 'remove', 'harbour')).stdout, 'Deleted harbour\n')
  for (const command of ['remove', 'secret']) {
    const missing = await run('publication', command, 'harbour')
    assert.deepEqual([missing.code, missing.stderr], [1, 'There is no publication "harbour": see "dateline publication list"\n'])
  }
  const trail = (await run('audit', '--json')).stdout
  assert.equal(trail.match(/"event":"publication\.secret-set"/g)?.length, 3)
  for (const one of [secret, other]) assert.equal(trail.includes(one.stdout.trim().split('/').at(-2) ?? ''), false)
})

it('addresses are below the URL of the site that the dashboard stores, as it is written there', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  assert.equal((await run('settings', 'set', 'publicUrl', 'https://news.example.org')).stdout, 'Stored publicUrl\n')
  assert.equal((await run('publication', 'add', 'harbour')).stdout, 'https://news.example.org/p/harbour/\n')
  assert.match((await run('publication', 'list')).stdout, / https:\/\/news\.example\.org\/p\/harbour\/\n$/)
  assert.equal((await run('publication', 'add', 'quay', '--public-url', 'https://quay.example')).stdout, 'https://quay.example/p/quay/\n')
})

it('publication add says what it cannot take', async (t) => {
  const data = await siteWithBoss(t)
  for (const [words, message] of [
    [['Harbour'], /^Cannot use NAME: expected 1 to 60 lower-case letters/],
    [['a', '--filter', '{'], /^Cannot use --filter: /],
    [['a', '--size', '7'], /^Cannot use --size: expected a whole number from 20 to 200, found 7/],
    [['a', '--size', 'x'], /^Cannot use --size: /],
    [['a', '--members', 'status'], /^Cannot use --members: expected one of /],
    [['a', '--language', 'english'], /^Cannot use --language: /],
  ] as const) {
    const { code, stderr } = await runCheaply(['publication', 'add', ...words, '--data-dir', data])
    assert.equal(code, 2, words.join(' '))
    assert.match(stderr, message)
  }
})
