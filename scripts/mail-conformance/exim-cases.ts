/** Cases with Exim: its logins, pipelining, and extensions that we do not use. */
import assert from 'node:assert/strict'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { contentCases } from './content-cases.ts'
import type { Exim } from './exim.ts'
import { assertArrives, assertFails, type Case, clientFor, deliverOnce, type Kit, mailOf } from './kit.ts'
import { untilLogged, UTF8_READER } from './kit.ts'

const CONTENT = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })
const MAILS_IN_A_ROW = 3

export function eximCases(kit: Kit, exim: Exim): Case[] {
  const { ports } = exim
  const logins = [
    ['PLAIN', 'plain', 'plain'],
    ['LOGIN', 'login', 'login'],
    ['CRAM-MD5', 'cramMd5', 'cram_md5'],
    ['the strongest mechanism', 'all', 'cram_md5'],
  ] as const
  return [
    ...logins.flatMap(([name, service, authenticator]): Case[] => [
      {
        name: `STARTTLS and AUTH by ${name}`,
        async run() {
          const mail = mailOf(CONTENT)
          const id = queueId(await deliverOnce(kit, ports[service], mail))
          await assertArrives(exim, mail)
          assert.match(acceptLine(exim, id), new RegExp(` A=${authenticator}:ann@example\\.org `))
        },
      },
      {
        name: `a wrong password by ${name} keeps the mail waiting`,
        async run() {
          const login = { ...kit.account, password: 'not the password' }
          const delivery = deliverOnce(kit, ports[service], mailOf(CONTENT), { login })
          await assertFails(kit, delivery, {
            stage: 'auth',
            temporary: true,
            message: /535 /,
            advice: /^Authentication failed/,
          })
        },
      },
    ]),
    {
      name: 'TLS from the first byte',
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports.implicitTls, mail, { tls: { mode: 'implicit' } })
        await assertArrives(exim, mail)
      },
    },
    {
      name: 'a relay without a login, unencrypted',
      async run() {
        const mail = mailOf(CONTENT)
        await deliverOnce(kit, ports.open, mail, { login: null, tls: { mode: 'none' } })
        assert.match((await assertArrives(exim, mail)).toString(), /with esmtp /)
      },
    },
    {
      name: 'commands are pipelined; CHUNKING, PRDR and PIPE_CONNECT are not used',
      async run() {
        const offered: string[] = []
        const mail = mailOf(CONTENT)
        const client = clientFor(kit, ports.all)
        const { reply } = await client.deliver(mail, { trace: ({ text }) => offered.push(text) })
        await client.close()
        await assertArrives(exim, mail)
        const dialogue = offered.join('\n')
        for (const extension of ['CHUNKING', 'PRDR', 'PIPECONNECT', 'PIPELINING'])
          assert.ok(dialogue.includes(extension), extension)
        // Exim writes "L" for pipelining, and a dot behind it where PIPE_CONNECT was offered only.
        assert.match(acceptLine(exim, queueId(reply)), / L\. /)
      },
    },
    {
      name: `${MAILS_IN_A_ROW} mails in a row take one connection`,
      async run() {
        const connections = (): number => exim.log().split('SMTP connection from [').length
        const before = connections()
        const client = clientFor(kit, ports.cramMd5)
        for (let i = 0; i < MAILS_IN_A_ROW; i++) {
          const mail = mailOf(CONTENT)
          await client.deliver(mail)
          await assertArrives(exim, mail)
        }
        await client.close()
        await untilLogged(() => exim.log().trimEnd().split('\n').slice(-3).join('\n'), /closed by QUIT/)
        assert.equal(connections() - before, 1)
      },
    },
    {
      name: exim.hasUtf8
        ? `SMTPUTF8: a mail to ${UTF8_READER}`
        : 'without SMTPUTF8 such an address is rejected permanently',
      async run() {
        const mail = mailOf(CONTENT, UTF8_READER)
        const delivery = deliverOnce(kit, ports.all, mail)
        if (exim.hasUtf8) {
          await delivery
          assert.match((await assertArrives(exim, mail)).toString(), /with utf8esmtpsa/)
        } else
          await assertFails(kit, delivery, { stage: 'mail', temporary: false, message: /SMTPUTF8/, advice: /SMTPUTF8/ })
      },
    },
    ...contentCases(kit, exim, ports.all),
  ]
}

/** `250 OK id=1xUf64-00047C-0G` */
function queueId(reply: string): string {
  return / id=(\S+)/.exec(reply)?.[1] ?? assert.fail(`no id in ${JSON.stringify(reply)}`)
}

/** An id of which six digits stand together has `***` for them in what we keep of a reply, as a sign-in code has. */
function acceptLine(exim: Exim, id: string): string {
  const [start = '', end = ''] = id.split('***')
  const isItsLine = (line: string): boolean => {
    const found = / (\S+) <= /.exec(line)?.[1]
    return found !== undefined && found.startsWith(start) && found.endsWith(end)
  }
  return exim.log().split('\n').find(isItsLine) ?? assert.fail(`${id} is not in the log`)
}
