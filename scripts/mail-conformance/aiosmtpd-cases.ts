/** Cases with aiosmtpd, which has only PLAIN and LOGIN: neither is used unencrypted unless a setting allows it. */
import assert from 'node:assert/strict'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import type { Aiosmtpd } from './aiosmtpd.ts'
import { contentCases } from './content-cases.ts'
import { assertArrives, assertFails, type Case, deliverOnce, type Kit, mailOf, UTF8_READER } from './kit.ts'
import { hasMail } from './receiver.ts'

const NO_STARTTLS = /offers no STARTTLS/
const WRONG_LOGIN = /^Authentication failed: check user and password/

const CONTENT = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })

export function aiosmtpdCases(kit: Kit, aiosmtpd: Aiosmtpd): Case[] {
  const { ports } = aiosmtpd
  const modes = [
    ['STARTTLS and AUTH PLAIN', 'plain', {}],
    ['STARTTLS and AUTH LOGIN', 'login', {}],
    ['TLS from the first byte', 'implicitTls', { tls: { mode: 'implicit' } }],
    ['an unencrypted login, where both are set', 'withoutTls', { tls: { mode: 'none' }, cleartextLogin: true }],
  ] as const
  return [
    ...modes.map(([name, service, overrides]): Case => ({
      name,
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports[service], mail, overrides)
        await assertArrives(aiosmtpd, mail)
      },
    })),
    {
      name: `SMTPUTF8: a mail to ${UTF8_READER}`,
      async run() {
        const mail = mailOf(CONTENT, UTF8_READER)
        await deliverOnce(kit, ports.plain, mail)
        assert.match((await assertArrives(aiosmtpd, mail)).toString(), /^To: jörg@xn--bcher-kva\.example\r$/m)
      },
    },
    {
      name: 'without STARTTLS no mail is sent',
      async run() {
        const delivery = deliverOnce(kit, ports.withoutTls, mailOf(CONTENT))
        await assertFails(kit, delivery, {
          stage: 'starttls',
          temporary: true,
          message: /the server offers no TLS/,
          advice: NO_STARTTLS,
        })
        assert.ok(!hasMail(aiosmtpd), 'a mail arrived')
      },
    },
    {
      name: "a wrong password keeps the mail waiting, with the server's reply",
      async run() {
        const login = { ...kit.account, password: 'not the password' }
        const delivery = deliverOnce(kit, ports.plain, mailOf(CONTENT), { login })
        await assertFails(kit, delivery, {
          stage: 'auth',
          temporary: true,
          message: /535 5\.7\.8/,
          advice: WRONG_LOGIN,
        })
      },
    },
    ...contentCases(kit, aiosmtpd, ports.plain),
  ]
}
