/** Cases with Postfix: each login, rejections that only a real server shows, and many mails over one connection. */
import assert from 'node:assert/strict'
import { signInMessage } from '../../../src/mail/templates/templates.ts'
import { contentCases } from './content-cases.ts'
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
import { MESSAGE_BYTES_MAX, type Postfix, type PostfixService } from './postfix.ts'
import { hasMail, nextMail } from './receiver.ts'
import { serviceCases } from './service-cases.ts'

const CODE = '042137'
const CONTENT = signInMessage({ code: CODE, minutes: 15, appName: 'Dateline', languages: [] })
const MAILS_IN_A_ROW = 5
const MAILS_AT_ONCE = 20
const HOUR_S = 3_600

interface Accepted {
  readonly to?: string
  readonly overrides?: Overrides
  readonly mechanism?: string
  readonly headers?: readonly RegExp[]
}

interface Rejected {
  readonly deliver: () => Promise<string>
  readonly expected: Parameters<typeof assertFails>[2]
}

export function postfixCases(kit: Kit, postfix: Postfix): Case[] {
  const { ports } = postfix
  const send = (service: PostfixService, mail = mailOf(CONTENT), overrides?: Overrides): Promise<string> =>
    deliverOnce(kit, ports[service], mail, overrides)

  /** A mail that arrives, perhaps after a login by this mechanism, and perhaps behind these headers. */
  const accepted = (name: string, service: PostfixService, details: Accepted = {}): Case => ({
    name,
    async run() {
      const { to, overrides, mechanism, headers = [] } = details
      const mail = mailOf(CONTENT, to)
      await send(service, mail, overrides)
      const arrived = (await assertArrives(postfix, mail)).toString()
      for (const header of headers) assert.match(arrived, header)
      if (mechanism !== undefined) await assertLogin(postfix, service, mechanism)
    },
  })
  const rejected = (name: string, { deliver, expected }: Rejected): Case => ({
    name,
    async run() {
      await assertFails(kit, deliver(), expected)
      assert.ok(!hasMail(postfix), 'a mail arrived')
    },
  })

  const logins = [['SCRAM-SHA-256', 'scram'], ['PLAIN', 'plain'], ['LOGIN', 'login']] as const

  const loginCases = logins.flatMap(([mechanism, service]): Case[] => [
    accepted(`STARTTLS and AUTH ${mechanism}, where only that is offered`, service, { mechanism }),
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

  const tokenLogin = (expires: number) => {
    const token = postfix.token(kit.account, expires)
    return { user: kit.account.user, token: async () => token }
  }
  const inClear = { tls: { mode: 'none' } } as const
  const ifOffered = { login: null, tls: { mode: 'starttls-if-offered' } } as const
  const implicit = { tls: { mode: 'implicit' } } as const

  return [
    ...loginCases,
    accepted('the strongest mechanism is used', 'all', { mechanism: 'SCRAM-SHA-256' }),
    accepted('STARTTLS and AUTH XOAUTH2 with a token', 'token', {
      overrides: { login: tokenLogin(seconds() + HOUR_S) },
      mechanism: 'XOAUTH2',
    }),
    accepted('TLS from the first byte', 'implicitTls', { overrides: implicit }),
    accepted('without encryption the password is proved (SCRAM-SHA-256) and not sent', 'withoutTls', {
      overrides: inClear,
      mechanism: 'SCRAM-SHA-256',
    }),
    accepted('a relay without a login, unencrypted where that is set', 'open', {
      overrides: { login: null, ...inClear },
      headers: [/\(Postfix\) with ESMTP id/],
    }),
    accepted('a relay without a login, with TLS where it is offered', 'open', {
      overrides: ifOffered,
      headers: [/\(Postfix\) with ESMTPS id/],
    }),
    accepted(`SMTPUTF8: a mail to ${UTF8_READER}`, 'all', {
      to: UTF8_READER,
      headers: [/^To: jörg@xn--bcher-kva\.example\r$/m, /\(Postfix\) with UTF8SMTPSA id/, /^Delivered-To: jörg@/m],
    }),
    accepted('a server without PIPELINING, SIZE, 8BITMIME and ENHANCEDSTATUSCODES', 'bare'),
    rejected('an expired token keeps the mail waiting', {
      deliver: () => send('token', mailOf(CONTENT), { login: tokenLogin(seconds() - HOUR_S) }),
      expected: { stage: 'auth', temporary: true, message: /535 5\.7\.8/, advice: /or token/ },
    }),
    rejected('a server without TLS 1.2 gets no mail', {
      deliver: () => send('oldTls'),
      expected: { stage: 'tls', temporary: true, message: /TLS: tlsv1 alert protocol version/, advice: /versions or ciphers/ },
    }),
    rejected("a mail above a size that was not announced is rejected permanently, with the server's reply", {
      deliver: () => send('smallUnannounced', mailOf(long())),
      expected: {
        stage: 'message',
        temporary: false,
        message: /552 5\.3\.4 Error: message file too big/,
        advice: /^The message is too large/,
      },
    }),
    rejected('a recipient whose domain the server does not serve is rejected permanently', {
      deliver: () => send('foreign', mailOf(CONTENT, 'reader@elsewhere.example')),
      expected: {
        stage: 'rcpt',
        temporary: false,
        message: /554 5\.7\.1 .*Relay access denied/,
        advice: /does not relay for us/,
      },
    }),
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
      name: 'greylisting: after the rejection with 450 the connection serves the next mail',
      async run() {
        const before = countOf(postfix.log(), connectsTo('greylisting'))
        const client = clientFor(kit, ports.greylisting)
        postfix.greylist('grey@example.net', true)
        const error = await assertFails(kit, client.deliver(mailOf(CONTENT, 'grey@example.net')), {
          stage: 'rcpt',
          temporary: true,
          message: /450 4\.7\.1 .*Greylisted, try again later/,
          advice: /^The server greylists/,
        })
        assert.match(error.reply ?? '', /^450 4\.7\.1 /)
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
        const closed = /postfix\/impatient\/smtpd\[\d+\]: timeout after END-OF-MESSAGE from/
        for (const log of [/./, closed]) {
          await untilLogged(() => postfix.log(), log)
          const mail = mailOf(CONTENT)
          await client.deliver(mail)
          await assertArrives(postfix, mail)
        }
        await client.close()
      },
    },
    ...contentCases(kit, postfix, ports.all),
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
