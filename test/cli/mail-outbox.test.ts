/** `mail outbox` and `mail retry`, as processes beside a service whose mail server refuses for now. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { openMailExchange } from '../../scripts/tools/mail-exchange.ts'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { requestCode } from '../support/service/program-calls.ts'
import { siteWithBoss, startedSite } from '../support/service/made-site.ts'

type Line = Readonly<Record<'id' | 'address' | 'state' | 'dueAt', string>> &
  Readonly<{ attempts: number; reply: string | null; doneAt: string | null }>

it('the operator sees why a mail waits in the words of the server, and has it tried when the reason is gone', async (t) => {
  await using exchange = await openMailExchange((stage) =>
    stage === 'rcpt' ? '450 4.2.0 greylisted, come back later' : undefined,
  )
  const data = await startedSite(t)
  const service = await serveCheaply(t, ['--data-dir', data, '--mail', `smtp://127.0.0.1:${exchange.port}`])
  const outbox = async (...words: readonly string[]): Promise<readonly Line[]> => {
    const { code, stdout, stderr } = await runCheaply(['mail', 'outbox', '--json', '--data-dir', data, ...words])
    assert.equal(code, 0, stderr)
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
  }
  assert.equal((await runCheaply(['mail', 'outbox', '--data-dir', data])).stdout, 'The outbox is empty\n')

  assert.equal((await requestCode(service.url, 'reader@example.org')).status, 202)
  // Several tries, so that the next one is far enough away.
  await service.said(/"mail\.deferred".*"attempt":2,/)
  const [waiting] = await outbox()
  assert.ok(waiting !== undefined && waiting.attempts >= 2)
  const { id, address, reply, dueAt, doneAt } = waiting
  assert.deepEqual([address, doneAt], ['reader@example.org', null])
  assert.match(reply ?? '', /at rcpt.*450 4\.2\.0 .*greylisted, come back later/)
  assert.match(dueAt ?? '', /^\d{4}-.*Z$/)
  const table = (await runCheaply(['mail', 'outbox', '--data-dir', data])).stdout
  assert.match(table, new RegExp(`^ID .*REPLY\n${id}  reader@example\\.org  code  (waiting|sending)  \\d  .*greylisted`))
  assert.match(table, /\n\n1 (waiting|sending); the oldest that is not sent is \d+ seconds old\n$/)

  exchange.rule = () => undefined
  const retry = () => runCheaply(['mail', 'retry', id, '--data-dir', data])
  const { code, stdout, stderr } = await retry()
  // Its own time may have come at this very moment.
  if (code === 0) assert.equal(stdout, `Mail ${id} is due: the service tries it within seconds, or when it starts\n`)
  else assert.match(stderr, /being sent|delivered/)
  await service.said(/"mail\.delivered"/)
  assert.equal(exchange.accepted.length, 1)
  const again = await retry()
  const erased = `Cannot retry mail ${id}: it was delivered, and its content is erased: ask for a new code\n`
  assert.deepEqual([again.code, again.stderr], [1, erased])
  assert.deepEqual(await outbox('--state', 'waiting'), [])
  assert.match((await runCheaply(['mail', 'outbox', '--data-dir', data])).stdout, /\n1 delivered\n$/)

  const mailed = /\b\d{6}\b/.exec(exchange.accepted[0]?.data ?? '')?.[0] ?? ''
  assert.match(mailed, /^\d{6}$/)
  const database = openDatabase(join(data, 'dateline.db'), { readOnly: true })
  assert.deepEqual({ ...database.get('SELECT sealed, state FROM outbox') }, { sealed: null, state: 'delivered' })
  database.close()

  // The mail server is a flag of the service, which this command has not.
  const invited = await runCheaply(['user', 'invite', 'desk@example.org', '--invitation-url', 'https://news.example.org/', '--data-dir', data])
  assert.equal(invited.stdout, 'desk@example.org has an account: the invitation is in the outbox\n', invited.stderr)
})

const states = 'waiting, sending, delivered, failed, expired, superseded'
const unknown = '0'.repeat(24)

for (const [name, words, code, message] of [
  ['a state that is none', ['outbox', '--state', 'lost'], 2, `expected one of ${states}, found "lost"`],
  ['a retry of nothing', ['retry'], 2, 'ID'],
  ['a retry of an invalid id', ['retry', 'seven'], 2, 'found "seven"'],
  ['a retry of an unknown id', ['retry', unknown], 1, `Cannot retry mail ${unknown}: the outbox has none of that id`],
] as const) {
  it(`mail refuses ${name}`, async (t) => {
    const result = await runCheaply(['mail', ...words, '--data-dir', await siteWithBoss(t)])
    assert.deepEqual([result.code, result.stdout], [code, ''])
    assert.ok(result.stderr.includes(message), result.stderr)
  })
}
