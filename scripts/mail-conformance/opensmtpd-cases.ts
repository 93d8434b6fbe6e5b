/** What must hold with OpenSMTPD: a login from a table, a relay without one, and no SMTPUTF8. */
import assert from 'node:assert/strict'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { contentCases } from './content-cases.ts'
import { assertArrives, assertFails, type Case, clientFor, deliverOnce, type Kit, mailOf, UTF8_READER } from './kit.ts'
import type { OpenSmtpd } from './opensmtpd.ts'

const CONTENT = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })
const MAILS_IN_A_ROW = 3

export function openSmtpdCases(kit: Kit, openSmtpd: OpenSmtpd): Case[] {
  const { ports } = openSmtpd
  return [
    {
      name: 'STARTTLS and a login from its table',
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports.starttls, mail)
        assert.match((await assertArrives(openSmtpd, mail)).toString(), /\(OpenSMTPD\) with ESMTPSA id/)
      },
    },
    {
      name: 'TLS from the first byte and a login',
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports.implicitTls, mail, { tls: { mode: 'implicit' } })
        await assertArrives(openSmtpd, mail)
      },
    },
    {
      name: 'a relay without a login, unencrypted',
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports.open, mail, { login: null, tls: { mode: 'starttls-if-offered' } })
        assert.match((await assertArrives(openSmtpd, mail)).toString(), /\(OpenSMTPD\) with ESMTP id/)
      },
    },
    {
      name: "a wrong password keeps the mail waiting, with the server's reply",
      async run() {
        const login = { ...kit.account, password: 'not the password' }
        const delivery = deliverOnce(kit, ports.starttls, mailOf(CONTENT), { login })
        await assertFails(kit, delivery, {
          stage: 'auth',
          temporary: true,
          message: /535 Authentication failed/,
          advice: /^Authentication failed/,
        })
      },
    },
    {
      name: 'a certificate of an unknown authority is rejected',
      async run() {
        const delivery = deliverOnce(kit, ports.starttls, mailOf(CONTENT), { tls: { ca: [] } })
        await assertFails(kit, delivery, { stage: 'tls', temporary: true, message: /certificate/, advice: /--mail-ca/ })
      },
    },
    {
      name: 'an address that is not ASCII is rejected permanently without SMTPUTF8',
      async run() {
        const delivery = deliverOnce(kit, ports.starttls, mailOf(CONTENT, UTF8_READER))
        await assertFails(kit, delivery, { stage: 'mail', temporary: false, message: /SMTPUTF8/, advice: /SMTPUTF8/ })
      },
    },
    {
      name: `${MAILS_IN_A_ROW} mails in a row take one connection`,
      async run() {
        const connections = (): number => openSmtpd.log().split('smtp connected').length
        const before = connections()
        const client = clientFor(kit, ports.starttls)
        for (let i = 0; i < MAILS_IN_A_ROW; i++) {
          const mail = mailOf(CONTENT)
          await client.deliver(mail)
          await assertArrives(openSmtpd, mail)
        }
        await client.close()
        assert.equal(connections() - before, 1)
      },
    },
    ...contentCases(kit, openSmtpd, ports.starttls),
  ]
}
