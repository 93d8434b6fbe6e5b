import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mostSpecificError } from '../../src/base/system-error.ts'
import type { DeliveryError, Stage } from '../../src/mail/delivery/delivery-error.ts'
import { createSmtpClient, type SmtpSettings } from '../../src/mail/smtp/smtp.ts'
import { describeConnectionError } from '../../src/mail/smtp/smtp-error.ts'
import { isNotLoopback } from '../../src/mail/smtp/smtp-policy.ts'
import { attempt, deliverOnce, LOGIN, MAIL, type Overrides, rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, QUIT, SEND, type Step } from '../support/smtp/smtp-peer.ts'
import { TEST_CERTIFICATE } from '../support/service/test-certificate.ts'

const GREETING: Step = ['', '220 hi']
const EHLO: Step = ['EHLO', '250-x\r\n250-PIPELINING\r\n250 AUTH PLAIN']
const TAKES: readonly Step[] = [GREETING, EHLO, ...SEND]
const OVER_TLS: readonly Step[] = [GREETING, ['EHLO', '250-x\r\n250 STARTTLS'], ['STARTTLS', '220 go', 'tls'], EHLO, ...SEND]

/** Settings for several servers at 127.0.0.1. */
function settingsOf(ports: readonly number[], overrides: Overrides = {}): SmtpSettings {
  const { servers: _one, ...settings } = settingsFor(0, overrides)
  return { ...settings, servers: ports.map((port) => ({ host: '127.0.0.1', port })) }
}

async function closedPort(): Promise<number> {
  await using peer = await openPeer([])
  return peer.port
}

function codeOf(error: DeliveryError | undefined): unknown {
  return error?.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
}

describe('deliver() with several servers', () => {
  it('goes to the second where nothing listens on the first', async () => {
    await using second = await openPeer(TAKES)
    const { reply } = await deliverOnce(settingsOf([await closedPort(), second.port]), MAIL)
    assert.deepEqual([reply, second.messages.length], ['250 queued', 1])
  })

  const passed: ReadonlyArray<readonly [string, readonly Step[], Overrides?]> = [
    ['is too busy', [['', '421 busy']]],
    ['accepts no mail', [['', '554 no'], QUIT]],
    ['hangs up', [['', '', 'drop']]],
    ['greets with garbage', [['', 'garbage']]],
    ['greets too late', [['', '220-slow']], { timeouts: { greeting: 200 } }],
    ['rejects EHLO for now', [GREETING, ['EHLO', '451 later'], QUIT]],
    ['cannot check the password now', [GREETING, EHLO, ['AUTH', '454 later'], QUIT], { login: LOGIN }],
  ]
  for (const [name, script, overrides] of passed) {
    it(`goes to the second where the first ${name}`, async () => {
      await using first = await openPeer(script)
      const login: Step = ['AUTH', '235 ok']
      await using second = await openPeer(overrides?.login === undefined ? TAKES : [GREETING, EHLO, login, ...SEND])
      const { reply } = await deliverOnce(settingsOf([first.port, second.port], overrides), MAIL)
      assert.deepEqual([reply, first.surprises, second.messages.length], ['250 queued', [], 1])
    })
  }

  it('goes to the second where TLS fails with the first', async () => {
    await using first = await openPeer([GREETING, ['EHLO', '250-x\r\n250 STARTTLS'], ['STARTTLS', '220 go', 'drop']])
    await using second = await openPeer(OVER_TLS)
    const settings = settingsOf([first.port, second.port], { mode: 'starttls' })
    assert.equal((await deliverOnce(settings, MAIL)).reply, '250 queued')
  })

  const final: ReadonlyArray<readonly [string, readonly Step[], Stage]> = [
    ['the password', [GREETING, EHLO, ['AUTH', '535 5.7.8 no'], QUIT], 'auth'],
    ['the sender', [GREETING, EHLO, ['AUTH', '235 ok'], ['MAIL', '450 a'], ['RCPT', '503 b'], ['DATA', '503 c'], QUIT], 'mail'],
    [
      'the recipient',
      [GREETING, EHLO, ['AUTH', '235 ok'], ['MAIL', '250 a'], ['RCPT', '450 b'], ['DATA', '503 c'], QUIT],
      'rcpt',
    ],
    ['the mail by dropping', [GREETING, EHLO, ['AUTH', '235 ok'], ['MAIL', '', 'drop']], 'mail'],
  ]
  for (const [name, script, stage] of final) {
    it(`does not ask the second where the first rejected ${name}`, async () => {
      await using first = await openPeer(script)
      await using second = await openPeer(TAKES)
      const settings = settingsOf([first.port, second.port], { login: LOGIN })
      const error = await rejection(deliverOnce(settings, MAIL))
      assert.deepEqual([error.stage, error.temporary, second.connections], [stage, true, 0])
    })
  }

  it('starts with the one that accepted the last session', async () => {
    await using first = await openPeer([['', '421 busy']], { later: [TAKES] })
    await using second = await openPeer(TAKES, { later: [[['', '421 busy']]] })
    const client = createSmtpClient(settingsOf([first.port, second.port], { limits: { mailsPerSession: 1 } }))
    for (let mail = 0; mail < 3; mail++) await client.deliver(MAIL)
    await client.close()
    // Busy, accepted; busy, accepted; accepted.
    assert.deepEqual([first.connections, second.connections, first.messages.length], [3, 2, 2])
  })

  it('reports the error of each of them', async () => {
    await using second = await openPeer([['', '554 no mail here'], QUIT])
    const port = await closedPort()
    const error = await rejection(deliverOnce(settingsOf([port, second.port]), MAIL))
    assert.match(error.message, new RegExp(`"127.0.0.1:${port}" at connect: .*ECONNREFUSED.*; then: Cannot deliver`))
    assert.match(error.message, new RegExp(`"127.0.0.1:${second.port}" at greeting: expected 2xx, got "554 no mail here"$`))
    assert.deepEqual([error.stage, error.temporary, error.reply], ['greeting', true, '554 no mail here'])
  })

  it('bounds them all together by the time limit of the attempt', async () => {
    const silent: Step[] = [['', '']]
    await using first = await openPeer(silent)
    await using second = await openPeer(silent)
    const settings = settingsOf([first.port, second.port], { timeouts: { greeting: 10_000, total: 250 } })
    assert.match((await rejection(deliverOnce(settings, MAIL))).message, /took longer than 250 ms as a whole$/)
    assert.equal(second.connections, 0)
  })
})

