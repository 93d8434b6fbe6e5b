// isolated: it measures its CPU time
/** Templates of the operator in the data directory: what they replace, and each mistake in them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { composeMessage } from '../../src/mail/message/message.ts'
import { BUILT_IN_LANGUAGES } from '../../src/mail/templates/built-in-mail.ts'
import { TemplateError } from '../../src/mail/templates/template-error.ts'
import { openTemplates, type SignIn, signInMessage } from '../../src/mail/templates/templates.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const SIGN_IN: SignIn = { code: '012345', minutes: 15, appName: 'Tom & "Co"', languages: ['de'] }
const TEXT = 'Subject: {{code}} für {{appName}}\n\n{{code}} lautet der Code für {{appName}}, {{lifetime}} lang.\n'
const PAGE = '<!doctype html>\n<p lang="de"><b>{{code}}</b> für {{ appName }}, {{minutes}} Minuten</p>\n'

type Files = Readonly<Record<string, string | Buffer>>

function directoryOf(t: TestContext, files: Files): string {
  const directory = temporaryDirectory(t)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

describe('openTemplates()', () => {
  it('has the built-in mails without a directory, with a missing one, and with an empty one', (t) => {
    const directory = temporaryDirectory(t)
    for (const each of [undefined, directory, join(directory, 'none')]) {
      for (const language of BUILT_IN_LANGUAGES) {
        const signIn = { ...SIGN_IN, languages: [language] }
        assert.deepEqual(openTemplates(each).signIn(signIn), signInMessage(signIn))
      }
    }
  })

  it('uses the files of a language, and the built-in mails of the others', (t) => {
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.de.txt': TEXT, 'sign-in.de.html': PAGE }))
    assert.deepEqual(signIn(SIGN_IN), {
      subject: '012345 für Tom & "Co"',
      text: '012345 lautet der Code für Tom & "Co", 15 Minuten lang.\n',
      html: '<!doctype html>\n<p lang="de"><b>012345</b> für Tom &amp; &quot;Co&quot;, 15 Minuten</p>\n',
      code: '012345',
      language: 'de',
    })
    const french = { ...SIGN_IN, languages: ['fr'] }
    assert.deepEqual(signIn(french), signInMessage(french))
  })

  it('uses the built-in part where only one file exists', (t) => {
    const text = openTemplates(directoryOf(t, { 'sign-in.de.txt': TEXT })).signIn(SIGN_IN)
    assert.equal(text.subject, '012345 für Tom & "Co"')
    assert.equal(text.html, signInMessage(SIGN_IN).html)
    const page = openTemplates(directoryOf(t, { 'sign-in.de.html': PAGE })).signIn(SIGN_IN)
    assert.match(page.html, /^<!doctype html>\n<p lang="de">/)
    assert.equal(page.text, signInMessage(SIGN_IN).text)
  })

  it('adds a language that is not built in, with its plural forms', (t) => {
    const text = 'Subject: Kod {{code}}\n\n{{code}} działa {{lifetime}}.\n'
    const directory = directoryOf(t, { 'sign-in.pl.txt': text, 'sign-in.PL.html': '<p>{{code}}, {{lifetime}}</p>' })
    const { signIn } = openTemplates(directory)
    const lifetimes = [1, 3, 15].map((minutes) => signIn({ ...SIGN_IN, minutes, languages: ['pl-PL'] }).text)
    assert.deepEqual(lifetimes, ['012345 działa 1 minuta.\n', '012345 działa 3 minuty.\n', '012345 działa 15 minut.\n'])
    assert.equal(signIn({ ...SIGN_IN, languages: ['pl'] }).language, 'pl')
  })

  it('writes any language that has a tag into a message', (t) => {
    const language = 'de-a-bb-c-dd-e-ff-g-hh-i-jj-k-ll'
    const directory = directoryOf(t, { [`sign-in.${language}.txt`]: TEXT, [`sign-in.${language}.html`]: PAGE })
    const content = openTemplates(directory).signIn({ ...SIGN_IN, languages: [language] })
    assert.equal(content.language, language)
    const names = { from: { name: '', address: 'a@b.org' }, to: 'c@d.org', messageId: 'abcdefgh', boundary: 'qwertyui' }
    assert.match(composeMessage({ ...content, ...names, date: 0 }), new RegExp(`^Content-Language: ${language}\r$`, 'm'))
  })

  it('counts minutes in English for an unknown language, not in that of the machine', (t) => {
    const text = 'Subject: {{code}}\n\n{{code}} {{lifetime}}\n'
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.xx.txt': text, 'sign-in.xx.html': '<p>{{code}}</p>' }))
    assert.equal(signIn({ ...SIGN_IN, languages: ['xx'] }).text, '012345 15 minutes\n')
  })

  it('inserts values once, without parsing them', (t) => {
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.de.txt': TEXT }))
    assert.equal(signIn({ ...SIGN_IN, appName: '{{minutes}} $& $1' }).subject, '012345 für {{minutes}} $& $1')
  })

  it('reads Windows line ends, a byte order mark, and a tab in the subject', (t) => {
    const windows = `\ufeff${TEXT.replace(': ', ':\t').replaceAll('\n', '\r\n')}`
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.de.txt': windows }))
    assert.equal(signIn(SIGN_IN).subject, '012345 für Tom & "Co"')
    assert.equal(signIn(SIGN_IN).text, '012345 lautet der Code für Tom & "Co", 15 Minuten lang.\n')
  })

  it('accepts the example of the guide', (t) => {
    const guide = readFileSync(join(import.meta.dirname, '../../data/guides/mail.md'), 'utf8')
    const [, text = '', page = ''] = /```\n(Subject: .*?)```.*?```html\n(.*?)```/s.exec(guide) ?? []
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.de.txt': text, 'sign-in.de.html': page }))
    const { subject, text: words, html } = signIn({ ...SIGN_IN, appName: 'Dateline' })
    assert.equal(words, `${subject}. Er gilt 15 Minuten.\n`)
    assert.match(html, />012345<.*Er gilt 15 Minuten\./s)
  })

  it('skips hidden files and backups, and follows a link', (t) => {
    const elsewhere = join(directoryOf(t, { 'words.txt': TEXT }), 'words.txt')
    const directory = directoryOf(t, { '.DS_Store': '\0', 'sign-in.de.txt~': '{{' })
    symlinkSync(elsewhere, join(directory, 'sign-in.de.txt'))
    assert.equal(openTemplates(directory).signIn(SIGN_IN).subject, '012345 für Tom & "Co"')
  })
})

describe('openTemplates() rejects', () => {
  const text = (words: string): Files => ({ 'sign-in.de.txt': `Subject: {{code}}\n\n{{code}} gilt.\n${words}\n` })
  const page = (words: string): Files => ({ 'sign-in.de.html': `<p>{{code}}</p>\n${words}\n` })
  const file = (content: string | Buffer): Files => ({ 'sign-in.de.txt': content })
  const style = 'expected a style that loads nothing, found '
  const plain = 'expected text and layout only, without links, resources and scripts, found '
  const rows: ReadonlyArray<readonly [string, Files, string]> = [
    ['a misspelt placeholder', text('{{minuts}}'), 'line 4: unknown placeholder "{{minuts}}": did you mean "minutes"?'],
    ['an unknown placeholder', text('{{unsubscribeLink}}'), 'expected one of {{code}}, {{minutes}}, {{lifetime}}, {{appName}}'],
    ['the name of a member of every object', text('{{constructor}}'), 'line 4: unknown placeholder "{{constructor}}"'],
    ['an incomplete placeholder', text('{{code'), 'line 4: expected a placeholder such as {{code}}, found "{{" without one'],
    ['51 placeholders', text('{{appName}} '.repeat(50)), 'line 4: expected at most 50 placeholders, found more'],
    ['no code in the subject', file('Subject: Code\n\n{{code}}\n'), 'line 1: expected {{code}} in the subject, found none'],
    ['no code in the text', file('Subject: {{code}}\n\nCode\n'), 'de.txt", line 3: expected {{code}} in the text, found none'],
    ['no code in the page', { 'sign-in.de.html': '<p>Code</p>\n' }, 'line 1: expected {{code}} in the page, found none'],
    [
      'a code that only the title shows',
      { 'sign-in.de.html': '<title>{{code}}</title><p>Code</p>\n' },
      'expected {{code}} in the page',
    ],
    [
      'a code that only an attribute has',
      { 'sign-in.de.html': '<p title="{{code}}">Code</p>\n' },
      'expected {{code}} in the page',
    ],
    [
      'a code joined with a number',
      text('{{code}}{{minutes}}'),
      'line 4: expected a space around the placeholder, found "{{code}}{"',
    ],
    [
      'minutes that would make a longer number',
      text('1234{{minutes}}'),
      'line 4: expected a space around the placeholder, found "4{{minutes}}"',
    ],
    ['no subject', file('Hallo\n\n{{code}}\n'), 'line 1: expected "Subject: …" of at most 200 characters'],
    [
      'a subject of 201 characters',
      file(`Subject: {{code}} ${'x'.repeat(192)}\n\n{{code}}\n`),
      'line 1: expected "Subject: …"',
    ],
    [
      'a colour of six digits',
      page('<p style="color: #123456">x</p>'),
      'de.html", line 2: expected no six digits beside {{code}}',
    ],
    ['a phone number', text('Telefon 030 123456'), 'line 4: expected no six digits beside {{code}}, found "123456"'],
    ['Arabic digits', text('هاتف ١٢٣٤٥٦'), 'line 4: expected no six digits beside {{code}}, found "١٢٣٤٥٦"'],
    [
      'a link in the text',
      text('Mehr auf https://example.org/hilfe'),
      'line 4: expected no link, found "https://example.org/hilfe"',
    ],
    [
      'text that mail programs turn into a link',
      page('<p>www.example.org</p>'),
      'line 2: expected no link, found "www.example.org"',
    ],
    ['a script', page('<script>alert(1)</script>'), `line 2: ${plain}<script>`],
    ['an image', page('<IMG alt="x">'), `line 2: ${plain}<img>`],
    ['a link', page('<a href="https://example.org">x</a>'), `line 2: ${plain}<a>`],
    ['a remote background', page('<table\n background="//example.org/x.png">'), `line 3: ${plain}the attribute "background"`],
    ['a handler', page('<p OnClick="x()">'), `line 2: ${plain}the attribute "onclick"`],
    ['a refresh', page('<meta http-equiv="refresh" content="0; x">'), `line 2: ${plain}the attribute "http-equiv"`],
    ['a remote address in a style', page('<p style="background: URL (//example.org)">'), `line 2: ${style}"URL ("`],
    ['an escaped one', page('<p style="background: u\\72l(//example.org)">'), `line 2: ${style}"\\\\"`],
    ['one in a character reference', page('<p style="background: u&#114;l(//example.org)">'), `line 2: ${style}"&"`],
    ['one in a style element', page('<style>\n@import "//example.org/x.css";</style>'), `line 2: ${style}"@import"`],
    ['a value in a style', page('<style>p::after { content: "{{appName}}" }</style>'), `line 2: ${style}"{{"`],
    ['a style without an end', page('<style> p { }'), 'line 2: expected </style> after <style>, found none'],
    ['markup in a title', page('<title><b>x</b></title>'), 'line 2: expected </title> after <title>, found none'],
    ['a tag without an end', page('<p '), 'line 2: cannot read the tag <p>: expected name="value" and ">"'],
    ['a tag within a value', page('<p title="<img src=x>">'), 'line 2: cannot read the tag <p>'],
    ['an end of a tag within a value', page("<p title='x>'>"), 'line 2: cannot read the tag <p>'],
    ['a "<" without a tag', page('1 < 2'), 'line 2: expected a tag after "<", found none: write &lt; for the sign'],
    ['a comment that Outlook reads', page('<!--[if mso]><a href="x">y</a><![endif]-->'), 'line 2: expected a tag after "<"'],
    ['a comment that some parsers end early', page('<!--> <img src=x> -->'), 'line 2: expected a tag after "<"'],
    ['Latin 1', file(Buffer.from('Subject: {{code}}\n\nfür {{code}}\n', 'latin1')), 'line 3: expected UTF-8, found another'],
    ['a control character', text('\x1b[1m'), 'line 4: expected no control characters, found U+001B'],
    ['more than 64 KiB', text('x'.repeat(65_536)), 'de.txt": expected at most 65536 bytes, found 65'],
    ['a language with one file of two', { 'sign-in.pt-br.txt': TEXT }, 'expected sign-in.pt-BR.html beside it, found none'],
    [
      'two files for one language',
      { 'sign-in.de.txt': TEXT, 'sign-in.DE.txt': TEXT },
      'sign-in.de.txt": expected one file for de, found "',
    ],
    ['a misspelt name', { 'signin.de.txt': TEXT }, 'found "signin.de.txt": did you mean "sign-in.de.txt"?'],
    ['a language that looks like a code', { 'sign-in.de-x-123456.txt': TEXT }, 'found "sign-in.de-x-123456.txt"'],
    ['an invalid language', { 'sign-in.germanlanguage.txt': TEXT }, 'found "sign-in.germanlanguage.txt"'],
  ]
  for (const [name, files, expected] of rows) {
    it(name, (t) => {
      const directory = directoryOf(t, files)
      assert.throws(
        () => openTemplates(directory),
        (error: unknown) => {
          assert.ok(error instanceof TemplateError, String(error))
          assert.ok(error.message.startsWith(`Cannot use template "${directory}/`), error.message)
          assert.ok(error.message.includes(expected), error.message)
          return true
        },
      )
    })
  }

  it('what is no regular file, without waiting for it', (t) => {
    const directory = temporaryDirectory(t)
    const file = join(directory, 'sign-in.de.txt')
    const found = (pattern: RegExp): void => assert.throws(() => openTemplates(directory), pattern)
    mkdirSync(file)
    found(/sign-in\.de\.txt": it is a directory$/)
    rmSync(file, { recursive: true })
    execFileSync('mkfifo', [file])
    found(/sign-in\.de\.txt": expected a regular file, found a device or pipe$/)
    rmSync(file)
    symlinkSync('/dev/zero', file)
    found(/sign-in\.de\.txt": expected a regular file, found a device or pipe$/)
    rmSync(file)
    symlinkSync('nowhere', file)
    found(/sign-in\.de\.txt": no such file or directory$/)
  })

  it('a directory that is a file, and one with more than 200 files', (t) => {
    const directory = directoryOf(t, { templates: '' })
    assert.throws(
      () => openTemplates(join(directory, 'templates')),
      /^TemplateError: Cannot read templates in "[^"]*\/templates": a part of the path is not a directory$/,
    )
    for (let count = 0; count < 200; count++) writeFileSync(join(directory, `x${count}`), '')
    assert.throws(() => openTemplates(directory), /expected at most 200 files, found more$/)
  })

  it('a hostile page in no time', (t) => {
    for (const piece of ['<', '<p ', '<p a ', '{{', '<!--', 'a.', '<p a=', ' ', 'www.', '://', '<style>', '{{code}']) {
      const directory = directoryOf(t, page(piece.repeat(60_000 / piece.length)))
      // Its own time: a busy machine takes longer for everything.
      const begin = process.threadCpuUsage()
      try {
        openTemplates(directory)
      } catch (error) {
        assert.ok(error instanceof TemplateError, String(error))
      }
      const { user, system } = process.threadCpuUsage(begin)
      assert.ok(user + system < 1_000_000, piece)
    }
  })

  it('nothing that a plain page needs', (t) => {
    const plain = `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">
<!-- our colours -->
<html lang="de" dir="ltr"><head><meta charset="utf-8"><title>{{code}} für {{appName}}</title>
<style type="text/css">@media (prefers-color-scheme: dark) { p { color: rgb(1 2 3); width: calc(1px + 2em) } }</style>
</head><body bgcolor=white><table role="presentation" cellpadding='0' width="100%"><tr><td align="center" aria-label="{{appName}}">
<p style="font-family: &quot;Segoe UI&quot;, sans-serif; color: #12345a">{{code}}</p><br/><hr>
<p>5 &gt; 3 &amp; example.org, help@example.org, 1234567</p></td></tr></table></body></html>`
    const { signIn } = openTemplates(directoryOf(t, { 'sign-in.de.html': plain }))
    assert.match(signIn(SIGN_IN).html, /aria-label="Tom &amp; &quot;Co&quot;"/)
  })
})
