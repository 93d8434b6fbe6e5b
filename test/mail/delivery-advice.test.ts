/**
 * The advice for each failure of a delivery. Failures of connections, certificates and programs are real; those after a
 * reply of the server are made from the reply.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { adviceFor } from '../../src/mail/delivery/delivery-advice.ts'
import { DeliveryError, type DeliveryErrorDetails, type Stage } from '../../src/mail/delivery/delivery-error.ts'
import { deliverByProgram } from '../../src/mail/delivery/exec-delivery.ts'
import { openMailFolder } from '../../src/mail/delivery/mail-folder.ts'
import { AUTHORITY, EXPIRED_SERVER, GOOD_SERVER, OTHER_SERVER } from '../support/smtp/mail-certificates.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { attempt, deliverOnce, LOGIN, MAIL, type Overrides, rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { type PeerOptions, QUIT, type Step } from '../support/smtp/smtp-peer.ts'

function assertAdvice(error: DeliveryError | undefined, wanted: RegExp): void {
  assert.ok(error !== undefined, 'The mail was delivered')
  const advice = adviceFor(error)
  assert.match(advice, /^[A-Z][^\n]*[^.]$/, 'a sentence without a full stop')
  assert.doesNotMatch(advice, /undefined|\[object/)
  assert.match(advice, wanted)
}

function made(parts: Partial<DeliveryErrorDetails>): DeliveryError {
  return new DeliveryError('Cannot deliver mail', { stage: 'connect', temporary: true, ...parts })
}

const HI: Step = ['', '220 hi']
const EHLO: Step = ['EHLO', '250-x\r\n250 SIZE 0']
const OFFER: Step = ['EHLO', '250-x\r\n250 STARTTLS']
const TLS: readonly Step[] = [HI, OFFER, ['STARTTLS', '220 go', 'tls'], EHLO]
const STRICT: Overrides = { host: 'localhost', mode: 'starttls', verify: true, ca: [AUTHORITY] }
const IMPLICIT: Overrides = { host: 'localhost', mode: 'implicit', verify: true }

describe('adviceFor() on a connection', () => {
  const silent: Overrides = { timeouts: { greeting: 200, connect: 200 } }
  const rows: ReadonlyArray<readonly [string, readonly Step[], Overrides, RegExp]> = [
    ['that stays silent', [], silent, /^The server sends no greeting: if it expects TLS .* use smtps:\/\//],
    ['that is closed at once', [['', '', 'drop']], {}, /^The server (?:closes .* without a greeting|reset the connection): /],
    ['to a server without TLS that should have it', [HI], IMPLICIT, /^The (?:server does not speak TLS|host .* valid SMTP)/],
    ['to another protocol', [['', 'HTTP/1.1 400 Bad Request']], {}, /^The host and port do not speak valid SMTP: check/],
    ['that drops in the middle', [HI, ['EHLO', '', 'drop']], {}, /^The server (?:closed|reset) .* retries by itself/],
  ]
  for (const [name, script, overrides, wanted] of rows) {
    it(name, async () => assertAdvice((await attempt(script, overrides)).error, wanted))
  }
})

describe('adviceFor() on a certificate', () => {
  const unknown = { ...STRICT, ca: [] }
  const rows: ReadonlyArray<readonly [string, Overrides, PeerOptions, RegExp]> = [
    ['of an unknown authority', unknown, { identity: GOOD_SERVER }, /issued by "CN=Dateline test authority, .* --mail-ca to /],
    ['that is self-signed', unknown, {}, /is self-signed, "CN=Dateline test mail server": set --mail-ca to it/],
    ['for another name', STRICT, { identity: OTHER_SERVER }, /is for "mail\.example\.test": .* with --mail-tls-name$/],
    ['that has expired', STRICT, { identity: EXPIRED_SERVER }, /by "CN=Dateline test authority, .* has expired: renew it/],
  ]
  for (const [name, overrides, options, wanted] of rows) {
    it(name, async () => assertAdvice((await attempt(TLS, overrides, options)).error, wanted))
  }
})

describe('adviceFor() on what a server offers', () => {
  const offering = (keyword: string): readonly Step[] => [HI, ['EHLO', `250-x\r\n250 ${keyword}`], QUIT]
  const withoutToken = { login: { user: 'ann', token: () => Promise.reject(new Error('the file is gone')) } }
  const inClear = { login: LOGIN, cleartextLogin: false }
  const rows: ReadonlyArray<readonly [string, readonly Step[], Overrides, RegExp, string?]> = [
    ['no STARTTLS', offering('SIZE 0'), STRICT, /^The server offers no STARTTLS, .* --mail-tls starttls-if-offered$/],
    ['no login', offering('SIZE 0'), { login: LOGIN }, /^A user is set, but the server offers no login: remove the user/],
    ['XOAUTH2, but there is no token', offering('AUTH XOAUTH2'), withoutToken, /^The login token .* --mail-token-file is/],
    ['only unencrypted logins', offering('AUTH PLAIN LOGIN'), inClear, /^The server accepts only .* --mail-cleartext-login$/],
    ['no SMTPUTF8', offering('SIZE 0'), {}, /^The server does not support addresses .* \(SMTPUTF8\)/, 'jörg@example.net'],
    ['too small a limit', offering('SIZE 10'), {}, /^The server does not accept a message of this size/],
  ]
  for (const [name, script, overrides, wanted, to = MAIL.to] of rows) {
    it(name, async () => assertAdvice((await attempt(script, overrides, { mail: { ...MAIL, to } })).error, wanted))
  }
})

describe('adviceFor() on a reply', () => {
  const rows: ReadonlyArray<readonly [Stage, string, RegExp]> = [
    ['greeting', '554 5.7.1 no service for you', /^The server does not accept connections .*"554 5\.7\.1 no service for you"$/],
    ['greeting', '421 4.3.2 busy', /^The server limits the rate of mail, or is too busy: the service retries by itself: "421 /],
    ['starttls', '454 4.7.0 TLS not available', /^The server offers STARTTLS and then rejects it: .*"454 /],
    ['auth', '535 5.7.8 bad credentials', /^Authentication failed: check user and password.*: "535 5\.7\.8 bad credentials"$/],
    ['auth', '454 4.7.0 try later', /^The server cannot check the login now: .*"454 /],
    ['mail', '530 5.7.0 authentication required', /^The server requires a login: set a user in --mail/],
    ['mail', '530 5.7.0 Must issue a STARTTLS command first', /^The server requires TLS first: use --mail-tls starttls/],
    ['mail', '550 5.7.1 not your domain', /^Sender rejected: set --mail-from .*: "550 5\.7\.1 not your domain"$/],
    ['mail', '452 4.3.1 insufficient storage', /^The server limits the rate of mail/],
    ['rcpt', '550 5.1.1 no such user', /^Recipient rejected: .*: "550 5\.1\.1 no such user"$/],
    ['rcpt', '554 5.7.1 <reader@example.net>: Relay access denied', /^The server does not relay for us: log in with a user/],
    ['rcpt', '550 5.1.8 sender domain not found', /^Sender rejected: /],
    ['rcpt', '553 5.6.7 needs SMTPUTF8', /^The server does not support addresses beyond ASCII/],
    ['rcpt', '450 4.2.0 Greylisted, see http://x', /^The server greylists .*: the service retries by itself: "450 /],
    ['rcpt', '450 4.7.1 not now', /^The server asks to try later, as greylisting does/],
    ['rcpt', '451 4.3.0 lost my mind', /^The server asks to try later: the service retries .*: "451 4\.3\.0 lost my mind"$/],
    ['rcpt', '450 4.7.28 rate of mail is too high', /^The server limits the rate of mail/],
    ['message', '552 5.2.2 mailbox full', /^The mailbox of the recipient is full/],
    ['message', '552 5.3.4 too big', /^The message is too large for the server/],
    ['message', '550 5.7.26 fails DMARC', /^The server does not trust the sender: sign with --mail-dkim-key/],
    ['message', '554 5.7.1 spam', /^The server rejected the message: "554 5\.7\.1 spam"$/],
  ]
  for (const [stage, reply, wanted] of rows) {
    it(`${stage}: ${reply}`, () => {
      const [code = '', enhanced] = reply.split(' ')
      assertAdvice(made({ stage, reply, code: Number(code), enhanced }), wanted)
    })
  }

  it('that comes over the wire', async () => {
    const { error } = await attempt([HI, EHLO, ['MAIL', '250 x'], ['RCPT', '550 5.1.8 sender domain not found'], QUIT])
    assertAdvice(error, /^Sender rejected: .*: "550 5\.1\.8 sender domain not found"$/)
  })
})

describe('adviceFor() without a server', { skip: process.platform === 'win32' && 'these are Unix programs' }, () => {
  const program = (script: string, run = 60_000): Promise<string> => {
    const environment = { PATH: '/usr/bin:/bin' }
    const command = { program: '/bin/sh', args: ['-c', script], environment, timeouts: { run, kill: 50, drain: 50 } }
    return deliverByProgram(command, { ...MAIL, message: MAIL.data })
  }
  const missing = { program: '/nowhere', args: [], environment: {} }
  const rows: ReadonlyArray<readonly [string, () => Promise<unknown>, RegExp]> = [
    ['a missing program', () => deliverByProgram(missing, { ...MAIL, message: '' }), / cannot be started \(no such file/],
    ['a program that hangs', () => program('exec sleep 9', 50), / took too long and was ended: check what it waits for$/],
    ['a program that is killed', () => program('kill -9 $$'), /^The program in --mail was killed by another process/],
    ['status 64', () => program('echo usage; exit 64'), / does not understand its arguments: .*; it printed "usage"$/],
    ['status 3', () => program('echo oh >&2; exit 3'), /^The program in --mail failed: see its own log; it printed "oh"$/],
    ['an invalid address', () => deliverOnce(settingsFor(1), { ...MAIL, to: 'a b@c' }), /^The mail cannot be composed: /],
  ]
  for (const [name, work, wanted] of rows) it(name, async () => assertAdvice(await rejection(work()), wanted))

  it('a removed directory', async (t) => {
    const directory = join(temporaryDirectory(t), 'mails')
    const folder = await openMailFolder(directory, () => 0, () => 'abcdefgh')
    rmSync(directory, { recursive: true })
    const wanted = /^The directory of --mail cannot be written to \(no such file or directory\): /
    assertAdvice(await rejection(folder.write('x')), wanted)
  })
})

describe('adviceFor() on failures that tests cannot cause, or only by waiting', () => {
  const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more })
  const postdrop = 'postdrop: warning: mail_queue_enter: create file maildrop/850708.30569: Permission denied'
  const refused = withCode('ECONNREFUSED', { address: '127.0.0.1', port: 25 })
  const unreachable = withCode('EHOSTUNREACH', { address: '2001:db8::1', port: 25 })
  const forbidden = withCode('EACCES', { address: '192.0.2.1', port: 25 })
  const oldTls = withCode('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
  const rows: ReadonlyArray<readonly [Partial<DeliveryErrorDetails>, RegExp]> = [
    [{ cause: refused }, /^Nothing listens on 127\.0\.0\.1:25: check host and port in --mail/],
    [{ cause: withCode('ENOTFOUND', { hostname: 'mx' }) }, /^DNS has no entry for "mx": check the host in --mail/],
    [{ cause: withCode('EAI_AGAIN', { hostname: 'mx' }) }, /^No DNS server answers for "mx"/],
    [{ cause: withCode('ETIMEDOUT') }, /^The server does not answer: .* many networks block port 25, then use 587$/],
    [{ kind: 'silent' }, /^The server does not answer/],
    [{ cause: unreachable }, /^There is no route from this machine to \[2001:db8::1\]:25/],
    [{ cause: forbidden }, /^This machine forbids connections to 192\.0\.2\.1:25/],
    [{ cause: withCode('EMFILE') }, /^The connection to the mail server failed/],
    [{}, /^The connection to the mail server failed/],
    [{ kind: 'not-loopback' }, /^The host in --mail should be this machine, but its name resolves to another/],
    [{ stage: 'tls', cause: withCode('CERT_NOT_YET_VALID') }, /not valid yet: check the clock/],
    [{ stage: 'tls', cause: withCode('CERT_REVOKED'), issuer: 'CN=x' }, /issued by "CN=x", was rejected \(CERT_REVOKED\)/],
    [{ stage: 'tls', cause: oldTls }, /^The TLS handshake failed \(ERR_SSL_TLSV1_ALERT/],
    [{ stage: 'exec', kind: 'slow', reply: postdrop }, /^The .* Postfix, as under NoNewPrivileges .*; it printed "postdrop: /],
  ]
  for (const [parts, wanted] of rows) {
    it(String(wanted), () => assertAdvice(made(parts), wanted))
  }
})
