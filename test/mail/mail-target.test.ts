import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, it } from 'node:test'
import { type MailTarget, maskMailTarget, parseMailTarget } from '../../src/mail/settings/mail-target.ts'

/** The target with its password readable. */
function shown(target: MailTarget): unknown {
  return target.kind === 'smtp' && target.password !== undefined ? { ...target, password: target.password() } : target
}

function server(scheme: 'smtp' | 'smtps', hosts: string, login: { user?: string; password?: string } = {}): unknown {
  const servers = hosts.split(' ').map((one) => {
    const colon = one.lastIndexOf(':')
    return { host: one.slice(0, colon), port: Number(one.slice(colon + 1)) }
  })
  return { kind: 'smtp', isImplicit: scheme === 'smtps', servers, ...login }
}

const ANN = { user: 'ann', password: 'pw' }

const GOOD: ReadonlyArray<readonly [string, unknown]> = [
  ['console:', { kind: 'console' }],
  [' console ', { kind: 'console' }],
  ['file:mails', { kind: 'file', directory: 'mails' }],
  ['file:/srv/my mails', { kind: 'file', directory: '/srv/my mails' }],
  ['file:///srv/mails', { kind: 'file', directory: '/srv/mails' }],
  ['exec:/usr/sbin/sendmail -t -i', { kind: 'exec', program: '/usr/sbin/sendmail', args: ['-t', '-i'] }],
  [`EXEC: 'my mail' "a b"`, { kind: 'exec', program: 'my mail', args: ['a b'] }],
  ['smtp://mail.example.org', server('smtp', 'mail.example.org:25')],
  ['SMTP://ann:pw@Mail.Example.org/', server('smtp', 'mail.example.org:587', ANN)],
  [
    'smtps://ann%40example.org:p%40s%3As%2Fw%25%C3%A9@mail.example.org',
    server('smtps', 'mail.example.org:465', { user: 'ann@example.org', password: 'p@s:s/w%é' }),
  ],
  ['smtp://ann:p@ss:word@mx.example:2525', server('smtp', 'mx.example:2525', { user: 'ann', password: 'p@ss:word' })],
  ['smtp://ann:p,w@mx.example', server('smtp', 'mx.example:587', { user: 'ann', password: 'p,w' })],
  ['smtp://ann@mx.example', server('smtp', 'mx.example:587', { user: 'ann' })],
  ['smtp://localhost', server('smtp', 'localhost:25')],
  ['smtp://[::1]:1', server('smtp', '::1:1')],
  ['smtp://[2001:DB8::1]:65535', server('smtp', '2001:db8::1:65535')],
  ['smtp://bücher.example', server('smtp', 'xn--bcher-kva.example:25')],
  ['smtp://a.example,b.example', server('smtp', 'a.example:25 b.example:25')],
  ['smtp://ann:pw@a.example:25,[::1],b.example:2525', server('smtp', 'a.example:25 ::1:587 b.example:2525', ANN)],
  ['smtps://a,b,c,d,e,f,g,h', server('smtps', 'a:465 b:465 c:465 d:465 e:465 f:465 g:465 h:465')],
]

const BAD: ReadonlyArray<readonly [string, RegExp]> = [
  ['', /expected console:, file:DIR, exec:COMMAND, .*, found nothing$/],
  ['hunter2', /found a text without a scheme$/],
  ['smtp.gmail.com', /found the name of a host: write smtps:\/\/smtp\.gmail\.com, with user@ before/],
  ['Mail.Example.org:587', /: write smtp:\/\/mail\.example\.org:587, with/],
  ['mail.example.org:465', /: write smtps:\/\/mail\.example\.org, with/],
  ['ann:hunter2@mail.example.org', /found "ann:…"$/],
  ['imap://ann:hunter2@mail.example.org', /found "imap:…"$/],
  ['console:hunter2', /found "console:…"$/],
  ['file:', /path of a directory/],
  ['file:a\0b', /path of a directory/],
  ['file://host/mails', /found the name of a host$/],
  ['exec:', /expected a program after exec:, found none$/],
  ['smtp:mail.example.org', /percent-encoded, found another form$/],
  ['smtp://', /found another form$/],
  ['smtp://ann:hunter2@', /found another form$/],
  ['smtp://ann:hun/ter2@mail.example.org', /found another form$/],
  ['smtp://ann:hun#ter2@mail.example.org', /found another form$/],
  ['smtp://ann:25/hunter2@mail.example.org', /found another form$/],
  ['smtp://mail.example.org/hunter2', /found another form$/],
  ['smtp://ann:hunter2', /found another form$/],
  ['smtp://ann:hunter2%@mail.example.org', /expected user or user:password/],
  ['smtp://ann:hunter2%00@mail.example.org', /expected user or user:password/],
  ['smtp://ann:hunter2%0d%0aQUIT@mail.example.org', /expected user or user:password/],
  ['smtp://:hunter2@mail.example.org', /expected user or user:password/],
  ['smtp://ann:@mail.example.org', /expected user or user:password/],
  [`smtp://ann:${'x'.repeat(1001)}@mail.example.org`, /expected user or user:password/],
  ['smtp://ann:hunter2@mail.example.org:0', /expected a port from 1 to 65535, found 0$/],
  ['smtp://ann:hunter2@mail.example.org:65536', /expected a port from 1 to 65535, found 65536$/],
  ['smtp://mail.example.org:hunter2', /found another form$/],
  ['smtp://mail example.org', /name or the IP address/],
  ['smtp://[::hunter2]', /name or the IP address/],
  [`smtp://${'a'.repeat(254)}`, /name or the IP address/],
  ['smtp://a.example,', /found another form$/],
  ['smtp://ann:hunter2@a.example,bob:hunter2@b.example', /expected one login, before the first host/],
  ['smtp://a,b,c,d,e,f,g,h,i', /expected at most 8 hosts, found 9$/],
]

describe('parseMailTarget()', () => {
  for (const [text, target] of GOOD) {
    it(`reads ${text}`, () => assert.deepEqual(shown(parseMailTarget(text)), target))
  }

  it('hides the password from JSON and debuggers', () => {
    const target = parseMailTarget('smtp://ann:hunter2@mail.example.org')
    assert.doesNotMatch(JSON.stringify(target) + inspect(target, { depth: 9, showHidden: true }), /hunter2/)
    assert.match(JSON.stringify(target), /"user":"ann"/)
  })

  for (const [text, expected] of BAD) {
    it(`rejects ${JSON.stringify(text.slice(0, 50))} without repeating what could be a password`, () => {
      assert.throws(
        () => parseMailTarget(text),
        (error: unknown) => {
          assert.ok(error instanceof Error)
          assert.match(error.message, /^expected /)
          assert.match(error.message, expected)
          assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hun|ter2|x{20}/)
          assert.equal(error.cause, undefined)
          return true
        },
      )
    })
  }
})

describe('maskMailTarget()', () => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ['console:', 'console:'],
    ['file:/srv/a@b', 'file:/srv/a@b'],
    [' smtp://ann:hunter2@a.example,b.example', 'smtp://***@a.example,b.example'],
    ['smtps://ann:hun@ter2@a.example', 'smtps://***@a.example'],
    ['exec:/usr/bin/send --password hunter2', 'exec:/usr/bin/send …'],
    [`exec:'a b' hunter2`, 'exec: …'],
  ]
  for (const [text, shown] of rows) it(`shows ${shown}`, () => assert.equal(maskMailTarget(text), shown))
})
