/** `audit`, and the records of the other commands, as processes beside a running service. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import type { AuditRecord } from '../../src/models/audit.ts'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { verifyCode } from '../support/service/program-calls.ts'
import { siteWithBoss } from '../support/service/made-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const BOSS = 'boss@example.org'

function told({ details }: AuditRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(details.map(({ name, value }) => [name, value]))
}

it('commands leave their records beside a running service, without secrets, and audit shows them', async (t) => {
  const directory = temporaryDirectory(t)
  const data = join(directory, 'data')
  const dateline = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCheaply([...words, '--data-dir', data])
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    return stdout
  }
  const parsed = (text: string): readonly AuditRecord[] =>
    text.trim().split('\n').map((line) => JSON.parse(line) as AuditRecord)

  const service = await serveCheaply(t, ['--data-dir', data, '--admin-email', 'root@example.org'])
  const code = /\d{6}/.exec(await dateline('admin', '--email', BOSS, '--code'))?.[0] ?? ''
  const token = (await dateline('token', '--email', BOSS, '--ttl', '1h', '--label', 'private')).trim()
  await dateline('user', 'set-role', BOSS, '--dashboard', 'publisher')
  // U+009B opens a command of a terminal.
  const file = join(directory, 'topics\u009b31m.ndjson')
  const topic = { id: 't1', name: 'Harbours', description: '', iconUrl: '' }
  writeFileSync(file, `${JSON.stringify(topic)}\n${JSON.stringify({ ...topic, id: 't2' })}\n{"id":"t3"}\n`)
  assert.equal((await runCheaply(['import', '--model', 'topic', file, '--data-dir', data])).code, 1, 'a row is refused')
  await dateline('export', '--model', 'user', '--filter', `{"email":"${BOSS}"}`)
  await dateline('backup')
  await verifyCode(service.url, { email: BOSS, code: code === '000000' ? '111111' : '000000' })

  const lines = await dateline('audit', '--json', '--limit', '1000')
  const all = parsed(lines)
  const commands = all.filter(({ event }) => event === 'command').map((record) => [told(record)['name'], record] as const)
  assert.deepEqual(commands.map(([name]) => name), ['backup', 'export', 'import', 'user set-role', 'token', 'admin'])
  for (const [, { role, actor, clientAddress }] of commands) {
    assert.deepEqual([role, actor, clientAddress], ['operator', '', ''])
  }
  const of = (name: string): AuditRecord => commands.find(([one]) => one === name)?.[1] as AuditRecord
  const boss = of('admin').documentId
  assert.match(boss, /^[0-9a-f]{24}$/)
  assert.deepEqual(told(of('admin')), { name: 'admin', code: '', done: 'created' })
  const counts = { inserted: '2', replaced: '0', unchanged: '0', refused: '1' }
  assert.deepEqual(told(of('import')), { name: 'import', model: 'topic', file, ...counts })
  assert.deepEqual(told(of('export')), { name: 'export', model: 'user', filtered: 'yes' })
  assert.deepEqual([of('user set-role').documentId, told(of('user set-role'))['dashboardRole']], [boss, 'publisher'])
  assert.deepEqual(
    all.filter(({ documentId, event }) => documentId === boss && event !== 'command').map(({ event }) => event),
    ['user.role-changed', 'sign-in.succeeded', 'user.created'],
  )
  const secrets = { code, token, signature: token.split('.')[2] ?? '', address: BOSS, label: 'private' }
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!lines.includes(secret), `no record has the ${name}`)

  const table = await dateline('audit')
  assert.match(table, /^TIME {2,}EVENT {2,}ROLE {2,}ACTOR {2,}ADDRESS {2,}WHAT\n/)
  assert.ok(table.includes('topics?31m'))
  assert.match(table, / name=admin code done=created$/m)
  for (const text of [lines, table]) assert.doesNotMatch(text, /[^\n -~…→]/, 'nothing that a terminal obeys')
  const byEmail = parsed(await dateline('audit', '--json', '--email', BOSS.toUpperCase()))
  const eventsOfBoss = byEmail.map(({ event, role }) => `${event} ${role}`)
  assert.deepEqual(eventsOfBoss, ['sign-in.failed stranger', 'code.requested operator', 'user.created operator'])

  await dateline('user', 'delete', BOSS, '--yes')
  const after = await dateline('audit', '--json', '--filter', '{"model":{"$ne":""}}')
  assert.ok(!after.includes(boss), 'no record names the deleted user')
  assert.match(after, /"event":"user\.deleted","actor":"","role":"operator".*"documentId":"deleted-/)
  await service.end('SIGTERM')

  const exported = await dateline('export', '--model', 'audit', '--filter', '{"event":"settings"}')
  assert.match(exported, /"event":"settings"/)
  const refused = await runCheaply(['import', '--model', 'audit', '--format', 'ndjson', '-', '--data-dir', data], { input: exported })
  assert.deepEqual([refused.code, refused.stderr], [2, 'Cannot import audit: the service alone writes it\n'])
})

it('audit refuses what cannot be read', async (t) => {
  const data = await siteWithBoss(t)
  for (const words of [['--email', 'nonsense'], ['--limit', '0']]) {
    const { code, stderr } = await runCheaply(['audit', '--data-dir', data, ...words])
    assert.equal(code, 2)
    assert.match(stderr, words[0] === '--limit' ? /--limit/ : /e-mail address/)
  }
})
