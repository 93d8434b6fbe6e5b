/**
 * What may be sent unencrypted. A machine between us and the mail server can remove STARTTLS from its offers, present
 * another certificate, or inject replies before the handshake (CVE-2011-0411: a client that keeps them reads them as
 * replies from inside TLS). None of that may bring a password or a mail onto the wire.
 */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { isThisMachine } from '../../src/mail/smtp/smtp-policy.ts'
import { attempt, type Attempt, LOGIN, type Overrides } from '../support/smtp/smtp-delivery.ts'
import { type PeerOptions, QUIT, SEND, type Step } from '../support/smtp/smtp-peer.ts'
import { TEST_CERTIFICATE } from '../support/service/test-certificate.ts'

const GREETING: Step = ['', '220 hi']
const OFFER: Step = ['EHLO', '250-x\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS']
const NO_OFFER: Step = ['EHLO', '250-x\r\n250 AUTH PLAIN LOGIN']
const AUTH: Step = ['AUTH PLAIN', '235 ok']
const TLS: readonly Step[] = [GREETING, OFFER, ['STARTTLS', '220 go', 'tls']]
const OVER_TLS: readonly Step[] = [...TLS, NO_OFFER, AUTH, ...SEND]
const IN_CLEAR: readonly Step[] = [GREETING, NO_OFFER, AUTH, ...SEND]
const STRIPPED: readonly Step[] = [GREETING, NO_OFFER, QUIT, AUTH, ...SEND]
const TRUSTED: Overrides = { host: 'localhost', mode: 'starttls', verify: true, login: LOGIN, ca: [TEST_CERTIFICATE] }

/** Neither password nor mail was sent unencrypted. (A server without TLS hears the bytes of the handshake.) */
function assertNothingLeaked({ peer }: Attempt): void {
  const clear = peer.heard.filter(({ encrypted }) => !encrypted).map(({ line }) => line)
  assert.doesNotMatch(clear.join('\n'), /AUTH|MAIL|RCPT|DATA/)
  assert.deepEqual(peer.messages, [])
}

describe('deliver() to another machine', () => {
  const cases: ReadonlyArray<readonly [string, readonly Step[], Overrides, string, PeerOptions?]> = [
    ['no STARTTLS is offered', STRIPPED, TRUSTED, 'starttls'],
    ['STARTTLS is offered under another name', [GREETING, ['EHLO', '250-x\r\n250 XSTARTTLS'], QUIT], TRUSTED, 'starttls'],
    ['the server knows only HELO', [GREETING, ['EHLO', '502 x'], ['HELO', '250 x'], QUIT], TRUSTED, 'starttls'],
    ['STARTTLS is rejected temporarily', [GREETING, OFFER, ['STARTTLS', '454 later'], QUIT], TRUSTED, 'starttls'],
    ['STARTTLS is rejected', [GREETING, OFFER, ['STARTTLS', '502 no'], QUIT], TRUSTED, 'starttls'],
    [
      'there is no TLS after STARTTLS',
      [GREETING, OFFER, ['STARTTLS', '220 go']],
      { ...TRUSTED, timeouts: { connect: 200 } },
      'tls',
    ],
    ['the issuer of the certificate is unknown', OVER_TLS, { ...TRUSTED, ca: [] }, 'tls'],
    ['the certificate is for another name', OVER_TLS, { ...TRUSTED, host: '127.0.0.1' }, 'tls'],
    [
      'implicit TLS has a certificate of an unknown issuer',
      IN_CLEAR,
      { ...TRUSTED, ca: [], mode: 'implicit', verify: true },
      'tls',
      { implicitTls: true },
    ],
    ['implicit TLS meets a server without TLS', IN_CLEAR, { ...TRUSTED, mode: 'implicit', verify: true }, 'tls'],
    ['EHLO fails inside TLS', [...TLS, ['EHLO', '502 no'], QUIT], TRUSTED, 'ehlo'],
    [
      'no AUTH mechanism that we support is offered',
      [...TLS, ['EHLO', '250-x\r\n250 AUTH GSSAPI PLAINX'], QUIT],
      TRUSTED,
      'auth',
    ],
    ['AUTH before TLS is not AUTH after it', [...TLS, ['EHLO', '250-x\r\n250 SIZE'], QUIT], TRUSTED, 'auth'],
    [
      'PLAIN gets a prompt in place of an answer',
      [...OVER_TLS.slice(0, 4), ['AUTH', '334 '], ['*', '501 off'], QUIT],
      TRUSTED,
      'auth',
    ],
  ]
  for (const [name, script, overrides, stage, options] of cases) {
    it(`sends nothing and reports a temporary failure when ${name}`, async () => {
      const outcome = await attempt(script, overrides, options)
      assert.deepEqual([outcome.error?.stage, outcome.error?.temporary], [stage, true], String(outcome.error))
      assertNothingLeaked(outcome)
    })
  }

  for (const injected of ['250 injected', '2', '250-half', '250 a\r\n250 b\r\n250 c', 'rubbish']) {
    it(`rejects ${JSON.stringify(injected)} in the packet of the STARTTLS reply`, async () => {
      const answer: Step = ['STARTTLS', `220 go\r\n${injected}\r\n`, 'tls']
      const script: Step[] = [GREETING, OFFER, answer, NO_OFFER, AUTH, ...SEND]
      const outcome = await attempt(script, TRUSTED)
      assert.equal(outcome.error?.temporary, true)
      assert.match(outcome.error?.message ?? '', /more bytes came before TLS started|Cannot read SMTP reply/)
      assert.equal(outcome.peer.verbs(), 'EHLO STARTTLS')
    })
  }
})

