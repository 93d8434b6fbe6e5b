/** All mail settings together, read as the service reads them, with their files. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config/read-config.ts'
import { SETTINGS, type SettingName } from '../../src/config/settings.ts'
import { describeMail } from '../../src/mail/settings/mail-description.ts'
import { type MailSettings, readMailSettings } from '../../src/mail/settings/mail-settings.ts'
import { SettingError } from '../../src/base/setting-file.ts'
import { AUTHORITY, EXPIRED_AUTHORITY, GOOD_SERVER } from '../support/smtp/mail-certificates.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DIRECTORY = temporaryDirectory({ after })
const HOST = 'smtp://mail.example.org'
const FROM = { mailFrom: 'no-reply@example.org' }

/** Writes a file for the owner alone, and gives its path. */
function file(name: string, content: string | Buffer, mode = 0o600): string {
  const path = join(DIRECTORY, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ED25519 = generateKeyPairSync('ed25519')

const CA = file('ca.pem', AUTHORITY, 0o644)
const PASSWORD = file('password', 'hunter2 pässword\n')
const TOKEN = file('token', 'ya29.hunter2-_~+/==\n')
const KEY = file('dkim.pem', pem(ED25519.privateKey))
const PROGRAM = file('send', '#!/bin/sh\nexit 0\n', 0o700)

type Given = Partial<Record<SettingName, string>>

function read(given: Given): MailSettings {
  const names = SETTINGS.map(({ name }) => name).filter((name) => given[name] !== undefined)
  const config = readConfig(new Map(names.map((name) => [name, given[name] ?? ''])), {})
  return readMailSettings(config, { now: () => NOW, environment: { PATH: DIRECTORY } })
}

/** What was decided about TLS: mode, and whether the certificate is checked. */
function tlsOf(given: Given): string {
  const { route } = read({ ...FROM, ...given })
  assert.equal(route.kind, 'smtp')
  if (route.kind !== 'smtp') return ''
  const { mode, verify, ca, name } = route.settings.tls
  return [mode, verify ? 'checked' : 'not checked', ...(ca ?? []).map(() => 'ca'), ...(name ? [name] : [])].join(', ')
}

describe('TLS to the mail server', () => {
  const rows: ReadonlyArray<readonly [Given, string]> = [
    [{ mail: HOST }, 'starttls, checked'],
    [{ mail: HOST, mailTls: 'starttls' }, 'starttls, checked'],
    [{ mail: HOST, mailTls: 'starttls-if-offered' }, 'starttls-if-offered, checked'],
    [{ mail: HOST, mailTls: 'none' }, 'none, checked'],
    [{ mail: 'smtps://mail.example.org' }, 'implicit, checked'],
    [{ mail: HOST, mailCa: CA }, 'starttls, checked, ca'],
    [{ mail: HOST, mailTlsName: 'MX.example.org' }, 'starttls, checked, mx.example.org'],
    [{ mail: 'smtp://localhost' }, 'starttls-if-offered, not checked'],
    [{ mail: 'smtp://127.0.0.1,[::1]' }, 'starttls-if-offered, not checked'],
    [{ mail: 'smtp://localhost', mailTls: 'starttls' }, 'starttls, checked'],
    [{ mail: 'smtp://localhost', mailCa: CA }, 'starttls-if-offered, checked, ca'],
    [{ mail: 'smtp://localhost', mailTlsName: 'mx.example.org' }, 'starttls-if-offered, checked, mx.example.org'],
    [{ mail: 'smtp://localhost', mailTls: 'none' }, 'none, not checked'],
    [{ mail: 'smtps://localhost' }, 'implicit, checked'],
    // One remote host is enough: the mail may go there.
    [{ mail: 'smtp://localhost,mail.example.org' }, 'starttls, checked'],
    [{ mail: 'smtp://localhost,mail.example.org', mailTls: 'starttls-if-offered' }, 'starttls-if-offered, checked'],
  ]
  for (const [given, wanted] of rows) {
    const { mailCa, ...shown } = given
    it(`is "${wanted}" for ${JSON.stringify(mailCa === undefined ? shown : { ...shown, mailCa: 'FILE' })}`, () => {
      assert.equal(tlsOf(given), wanted)
    })
  }

  it('is never left unchecked for another machine, whatever else is set', () => {
    for (const mail of [HOST, 'smtp://10.0.0.1,localhost', 'smtp://127.0.0.1.example.org', 'smtps://localhost']) {
      for (const mailTls of [undefined, 'starttls', 'starttls-if-offered', 'none']) {
        if (mail.startsWith('smtps') && mailTls !== undefined) continue
        assert.match(tlsOf({ mail, ...(mailTls === undefined ? {} : { mailTls }) }), /, checked/)
      }
    }
  })

  it('takes a bundle of several certificates with words between them', () => {
    const mailCa = file('bundle.pem', `Our authorities\r\n${AUTHORITY}\nand\n${AUTHORITY}${GOOD_SERVER.certificate}`)
    assert.equal(tlsOf({ mail: HOST, mailCa }), 'starttls, checked, ca, ca, ca')
  })
})

describe('the login', () => {
  it('is that of --mail, with the password from there or from a file', () => {
    for (const given of [
      { mail: 'smtp://ann:hunter2%20p%C3%A4ssword@mail.example.org' },
      { mail: 'smtp://ann@mail.example.org', mailPasswordFile: PASSWORD },
    ]) {
      const { route } = read(given)
      assert.ok(route.kind === 'smtp')
      assert.deepEqual(route.settings.login, { user: 'ann', password: 'hunter2 pässword' })
      assert.equal(route.settings.cleartextLogin, false)
    }
  })

  it('reads the token again each time, so that another program can renew it', async () => {
    const mailTokenFile = file('renewed', 'first')
    const { route } = read({ mail: 'smtp://ann@mail.example.org', mailTokenFile })
    assert.ok(route.kind === 'smtp' && route.settings.login !== undefined && 'token' in route.settings.login)
    const { token } = route.settings.login
    assert.equal(await token(), 'first')
    file('renewed', 'second\r\n')
    assert.equal(await token(), 'second')
    file('renewed', '')
    await assert.rejects(token(), { name: 'DeliveryError', stage: 'auth', temporary: true, message: /an empty one$/ })
  })
})

describe('describeMail()', () => {
  const dkim = { mailDkimKey: KEY, mailDkimSelector: 'Date1' }
  const halfExpired = file('half-expired.pem', `${EXPIRED_AUTHORITY}${AUTHORITY}`)
  const password = { mailPasswordFile: PASSWORD, mailCa: CA }
  const token = { mailTokenFile: TOKEN, mailTlsName: 'mx.example' }
  const inClear = { mailTls: 'none', mailCleartextLogin: 'on' }
  const through = 'Sign-in codes: mail goes through'
  const own = 'its certificate is checked for its own name'
  const leaves = 'Warning: mail leaves this machine unencrypted: anyone who intercepts it can sign in with its codes'
  const rows: ReadonlyArray<readonly [Given, ...string[]]> = [
    [{}, 'Mail is not set up: sign-in codes are printed to the service log. Set --mail to send them'],
    [{ mail: 'file:mails' }, 'Sign-in codes: mail is written to files in "mails"'],
    [{ mail: 'exec:send --token hunter2' }, 'Sign-in codes: mail is given to the program "send"'],
    [
      { ...FROM, ...dkim, mail: HOST },
      `${through} mail.example.org:25, over STARTTLS; ${own}; without login`,
      'Mail is signed with DKIM: selector Date1 of example.org',
    ],
    [
      { ...FROM, ...password, mail: 'smtps://ann@a.example,[2001:db8::1]:2465' },
      `${through} a.example:465, then [2001:db8::1]:2465, over TLS; ${own}, also by the authority of --mail-ca; login as "ann" with a password`,
    ],
    [
      { ...FROM, ...token, mail: 'smtp://ann@a.example' },
      `${through} a.example:587, over STARTTLS; its certificate is checked for "mx.example"; login as "ann" with a token (XOAUTH2)`,
    ],
    [
      { mail: 'smtp://localhost' },
      `${through} localhost:25, over STARTTLS if offered, else unencrypted; its certificate is not checked, because the server is on this machine; without login`,
    ],
    [
      { ...inClear, mail: 'smtp://ann:hunter2@[::1]:1025' },
      `${through} [::1]:1025, unencrypted; login as "ann" with a password, also unencrypted`,
    ],
    [
      { ...FROM, ...inClear, mail: 'smtp://ann:hunter2@a.example:25' },
      `${through} a.example:25, unencrypted; login as "ann" with a password, also unencrypted`,
      leaves,
      'Warning: the password or token for the mail server may travel unencrypted',
    ],
    [
      { mail: HOST, mailTls: 'none' },
      `${through} mail.example.org:25, unencrypted; without login`,
      leaves,
      'Warning: few servers accept mail from no-reply@localhost: set --mail-from to an address of your domain',
    ],
    [
      { ...FROM, mail: HOST, mailTls: 'starttls-if-offered' },
      `${through} mail.example.org:25, over STARTTLS if offered, else unencrypted; ${own}; without login`,
      'Warning: mail leaves this machine unencrypted if the server, or an attacker in between, does not offer TLS',
    ],
    [
      { ...FROM, mail: HOST, mailCa: halfExpired },
      `${through} mail.example.org:25, over STARTTLS; ${own}, also by the authorities of --mail-ca; without login`,
      'Warning: --mail-ca has an invalid certificate: "CN=Dateline expired authority, O=Example" expired on 2011-01-01',
    ],
  ]
  for (const [given, ...lines] of rows) {
    it(lines[0] ?? '', () => assert.deepEqual(describeMail(read(given)), lines))
  }
})

describe('mail settings that the service rejects', () => {
  const ca = (name: string, content: string | Buffer): Given => ({ mail: HOST, mailCa: file(name, content) })
  const der = Buffer.from(AUTHORITY.replace(/-----.*-----|\s/g, ''), 'base64')
  const ann = 'smtp://ann@mail.example.org'
  const password = (name: string, content: string | Buffer): Given => ({ mail: ann, mailPasswordFile: file(name, content) })
  const dkim = { mailDkimKey: KEY, mailDkimSelector: 'x' }
  const smallKey = file('rsa1024', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey))
  const inClear = { mailTls: 'none', mailCleartextLogin: 'on' }

  const rows: ReadonlyArray<readonly [string, Given, RegExp]> = [
    ['a CA file that is missing', { mail: HOST, mailCa: '/nowhere/ca.pem' }, /certificates, found none \(no such file .*\)$/],
    ['a device as CA file', { mail: HOST, mailCa: '/dev/zero' }, /--mail-ca .*found a device or pipe$/],
    ['a key as CA file', ca('key.pem', GOOD_SERVER.key), /--mail-ca .*found a PRIVATE KEY$/],
    ['a CA file in DER', ca('ca.der', der), /found DER; convert it with openssl x509 -inform der$/],
    ['a bad certificate', ca('bad.pem', `${AUTHORITY}${AUTHORITY.replace('MII', 'MIJ')}`), /number 2 of 2 cannot be read$/],
    [
      'the certificate of a server as CA',
      ca('server.pem', GOOD_SERVER.certificate),
      /found that of "CN=localhost", which is not one; use that of its issuer "CN=Dateline test authority, O=Example"$/,
    ],
    ['an expired CA', ca('expired.pem', EXPIRED_AUTHORITY), /CN=Dateline expired .*" expired on 2011-01-01$/],
    ['a CA file without end', ca('long.pem', AUTHORITY.repeat(2000)), /of at most 1000000 bytes, found a longer one$/],

    ['a CA with mail to files', { mail: 'file:mails', mailCa: CA }, /--mail-ca: expected a mail server in .*, found file:…$/],
    ['a TLS mode with a program', { mail: `exec:${PROGRAM}`, mailTls: 'none' }, /--mail-tls: .*found exec:…$/],
    ['a signature on the console', dkim, /--mail-dkim-key: expected a --mail that sends messages, found console:$/],

    ['a TLS mode with smtps', { mail: 'smtps://h.example', mailTls: 'starttls' }, /--mail-tls starttls: .*found smtps:\/\/…/],
    ['a CA without TLS', { mail: HOST, mailTls: 'none', mailCa: CA }, /--mail-ca: expected TLS .*, found --mail-tls none$/],
    ['a cleartext login without a user', { mail: HOST, ...inClear }, /--mail-cleartext-login: expected a user .*, found none$/],
    [
      'a cleartext login inside TLS',
      { mail: 'smtps://a:b@h.example', mailCleartextLogin: 'on' },
      /expected --mail-tls none or starttls-if-offered, found smtps:\/\/…$/,
    ],
    [
      'an unencrypted token',
      { mail: ann, mailTokenFile: TOKEN, mailTls: 'none' },
      /--mail-token-file: expected TLS .* or --mail-cleartext-login, found --mail-tls none$/,
    ],

    ['a user without a password', { mail: ann }, /--mail: expected a password with the user, .*, found none$/],
    ['a password without a user', { mail: HOST, mailPasswordFile: PASSWORD }, /--mail-password-file: expected a user/],
    ['two passwords', { mail: 'smtp://a:hunter2@h.example', mailPasswordFile: PASSWORD }, /a password in --mail as well$/],
    [
      'a password and a token',
      { mail: ann, mailPasswordFile: PASSWORD, mailTokenFile: TOKEN },
      /--mail-token-file: expected one way to log in, found --mail-password-file as well$/,
    ],
    ['an empty password file', password('p1', ''), /found an empty one$/],
    ['a password with a NUL', password('p3', 'hunter2\0'), /found an invalid one$/],
    ['a password file without end', password('p4', 'hunter2'.repeat(1000)), /found a longer one$/],
    ['a token with spaces', { mail: ann, mailTokenFile: file('t1', 'a hunter2') }, /--mail-token-file .*found an invalid one$/],

    ['a missing program', { mail: 'exec:/nowhere/sendmail -t' }, /expected a program .* \(no such file or directory\)$/],
    ['a program that cannot be run', { mail: `exec:${CA}` }, /found none \(permission denied\)$/],
    ['a program that PATH does not have', { mail: 'exec:sendmail hunter2' }, /"sendmail": .* PATH, found none of that name$/],

    // The other mistakes of keys and selectors are those of createDkimSigner().
    ['a DKIM key without selector', { ...FROM, mail: HOST, mailDkimKey: KEY }, /expected --mail-dkim-selector with it/],
    ['a bad DKIM selector', { ...FROM, ...dkim, mail: HOST, mailDkimSelector: 'a b' }, /selector "a b": expected letters/],
    ['a DKIM key for a sender without a domain', { ...dkim, mail: HOST }, /a --mail-from at a domain .*"no-reply@localhost"$/],
    ['a small DKIM key', { ...FROM, ...dkim, mail: HOST, mailDkimKey: smallKey }, /found an RSA key of 1024 bits$/],
  ]
  for (const [name, given, message] of rows) {
    it(name, () => {
      assert.throws(
        () => read(given),
        (error: unknown) => {
          assert.ok(error instanceof SettingError, String(error))
          assert.match(error.message, message)
          assert.match(error.message, /^Cannot use --mail[a-z-]*/)
          assert.doesNotMatch(error.message, /hunter2|\n/)
          return true
        },
      )
    })
  }

  it('are those of the configuration, too', () => {
    assert.throws(() => read({ mailTls: 'maybe' }), /--mail-tls: expected one of starttls, .*, found "maybe"$/)
    assert.throws(() => read({ mailTlsName: 'a b' }), /expected the name or the IP address of a host/)
  })
})

describe('a file with a secret', { skip: process.platform === 'win32' && 'Windows has no such modes' }, () => {
  const settings: ReadonlyArray<readonly [string, string, (path: string) => Given]> = [
    ['--mail-password-file', 'hunter2', (path) => ({ mail: 'smtp://ann@h.example', mailPasswordFile: path })],
    ['--mail-token-file', 'hunter2', (path) => ({ mail: 'smtp://ann@h.example', mailTokenFile: path })],
    ['--mail-dkim-key', pem(RSA.privateKey), (path) => ({ mail: HOST, mailDkimKey: path, mailDkimSelector: 'x' })],
  ]
  for (const [flag, content, given] of settings) {
    for (const mode of [0o640, 0o604, 0o610]) {
      it(`is rejected for ${flag} when it is ours and others may use it (mode ${mode.toString(8)})`, () => {
        const path = file(`open${flag}`, content, mode)
        const message = new RegExp(`^Cannot use ${flag} ".*": .*, found mode 0${mode.toString(8)}; run chmod 600 on it$`)
        assert.throws(() => read({ ...FROM, ...given(path) }), { name: 'SettingError', message })
      })
    }

    const skip = process.getuid?.() !== 0 && 'only root can give files away'
    it(`of another user is accepted for ${flag}, with a warning where all users may read it`, { skip }, () => {
      const path = file(`foreign${flag}`, content, 0o640)
      chownSync(path, 12_345, 0)
      assert.deepEqual(read({ ...FROM, ...given(path) }).warnings, [])
      chmodSync(path, 0o644)
      assert.deepEqual(read({ ...FROM, ...given(path) }).warnings, [
        `all users of this machine can read the file of ${flag} (mode 0644)`,
      ])
    })
  }

  it('is rejected when it is a named pipe, without waiting for a writer', () => {
    const path = join(DIRECTORY, 'pipe')
    execFileSync('mkfifo', ['-m', '600', path])
    assert.throws(() => read({ mail: 'smtp://ann@h.example', mailPasswordFile: path }), /found a device or pipe$/)
  })
})
