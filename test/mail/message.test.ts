import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeText, headerLine } from '../../src/mail/header-text.ts'
import { composeMessage, type MessageParts } from '../../src/mail/message.ts'
import { encodeQuotedPrintable } from '../../src/mail/quoted-printable.ts'
import { signInMessage } from '../../src/mail/templates.ts'

const PARTS: MessageParts = {
  from: { name: 'Dateline', address: 'no-reply@example.org' },
  to: 'reader@example.net',
  subject: 'Hello',
  text: 'Text',
  html: '<p>HTML</p>',
  date: Date.parse('2025-10-20T02:03:04.567Z'),
  messageId: 'abcdefgh',
  boundary: 'qwertyuiop',
}

function headersOf(message: string): Map<string, string> {
  const head = message.slice(0, message.indexOf('\r\n\r\n')).replaceAll('\r\n ', ' ')
  return new Map(Array.from(head.matchAll(/^([^:\r\n]+): ([^\r\n]*)/gm), ([, name = '', value = '']) => [name, value]))
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

function decodeWords(text: string): string {
  return text
    .replace(/(\?=) (?==\?)/g, '$1')
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/g, (_all, word: string) => decodeQuotedPrintable(word.replaceAll('_', ' ')))
}

describe('composeMessage()', () => {
  it('writes the whole message', () => {
    assert.equal(
      composeMessage(PARTS),
      [
        'From: Dateline <no-reply@example.org>',
        'To: reader@example.net',
        'Subject: Hello',
        'Date: Mon, 20 Oct 2025 02:03:04 +0000',
        'Message-ID: <abcdefgh@example.org>',
        'Auto-Submitted: auto-generated',
        'X-Auto-Response-Suppress: All',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative; boundary="qwertyuiop"',
        '',
        '--qwertyuiop',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Text',
        '--qwertyuiop',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        '<p>HTML</p>',
        '--qwertyuiop--',
        '',
      ].join('\r\n'),
    )
  })

  const names: ReadonlyArray<readonly [string, string]> = [
    ['Dateline', 'Dateline <no-reply@example.org>'],
    ['The Daily News', 'The Daily News <no-reply@example.org>'],
    ['News, Inc. "B" \\', '"News, Inc. \\"B\\" \\\\" <no-reply@example.org>'],
    ['Zoë', '=?UTF-8?Q?Zo=C3=AB?= <no-reply@example.org>'],
    ['Zoë, Max', '=?UTF-8?Q?Zo=C3=AB=2C?= Max <no-reply@example.org>'],
    ['Zoë & 新, Inc. (B)', '=?UTF-8?Q?Zo=C3=AB?= & =?UTF-8?Q?=E6=96=B0=2C_Inc=2E_=28B=29?= <no-reply@example.org>'],
    ['', 'no-reply@example.org'],
  ]
  for (const [name, expected] of names) {
    it(`writes the sender's name ${JSON.stringify(name)} as ${expected}`, () => {
      const from = { name, address: 'no-reply@example.org' }
      assert.equal(headersOf(composeMessage({ ...PARTS, from })).get('From'), expected)
    })
  }

  it('writes international domains in ASCII and keeps an international local part', () => {
    const from = { name: '', address: 'no-reply@bücher.example' }
    const headers = headersOf(composeMessage({ ...PARTS, from, to: 'zoë@bücher.example' }))
    assert.equal(headers.get('From'), 'no-reply@xn--bcher-kva.example')
    assert.equal(headers.get('Message-ID'), '<abcdefgh@xn--bcher-kva.example>')
    assert.equal(headers.get('To'), 'zoë@xn--bcher-kva.example')
  })

  it('refuses a boundary or Message-ID that is not of letters, and parts beyond the limit', () => {
    assert.throws(() => composeMessage({ ...PARTS, boundary: 'abcdefgh1' }), /letters/)
    assert.throws(() => composeMessage({ ...PARTS, messageId: 'abc' }), /letters/)
    assert.throws(() => composeMessage({ ...PARTS, text: 'x'.repeat(200_001) }), /longer than 200000/)
    assert.ok(composeMessage({ ...PARTS, text: 'x'.repeat(200_000) }).length > 200_000)
  })
})

describe('encodeText()', () => {
  const subjects = [
    'plain words',
    '123456 is your Dateline code',
    '123456 is your Ежедневные новости code',
    'Zoë Ünal and 日本語 新聞 mixed',
    'ends in Ж',
    `long ${'Длинноеслово'.repeat(20)} word`,
    `plain ${'x'.repeat(500)} long`,
    'looks =?UTF-8?Q?encoded?= already',
    'emoji 📮📮 and ? = _ signs né?=_',
    `many ${'words '.repeat(60)}end`,
    'Ж1234 after an octet',
  ]
  for (const subject of subjects) {
    it(`says ${JSON.stringify(subject.slice(0, 40))} in lines of at most 78 characters of ASCII`, () => {
      const line = headerLine('Subject', encodeText('Subject', subject))
      assert.match(line, /^[\x20-\x7e\r\n]*$/)
      for (const each of line.split('\r\n')) assert.ok(each.length <= 78, each)
      for (const [word] of line.matchAll(/=\?\S*/g)) assert.ok(word.length <= 75, word)
      assert.equal(decodeWords(line.replaceAll('\r\n ', ' ')), `Subject: ${subject}`)
    })
  }

  it('leaves a code readable when words around it are encoded', () => {
    assert.match(encodeText('Subject', 'Ж 123456 Ж'), /^=\?\S+ 123456 =\?\S+$/)
  })
})

