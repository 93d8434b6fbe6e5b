/** Cases with aiosmtpd, which has only PLAIN and LOGIN: neither is used unencrypted unless a setting allows it. */
import { signInMessage } from '../../../src/mail/templates/templates.ts'
import type { Aiosmtpd } from './aiosmtpd.ts'
import { contentCases } from './content-cases.ts'
import { ASCII_READER, assertArrives, type Case, deliverOnce, type Kit, mailOf, UTF8_READER } from './kit.ts'

const CONTENT = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })

export function aiosmtpdCases(kit: Kit, aiosmtpd: Aiosmtpd): Case[] {
  const { ports } = aiosmtpd
  const modes = [
    [`STARTTLS, AUTH PLAIN and a mail to ${UTF8_READER}`, 'plain', UTF8_READER, {}],
    ['STARTTLS and AUTH LOGIN', 'login', ASCII_READER, {}],
    ['TLS from the first byte', 'implicitTls', ASCII_READER, { tls: { mode: 'implicit' } }],
    ['an unencrypted login, where both are set', 'withoutTls', ASCII_READER, { tls: { mode: 'none' }, cleartextLogin: true }],
  ] as const
  const modeCases = modes.map(([name, service, to, overrides]): Case => ({
    name,
    async run() {
      const mail = mailOf(CONTENT, to)
      await deliverOnce(kit, ports[service], mail, overrides)
      await assertArrives(aiosmtpd, mail)
    },
  }))
  return [...modeCases, ...contentCases(kit, aiosmtpd, ports.plain)]
}
