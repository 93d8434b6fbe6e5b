import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseEmail, parseMailbox, wireAddress } from '../../src/mail/address.ts'

const long = (count: number): string => 'a'.repeat(count)

const ATEXT = "!#$%&'*+-/=?^_`{|}~0a"

const TAKEN: ReadonlyArray<readonly [string, string, string]> = [
  ['a plain address', 'reader@example.org', 'reader@example.org'],
  ['capitals and spaces around', '  Reader@Example.ORG\n', 'reader@example.org'],
  ['every ASCII sign of atext', `${ATEXT}@example.org`, `${ATEXT}@example.org`],
  ['dots inside the local part', 'a.b.c@example.org', 'a.b.c@example.org'],
  ['a hyphen inside a label', 'a@my-site.example.org', 'a@my-site.example.org'],
  ['the ASCII form of a domain, which it makes readable', 'a@xn--bcher-kva.example', 'a@bücher.example'],
  ['full-width letters in a domain', 'a@ｅｘａｍｐｌｅ.org', 'a@example.org'],
  ['mathematical letters in a domain', 'a@𝐞xam𝗽le.org', 'a@example.org'],
  ['a sharp s, which is no double s', 'a@straße.example', 'a@straße.example'],
  ['the ASCII form of a domain with an emoji', 'a@xn--i-7iq.ws', 'a@xn--i-7iq.ws'],
  ['an ASCII form that means nothing', 'a@xn--0.org', 'a@xn--0.org'],
  ['Cherokee, which DNS writes in capitals', 'a@ꭰꮿ.example', 'a@ᎠᏯ.example'],
  ['letters of other scripts', 'Почта@Пример.рф', 'почта@пример.рф'],
  ['marks of other scripts', 'डाक@उदाहरण.परीक्षा', 'डाक@उदाहरण.परीक्षा'],
  ['a decomposed letter, which it composes', 'zoe\u0308@example.org', 'zo\u00eb@example.org'],
  ['the sign for kelvin, which lower-cases to k', '\u212a@example.org', 'k@example.org'],
  ['an emoji', '💌@example.org', '💌@example.org'],
  ['a local part of 64 characters', `${long(64)}@example.org`, `${long(64)}@example.org`],
  ['64 characters of two UTF-16 units each', `${'𐐨'.repeat(64)}@example.org`, `${'𐐨'.repeat(64)}@example.org`],
  ['254 characters', `a@${long(248)}.org`, `a@${long(248)}.org`],
]

const REFUSED: ReadonlyArray<readonly [string, string]> = [
  ['nothing', ''],
  ['no @', 'example.org'],
  ['two @', 'a@b@example.org'],
  ['an empty local part', '@example.org'],
  ['a domain without a dot', 'a@localhost'],
  ['a dot first', '.a@example.org'],
  ['a dot last', 'a.@example.org'],
  ['two dots in a row', 'a..b@example.org'],
  ['an empty label', 'a@example..org'],
  ['a domain that opens with a dot', 'a@.example.org'],
  ['a domain that ends with a dot', 'a@example.org.'],
  ['a label that opens with a hyphen', 'a@-b.org'],
  ['a label that ends with a hyphen', 'a@b-.org'],
  ['an underscore in the domain', 'a@b_c.org'],
  ['an address literal', 'a@[127.0.0.1]'],
  ['a space inside', 'a b@example.org'],
  ['a no-break space', 'a\u00a0b@example.org'],
  ['NUL', 'a\0@example.org'],
  ['a domain that DNS cannot have', 'a@a\u0660.example'],
  ['a line break with a header', 'a@example.org\r\nBcc: b@example.org'],
  ['a line break in the local part', 'a\r\nRCPT TO:<b@example.org>@example.org'],
  ['the line separator U+2028', 'a\u2028b@example.org'],
  ['a C1 control', 'a\u0085b@example.org'],
  ['junk behind', 'a@example.org junk'],
  ['a quoted local part', '"a b"@example.org'],
  ['a zero-width joiner', 'a\u200db@example.org'],
  ['a right-to-left override', 'a\u202eb@example.org'],
  ['an invisible letter', 'a\u3164b@example.org'],
  ['half a surrogate pair', 'a\ud800@example.org'],
  ['a full-width @', 'a＠example.org'],
  ['an ellipsis, which is three dots to some', 'a…b@example.org'],
  ...Array.from('<>(),;:\\[]"', (sign): [string, string] => [`the sign ${sign}`, `a${sign}b@example.org`]),
  ['a name and brackets', 'Reader <a@example.org>'],
  ['a local part of 65 characters', `${long(65)}@example.org`],
  ['255 characters', `a@${long(249)}.org`],
  ['a megabyte', `${long(1_000_000)}@example.org`],
]

describe('parseEmail()', () => {
  for (const [name, text, expected] of TAKEN) {
    it(`accepts ${name}, and its own result unchanged`, () => {
      assert.equal(parseEmail(text), expected)
      assert.equal(parseEmail(expected), expected)
    })
  }
  for (const [name, text] of REFUSED) {
    it(`rejects ${name}`, () => assert.equal(parseEmail(text), undefined))
  }
})

describe('wireAddress()', () => {
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ['a@example.org', 'a@example.org'],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['zoë@bücher.example', 'zoë@xn--bcher-kva.example'],
    ['a@\u{1f4a9}\ud800.example', undefined],
  ]
  for (const [address, expected] of rows) {
    it(`writes ${JSON.stringify(address)} as ${expected ?? 'nothing'}`, () => {
      assert.equal(wireAddress(address), expected)
    })
  }
})

describe('parseMailbox()', () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['Dateline <no-reply@localhost>', 'Dateline', 'no-reply@localhost'],
    ['no-reply@localhost', '', 'no-reply@localhost'],
    ['<no-reply@example.org>', '', 'no-reply@example.org'],
    ['  News of  the Day<News@Example.org> ', 'News of the Day', 'News@Example.org'],
    ['"Dateline, Inc. \\"B\\"" <a@example.org>', 'Dateline, Inc. "B"', 'a@example.org'],
    ['Zoë’s Zeitung <a@bücher.example>', 'Zoë’s Zeitung', 'a@bücher.example'],
  ]
  for (const [text, name, address] of rows) {
    it(`reads ${text}`, () => assert.deepEqual(parseMailbox(text), { name, address }))
  }
  const refused = [
    ...['', 'Dateline', 'Dateline <>', 'Dateline <a b@localhost>', 'Dateline <a@localhost> x', 'Dateline <a@b> <c@d>'],
    ...['Date\r\nline <a@localhost>', 'Dateline <a@localhost\r\nBcc: b@c>', 'Date\0line <a@localhost>'],
    ...[`${'x'.repeat(101)} <a@localhost>`, 'a@localhost, b@localhost'],
  ]
  for (const text of refused) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))} and says what is expected`, () => {
      const message = /^Error: Cannot read sender ".*": expected an address or "Name <address>"$/
      assert.throws(() => parseMailbox(text), message)
    })
  }
})
