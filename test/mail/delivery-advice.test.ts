/**
 * The advice for each failure of a delivery. The failures are real: a peer that rejects each step, TLS with each kind of
 * wrong certificate, ports where nothing or another protocol listens, programs, directories.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { adviceFor } from '../../src/mail/delivery/delivery-advice.ts'
import { DeliveryError, type DeliveryErrorDetails } from '../../src/mail/delivery/delivery-error.ts'
import { deliverByProgram } from '../../src/mail/delivery/exec-delivery.ts'
import { openMailFolder } from '../../src/mail/delivery/mail-folder.ts'
import { AUTHORITY, EXPIRED_SERVER, GOOD_SERVER, OTHER_SERVER } from '../support/smtp/mail-certificates.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { deliverOnce, type Overrides, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, type Step } from '../support/smtp/smtp-peer.ts'

const MAIL = { from: 'no-reply@example.org', to: 'reader@example.net', data: 'Subject: 042137\r\n\r\nHello\r\n' }
const LOGIN = { user: 'ann', password: 'hunter2' }

async function adviceOn(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof DeliveryError, String(error))
    const advice = adviceFor(error)
    assert.match(advice, /^[A-Z][^\n]*[^.]$/, 'a sentence without a full stop')
    assert.doesNotMatch(advice, /hunter2|042137|undefined|\[object/)
    return advice
  }
  throw new assert.AssertionError({ message: 'The mail was delivered' })
}

/** Delivers through a peer with this script, and returns the advice for the error. */
async function adviceWith(script: readonly Step[], overrides: Overrides = {}, options: PeerOptions = {}, to = MAIL.to) {
  await using peer = await openPeer(script, options)
  return await adviceOn(deliverOnce(settingsFor(peer.port, overrides), { ...MAIL, to }))
}

const HI: Step = ['', '220 hi']
const BYE: Step = ['QUIT', '221 bye']
const EHLO: Step = ['EHLO', '250-x\r\n250 SIZE 0']
const OFFER: Step = ['EHLO', '250-x\r\n250 STARTTLS']
const TLS: readonly Step[] = [HI, OFFER, ['STARTTLS', '220 go', 'tls'], EHLO]
const STRICT: Overrides = { host: 'localhost', mode: 'starttls', verify: true, ca: [AUTHORITY] }

describe('adviceFor() on a connection', () => {
  it('to a port where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const advice = await adviceOn(deliverOnce(settingsFor(port), MAIL))
    assert.equal(
      advice,
      `Nothing listens on 127.0.0.1:${port}: check host and port in --mail, and that the mail server is running`,
    )
  })

  const silent = { greeting: 200, connect: 200 }
  const rows: ReadonlyArray<readonly [string, readonly Step[], Overrides, RegExp, PeerOptions?]> = [
    ['that stays silent', [], { timeouts: silent }, /^The server sends no greeting: if it expects TLS .* use smtps:\/\//],
    [
      'that is closed at once',
      [['', '', 'drop']],
      {},
      /^The server (?:closes the connection without a greeting|reset the connection): /,
    ],
    [
      'to a server without TLS that should have it',
      [HI],
      { host: 'localhost', mode: 'implicit', verify: true },
      /^The (?:server does not speak TLS from the first byte: smtps:\/\/ is for port 465|host and port do not speak valid SMTP)/,
    ],
    [
      'to another protocol',
      [['', 'HTTP/1.1 400 Bad Request']],
      {},
      /^The host and port do not speak valid SMTP: check host and port in --mail$/,
    ],
    [
      'that drops in the middle',
      [HI, ['EHLO', '', 'drop']],
      {},
      /^The server (?:closed the connection mid-session|reset the connection): the service retries by itself/,
    ],
  ]
  for (const [name, script, overrides, wanted, options] of rows) {
    it(name, async () => assert.match(await adviceWith(script, overrides, options), wanted))
  }
})

describe('adviceFor() on a certificate', () => {
  const rows: ReadonlyArray<readonly [string, Overrides, PeerOptions['identity'], RegExp]> = [
    [
      'of an unknown authority',
      { ...STRICT, ca: [] },
      GOOD_SERVER,
      /^The server's certificate was issued by "CN=Dateline test authority, O=Example", which this machine does not trust: set --mail-ca to /,
    ],
    [
      'that is self-signed',
      { ...STRICT, ca: [] },
      undefined,
      /^The server's certificate is self-signed, "CN=Dateline test mail server": set --mail-ca to it/,
    ],
    [
      'for another name',
      STRICT,
      OTHER_SERVER,
      /^The server's certificate is for "mail\.example\.test": .* with --mail-tls-name$/,
    ],
    [
      'that has expired',
      STRICT,
      EXPIRED_SERVER,
      /^The server's certificate, issued by "CN=Dateline test authority, O=Example", .* has expired: renew it/,
    ],
  ]
  for (const [name, overrides, identity, wanted] of rows) {
    it(name, async () => assert.match(await adviceWith(TLS, overrides, identity === undefined ? {} : { identity }), wanted))
  }
})

