/** Settings that administrators change while the service runs, and attacks on them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { ServiceSettings } from '../../src/models/responses.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { newCast, newPerson } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { databaseOf, startService, type ApiResponse, type Call } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'
import { openPeer, SEND, type Step } from '../support/smtp/smtp-peer.ts'

const SETTINGS = '/api/v1/admin/settings'
const PASSWORD = 'correct-horse-battery'
const PLAIN: readonly Step[] = [['', '220 hi'], ['EHLO', '250 x'], ...SEND]
const ENCRYPTED: readonly Step[] = [
  ['', '220 hi'],
  ['EHLO', '250-x\r\n250 STARTTLS'],
  ['STARTTLS', '220 go', 'tls'],
  ['EHLO', '250-x\r\n250 AUTH PLAIN'],
  ['AUTH', '235 welcome'],
  ...SEND,
]
const peer = await openPeer(PLAIN)
const guarded = await openPeer(ENCRYPTED)
const refusing = await openPeer([['', '220 hi'], ['EHLO', '250 x'], ['MAIL', '550 5.7.1 no relay for you'], ['RSET', '250 ok'], ['QUIT', '221 bye']])

const ports = [peer, guarded, refusing].map(({ port }) => port).join(',')
const service = await startSuiteService({ mail: undefined, mailPorts: ports, trashDays: '12', rateLimits: 'on' })
// After the service, which keeps a session with a mail server.
for (const one of [peer, guarded, refusing]) after(() => one[Symbol.asyncDispose]())
const cast = await newCast(service)
const { admin } = cast
const server = (port: number, user = ''): string => `smtp://${user}127.0.0.1:${port}`

const change = (body: unknown, { token = admin.token, ...more }: Call = {}): Promise<ApiResponse> =>
  service.call('PATCH', SETTINGS, { token, body, ...more })
const read = (): Promise<ApiResponse> => service.call('GET', SETTINGS, { token: admin.token })

function settingOf(response: ApiResponse, name: string): ServiceSettings['items'][number] {
  assert.equal(response.status, 200, response.text)
  const found = (response.at('data') as ServiceSettings).items.find((one) => one.name === name)
  assert.ok(found, name)
  return found
}

async function newestChanges(): Promise<unknown> {
  const filter = encodeURIComponent(JSON.stringify({ event: 'settings.changed' }))
  const trail = await service.call('GET', `/api/v1/admin/audit?limit=1&filter=${filter}`, { token: admin.token })
  assert.equal(trail.at('data.items[0].actor'), admin.id)
  return trail.at('data.items[0].changes')
}

it('no user is invited by mail before mail is set up, as the mail would be printed in the log', async () => {
  assert.equal((await change({ invitationUrl: 'https://news.example.org/' })).status, 200)
  const user = { email: 'desk@example.org', dashboardRole: 'publisher' }
  const invite = (query: object): Promise<ApiResponse> => service.data('POST', '', { model: 'user', ...query }, { token: admin.token, body: user })
  const refused = await invite({ invitation: 'mail' })
  assert.match(refused.error, /^conflict: Cannot invite by mail: mail is not set up: start the service with --mail, or set the mail server in the settings .*"dateline user code"/)
  const made = await invite({})
  assert.equal(made.status, 201, made.text)
  const path = `/api/v1/admin/users/${String(made.at('data.id'))}/invitation`
  assert.match((await service.call('POST', path, { token: admin.token })).error, /^conflict: Cannot invite by mail: mail is not set up/)
  const shown = await service.call('GET', path, { token: admin.token })
  assert.deepEqual(shown.at('data'), { canBeSent: false, mail: null })
  assert.equal((await change({ invitationUrl: null })).status, 200)
})

describe('a changed setting', () => {
  it('holds at once, is shown with its origin, and leaves its record', async () => {
    const before = await read()
    assert.equal(settingOf(before, 'appName').edit?.stored, null)
    assert.equal(before.headers.get('etag'), before.at('data.version'))
    const changed = await change({ appName: '  City News ', backupKeep: 3, backupEvery: '6h' })
    const { value, origin, edit } = settingOf(changed, 'appName')
    assert.deepEqual([value, origin, edit?.stored, edit?.changedAt], ['City News', 'database', 'City News', new Date(service.now()).toISOString()])
    assert.equal((await service.call('GET', '/api/v1/dashboard/setup')).at('data.appName'), 'City News')
    const status = await service.call('GET', '/api/v1/admin/status', { token: admin.token })
    assert.deepEqual([status.at('data.backups.everyMs'), status.at('data.backups.keep')], [6 * 3_600_000, 3])
    assert.deepEqual(await newestChanges(), [
      { path: 'appName', from: '', to: 'City News' },
      { path: 'backupKeep', from: '', to: '3' },
      { path: 'backupEvery', from: '', to: '6h' },
    ])
    const reset = await change({ appName: null, backupKeep: null, backupEvery: null })
    assert.deepEqual([settingOf(reset, 'appName').value, settingOf(reset, 'appName').origin], ['Dateline', 'default'])
    assert.equal((await service.call('GET', '/api/v1/dashboard/setup')).at('data.appName'), 'Dateline')
  })

  it('limits requests of the same minute', async () => {
    const guest = await newPerson(service, 'guest', admin.token)
    await change({ dataPerUser: 60 })
    const list = () => service.data('GET', '', { model: 'topic' }, { token: guest.token })
    for (let i = 0; i < 60; i++) assert.equal((await list()).status, 200)
    assert.equal((await list()).status, 429)
    await change({ dataPerUser: null })
    assert.equal((await list()).status, 200)
  })

  it('survives a restart, where a flag wins over it and says so', { skip: ONLY_HERE }, async (t) => {
    const first = await startService(t, { mail: undefined })
    const token = await tokenOf(first)
    await first.call('PATCH', SETTINGS, { token, body: { appName: 'City News', auditDays: 60 } })
    await first.stop()
    const second = await startService(t, { mail: undefined, appName: 'Flag News' }, { directory: first.directory })
    const response = await second.call('GET', SETTINGS, { token: await tokenOf(second) })
    const appName = settingOf(response, 'appName')
    assert.deepEqual([appName.value, appName.origin, appName.edit?.stored, appName.edit?.overriddenBy], ['Flag News', '--app-name', 'City News', '--app-name'])
    assert.deepEqual([settingOf(response, 'auditDays').value, settingOf(response, 'auditDays').origin], ['60', 'database'])
    const refused = await second.call('PATCH', SETTINGS, { token: await tokenOf(second), body: { appName: 'Other' } })
    assert.equal(refused.error, 'conflict: Cannot change appName: --app-name says it, and wins: remove it where the service is started')
    const removed = await second.call('PATCH', SETTINGS, { token: await tokenOf(second), body: { appName: null } })
    assert.equal(settingOf(removed, 'appName').edit?.stored, null)
  })
})

async function tokenOf({ app, now }: typeof service): Promise<string> {
  const user = app.services.store.accounts.userByEmail(admin.email)
  return app.services.sessions.issue(String(user?.['id']), { label: 'a test', now: now() })
}

describe('mail settings', () => {
  it('are stored when a test mail to the own address was accepted, and used for the next code', async () => {
    const response = await change({ mail: server(peer.port), mailFrom: 'News <news@example.org>' })
    assert.equal(settingOf(response, 'mail').value, server(peer.port))
    assert.match(peer.messages[0] ?? '', new RegExp(`^To: .*${RegExp.escape(admin.email)}`, 'm'))
    assert.match(peer.messages[0] ?? '', /^From: News <news@example\.org>\r?$/m)
    const setup = await service.call('GET', '/api/v1/dashboard/setup')
    assert.equal(setup.at('data.codesBy'), 'mail')
    await service.call('POST', '/api/v1/auth/request-code', { body: { email: 'reader@example.org' } })
    await service.app.idle()
    assert.match(peer.messages.at(-1) ?? '', /^To: .*reader@example\.org/m)
  })

  it('are not stored when the mail server refuses, and its answer is told', async () => {
    const before = await read()
    const response = await change({ mail: server(refusing.port) })
    assert.equal(response.status, 400)
    assert.match(response.error, /^invalidInput: Nothing was stored, because the test mail was not accepted: .*550 5\.7\.1 no relay for you/)
    assert.equal((await read()).text.replace(/"requestId":.*/, ''), before.text.replace(/"requestId":.*/, ''))
  })

  it('can be tried before, with the whole dialogue, and nothing is stored', async () => {
    const before = (await read()).at('data.version')
    const body = { to: 'reader@example.org', settings: { mail: server(refusing.port) } }
    const response = await service.call('POST', `${SETTINGS}/test`, { token: admin.token, body })
    assert.equal(response.at('data.delivered'), false)
    assert.ok((response.at('data.lines') as string[]).includes('< 550 5.7.1 no relay for you'), response.text)
    assert.equal((await read()).at('data.version'), before)
  })

  it('have a password that no response, record, log line or file shows', async () => {
    const response = await change({ mail: server(guarded.port, 'me@'), mailPassword: PASSWORD })
    assert.equal(settingOf(response, 'mailPassword').value, '***')
    assert.deepEqual(await newestChanges(), [
      { path: 'mail', from: server(peer.port), to: server(guarded.port, 'me@') },
      { path: 'mailPassword', from: '', to: '***' },
    ])
    assert.ok(guarded.heard.some(({ line, encrypted }) => encrypted && line.includes(Buffer.from(`\0me\0${PASSWORD}`).toString('base64'))))
    const responses = await Promise.all(['settings', 'log?limit=1000', 'audit', 'status'].map((path) => service.call('GET', `/api/v1/admin/${path}`, { token: admin.token })))
    for (const { text } of [response, ...responses]) assert.ok(!text.includes(PASSWORD))
    assert.ok(!(await service.logged()).join('\n').includes(PASSWORD))
    for (const end of ['', '-wal']) assert.ok(!readFileSync(databaseOf(service) + end).includes(PASSWORD))
  })

  it('attack: another server does not get the stored password', async () => {
    const connections = peer.connections
    const kept = await change({ mail: server(peer.port, 'me@') })
    assert.match(kept.error, /^invalidInput: mailPassword: expected the password of the user in mail/)
    const tried = await service.call('POST', `${SETTINGS}/test`, { token: admin.token, body: { to: 'a@example.org', settings: { mail: server(peer.port, 'me@') } } })
    assert.match(tried.error, /^invalidInput: mailPassword: /)
    assert.equal(peer.connections, connections)
    const changed = await change({ mail: server(peer.port) })
    assert.equal(settingOf(changed, 'mailPassword').value, 'none')
  })

  it('are removed together, and mail is printed again', async () => {
    assert.equal(settingOf(await change({ mailTls: 'none' }), 'mailTls').value, 'none')
    const removed = await change({ mail: null })
    assert.deepEqual([settingOf(removed, 'mail').origin, settingOf(removed, 'mailTls').edit?.stored], ['default', null])
    assert.equal((await service.call('GET', '/api/v1/dashboard/setup')).at('data.codesBy'), 'terminal')
  })

  it('while an invitation waits let it fail with the reason, and print it nowhere', { skip: ONLY_HERE }, async () => {
    const wish = { byMail: true, hasMail: true, url: 'https://news.example.org/', languages: [] }
    const invited = { email: 'waiting@example.org', appRole: 'standardUser', dashboardRole: 'publisher', language: undefined } as const
    await service.app.services.accounts.invite({ ...invited, wish, now: service.now() }, SYSTEM)
    // A request for a code wakes the delivery.
    await service.call('POST', '/api/v1/auth/request-code', { body: { email: 'reader@example.org' } })
    await service.app.idle()
    const { at } = await service.call('GET', '/api/v1/admin/outbox?state=failed', { token: admin.token })
    assert.deepEqual([at('data.items[0].address'), at('data.items[0].reply')], ['waiting@example.org', 'Cannot send the invitation: mail is not set up'])
    const lines = service.logLines.filter((line) => /waiting@|mail\.failed/.test(line))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /"advice":"Set the mail server with --mail, or in the settings of the dashboard, and send the invitation again"/)
  })

  it('that another secret of the server cannot open keep no service from its start', { skip: ONLY_HERE }, async (t) => {
    await using server = await openPeer(ENCRYPTED)
    const flags = { mail: undefined, mailPorts: String(server.port) }
    const first = await startService(t, flags)
    const body = { mail: `smtp://me@127.0.0.1:${server.port}`, mailPassword: PASSWORD }
    assert.equal((await first.call('PATCH', SETTINGS, { token: await tokenOf(first), body })).status, 200)
    await first.stop()
    writeFileSync(join(first.directory, 'data/secrets'), `${randomBytes(32).toString('base64')}\n`)
    const second = await startService(t, flags, { directory: first.directory })
    const status = await second.call('GET', '/api/v1/admin/status', { token: await tokenOf(second) })
    assert.match(status.text, /the stored mail settings are not used: Cannot use --mail: expected a password with the user/)
    assert.equal((await second.call('GET', '/api/v1/dashboard/setup')).at('data.codesBy'), 'terminal')
    await second.stop()
  })

  it('attack: the operator’s password is sent to no stored server', { skip: ONLY_HERE }, async (t) => {
    const other = await startService(t, { mail: `smtp://me:${PASSWORD}@127.0.0.1:${guarded.port}`, mailPorts: ports })
    for (const body of [{ mail: server(peer.port, 'me@'), mailPassword: 'x' }, { mailTls: 'none' }, { mailPassword: 'x' }]) {
      const response = await other.call('PATCH', SETTINGS, { token: await tokenOf(other), body })
      assert.match(response.error, /^conflict: Cannot change mail\w*: --mail says it, and wins/)
    }
  })

  for (const [name, body, message] of [
    ['a program', { mail: 'exec:/bin/sh -c id' }, /^invalidInput: mail: expected smtp:\/\/.* are for --mail$/],
    ['the console, where codes would be printed', { mail: 'console:' }, /^invalidInput: mail: expected smtp:/],
    ['a port that is no mail server’s, to scan the network', { mail: 'smtp://10.0.0.1:6379' }, /^invalidInput: mail: expected one of the ports .*, found 6379: allow it with --mail-ports/],
    ['a password in the text that is shown', { mail: `smtp://me:${PASSWORD}@127.0.0.1:${peer.port}` }, /^invalidInput: mail: expected no password in it/],
    ['a line of its own in a header', { mailFrom: 'News\r\nBcc: victim@example.org <news@example.org>' }, /^invalidInput: mailFrom: expected one line/],
    ['a line of its own in the password', { mail: server(guarded.port, 'me@'), mailPassword: 'x\r\nRCPT TO:<victim@example.org>' }, /^invalidInput: mailPassword: expected a password without line breaks/],
    ['a giant value', { appName: 'x'.repeat(1_001) }, /^invalidInput: appName: expected at most 1000 characters, found 1001/],
    ['an object', { appName: { a: 1 } }, /^invalidInput: appName: expected a text, a number or null/],
    ['a data directory', { dataDir: '/tmp' }, /^invalidInput: dataDir cannot be changed here: set it where the service is started/],
    ['more ports', { mailPorts: '6379' }, /^invalidInput: mailPorts cannot be changed here/],
    ['the prototype', '{"__proto__":{"a":1}}', /^invalidInput: /],
    ['a name of nothing', { nothing: 'x' }, /^invalidInput: There is no setting "nothing": expected one of appName, publicUrl, invitationUrl, review, mail, .*, trashDays$/],
    ['a script as the address of the site', { publicUrl: 'javascript:alert(1)//' }, /^invalidInput: publicUrl: expected a URL such as https:/],
    ['a history of a dozen years', { historyDays: 5_000 }, /^invalidInput: historyDays: expected a whole number from 7 to 3650, found 5000/],
    ['a limit on wrong codes that is off', { wrongCodesPerEmail: 0 }, /^invalidInput: wrongCodesPerEmail: expected a whole number from 20 to 1000, found 0/],
    ['a setting of the operator', { trashDays: 1 }, /^conflict: Cannot change trashDays: --trash-days says it, and wins/],
  ] as const) {
    it(`attack: ${name} is not stored`, async () => {
      const before = (await read()).at('data.version')
      const response = await change(body)
      assert.match(response.error, message)
      assert.ok(!response.text.includes(PASSWORD))
      assert.equal((await read()).at('data.version'), before)
    })
  }
})

