/** Mails with difficult content: every server must deliver the bytes that it got. */
import { BUILT_IN_LANGUAGES } from '../../../src/mail/templates/built-in-mail.ts'
import { type MailContent, signInMessage } from '../../../src/mail/templates/templates.ts'
import type { OutgoingMail } from '../../../src/mail/smtp/smtp-envelope.ts'
import { ASCII_READER, assertArrives, assertReadable, type Case, clientFor, type Kit, mailOf } from './kit.ts'
import type { Receiver } from './receiver.ts'

const CODE = '042137'

/** RFC 5321 4.5.3.1.6: a line has up to 1,000 octets with its CRLF. */
const LINE_OCTETS_MAX = 998

const page = (body: string): string => `<!doctype html>\n<html lang="en">\n<body>\n${body}\n</body>\n</html>\n`
const content = (subject: string, text: string): MailContent => ({
  subject,
  text,
  html: page(`<pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`),
  language: 'en',
})

const CONTENTS: readonly MailContent[] = [
  ...BUILT_IN_LANGUAGES.map((language) =>
    signInMessage({ code: CODE, minutes: 15, appName: 'Новости “Zoë” & 日本', languages: [language] }),
  ),
  content('Dots', '.\n..\n...\n.a line that begins with one\n..two\n\n.\nand the end\n.'),
  content('Lines', `${'long '.repeat(2_000)}\n${'x'.repeat(3_000)}\ntrailing spaces   \ntab\t\n\n\nFrom here to there\n`),
  content('Überall 🚢 schöne Häfen, '.repeat(8).trim(), 'Füße 🚢 日本語 ‏مرحبا‏ e\u0301 \u00a0 …\n=3D =\n--\n-- \n'),
]

/** Bodies that are sent without an encoding: their dots and lengths are those on the wire. */
const RAW_BODIES: readonly (readonly string[])[] = [
  ['.', '..', '...', '.a', 'a.', '', '.', 'end'],
  ['.'],
  ['', '', '.', ''],
  ['x'.repeat(LINE_OCTETS_MAX), `.${'y'.repeat(LINE_OCTETS_MAX - 1)}`, 'From me'],
]

/** All of them over one client. */
export function contentCases(kit: Kit, receiver: Receiver, port: number): Case[] {
  return [
    {
      name: `${CONTENTS.length} mails in all languages, with dots, long lines and emoji, are read as composed`,
      async run() {
        const mails: Parameters<typeof assertReadable>[1][number][] = []
        await using client = clientFor(kit, port)
        for (const each of CONTENTS) {
          const mail = mailOf(each)
          await client.deliver(mail)
          mails.push({ arrived: await assertArrives(receiver, mail), content: each, to: mail.to })
        }
        assertReadable(kit, mails)
      },
    },
    {
      name: 'lines of dots and of 998 octets arrive as they were sent',
      async run() {
        await using client = clientFor(kit, port)
        for (const body of RAW_BODIES) {
          const mail = rawMail(body)
          await client.deliver(mail)
          await assertArrives(receiver, mail)
        }
      },
    },
  ]
}

function rawMail(body: readonly string[]): OutgoingMail {
  const headers = [
    'From: no-reply@example.org',
    `To: ${ASCII_READER}`,
    'Subject: raw',
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${crypto.randomUUID()}@example.org>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
  ]
  return { from: 'no-reply@example.org', to: ASCII_READER, data: [...headers, '', ...body, ''].join('\r\n') }
}
