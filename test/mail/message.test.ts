import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeRunsOf } from '../../src/mail/message/code-runs.ts'
import { encodeText, headerLine } from '../../src/mail/message/header-text.ts'
import { composeMessage } from '../../src/mail/message/message.ts'
import { base64Lines, encodeForTransfer, encodeQuotedPrintable } from '../../src/mail/message/transfer-encoding.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { PARTS } from '../support/smtp/message-parts.ts'

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
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_all, word: string) => Buffer.from(word, 'base64').toString())
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
        'Content-Language: en',
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
    ['News, Inc. "B" \\', '"News, Inc. \\"B\\" \\\\" <no-reply@example.org>'],
    ['Zoë', '=?UTF-8?Q?Zo=C3=AB?= <no-reply@example.org>'],
    ['Zoë, Max', '=?UTF-8?B?Wm/Dqyw=?= Max <no-reply@example.org>'],
    ['Zoë & 新, Inc. (B)', '=?UTF-8?Q?Zo=C3=AB?= & =?UTF-8?B?5pawLCBJbmMuIChCKQ==?= <no-reply@example.org>'],
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

  it('rejects a boundary or Message-ID that is not letters, and parts beyond the limit', () => {
    assert.throws(() => composeMessage({ ...PARTS, boundary: 'abcdefgh1' }), /letters/)
    assert.throws(() => composeMessage({ ...PARTS, messageId: 'abc' }), /letters/)
    assert.throws(() => composeMessage({ ...PARTS, text: 'x'.repeat(200_001) }), /longer than 200000/)
    assert.ok(composeMessage({ ...PARTS, text: 'x'.repeat(200_000) }).length > 200_000)
  })
})

describe('encodeText()', () => {
  const subjects = [
    '123456 is your Dateline code',
    '123456 is your Ежедневные новости code',
    'Zoë Ünal and 日本語 新聞 mixed',
    `long ${'Длинноеслово'.repeat(20)} word`,
    `plain ${'x'.repeat(500)} long`,
    'looks =?UTF-8?Q?encoded?= already',
    'emoji 📮📮 and ? = _ signs né?=_',
    `many ${'words '.repeat(60)}end`,
    'Ж1234 after an octet',
    '123456 هو رمزك في أخبار المدينة والقرية والبحر والجبل والسهل والوادي',
    'رمز الدخول إلى الموقع بلا أرقام في أوله حتى يملأ السطر الأول كله بالحروف',
    '👩🏽‍🚀'.repeat(30),
    'Ԉʔоׯ;ۿҿҴГ',
  ]
  for (const subject of subjects) {
    it(`encodes ${JSON.stringify(subject.slice(0, 40))} in lines of at most 76 characters of ASCII`, () => {
      const line = headerLine('Subject', encodeText('Subject', subject))
      assert.match(line, /^[\x20-\x7e\r\n]*$/)
      for (const each of line.split('\r\n')) assert.ok(each.length <= 76, each)
      for (const [word] of line.matchAll(/=\?\S*/g)) {
        assert.ok(word.length <= 75, word)
        // Each word has whole characters and decodes by itself.
        assert.doesNotMatch(decodeWords(word), /\ufffd/)
      }
      assert.equal(decodeWords(line.replaceAll('\r\n ', ' ')), `Subject: ${subject}`)
    })
  }

  it('takes the shorter of the two encodings, but none that shows six digits by chance', () => {
    assert.match(encodeText('Subject', 'Zoë and others, Zoë'), /^=\?UTF-8\?Q\?\S+ and others, =\?UTF-8\?Q\?\S+$/)
    assert.match(encodeText('Subject', 'أخبار'), /^=\?UTF-8\?B\?\S+$/)
    // In base64 this is 1IjKlNC+168727/Sv9K00JM=.
    assert.match(encodeText('Subject', 'Ԉʔоׯ;ۿҿҴГ'), /^=\?UTF-8\?Q\?\S+$/)
  })

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

describe('encodeForTransfer()', () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['English', 'It can be used once.\n', 'quoted-printable'],
    ['German', 'Er ist fünfzehn Minuten gültig.\n', 'quoted-printable'],
    ['Arabic', 'يُستخدم الرمز مرة واحدة فقط\n', 'base64'],
    ['nothing', '', 'quoted-printable'],
  ]
  for (const [name, text, expected] of rows) {
    it(`takes ${expected} for ${name}`, () => assert.equal(encodeForTransfer(text).encoding, expected))
  }

  it('shows six digits alone only where the text has them, and loses nothing', () => {
    const texts = [
      'Ԉʔоׯ;ۿҿҴГ',
      'Ԉʔоׯ;ۿҿҴГ'.repeat(30),
      // A soft line break would leave the first six digits of the number at the end of a line.
      ...Array.from({ length: 80 }, (_, count) => `${'x'.repeat(count)}-1234567890123456${'y'.repeat(80)}`),
    ]
    for (const text of texts) {
      const { encoding, text: encoded } = encodeForTransfer(text)
      assert.deepEqual(codeRunsOf(encoded), [], encoded)
      for (const line of encoded.split('\r\n')) assert.ok(line.length <= 76, line)
      const decoded = encoding === 'base64' ? Buffer.from(encoded, 'base64').toString() : decodeQuotedPrintable(encoded)
      assert.equal(decoded, text)
    }
  })
})

describe('base64Lines()', () => {
  it('shows no six digits alone, whatever the bytes are', () => {
    const random = seededRandom(seedOfRun())
    for (let round = 0; round < 3_000; round++) {
      // Mostly digits and the characters that separate them, which real base64 has less often.
      const base64 = random.list(400, () => random.pick([...'0123456789+/a'])).join('')
      for (const prefix of ['', ' b=', ' bh=']) {
        const lines = base64Lines(base64, prefix)
        assert.equal(lines.join(''), base64 === '' ? '' : prefix + base64)
        for (const line of lines)
          assert.ok(line.length <= 76 && codeRunsOf(line).length === 0, `${line}, seed ${random.seed}`)
      }
    }
  })
})