describe('attack: settings are neither read nor changed', () => {
  it('by a token of the API, which would outlive its end', async () => {
    const made = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: { name: 'a', role: 'admin' } })
    const token = String(made.at('data.token'))
    assert.match((await change({ appName: 'x' }, { token })).error, /^forbidden: A token of the API may not do this/)
    const body = { to: 'a@example.org', settings: { mail: server(peer.port) } }
    assert.equal((await service.call('POST', `${SETTINGS}/test`, { token, body })).status, 403)
  })

  it('by an administrator who is demoted while the test mail is on its way', { skip: ONLY_HERE }, async (t) => {
    const demoting = Promise.withResolvers<unknown>()
    const demote = (): string => {
      const boss = { email: admin.email, dashboardRole: 'publisher' }
      demoting.resolve(other.app.services.store.as(SYSTEM).updateUser(bossId, (user) => ({ ...user, ...boss })))
      return '250 x'
    }
    await using slow = await openPeer([['', '220 hi'], ['EHLO', demote], ...SEND])
    const other = await startService(t, { mail: undefined, mailPorts: String(slow.port) })
    const bossId = String(other.app.services.store.accounts.userByEmail(admin.email)?.['id'])
    const { token } = await newPerson(other, 'admin', await tokenOf(other))
    const refused = await other.call('PATCH', SETTINGS, { token: await tokenOf(other), body: { mail: server(slow.port) } })
    assert.match(String(await demoting.promise), /publisher/)
    assert.match(refused.error, /^forbidden: /)
    assert.match(slow.messages[0] ?? '', /^Subject: Mail from Dateline works/m)
    assert.equal(settingOf(await other.call('GET', SETTINGS, { token }), 'mail').edit?.stored, null)
  })

  it('over changes of another, who was faster', async () => {
    const version = String((await read()).at('data.version'))
    const first = await change({ auditDays: 90 }, { headers: { 'if-match': version } })
    assert.equal(first.status, 200)
    const second = await change({ auditDays: 120 }, { headers: { 'if-match': version } })
    assert.deepEqual([second.status, second.at('error.code'), second.headers.get('etag')], [412, 'preconditionFailed', first.at('data.version')])
    assert.equal(settingOf(await read(), 'auditDays').value, '90')
    const racing = await Promise.all([100, 200, 300].map((days) => change({ auditDays: days }, { headers: { 'if-match': String(first.at('data.version')) } })))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 412, 412])
  })
})
