/** Cases with Postfix: each login, each rejection with its reason, and many mails over one connection. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { contentCases } from './content-cases.ts'
import { dkimCases } from './dkim-cases.ts'
import {
  assertArrives,
  assertFails,
  type Case,
  clientFor,
  deliverOnce,
  type Kit,
  mailOf,
  type Overrides,
  untilLogged,
  UTF8_READER,
} from './kit.ts'
import { CLIENT_IDLE_MS_MAX, MESSAGE_BYTES_MAX, type Postfix, type PostfixService } from './postfix.ts'
import { hasMail, nextMail } from './receiver.ts'
import { serviceCases } from './service-cases.ts'

const CODE = '042137'
const CONTENT = signInMessage({ code: CODE, minutes: 15, appName: 'Dateline', languages: [] })
const MAILS_IN_A_ROW = 5
const MAILS_AT_ONCE = 20
const HOUR_S = 3_600

export function postfixCases(kit: Kit, postfix: Postfix): Case[] {
  const { ports } = postfix
  const send = (service: PostfixService, mail = mailOf(CONTENT), overrides?: Overrides): Promise<string> =>
    deliverOnce(kit, ports[service], mail, overrides)

  const logins = [
    ['SCRAM-SHA-256', 'scram'],
    ['CRAM-MD5', 'cramMd5'],
    ['PLAIN', 'plain'],
    ['LOGIN', 'login'],
  ] as const

  const loginCases = logins.flatMap(([mechanism, service]): Case[] => [
    {
      name: `STARTTLS and AUTH ${mechanism}, where only that is offered`,
      async run() {
        const mail = mailOf(CONTENT)
        await send(service, mail)
        await assertArrives(postfix, mail)
        await assertLogin(postfix, service, mechanism)
      },
    },
    {
      name: `a wrong password by ${mechanism} keeps the mail waiting, with the server's reply`,
      async run() {
        const login = { ...kit.account, password: 'not the password' }
        const error = await assertFails(kit, send(service, mailOf(CONTENT), { login }), {
          stage: 'auth',
          temporary: true,
          message: /535 5\.7\.8 Error: authentication failed/,
          advice: /^Authentication failed: check user and password/,
        })
        assert.doesNotMatch(error.message, /not the password/)
      },
    },
  ])

  const rejections: readonly (readonly [
    name: string,
    service: PostfixService,
    overrides: Overrides,
    expected: Parameters<typeof assertFails>[2],
  ])[] = [
    [
      'a certificate of an unknown authority is rejected, and the issuer named',
      'all',
      { tls: { ca: [] } },
      {
        stage: 'tls',
        temporary: true,
        message: /Authority of one run/,
        advice: /issued by .*Authority of one run.* --mail-ca/,
      },
    ],
    [
      'a certificate for another name is rejected',
      'all',
      { tls: { ca: [kit.certificates.ca], name: 'mx.example.test' } },
      {
        stage: 'tls',
        temporary: true,
        message: /is not for "mx\.example\.test"/,
        advice: /mail\.example\.test.* --mail-tls-name/,
      },
    ],
    [
      'a certificate for a name is rejected for an IP address',
      'all',
      { servers: [{ host: '127.0.0.1', port: ports.all }] },
      { stage: 'tls', temporary: true, message: /is not for "127\.0\.0\.1"/, advice: /--mail-tls-name/ },
    ],
    [
      'a server that no longer offers STARTTLS gets no login and no mail',
      'withoutTls',
      {},
      { stage: 'starttls', temporary: true, message: /the server offers no TLS/, advice: /offers no STARTTLS/ },
    ],
    [
      'a server without TLS 1.2 gets no mail',
      'oldTls',
      {},
      { stage: 'tls', temporary: true, message: /TLS: tlsv1 alert protocol version/, advice: /versions or ciphers/ },
    ],
    [
      'TLS from the first byte on a port for STARTTLS is recognised',
      'all',
      { tls: { mode: 'implicit' } },
      { stage: 'tls', temporary: true, message: /TLS: wrong version number/, advice: /use smtp:\/\/ for 587/ },
    ],
    [
      'STARTTLS on a port for TLS from the first byte is recognised',
      'implicitTls',
      { timeouts: { greeting: 1_000 } },
      { stage: 'greeting', temporary: true, message: /no answer came within 1000 ms/, advice: /use smtps:\/\// },
    ],
    [
      'a server without a login where one is set gets no mail',
      'open',
      {},
      { stage: 'auth', temporary: true, message: /does not offer AUTH/, advice: /remove the user for a relay/ },
    ],
  ]

  return [
    ...loginCases,
    {
      name: 'the strongest mechanism is used',
      async run() {
        const mail = mailOf(CONTENT)
        await send('all', mail)
        await assertArrives(postfix, mail)
        await assertLogin(postfix, 'all', 'SCRAM-SHA-256')
      },
    },
    {
      name: 'STARTTLS and AUTH XOAUTH2 with a token',
      async run() {
        const mail = mailOf(CONTENT)
        const token = postfix.token(kit.account, seconds() + HOUR_S)
        await send('token', mail, { login: { user: kit.account.user, token: async () => token } })
        await assertArrives(postfix, mail)
        await assertLogin(postfix, 'token', 'XOAUTH2')
      },
    },
    {
      name: 'an expired token keeps the mail waiting',
      async run() {
        const token = postfix.token(kit.account, seconds() - HOUR_S)
        const login = { user: kit.account.user, token: async () => token }
        const delivery = send('token', mailOf(CONTENT), { login })
        const error = await assertFails(kit, delivery, {
          stage: 'auth',
          temporary: true,
          message: /535 5\.7\.8/,
          advice: /or token/,
        })
        assert.ok(!error.message.includes(token), 'the message contains the token')
      },
    },
    {
      name: 'TLS from the first byte',
      async run() {
        const mail = mailOf(CONTENT)
        await send('implicitTls', mail, { tls: { mode: 'implicit' } })
        await assertArrives(postfix, mail)
      },
    },
    {
      name: 'another name of the certificate is accepted when it is set',
      async run() {
        const mail = mailOf(CONTENT)
        const servers = [{ host: '127.0.0.1', port: ports.all }]
        await send('all', mail, { servers, tls: { name: 'mail.example.test' } })
        await assertArrives(postfix, mail)
      },
    },
    ...rejections.map(([name, service, overrides, expected]): Case => ({
      name,
      async run() {
        await assertFails(kit, send(service, mailOf(CONTENT), overrides), expected)
        assert.ok(!hasMail(postfix), 'a mail arrived')
      },
    })),
    {
      name: 'a relay without a login, unencrypted where that is set',
      async run() {
        const mail = mailOf(CONTENT)
        await send('open', mail, { login: null, tls: { mode: 'none' } })
        assert.match((await assertArrives(postfix, mail)).toString(), /\(Postfix\) with ESMTP id/)
      },
    },
    {
      name: 'a relay without a login, with TLS where it is offered',
      async run() {
        const mail = mailOf(CONTENT)
        await send('open', mail, { login: null, tls: { mode: 'starttls-if-offered' } })
        assert.match((await assertArrives(postfix, mail)).toString(), /\(Postfix\) with ESMTPS id/)
      },
    },
    {
      name: 'without encryption the password is proved (SCRAM-SHA-256) and not sent',
      async run() {
        const mail = mailOf(CONTENT)
        await send('withoutTls', mail, { tls: { mode: 'none' } })
        await assertArrives(postfix, mail)
        await assertLogin(postfix, 'withoutTls', 'SCRAM-SHA-256')
      },
    },
    {
      name: `SMTPUTF8: a mail to ${UTF8_READER}`,
      async run() {
        const mail = mailOf(CONTENT, UTF8_READER)
        await send('all', mail)
        const arrived = (await assertArrives(postfix, mail)).toString()
        assert.match(arrived, /^To: jörg@xn--bcher-kva\.example\r$/m)
        assert.match(arrived, /\(Postfix\) with UTF8SMTPSA id/)
        assert.match(arrived, /^Delivered-To: jörg@/m)
      },
    },
    {
      name: 'an address that is not ASCII is rejected permanently where SMTPUTF8 is not offered',
      async run() {
        const expected = { stage: 'mail', temporary: false, message: /SMTPUTF8/, advice: /SMTPUTF8/ } as const
        await assertFails(kit, send('ascii', mailOf(CONTENT, UTF8_READER)), expected)
      },
    },
    {
      name: 'an international domain alone needs no SMTPUTF8',
      async run() {
        const mail = mailOf(CONTENT, 'jorg@bücher.example')
        await send('ascii', mail)
        await assertArrives(postfix, mail)
      },
    },
    {
      name: 'a mail above the SIZE that was announced is rejected permanently',
      async run() {
        const expected = {
          stage: 'mail',
          temporary: false,
          message: /takes 2000 at most/,
          advice: /message of this size/,
        } as const
        await assertFails(kit, send('small', mailOf(long())), expected)
      },
    },
    {
      name: "a mail above a size that was not announced is rejected permanently, with the server's reply",
      async run() {
        const expected = {
          stage: 'message',
          temporary: false,
          message: /552 5\.3\.4 Error: message file too big/,
          advice: /^The message is too large/,
        } as const
        await assertFails(kit, send('smallUnannounced', mailOf(long())), expected)
      },
    },
    {
      name: 'greylisting: rejected with 450, accepted later',
      async run() {
        const mail = mailOf(CONTENT, 'grey@example.net')
        postfix.greylist(mail.to, true)
        const expected = {
          stage: 'rcpt',
          temporary: true,
          message: /450 4\.7\.1 .*Greylisted, try again later/,
          advice: /^The server greylists/,
        } as const
        const error = await assertFails(kit, send('greylisting', mail), expected)
        assert.match(error.reply ?? '', /^450 4\.7\.1 /)
        postfix.greylist(mail.to, false)
        await send('greylisting', mail)
        await assertArrives(postfix, mail)
      },
    },
    {
      name: 'a recipient whose domain the server does not serve is rejected permanently',
      async run() {
        const expected = {
          stage: 'rcpt',
          temporary: false,
          message: /554 5\.7\.1 .*Relay access denied/,
          advice: /does not relay for us/,
        } as const
        const delivery = send('foreign', mailOf(CONTENT, 'reader@elsewhere.example'))
        await assertFails(kit, delivery, expected)
      },
    },
    {
      name: `${MAILS_IN_A_ROW} mails in a row take one connection and one login`,
      async run() {
        const before = countOf(postfix.log(), connectsTo('scram'))
        const client = clientFor(kit, ports.scram)
        for (let i = 0; i < MAILS_IN_A_ROW; i++) {
          const mail = mailOf(CONTENT)
          await client.deliver(mail)
          await assertArrives(postfix, mail)
        }
        await client.close()
        await untilLogged(
          () => postfix.log(),
          new RegExp(`postfix/scram/smtpd.* disconnect from .* auth=1 mail=${MAILS_IN_A_ROW} .*quit=1`),
        )
        assert.equal(countOf(postfix.log(), connectsTo('scram')) - before, 1)
      },
    },
    {
      name: `${MAILS_AT_ONCE} mails at once arrive, each of them once`,
      async run() {
        const client = clientFor(kit, ports.all)
        const mails = Array.from({ length: MAILS_AT_ONCE }, () => mailOf(CONTENT))
        await Promise.all(mails.map((mail) => client.deliver(mail)))
        await client.close()
        const arrived: string[] = []
        while (arrived.length < MAILS_AT_ONCE) arrived.push((await nextMail(postfix)).toString())
        for (const { data } of mails) assert.equal(arrived.filter((one) => one.endsWith(data)).length, 1)
        assert.ok(!hasMail(postfix), 'a mail arrived twice')
      },
    },
    {
      name: 'after a rejected recipient the connection serves the next mail',
      async run() {
        const before = countOf(postfix.log(), connectsTo('greylisting'))
        const client = clientFor(kit, ports.greylisting)
        postfix.greylist('grey@example.net', true)
        const rejected = client.deliver(mailOf(CONTENT, 'grey@example.net'))
        await assertFails(kit, rejected, { stage: 'rcpt', temporary: true, message: /450/, advice: /greylists/ })
        const mail = mailOf(CONTENT)
        await client.deliver(mail)
        await assertArrives(postfix, mail)
        await client.close()
        assert.equal(countOf(postfix.log(), connectsTo('greylisting')) - before, 1)
      },
    },
    {
      name: 'an idle connection that the server closed loses no mail',
      async run() {
        const client = clientFor(kit, ports.impatient)
        for (const pauseMs of [0, CLIENT_IDLE_MS_MAX + 500]) {
          await pause(pauseMs)
          const mail = mailOf(CONTENT)
          await client.deliver(mail)
          await assertArrives(postfix, mail)
        }
        await client.close()
      },
    },
    {
      name: 'a server that does not answer is skipped for the next',
      async run() {
        const mail = mailOf(CONTENT)
        const servers = [
          { host: 'localhost', port: ports.closed },
          { host: 'localhost', port: ports.all },
        ]
        await send('all', mail, { servers })
        await assertArrives(postfix, mail)
      },
    },
    {
      name: 'a server without PIPELINING, SIZE, 8BITMIME and ENHANCEDSTATUSCODES',
      async run() {
        const mail = mailOf(CONTENT)
        await send('bare', mail)
        await assertArrives(postfix, mail)
      },
    },
    ...contentCases(kit, postfix, ports.all),
    ...dkimCases(kit, postfix, ports.all),
    ...serviceCases(kit, postfix, ports.all),
  ]
}

/** The last login at a service was by this mechanism. */
function assertLogin(postfix: Postfix, service: PostfixService, mechanism: string): Promise<void> {
  const logins = (): RegExpMatchArray[] => [...postfix.log().matchAll(new RegExp(`postfix/${service}/smtpd.*sasl_method=([\\w-]+)`, 'g'))]
  return untilLogged(() => logins().at(-1)?.[1] ?? '', new RegExp(`^${mechanism}$`))
}

function connectsTo(service: PostfixService): RegExp {
  return new RegExp(`postfix/${service}/smtpd\\[\\d+\\]: connect from`, 'g')
}

function countOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length
}

function long(): typeof CONTENT {
  return { ...CONTENT, text: 'a line of text\n'.repeat(MESSAGE_BYTES_MAX / 10) }
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000)
}