describe('a DeliveryError', () => {
  const unknown: Overrides = { host: 'localhost', mode: 'starttls', verify: true }
  const otherName: Overrides = { ...unknown, ca: [TEST_CERTIFICATE], tlsName: 'mx.example.org' }
  const noAddress: Overrides = { mode: 'implicit', verify: true, ca: [TEST_CERTIFICATE] }
  const forOther = /the certificate is not for "mx\.example\.org" but for "localhost, mail\.example\.test"$/
  const failing: ReadonlyArray<readonly [string, Overrides, string, RegExp, PeerOptions?]> = [
    ['an unknown issuer', unknown, 'DEPTH_ZERO_SELF_SIGNED_CERT', /CERT\), its issuer is "CN=Dateline test mail server"$/],
    ['another name', otherName, 'ERR_TLS_CERT_ALTNAME_INVALID', forOther],
    ['no address', noAddress, 'ERR_TLS_CERT_ALTNAME_INVALID', /is not for "127\.0\.0\.1" but for /, { implicitTls: true }],
  ]
  for (const [name, overrides, code, message, options] of failing) {
    it(`names the cause and the issuer where a certificate has ${name}`, async () => {
      const { error } = await attempt(OVER_TLS, overrides, options)
      assert.deepEqual([codeOf(error), error?.temporary, error?.issuer], [code, true, 'CN=Dateline test mail server'])
      assert.match(error?.message ?? '', message)
    })
  }

  it('names the cause of an unencrypted answer where TLS was expected, and of silence', async () => {
    const { error: clear } = await attempt(OVER_TLS, { mode: 'implicit', verify: true })
    assert.deepEqual([codeOf(clear), clear?.temporary, clear?.issuer], ['ERR_SSL_WRONG_VERSION_NUMBER', true, undefined])
    assert.match(clear?.message ?? '', /at tls: the connection failed \(TLS: wrong version number\)$/)
    const { error: silence } = await attempt([['', '']], { timeouts: { greeting: 200 } })
    assert.deepEqual([codeOf(silence), silence?.temporary], ['ETIMEDOUT', true])
  })

  it('names the cause of a refused connection and of a name that does not exist', async () => {
    const refused = await rejection(deliverOnce(settingsFor(await closedPort()), MAIL))
    assert.deepEqual([codeOf(refused), refused.stage, refused.temporary], ['ECONNREFUSED', 'connect', true])
    const unknown = await rejection(deliverOnce(settingsFor(25, { host: 'mail..invalid', verify: true }), MAIL))
    assert.deepEqual([codeOf(unknown), unknown.stage, unknown.temporary], ['ENOTFOUND', 'connect', true])
  })

  it('names every address of a server in one sentence', async () => {
    const error = await rejection(deliverOnce(settingsFor(await closedPort(), { host: 'localhost' }), MAIL))
    assert.match(error.message, /at connect: the connection failed \(.*connect ECONNREFUSED 127\.0\.0\.1:\d+.*\)$/)
    const failed = (code: string, address: string): Error => Object.assign(new Error(`connect ${code} ${address}`), { code })
    const both = new AggregateError([failed('ENETUNREACH', '::1'), failed('ECONNREFUSED', '127.0.0.1')])
    const sentence = 'the connection failed (connect ENETUNREACH ::1; connect ECONNREFUSED 127.0.0.1)'
    assert.equal(describeConnectionError(both), sentence)
    assert.deepEqual(mostSpecificError(both), both.errors[1])
    assert.equal(describeConnectionError(new AggregateError([])), 'the connection failed (an unknown error)')
  })
})

