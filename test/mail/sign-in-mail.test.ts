/** The built-in mails in each language: their texts, and that nothing in them looks like another code. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeRunsOf } from '../../src/mail/message/code-runs.ts'
import { composeMessage } from '../../src/mail/message/message.ts'
import { BUILT_IN_LANGUAGES } from '../../src/mail/templates/built-in-mail.ts'
import { type SignIn, signInMessage } from '../../src/mail/templates/templates.ts'
import { directionOf, isolated } from '../../src/mail/templates/template-language.ts'

const APP_NAMES = [
  'Dateline',
  'Ж1234',
  'Zoë’s “News” & <Views>',
  `Die ${'lange '.repeat(15)}Zeitung`,
  '—99',
  '日本語新聞',
  'أخبار المدينة',
  'أخبار 24',
  '📮 News 📮',
]
const SIGN_IN: SignIn = { code: '012345', minutes: 15, appName: 'Dateline', languages: [] }

const messageOf = (content: ReturnType<typeof signInMessage>, name: string): string =>
  composeMessage({
    ...content,
    from: { name, address: 'no-reply@localhost' },
    to: 'reader@example.net',
    date: Date.parse('2025-10-20T02:03:04.567Z'),
    messageId: 'abcdefgh',
    boundary: 'qwertyuiop',
  })

/** The visible text of the page. */
const wordsOf = (html: string): string =>
  html
    .replace(/^.*<body[^>]*>/s, '')
    .replace(/<\/?(?:strong|span)[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('a sign-in mail', () => {
  for (const language of BUILT_IN_LANGUAGES) {
    it(`in ${language} has its code in subject, text and page, and no other six digits alone`, () => {
      for (const appName of APP_NAMES) {
        for (const code of ['000000', '123456', '987654']) {
          for (const minutes of [1, 2, 15, 1440, 123456]) {
            const content = signInMessage({ code, minutes, appName, languages: [language] })
            assert.equal(content.language, language)
            assert.deepEqual(codeRunsOf(content.subject), [code])
            assert.deepEqual(codeRunsOf(content.text), [code])
            // Once in the title, once in the page.
            assert.deepEqual(codeRunsOf(content.html), [code, code])
            assert.ok(content.subject.startsWith(`${code} `))
            assert.ok(content.text.startsWith(`${code} `))
            assert.ok(wordsOf(content.html).startsWith(`${code} `))
            assert.deepEqual(new Set(codeRunsOf(messageOf(content, appName))), new Set([code]))
          }
        }
      }
    })

    it(`in ${language} has a subject whose code can be read in the raw message, in lines that fit`, () => {
      for (const appName of APP_NAMES) {
        const message = messageOf(signInMessage({ ...SIGN_IN, appName, languages: [language] }), appName)
        assert.match(message, /^Subject: 012345(?:\r\n)? /m)
        assert.match(message, new RegExp(`^Content-Language: ${language}\r$`, 'm'))
        assert.doesNotMatch(message, /[^\x20-\x7e\r\n]/)
        for (const line of message.split('\r\n')) assert.ok(line.length <= 76, line)
      }
    })

    it(`in ${language} has no link, no image and no markup from the name of the service`, () => {
      const appName = '<img src="//x.test/">&\''
      const { html, text } = signInMessage({ ...SIGN_IN, appName, languages: [language] })
      assert.doesNotMatch(html, /<img|<a\b|href|url\(|<script|:\/\//i)
      assert.match(html, /&lt;img src=&quot;\/\/x\.test\/&quot;&gt;&amp;&#39;/)
      assert.ok(text.includes(appName))
    })
  }

  const texts = {
    en: '012345 is your code to sign in to Dateline. It can be used once and is valid for 15 minutes.',
    de: '012345 ist Ihr Code für die Anmeldung bei Dateline. Er kann einmal verwendet werden und ist 15 Minuten gültig.',
    fr: '012345 est votre code de connexion à Dateline. Il ne sert qu’une seule fois et reste valable 15 minutes.',
    es: '012345 es su código para iniciar sesión en Dateline. Se puede usar una sola vez y es válido durante 15 minutos.',
    ar: '012345 هو رمز تسجيل دخولك إلى \u2068Dateline\u2069. يُستخدم الرمز مرة واحدة فقط، ومدة صلاحيته 15 دقيقة.',
  }
  for (const [language, expected] of Object.entries(texts)) {
    it(`says the same in text and page in ${language}`, () => {
      const { text, html } = signInMessage({ ...SIGN_IN, languages: [language] })
      assert.equal(text.replace(/\s+/g, ' ').slice(0, expected.length), expected)
      const words = text.replace(/\s+/g, ' ').trim().replace(/[\u2068\u2069]/g, '')
      assert.equal(wordsOf(html), words)
    })
  }

  const durations: ReadonlyArray<readonly [string, readonly (readonly [number, string])[]]> = [
    ['en', [[1, 'for 1 minute.'], [2, 'for 2 minutes.'], [15, 'for 15 minutes.'], [1440, 'for 1,440 minutes.']]],
    ['de', [[1, 'ist 1 Minute gültig'], [2, 'ist 2 Minuten gültig'], [15, 'ist 15 Minuten gültig']]],
    ['fr', [[1, 'valable 1 minute.'], [2, 'valable 2 minutes.'], [15, 'valable 15 minutes.']]],
    ['es', [[1, 'durante 1 minuto.'], [2, 'durante 2 minutos.'], [15, 'durante 15 minutos.']]],
    ['ar', [[1, 'صلاحيته دقيقة.'], [2, 'صلاحيته دقيقتان.'], [3, 'صلاحيته 3 دقائق.']]],
    ['ar', [[11, 'صلاحيته 11 دقيقة.'], [100, 'صلاحيته 100 دقيقة.']]],
  ]
  for (const [language, rows] of durations) {
    it(`has the plural forms of ${language} for ${rows.map(([minutes]) => minutes).join(', ')} minutes`, () => {
      for (const [minutes, expected] of rows) {
        const { text, html } = signInMessage({ ...SIGN_IN, minutes, languages: [language] })
        assert.ok(text.includes(expected) && html.includes(expected), text)
      }
    })
  }

  it('is in English for a reader of no known language', () => {
    for (const languages of [['zh'], [], ['*']]) assert.equal(signInMessage({ ...SIGN_IN, languages }).language, 'en')
  })

  it('runs from right to left in Arabic, with code and name in a direction of their own', () => {
    const { html } = signInMessage({ ...SIGN_IN, languages: ['ar'] })
    assert.match(html, /^<!doctype html>\n<html lang="ar" dir="rtl">/)
    assert.match(html, /<body[^>]*>\n<div lang="ar" dir="rtl"/)
    assert.match(html, /<span dir="ltr">012345<\/span>/)
    assert.match(html, /<strong dir="auto">Dateline<\/strong>/)
    assert.doesNotMatch(html, /[\u2066-\u2069]/)
    assert.match(signInMessage(SIGN_IN).html, /^<!doctype html>\n<html lang="en" dir="ltr">/)
  })

  it('rejects a code that is not six digits', () => {
    for (const code of ['12345', '1234567', '12a456', '', '١٢٣٤٥٦']) {
      assert.throws(() => signInMessage({ ...SIGN_IN, code }), /six digits/)
    }
  })
})

describe('isolated()', () => {
  const rows = [
    ['Dateline', 'ltr', false],
    ['日本語 24', 'ltr', false],
    ['أخبار', 'ltr', true],
    ['חדשות 12', 'ltr', true],
    ['أخبار المدينة', 'rtl', false],
    ['أخبار 24', 'rtl', true],
    ['C++', 'rtl', true],
  ] as const
  for (const [name, around, expected] of rows) {
    it(`${expected ? 'sets apart' : 'leaves alone'} ${name} in a text that runs ${around}`, () =>
      assert.equal(isolated(name, around), expected ? `\u2068${name}\u2069` : name))
  }
})

describe('directionOf()', () => {
  for (const language of ['ar', 'fa-IR', 'he', 'ur', 'ckb', 'az-Arab', 'dv']) {
    it(`knows that ${language} runs from right to left`, () => assert.equal(directionOf(language), 'rtl'))
  }
  for (const language of ['en', 'de-AT', 'ja', 'az', 'ur-Latn', 'xx']) {
    it(`knows that ${language} runs from left to right`, () => assert.equal(directionOf(language), 'ltr'))
  }
})