describe('adviceFor() on what a server offers', () => {
  const login = (offer: string): readonly Step[] => [HI, ['EHLO', `250-x\r\n250 ${offer}`], BYE]
  const token = { user: 'ann', token: async () => 'hunter2' }
  const noToken = async (): Promise<string> => {
    throw new Error('the file is gone')
  }
  const rows: ReadonlyArray<readonly [string, readonly Step[], Overrides, RegExp, string?]> = [
    [
      'no STARTTLS',
      [HI, EHLO, BYE],
      STRICT,
      /^The server offers no STARTTLS, and mail leaves .* --mail-tls starttls-if-offered$/,
    ],
    [
      'no login',
      login('SIZE 0'),
      { login: LOGIN },
      /^A user is set, but the server offers no login: remove the user for a relay/,
    ],
    [
      'XOAUTH2, but there is no token',
      login('AUTH XOAUTH2'),
      { login: { ...token, token: noToken } },
      /^The login token cannot be read: check that .* --mail-token-file is running$/,
    ],
    [
      'only unencrypted logins',
      [HI, ['EHLO', '250-x\r\n250 AUTH PLAIN LOGIN'], BYE],
      { login: LOGIN, cleartextLogin: false },
      /^The server accepts only unencrypted logins .*--mail-tls starttls .* --mail-cleartext-login$/,
    ],
    ['no SMTPUTF8', [HI, EHLO, BYE], {}, /^The server does not support addresses .* \(SMTPUTF8\)/, 'jörg@example.net'],
    [
      'too small a limit',
      [HI, ['EHLO', '250-x\r\n250 SIZE 10'], BYE],
      {},
      /^The server does not accept a message of this size/,
    ],
  ]
  for (const [name, script, overrides, wanted, to] of rows) {
    it(name, async () => assert.match(await adviceWith(script, overrides, {}, to), wanted))
  }
})

function made(parts: Partial<DeliveryErrorDetails>): DeliveryError {
  return new DeliveryError('Cannot deliver mail', { stage: 'connect', temporary: true, ...parts })
}

