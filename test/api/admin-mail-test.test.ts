// also: executable
/** A test mail that an administrator sends: the dialogue, what is wrong, and how often it may be. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import type { MailTest } from '../../src/models/responses.ts'
import { newCast, newPerson } from '../support/cast.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { portFor } from '../../scripts/tools/listening.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { openPeer, TAKES_ONE, type Step } from '../support/smtp/smtp-peer.ts'

const PASSWORD = 'correct-horse-battery'
const LOGIN: readonly Step[] = [['', '220 hi \u202etxet'], ['EHLO', '250-x\r\n250 AUTH PLAIN']]

const adminToken = async (service: TestService): Promise<string> => (await newCast(service)).admin.token

function testMail(service: TestService, token: string, to: unknown = ' Reader@Example.org '): Promise<ApiResponse> {
  return service.call('POST', '/api/v1/admin/outbox/test', { token, body: { to } })
}

const resultOf = (response: ApiResponse): MailTest => {
  assert.equal(response.status, 200, response.text)
  return response.at('data') as MailTest
}

/** A mail server that says nothing; `greeted` resolves with each connection. */
/** Says nothing to its first client, and ends the connections of those after it. */
async function silentServer(t: Cleanup): Promise<{ port: number; connected: Promise<unknown> }> {
  let clients = 0
  const server = createServer((socket) => {
    if (++clients > 1) socket.destroy()
  })
  return { port: await portFor(t, server), connected: once(server, 'connection') }
}

describe('a test mail', () => {
  it('that is accepted shows the whole dialogue, with no password and no control character', async (t) => {
    await using peer = await openPeer([...LOGIN, ...TAKES_ONE])
    const mail = `smtp://me:${PASSWORD}@127.0.0.1:${peer.port}`
    const service = await startService(t, { mail, mailCleartextLogin: 'on' })
    const response = await testMail(service, await adminToken(service))
    const { delivered, lines, advice } = resultOf(response)
    assert.deepEqual([delivered, advice], [true, null])
    for (const line of ['> AUTH PLAIN ***', '> RCPT TO:<reader@example.org>', '< 250 queued as 4711']) {
      assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`)
    }
    assert.equal(lines.at(-1), '* the mail was accepted: 250 queued as 4711')
    assert.doesNotMatch(lines.join(''), /[\p{Cc}\p{Cf}]/u)
    assert.ok(!response.text.includes(Buffer.from(`\0me\0${PASSWORD}`).toString('base64')))
    assert.ok(!response.text.includes(PASSWORD))
    assert.doesNotMatch(peer.messages.join(''), /(?<!\d)\d{6}(?!\d)/, 'it contains no code')
    assert.ok(!(await service.logged()).join('\n').includes('reader@example'), 'the log names no address')
  })

  for (const [name, body] of [
    ['no e-mail address', { to: 'unknown' }],
    ['attack: a line of its own', { to: 'a@example.org\r\nBcc: victim@example.org' }],
    ['attack: a command of its own', { to: 'a@example.org>\r\nRCPT TO:<victim@example.org' }],
    ['attack: two addresses', { to: 'a@example.org, victim@example.org' }],
    ['attack: an option for a program', { to: '-oQ/tmp@example.org -X/tmp/log' }],
    ['the stand-in of a guest', { to: '0123456789abcdef01234567@anonymous.invalid' }],
    ['the stand-in of an app', { to: 'administrator@local.invalid' }],
  ] as const) {
    it(`to ${name} is rejected and not counted`, async (t) => {
      const service = await startService(t)
      const response = await service.call('POST', '/api/v1/admin/outbox/test', { token: await adminToken(service), body })
      assert.deepEqual([response.status, response.at('error.code')], [400, 'invalidInput'])
      assert.match(String(response.at('error.message')), /^to: /)
    })
  }

  it('is one of ten in an hour for each administrator, also where rate limits are off', async (t) => {
    const service = await startService(t)
    const token = await adminToken(service)
    for (let i = 0; i < 10; i++) assert.equal((await testMail(service, token)).status, 200)
    const response = await testMail(service, token)
    assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '3600'])
    assert.equal((await service.mails('reader@example.org')).length, 10)
    const { token: other } = await newPerson(service, 'admin', token)
    assert.equal((await testMail(service, other)).status, 200)
    service.advance(3_600_000)
    assert.equal((await testMail(service, token)).status, 200)
    const status = await service.call('GET', '/api/v1/admin/status', { token })
    assert.match(status.text, /\{"name":"test_mails_per_user","refused":1\}/)
  })

  it('attack: a silent mail server neither blocks it without end nor lets others start', { skip: ONLY_HERE }, async (t) => {
    const { port, connected } = await silentServer(t)
    const service = await startService(t, { mail: `smtp://127.0.0.1:${port}` }, { mailTestMs: 3_000 })
    const token = await adminToken(service)
    const first = testMail(service, token)
    await connected
    const second = await testMail(service, token)
    assert.deepEqual([second.status, second.at('error.code')], [409, 'conflict'])
    const { delivered, lines, advice } = resultOf(await first)
    assert.equal(delivered, false)
    assert.equal(lines.at(-1), '* aborted: no result within 3 seconds')
    assert.match(advice ?? '', /--mail/)
    assert.equal(resultOf(await testMail(service, token)).delivered, false, 'the next may start')
  })
})
