/** The mail server as fields of a form: each setting comes back as it was, and what the service reads is what stands in the fields. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  defaultPort,
  mailServerOf,
  mailSettingsOf,
  PROVIDERS,
  PROVIDER_NAMES,
  providerOf,
  withHostTyped,
  withProvider,
  type MailServer,
} from '../../src/dashboard/screens/operations/mail-server.ts'
import { parseMailTarget } from '../../src/mail/settings/mail-target.ts'

const EMPTY: MailServer = { host: '', port: '', encryption: 'auto', user: '' }

describe('a mail server in fields', () => {
  for (const [mail, mailTls, fields] of [
    ['smtp://mail.example.org', null, { host: 'mail.example.org' }],
    ['smtp://mail.example.org:2525', 'none', { host: 'mail.example.org', port: '2525', encryption: 'none' }],
    ['smtps://ann%40example.org@mail.example.org', null, { host: 'mail.example.org', encryption: 'tls', user: 'ann@example.org' }],
    ['smtp://a%2Fb%3Ac@mail.example.org:587', 'starttls', { host: 'mail.example.org', port: '587', encryption: 'starttls', user: 'a/b:c' }],
    ['smtp://[2001:db8::1]:25', 'starttls-if-offered', { host: '[2001:db8::1]', port: '25', encryption: 'starttls-if-offered' }],
    ['smtp://[::1]', null, { host: '[::1]' }],
    ['smtp://ann@a.example,b.example:2525', null, { host: 'a.example,b.example:2525', user: 'ann' }],
  ] as const) {
    it(`is ${mail}, ${String(mailTls)}, and comes back the same`, () => {
      const server = mailServerOf(mail, mailTls)
      assert.deepEqual(server, { ...EMPTY, ...fields })
      assert.deepEqual(mailSettingsOf(server), { mail, mailTls })
      parseMailTarget(mail)
    })
  }

  it('is empty where mail goes to no server, and empty fields end the setting', () => {
    for (const mail of ['console:', 'file:mails', 'exec:sendmail -t', '']) assert.deepEqual(mailServerOf(mail, null), EMPTY)
    assert.deepEqual(mailSettingsOf({ ...EMPTY, host: ' , ', user: 'ann' }), { mail: null, mailTls: null })
  })

  it('has what the service reads: the port of the fields, also for each of several hosts', () => {
    const { mail } = mailSettingsOf({ ...EMPTY, host: 'a.example, b.example:25', port: ' 2525 ', user: ' ann@x, or "b" ' })
    const target = parseMailTarget(mail ?? '')
    assert.ok(target.kind === 'smtp')
    assert.deepEqual(target.servers, [{ host: 'a.example', port: 2525 }, { host: 'b.example', port: 25 }])
    assert.equal(target.user, 'ann@x, or "b"')
  })

  it('uses the same port as the service where none is given', () => {
    for (const encryption of ['auto', 'tls'] as const) {
      for (const user of ['', 'ann']) {
        const server = { ...EMPTY, host: 'mail.example.org', encryption, user }
        const target = parseMailTarget(mailSettingsOf(server).mail ?? '')
        assert.ok(target.kind === 'smtp')
        assert.equal(String(target.servers[0]?.port), defaultPort(server))
      }
    }
    assert.match(mailSettingsOf({ ...EMPTY, host: 'mail.example.org', port: '465' }).mail ?? '', /^smtps:/)
  })
})

describe('what is typed as the host', () => {
  const gmail = { host: 'smtp.gmail.com', port: '465', encryption: 'tls', user: '' }
  for (const [typed, before, after] of [
    ['smtp.gmail.com', {}, gmail],
    [' SMTP.Gmail.com ', {}, { ...gmail, host: 'SMTP.Gmail.com' }],
    ['smtp.gmail.com', { port: '587', encryption: 'starttls' }, { ...gmail, port: '587', encryption: 'starttls' }],
    ['smtp.gmail.com:587', {}, { host: 'smtp.gmail.com', port: '587' }],
    ['mail.example.org', { user: 'ann' }, { host: 'mail.example.org', user: 'ann' }],
    ['mail.example.org:2525', {}, { host: 'mail.example.org', port: '2525' }],
    ['smtps://bob@mail.example.org', { user: 'ann', port: '25' }, { host: 'mail.example.org', encryption: 'tls', user: 'bob' }],
    ['smtp://mail.example.org', { user: 'ann', encryption: 'none' }, { host: 'mail.example.org', encryption: 'none', user: 'ann' }],
    ['a.example:25,b.example', {}, { host: 'a.example:25,b.example' }],
    ['javascript:alert(1)', {}, { host: 'javascript:alert(1)' }],
  ] as const) {
    it(`${typed} is understood`, () => assert.deepEqual(withHostTyped({ ...EMPTY, ...before }, typed), { ...EMPTY, ...after }))
  }
})

it('a password in a URL that is typed becomes the password, and is in no setting that others can read', () => {
  const server = withHostTyped(EMPTY, 'smtp://ann%40x:s%3Acret@mail.example.org:587')
  assert.deepEqual(server, { ...EMPTY, host: 'mail.example.org', port: '587', user: 'ann@x', password: 's:cret' })
  assert.deepEqual(mailSettingsOf(server), { mail: 'smtp://ann%40x@mail.example.org:587', mailTls: null })
  // A colon of the user is encoded in what is stored, and no password begins there.
  assert.equal(mailServerOf('smtp://a%3Ab@mail.example.org', null).user, 'a:b')
})

describe('a provider', () => {
  for (const name of PROVIDER_NAMES) {
    it(`${name} is known by its host, and brings settings that the service reads`, () => {
      assert.equal(providerOf(PROVIDERS[name].host), name)
      const { mail } = mailSettingsOf(withProvider({ ...EMPTY, user: 'ann@example.org' }, name))
      const target = parseMailTarget(mail ?? '')
      assert.ok(target.kind === 'smtp')
      assert.equal(target.isImplicit, PROVIDERS[name].port === '465')
      assert.equal(target.user, 'ann@example.org')
    })
  }

  it('keeps the region of a host that is already its own, and is none for a host that only contains its name', () => {
    const host = 'email-smtp.us-east-1.amazonaws.com'
    assert.equal(withProvider({ ...EMPTY, host }, 'ses').host, host)
    assert.equal(providerOf('smtp.gmail.com.example.org'), undefined)
  })
})