describe('deliver() to this machine', () => {
  const local: Overrides = { mode: 'starttls-if-offered', verify: false, login: LOGIN }

  it('goes on unencrypted where no STARTTLS is offered, with the password where the operator allows it', async () => {
    const { peer, error } = await attempt(IN_CLEAR, local)
    assert.deepEqual([error, peer.surprises, peer.messages.length], [undefined, [], 1])
  })

  it('uses STARTTLS where it is offered, and does not check the certificate', async () => {
    const { peer, error } = await attempt(OVER_TLS, local)
    assert.equal(error, undefined)
    assert.ok(peer.heard.slice(2).every(({ encrypted }) => encrypted))
  })

  it('does not go on unencrypted when STARTTLS was offered and failed', async () => {
    const outcome = await attempt([GREETING, OFFER, ['STARTTLS', '454 no'], QUIT], local)
    assert.equal(outcome.error?.stage, 'starttls')
    assertNothingLeaked(outcome)
  })
})

describe('deliver() to a name of this machine that resolves elsewhere', () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const skip = outside === undefined && 'this machine has no address but its own loopback'

  it('sends nothing', { skip }, async () => {
    const overrides: Overrides = { mode: 'starttls-if-offered', verify: false, login: LOGIN, host: outside ?? '' }
    const outcome = await attempt(IN_CLEAR, overrides, { address: outside ?? '' })
    assert.match(outcome.error?.message ?? '', /at connect: the host should be this machine, and its name resolves to another$/)
    assert.deepEqual(outcome.peer.heard, [])
  })
})

describe('isThisMachine()', () => {
  const rows: ReadonlyArray<readonly [string, boolean]> = [
    ['mail.example.org', false],
    ['localhost', true],
    ['LOCALHOST', true],
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['::1', true],
    ['10.0.0.1', false],
    ['128.0.0.1', false],
    ['127.0.0.1.example.org', false],
    ['127.1', false],
    ['localhost.example.org', false],
    ['::ffff:10.0.0.1', false],
    ['0.0.0.0', false],
  ]
  for (const [host, expected] of rows) {
    it(`is ${expected} for ${host}`, () => assert.equal(isThisMachine(host), expected))
  }

  it('accepts the mapped form in which a socket may report this machine', () => {
    assert.deepEqual(['::ffff:127.0.0.1', '::ffff:10.0.0.1'].map(isThisMachine), [true, false])
  })
})