describe('encodeQuotedPrintable()', () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['plain text', 'abc', 'abc'],
    ['an equals sign', 'a=b', 'a=3Db'],
    ['all line ends', 'a\nb\r\nc\rd', 'a\r\nb\r\nc\r\nd'],
    ['space at the end of a line', 'a \nb\t', 'a=20\r\nb=09'],
    ['UTF-8', 'é', '=C3=A9'],
    ['digits right after an octet', 'é12 34', '=C3=A9=31=32 34'],
    ['NUL and other controls', 'a\0\x1b', 'a=00=1B'],
    ['half a surrogate pair', '\ud800', '=EF=BF=BD'],
  ]
  for (const [name, text, expected] of rows) {
    it(`writes ${name}`, () => assert.equal(encodeQuotedPrintable(text), expected))
  }

  it('breaks long lines at spaces where it can, never within an octet, and loses nothing', () => {
    const texts = [
      'word '.repeat(100),
      'x'.repeat(500),
      `${'x'.repeat(74)} ${'y'.repeat(200)}`,
      ` ${'é'.repeat(100)}`,
      `${'='.repeat(99)} ${'a'.repeat(75)} b`,
      ...Array.from({ length: 90 }, (_, count) => `${'a'.repeat(count)}é 123456 ${'b'.repeat(count)}=`),
    ]
    for (const text of texts) {
      const encoded = encodeQuotedPrintable(text)
      for (const line of encoded.split('\r\n')) {
        assert.ok(line.length <= 76, line)
        assert.match(line, /^(?:[^=]|=[0-9A-F]{2})*=?$/)
        assert.doesNotMatch(line, /[ \t]$/)
      }
      assert.equal(decodeQuotedPrintable(encoded), text)
      if (text.includes('123456')) assert.match(encoded, /\b123456\b/)
    }
  })
})

describe('a sign-in mail', () => {
  const appNames = [
    'Dateline',
    'Ж1234',
    'Zoë’s “News” & <Views>',
    `Die ${'lange '.repeat(15)}Zeitung`,
    '—99',
    '日本語新聞',
  ]
  const codes = ['000000', '123456', '987654']
  for (const appName of appNames) {
    it(`of ${appName.slice(0, 30)} has its code in subject, text and HTML and no other run of six digits`, () => {
      for (const code of codes) {
        for (const minutes of [1, 15, 1440]) {
          const content = signInMessage({ code, minutes, appName })
          const from = { name: appName, address: 'no-reply@localhost' }
          const message = composeMessage({ ...PARTS, ...content, from })
          const runs = message.match(/\b\d{6}\b/g) ?? []
          assert.deepEqual(new Set(runs), new Set([code]))
          assert.match(headersOf(message).get('Subject') ?? '', new RegExp(`^${code} is your `))
          const [, text = '', html = ''] = message.split('--qwertyuiop\r\n')
          assert.equal(text.match(/\b\d{6}\b/g)?.length, 1)
          // Once in the title, once in the page.
          assert.equal(html.match(/\b\d{6}\b/g)?.length, 2)
        }
      }
    })
  }

  it('opens text and page with the code, as the preview on a phone shows it', () => {
    const { text, html } = signInMessage({ code: '012345', minutes: 15, appName: 'Dateline' })
    assert.match(text, /^012345 is your code to sign in to Dateline\.\n/)
    const words = html
      .replace(/^.*<body[^>]*>/s, '')
      .replace(/<[^>]*>/g, ' ')
      .trim()
      .split(/\s+/)
    assert.equal(words.slice(0, 9).join(' '), '012345 is your code to sign in to Dateline')
  })

  it('names the lifetime of the setting', () => {
    const texts = [1, 10, 15].map((minutes) => signInMessage({ code: '012345', minutes, appName: 'x' }).text)
    assert.match(texts[0] ?? '', /next minute\./)
    assert.match(texts[1] ?? '', /next 10 minutes\./)
    assert.match(texts[2] ?? '', /next 15 minutes\./)
  })

  it('has no link, no image and no markup from the name of the service', () => {
    const { html } = signInMessage({ code: '012345', minutes: 15, appName: '<img src="http://x.test/">&\'' })
    assert.doesNotMatch(html, /<img|<a\b|href|url\(|<script/i)
    assert.match(html, /&lt;img src=&quot;http:\/\/x\.test\/&quot;&gt;&amp;&#39;/)
  })

  it('refuses a code that is not six digits', () => {
    for (const code of ['12345', '1234567', '12a456', '']) {
      assert.throws(() => signInMessage({ code, minutes: 15, appName: 'x' }), /six digits/)
    }
  })
})
