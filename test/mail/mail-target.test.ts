import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeMailTarget, type MailTarget, parseMailTarget } from '../../src/mail/mail-target.ts'

const smtp = { kind: 'smtp' } as const

const GOOD: ReadonlyArray<readonly [string, MailTarget, string]> = [
  ['console:', { kind: 'console' }, 'mail is printed on the console'],
  [' console ', { kind: 'console' }, 'mail is printed on the console'],
  ['file:mails', { kind: 'file', directory: 'mails' }, 'mail is written to files in "mails"'],
  ['file:/srv/my mails', { kind: 'file', directory: '/srv/my mails' }, 'mail is written to files in "/srv/my mails"'],
  ['file:///srv/mails', { kind: 'file', directory: '/srv/mails' }, 'mail is written to files in "/srv/mails"'],
  [
    'smtp://mail.example.org',
    { ...smtp, host: 'mail.example.org', port: 25, security: 'starttls' },
    'mail goes through mail.example.org:25, over STARTTLS',
  ],
  [
    'SMTP://ann:pw@Mail.Example.org/',
    { ...smtp, host: 'mail.example.org', port: 587, security: 'starttls', login: { user: 'ann', password: 'pw' } },
    'mail goes through mail.example.org:587 as "ann", over STARTTLS',
  ],
  [
    'smtps://ann%40example.org:p%40s%3As%2Fw%25%C3%A9@mail.example.org',
    {
      ...smtp,
      host: 'mail.example.org',
      port: 465,
      security: 'implicit',
      login: { user: 'ann@example.org', password: 'p@s:s/w%é' },
    },
    'mail goes through mail.example.org:465 as "ann@example.org", over TLS',
  ],
  [
    'smtp://ann:p@ss:word@mx.example:2525',
    { ...smtp, host: 'mx.example', port: 2525, security: 'starttls', login: { user: 'ann', password: 'p@ss:word' } },
    'mail goes through mx.example:2525 as "ann", over STARTTLS',
  ],
  [
    'smtp://localhost',
    { ...smtp, host: 'localhost', port: 25, security: 'loopback' },
    'mail goes through localhost:25, on this machine',
  ],
  [
    'smtp://127.1.2.3:1025',
    { ...smtp, host: '127.1.2.3', port: 1025, security: 'loopback' },
    'mail goes through 127.1.2.3:1025, on this machine',
  ],
  [
    'smtp://[::1]:1',
    { ...smtp, host: '::1', port: 1, security: 'loopback' },
    'mail goes through [::1]:1, on this machine',
  ],
  [
    'smtp://[2001:DB8::1]:65535',
    { ...smtp, host: '2001:db8::1', port: 65535, security: 'starttls' },
    'mail goes through [2001:db8::1]:65535, over STARTTLS',
  ],
  [
    'smtps://localhost',
    { ...smtp, host: 'localhost', port: 465, security: 'implicit' },
    'mail goes through localhost:465, over TLS',
  ],
  [
    'smtp://bücher.example',
    { ...smtp, host: 'xn--bcher-kva.example', port: 25, security: 'starttls' },
    'mail goes through xn--bcher-kva.example:25, over STARTTLS',
  ],
  [
    'smtp://localhost.example.org',
    { ...smtp, host: 'localhost.example.org', port: 25, security: 'starttls' },
    'mail goes through localhost.example.org:25, over STARTTLS',
  ],
]

const BAD: ReadonlyArray<readonly [string, RegExp]> = [
  ['', /expected console:, file:DIR, .*, got nothing$/],
  ['hunter2', /got a text without a scheme$/],
  ['imap://ann:hunter2@mail.example.org', /got "imap:…"$/],
  ['console:hunter2', /got "console:…"$/],
  ['file:', /path of a directory/],
  ['file: ', /path of a directory/],
  ['file:a\0b', /path of a directory/],
  ['file://host/mails', /got the name of a host$/],
  ['smtp:mail.example.org', /percent-encoded, got another form$/],
  ['smtp://', /got another form$/],
  ['smtp://ann:hunter2@', /got another form$/],
  ['smtp://ann:hun/ter2@mail.example.org', /got another form$/],
  ['smtp://ann:hun#ter2@mail.example.org', /got another form$/],
  ['smtp://ann:hun?ter2@mail.example.org', /got another form$/],
  ['smtp://ann:12#hunter2@mail.example.org', /got another form$/],
  ['smtp://ann:25/hunter2@mail.example.org', /got another form$/],
  ['smtp://mail.example.org/hunter2', /got another form$/],
  ['smtp://mail.example.org?hunter2', /got another form$/],
  ['smtp://ann:hunter2', /got another form$/],
  ['smtp://ann:hunter2%@mail.example.org', /expected user:password/],
  ['smtp://ann:hunter2%00@mail.example.org', /expected user:password/],
  ['smtp://ann:hunter2%0d%0aQUIT@mail.example.org', /expected user:password/],
  ['smtp://hunter2@mail.example.org', /expected user:password/],
  ['smtp://:hunter2@mail.example.org', /expected user:password/],
  ['smtp://ann:@mail.example.org', /expected user:password/],
  [`smtp://ann:${'x'.repeat(1001)}@mail.example.org`, /expected user:password/],
  ['smtp://ann:hunter2@mail.example.org:0', /expected a port from 1 to 65535, got 0$/],
  ['smtp://ann:hunter2@mail.example.org:65536', /expected a port from 1 to 65535, got 65536$/],
  ['smtp://mail.example.org:hunter2', /got another form$/],
  ['smtp://mail example.org', /name or the IP address/],
  ['smtp://mail..example.org', /name or the IP address/],
  ['smtp://[::hunter2]', /name or the IP address/],
  ['smtp://mail%2eexample.org', /name or the IP address/],
  [`smtp://${'a'.repeat(254)}`, /name or the IP address/],
]

describe('parseMailTarget()', () => {
  for (const [text, target, line] of GOOD) {
    it(`reads ${text}, and describeMailTarget() says it without the password`, () => {
      const parsed = parseMailTarget(text)
      assert.deepEqual(parsed, target)
      assert.equal(describeMailTarget(parsed), line)
    })
  }

  for (const [text, expected] of BAD) {
    it(`refuses ${JSON.stringify(text.slice(0, 50))} without repeating what could be a password`, () => {
      assert.throws(
        () => parseMailTarget(text),
        (error: unknown) => {
          assert.ok(error instanceof Error)
          assert.match(error.message, /^Cannot read mail setting/)
          assert.match(error.message, expected)
          assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hun|ter2|x{20}/)
          assert.equal(error.cause, undefined)
          return true
        },
      )
    })
  }
})