describe('deliver(), by its settings of TLS,', () => {
  it('asks for the name that is set and checks the certificate against it', async () => {
    const overrides: Overrides = { mode: 'starttls', verify: true, ca: [TEST_CERTIFICATE], tlsName: 'mail.example.test' }
    const { peer } = await attempt(OVER_TLS, overrides)
    assert.deepEqual([peer.names, peer.messages.length], [['mail.example.test'], 1])
  })

  it('stays unencrypted with "none", whatever is offered', async () => {
    const { peer } = await attempt([GREETING, ['EHLO', '250-x\r\n250 STARTTLS'], ...SEND], { mode: 'none' })
    assert.deepEqual([peer.surprises, peer.verbs()], [[], 'EHLO MAIL RCPT DATA . QUIT'])
  })

  it('checks the certificate with "starttls-if-offered" where verification is set', async () => {
    const { error } = await attempt(OVER_TLS, { host: 'localhost', mode: 'starttls-if-offered', verify: true })
    assert.equal(error?.stage, 'tls')
  })
})

describe('isNotLoopback()', () => {
  const verified = { mode: 'starttls', verify: true } as const
  const unverified = { mode: 'starttls-if-offered', verify: false } as const
  const inClear = { mode: 'none', verify: false } as const
  const rows = [
    ['localhost here', { host: 'localhost', remoteAddress: '127.0.0.1', ...unverified }, false],
    ['localhost here, in the mapped form', { host: 'localhost', remoteAddress: '::ffff:127.0.0.1', ...inClear }, false],
    ['localhost elsewhere', { host: 'localhost', remoteAddress: '192.0.2.1', ...unverified }, true],
    ['localhost elsewhere, verified', { host: 'LOCALHOST', remoteAddress: '192.0.2.1', ...verified }, true],
    ['localhost elsewhere, unencrypted', { host: 'localhost', remoteAddress: '192.0.2.1', ...inClear }, true],
    ['a relay, unencrypted', { host: 'relay.example', remoteAddress: '192.0.2.1', ...inClear }, false],
    ['a relay, verified', { host: 'relay.example', remoteAddress: '192.0.2.1', ...verified }, false],
    ['a relay whose certificate is not checked', { host: 'relay.example', remoteAddress: '192.0.2.1', ...unverified }, true],
    ['another name of this machine', { host: 'mail.example', remoteAddress: '::1', ...unverified }, false],
  ] as const
  for (const [name, destination, expected] of rows) {
    it(`${expected ? 'stops' : 'allows'} ${name}`, () => assert.equal(isNotLoopback(destination), expected))
  }
})
