/** `settings list`, `settings set` and `settings unset`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runCheaply, runHere } from '../support/service/in-process.ts'
import { siteWithBoss } from '../support/service/made-site.ts'
import { openPeer, SEND } from '../support/smtp/smtp-peer.ts'

const PASSWORD = 'correct-horse-battery'

it('settings are stored, listed without secrets, removed, and recorded', async (t) => {
  const data = await siteWithBoss(t)
  const run = (words: readonly string[], input = '') => runCheaply([...words, '--data-dir', data], { input })
  assert.equal((await run(['settings', 'set', 'appName', 'City News'])).stdout, 'Stored appName\n')
  const mail = ['settings', 'set', 'mail', 'smtps://me@mail.example.org', '--password-stdin']
  assert.equal((await run(mail, `${PASSWORD}\n`)).stdout, 'Stored mail\n')
  const listed = (await run(['settings', 'list', '--json'])).stdout
  const rows = listed.trim().split('\n').map((line) => JSON.parse(line) as Record<string, string>)
  assert.deepEqual(rows.map(({ name, value }) => [name, value]), [['appName', 'City News'], ['mail', 'smtps://me@mail.example.org'], ['mailPassword', '***']])
  assert.equal((await run(['settings', 'unset', 'appName'])).stdout, 'Removed appName\n')
  assert.equal((await run(['settings', 'unset', 'appName'])).stdout, 'appName is not stored, so nothing was removed\n')
  assert.match((await run(['settings', 'list'])).stdout, /^SETTING +VALUE +CHANGED\nmail +smtps:\/\/me@mail\.example\.org +\S+\nmailPassword +\*\*\* +\S+\n$/)
  const trail = (await run(['audit', '--json'])).stdout
  assert.equal(trail.match(/"event":"settings\.changed"/g)?.length, 3)
  assert.ok(!trail.includes(PASSWORD))
})

it('a test mail that is refused stores nothing', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  await using refusing = await openPeer([['', '220 hi'], ['EHLO', '250 x'], ['MAIL', '550 5.7.1 no relay for you'], ['QUIT', '221 bye']])
  const mail = ['settings', 'set', 'mail', `smtp://127.0.0.1:${refusing.port}`, '--to', 'you@example.org']
  assert.match((await run(...mail)).stderr, /^mail: expected one of the ports 25, 465/)
  const refused = await run(...mail, '--mail-ports', String(refusing.port))
  assert.match(refused.stderr, /^Nothing was stored, because the test mail was not accepted: .*550 5\.7\.1 no relay for you/)
  assert.equal((await run('settings', 'list', '--json')).stdout, '')
})

it('a stored mail server is the one that mail test uses', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  await using peer = await openPeer([['', '220 hi'], ['EHLO', '250 x'], ...SEND])
  const to = ['--to', 'you@example.org']
  const mail = ['settings', 'set', 'mail', `smtp://127.0.0.1:${peer.port}`, '--mail-ports', String(peer.port)]
  assert.match((await run(...mail, ...to)).stdout, /< 250 queued\nStored mail\n$/)
  const tested = await run('mail', 'test', ...to)
  assert.match(tested.stdout, new RegExp(`^Sign-in codes: mail goes through 127\\.0\\.0\\.1:${peer.port}`))
  assert.deepEqual([tested.code, peer.messages.length], [0, 2])
})

it('a stored URL of the site is the one below which seed puts its pictures', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runHere([...words, '--data-dir', data])
  await run('settings', 'set', 'publicUrl', 'https://news.example.org')
  assert.equal((await run('seed')).code, 0)
  const topics = (await run('export', '--model', 'topic', '--format', 'ndjson')).stdout
  assert.match(topics, /"iconUrl":"https:\/\/news\.example\.org\/media\/[0-9a-f]{64}\.png"/)
  assert.doesNotMatch(topics, /localhost/)
})

for (const [words, message] of [
  [['set', 'mailPassword', PASSWORD], /^Cannot take a password as an argument, which other users can see: set mail with --password-stdin\n$/],
  [['set', 'appName', 'x', '--password-stdin'], /^Cannot use --password-stdin with appName: expected mail\n$/],
  [['set', 'dataDir', '/tmp'], /^dataDir cannot be changed here: set it where the service is started\n$/],
  [['set', 'auditDays', '1'], /^auditDays: expected a whole number from 30 to 3650 or 0, found 1\n$/],
  [['set', 'mail', 'exec:/bin/sh'], /^mail: expected smtp:/],
  [['unset', 'appname'], /^There is no setting "appname": did you mean "appName"\?\n$/],
] as const) {
  it(`settings ${words.join(' ')} is a usage error`, async (t) => {
    const data = await siteWithBoss(t)
    const { code, stderr } = await runCheaply(['settings', ...words, '--data-dir', data])
    assert.match(stderr, message)
    assert.equal(code, 2)
    assert.ok(!stderr.includes(PASSWORD))
  })
}
