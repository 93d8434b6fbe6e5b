/** Our mails in Python's own parser, which lists every defect of a message, its parts and its headers. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { isAscii } from '../../src/mail/address.ts'
import { composeMessage } from '../../src/mail/message/message.ts'
import { BUILT_IN_LANGUAGES } from '../../src/mail/templates/built-in-mail.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'

const PYTHON = '/usr/bin/python3'

/** Reads a list of messages in base64; gives for each what the parser makes of it. */
const READ = `
import base64, email, email.policy, json, sys
def read(given):
    # From a string: read from bytes, each header in UTF-8 (RFC 6532) is a defect to Python.
    message = email.message_from_string(base64.b64decode(given).decode(), policy=email.policy.SMTPUTF8)
    parts = list(message.walk())
    return {
        'defects': [repr(defect) for part in parts for defect in part.defects]
        + [repr(defect) for part in parts for value in part.values() for defect in value.defects],
        'subject': message['subject'],
        'sender': [message['from'].addresses[0].display_name, message['from'].addresses[0].addr_spec],
        'to': [each.addr_spec for each in message['to'].addresses],
        'language': message['content-language'],
        'date': message['date'].datetime.isoformat(),
        'encodings': [part['content-transfer-encoding'] for part in parts[1:]],
        'text': message.get_body(('plain',)).get_content(),
        'html': message.get_body(('html',)).get_content(),
    }
print(json.dumps([read(each) for each in json.load(sys.stdin)]))
`

interface Read {
  readonly defects: readonly string[]
  readonly subject: string
  readonly sender: readonly string[]
  readonly to: readonly string[]
  readonly language: string
  readonly date: string
  readonly encodings: readonly string[]
  readonly text: string
  readonly html: string
}

const APP_NAMES = [
  'Dateline',
  '📮 News',
  'أخبار المدينة والقرية',
  `Die ${'sehr '.repeat(14)}lange Zeitung`,
  'Ж'.repeat(90),
  '👩🏽‍🚀'.repeat(14),
  'Zoë’s “News” & <Views>, =?UTF-8?Q?not?=',
]
const RECIPIENTS = [
  ['reader@example.net', 'reader@example.net'],
  ['reader@bücher.example', 'reader@xn--bcher-kva.example'],
  ['zoë.数据@bücher.example', 'zoë.数据@xn--bcher-kva.example'],
  [`${'ё'.repeat(64)}@example.net`, `${'ё'.repeat(64)}@example.net`],
] as const

describe("Python's mail parser", { skip: existsSync(PYTHON) ? false : `there is no ${PYTHON}` }, () => {
  it('reads each language, name and recipient as it was written, without a defect', () => {
    const cases = BUILT_IN_LANGUAGES.flatMap((language) =>
      APP_NAMES.flatMap((appName) => RECIPIENTS.map(([to, onTheWire]) => ({ language, appName, to, onTheWire }))),
    ).map(({ language, appName, to, onTheWire }) => {
      const content = signInMessage({ code: '042137', minutes: 15, appName, languages: [language] })
      const message = composeMessage({
        ...content,
        from: { name: 'Zoë & 日本語, Inc.', address: 'no-reply@bücher.example' },
        to,
        date: Date.parse('2025-10-20T12:34:56Z'),
        messageId: 'abcdefgh',
        boundary: 'qwertyuiop',
      })
      return { name: `${language}, ${appName}, ${to}`, content, message, onTheWire }
    })
    const input = JSON.stringify(cases.map(({ message }) => Buffer.from(message).toString('base64')))
    const answer = JSON.parse(execFileSync(PYTHON, ['-c', READ], { input }).toString()) as Read[]
    assert.equal(answer.length, cases.length)
    assert.ok(cases.length >= 140)
    for (const [index, { name, content, onTheWire }] of cases.entries()) {
      const read = answer[index]
      assert.ok(read !== undefined)
      // Python reads such a local part, and reports a defect.
      const known = isAscii(onTheWire) ? [] : ["NonASCIILocalPartDefect('local-part contains non-ASCII characters)')"]
      assert.deepEqual(read.defects, known, name)
      assert.equal(read.subject, content.subject, name)
      assert.deepEqual(read.sender, ['Zoë & 日本語, Inc.', 'no-reply@xn--bcher-kva.example'], name)
      assert.deepEqual(read.to, [onTheWire], name)
      assert.equal(read.language, content.language)
      assert.equal(read.date, '2025-10-20T12:34:56+00:00')
      assert.equal(`${read.text.replaceAll('\r\n', '\n')}`.trimEnd(), content.text.trimEnd(), name)
      assert.equal(`${read.html.replaceAll('\r\n', '\n')}`.trimEnd(), content.html.trimEnd(), name)
      assert.deepEqual(new Set(read.encodings).isSubsetOf(new Set(['quoted-printable', 'base64'])), true)
    }
    assert.deepEqual(new Set(answer.flatMap(({ encodings }) => encodings)).size, 2)
  })
})