describe('adviceFor() on a reply', () => {
  const MAIL_OK: Step = ['MAIL', '250 x']
  const at = (verb: 'MAIL' | 'RCPT' | 'DATA' | '.', answer: string): readonly Step[] => {
    const before: Readonly<Record<string, readonly Step[]>> = {
      MAIL: [],
      RCPT: [MAIL_OK],
      DATA: [MAIL_OK, ['RCPT', '250 x']],
      '.': [MAIL_OK, ['RCPT', '250 x'], ['DATA', '354 x']],
    }
    return [HI, EHLO, ...(before[verb] ?? []), [verb, answer], BYE]
  }
  const rows: ReadonlyArray<readonly [readonly Step[], RegExp, Overrides?]> = [
    [
      [['', '554 5.7.1 no service for you'], BYE],
      /^The server does not accept connections from this machine: .*"554 5\.7\.1 no service for you"$/,
    ],
    [
      [['', '421 4.3.2 busy'], BYE],
      /^The server limits the rate of mail, or is too busy: the service retries by itself: "421 /,
    ],
    [
      [HI, OFFER, ['STARTTLS', '454 4.7.0 TLS not available'], BYE],
      /^The server offers STARTTLS and then rejects it: .*"454 /,
    ],
    [
      [HI, ['EHLO', '250-x\r\n250 AUTH PLAIN'], ['AUTH', '535 5.7.8 bad credentials hunter2'], BYE],
      /^Authentication failed: check user and password.*: "535 5\.7\.8 bad credentials \*\*\*"$/,
      { login: LOGIN },
    ],
    [
      [HI, ['EHLO', '250-x\r\n250 AUTH PLAIN'], ['AUTH', '454 4.7.0 try later'], BYE],
      /^The server cannot check the login now: .*"454 /,
      { login: LOGIN },
    ],
    [at('MAIL', '530 5.7.0 authentication required'), /^The server requires a login: set a user in --mail/],
    [
      at('MAIL', '530 5.7.0 Must issue a STARTTLS command first'),
      /^The server requires TLS first: use --mail-tls starttls/,
    ],
    [at('MAIL', '550 5.7.1 not your domain'), /^Sender rejected: set --mail-from .*: "550 5\.7\.1 not your domain"$/],
    [at('MAIL', '452 4.3.1 insufficient storage'), /^The server limits the rate of mail/],
    [at('RCPT', '550 5.1.1 no such user'), /^Recipient rejected: .*: "550 5\.1\.1 no such user"$/],
    [
      at('RCPT', '554 5.7.1 <reader@example.net>: Relay access denied'),
      /^The server does not relay for us: log in with a user/,
    ],
    [at('RCPT', '550 5.1.8 sender domain not found'), /^Sender rejected: /],
    [at('RCPT', '553 5.6.7 needs SMTPUTF8'), /^The server does not support addresses beyond ASCII/],
    [at('RCPT', '450 4.2.0 Greylisted, see http://x'), /^The server greylists .*: the service retries by itself: "450 /],
    [at('RCPT', '450 4.7.1 not now'), /^The server asks to try later, as greylisting does/],
    [
      at('RCPT', '451 4.3.0 lost my mind'),
      /^The server asks to try later: the service retries by itself: "451 4\.3\.0 lost my mind"$/,
    ],
    [at('RCPT', '450 4.7.28 rate of mail is too high'), /^The server limits the rate of mail/],
    [at('.', '552 5.2.2 mailbox full'), /^The mailbox of the recipient is full/],
    [at('.', '552 5.3.4 too big'), /^The message is too large for the server/],
    [at('.', '550 5.7.26 fails DMARC'), /^The server does not trust the sender: sign with --mail-dkim-key/],
    [at('.', '554 5.7.1 spam, code 042137'), /^The server rejected the message: "554 5\.7\.1 spam, code \*\*\*"$/],
  ]
  for (const [script, wanted, overrides] of rows) {
    const [verb, answer] = script.at(-2) ?? ['', '']
    it(`${verb === '' ? 'connection' : verb}: ${String(answer)}`, async () => {
      assert.match(await adviceWith(script, overrides), wanted)
    })
  }
})

describe('adviceFor() without a server', { skip: process.platform === 'win32' && 'these are Unix programs' }, () => {
  const program = (script: string, run = 60_000): Promise<string> => {
    const environment = { PATH: '/usr/bin:/bin' }
    const command = { program: '/bin/sh', args: ['-c', script], environment, timeouts: { run, kill: 50, drain: 50 } }
    return deliverByProgram(command, { ...MAIL, message: MAIL.data })
  }
  const rows: ReadonlyArray<readonly [string, () => Promise<unknown>, RegExp]> = [
    [
      'a missing program',
      () => deliverByProgram({ program: '/nowhere', args: [], environment: {} }, { ...MAIL, message: '' }),
      /^The program in --mail cannot be started \(no such file or directory\): check its path/,
    ],
    [
      'a program that hangs',
      () => program('exec sleep 9', 50),
      /^The program in --mail took too long and was ended: check what it waits for$/,
    ],
    [
      'sendmail of Postfix without the rights of postdrop',
      () => program('echo "postdrop: warning: mail_queue_enter: create file maildrop/850708.30569: Permission denied" >&2; exec sleep 9', 300),
      /^The program in --mail may not write to the queue of Postfix, as under NoNewPrivileges .*smtp:\/\/127\.0\.0\.1.*; it printed "postdrop: /,
    ],
    ['a program that is killed', () => program('kill -9 $$'), /^The program in --mail was killed by another process/],
    [
      'status 64',
      () => program('echo usage; exit 64'),
      /^The program in --mail does not understand its arguments: check them; it printed "usage"$/,
    ],
    ['status 3', () => program('echo oh >&2; exit 3'), /^The program in --mail failed: see its own log; it printed "oh"$/],
  ]
  for (const [name, work, wanted] of rows) it(name, async () => assert.match(await adviceOn(work()), wanted))

  it('a removed directory', async (t) => {
    const directory = join(temporaryDirectory(t), 'mails')
    const folder = await openMailFolder(directory, () => 0, () => 'abcdefgh')
    rmSync(directory, { recursive: true })
    const advice = await adviceOn(folder.write('x'))
    assert.match(advice, /^The directory of --mail cannot be written to \(no such file or directory\): /)
  })

  it('an invalid address', async () => {
    const advice = await adviceOn(deliverOnce(settingsFor(1), { ...MAIL, to: 'a b@c' }))
    assert.match(advice, /^The mail cannot be composed: /)
  })
})

describe('adviceFor() on failures that tests cannot cause', () => {
  const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more })
  const rows: ReadonlyArray<readonly [Partial<DeliveryErrorDetails>, RegExp]> = [
    [{ cause: withCode('EAI_AGAIN', { hostname: 'mx' }) }, /^No DNS server answers for "mx"/],
    [{ cause: withCode('ETIMEDOUT') }, /^The server does not answer: .* many networks block port 25, then use 587$/],
    [{ kind: 'silent' }, /^The server does not answer/],
    [
      { cause: withCode('EHOSTUNREACH', { address: '2001:db8::1', port: 25 }) },
      /^There is no route from this machine to \[2001:db8::1\]:25/,
    ],
    [
      { cause: withCode('EACCES', { address: '192.0.2.1', port: 25 }) },
      /^This machine forbids connections to 192\.0\.2\.1:25/,
    ],
    [{ cause: withCode('EMFILE') }, /^The connection to the mail server failed/],
    [{}, /^The connection to the mail server failed/],
    [{ kind: 'not-loopback' }, /^The host in --mail should be this machine, but its name resolves to another/],
    [{ stage: 'tls', cause: withCode('CERT_NOT_YET_VALID') }, /not valid yet: check the clock/],
    [
      { stage: 'tls', cause: withCode('CERT_REVOKED'), issuer: 'CN=x' },
      /issued by "CN=x", was rejected \(CERT_REVOKED\)/,
    ],
    [{ stage: 'tls', cause: withCode('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION') }, /^The TLS handshake failed \(ERR_SSL_TLSV1_ALERT/],
  ]
  for (const [parts, wanted] of rows) {
    it(String(wanted), () => assert.match(adviceFor(made(parts)), wanted))
  }
})
