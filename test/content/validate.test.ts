/** What the declarations of models mean for a body: the cases that are clearer on a small model than over HTTP. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { ProblemFailure } from '../../src/base/problem.ts'
import { validateDocument } from '../../src/content/rules/validate.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import * as schema from '../../src/models/schema.ts'
import type { Field, Model } from '../../src/models/schema.ts'
import { HEADLINE, PREFERENCES } from '../../scripts/tools/data-bodies.ts'

const { boolean, choice, code, constant, createdAt, date, embedded, httpUrl, id, list } = schema
const { map, model, nonBlankText, nullable, record, siteUrl, text, whole } = schema

const ACCESS = { list: 'admin', read: 'admin', create: 'admin', replace: 'admin', remove: 'admin' } as const
const GENERATED = { id: 'new-id', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z' }

const REST = { description: '', extras: 'keep', access: ACCESS, search: [], indexes: [] } as const
const tag = model({ ...REST, name: 'tag', fields: { id: id(), label: nonBlankText(), at: createdAt(), type: constant('tag') } })

/** A model with one field `it`, read as a new document or over a stored one. */
function read(field: Field, given: Json | undefined, stored?: Json): Json | undefined {
  const one = model({ ...REST, name: 'one', fields: { it: field }, extras: 'drop' })
  const body: JsonObject = given === undefined ? {} : { it: given }
  const validation = stored === undefined ? { generated: GENERATED } : { generated: GENERATED, stored: { it: stored } }
  return validateDocument(one, body, validation)['it']
}

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Failure)
    assert.equal(error.code, 'invalidInput')
    return error.message
  }
  throw new assert.AssertionError({ message: 'nothing was refused' })
}

describe('a text of a form', () => {
  const fields = { id: id(), link: httpUrl(), flag: siteUrl(), code: code('countryCode'), type: constant('page') }
  const page = model({ ...REST, name: 'page', fields })
  const book = model({ ...REST, name: 'book', fields: { id: id(), cover: embedded(page) } })
  const PAGE = { id: 'p', link: '', flag: '', code: 'IS', type: 'page' }
  const problemOf = (field: Field, value: string): string | undefined => {
    try {
      read(field, value)
    } catch (error) {
      assert.ok(error instanceof ProblemFailure)
      return error.problem.code
    }
    return undefined
  }

  it('is an address of the web as it is written, or empty', () => {
    for (const text of [
      ...['', 'https://harbour.example', 'HTTP://Harbour.EXAMPLE:80/a//b?c=http://d&e=@#f', 'http://[::1]:8080/', 'https://例え.example/ä😀'],
      `http://a.example/${'b'.repeat(7_983)}`,
    ]) {
      for (const field of [httpUrl(), siteUrl()]) assert.equal(read(field, text), text)
    }
    assert.equal(read(siteUrl(), '/flags/is.png'), '/flags/is.png')
  })

  it('attack: runs no code, hides nothing, and means the same to every parser', () => {
    for (const text of [
      ...['javascript:alert(1)', 'JavaScript:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'],
      ...['blob:https://a.example/1', 'ftp://a.example', 'foo bar', 'a.example', '//a.example', '?a', '#a', 'http:a.example', 'http:/a.example', 'http:///a.example'],
      ...['https:\\\\a.example', 'https://a.example\\@b.example', 'http://user:pw@a.example', 'http://user@a.example', 'http://@a.example', 'http://:@a.example'],
      ...[' http://a.example', 'http://a.example ', 'http://a.example/b c', 'http://a.exa\tmple', 'http://a.example\r\nx: y', 'http://a.example/\u0000', 'http://a.example/\u00a0b'],
      ...['http://a.example/\u202egnp.exe', 'http://a.example/\u2066x', 'http://a\u200b.example', 'http://a\u00ad.example', 'http://a.example/\ufeff', 'http://a.example/\u2028'],
      ...['http://a.example:99999', 'http://[::1', 'http://exa%20mple', 'http://', 'https://?', 'ｈttp://a.example', 'http：//a.example', 'http://a.example／@b'],
      `http://a.example/${'b'.repeat(7_984)}`,
    ]) {
      for (const field of [httpUrl(), siteUrl()]) assert.equal(problemOf(field, text), 'notHttpUrl', JSON.stringify(text))
    }
    for (const text of ['/a b', '/\\a.example', '//a.example', '/\u202e', '/\ta']) assert.equal(problemOf(siteUrl(), text), 'notHttpUrl', text)
    assert.equal(problemOf(httpUrl(), `http://${'a/'.repeat(500_000)}`), 'notHttpUrl')
  })

  it('is a way to reach people: an e-mail address, a link or nothing', () => {
    const contact = { ...text(), form: 'contact' } as const
    for (const given of ['', 'news@harbour.example', 'Post+1@bücher.example', 'https://harbour.example/contact?a=b', 'http://intranet/']) assert.equal(read(contact, given), given)
    for (const given of ['call us', 'news@', '@harbour.example', 'news@harbour', 'a@b.example, c@d.example', ' news@harbour.example', 'News <news@harbour.example>', 'news@harbour.example\r\nBcc: x', 'mailto:a@b.example?bcc=c@d.example', 'javascript:alert(1)', '//harbour.example', `${'a'.repeat(8_000)}@b.example`]) {
      assert.equal(problemOf(contact, given), 'notContact', given)
    }
  })

  it('is a code of two letters', () => {
    for (const text of ['isl', 'I', 'is', 'İS', 'ＩＳ', 'I5', 'IS\n']) assert.equal(problemOf(code('countryCode'), text), 'notCountryCode', text)
    for (const text of ['isl', 'i', 'IS', 'ıs', 'i5', 'is\n']) assert.equal(problemOf(code('languageCode'), text), 'notLanguageCode', text)
    for (const field of [code('countryCode'), code('languageCode')]) assert.equal(problemOf(field, ' '), 'blank')
    assert.deepEqual([read(code('countryCode'), 'XK'), read(code('languageCode'), 'is')], ['XK', 'is'])
  })

  it('stays as it is stored while other members change', () => {
    const stored = { ...PAGE, link: 'foo bar', code: 'isl' }
    const changed = validateDocument(page, { ...stored, more: 1 }, { generated: GENERATED, stored })
    assert.deepEqual([changed['link'], changed['code'], changed['more']], ['foo bar', 'isl', 1])
    for (const other of [{ link: 'foo bar ' }, { code: 'ISL' }, { link: '', flag: 'foo bar' }]) {
      assert.match(refusal(() => validateDocument(page, { ...stored, ...other }, { generated: GENERATED, stored })), /^(link|code|flag): expected /)
    }
  })

  it('attack: is in a copy only where the document has it, or the original of the copy', () => {
    const bad = { ...PAGE, link: 'javascript:alert(1)', code: 'isl' }
    const make = (cover: JsonObject, more: object = {}): JsonObject => validateDocument(book, { cover }, { generated: GENERATED, ...more })
    const message = 'cover.link: expected an address that begins with http:// or https://, of at most 8000 characters and without spaces, user or password, or an empty text, found "javascript:alert(1)"'
    assert.equal(refusal(() => make(bad)), message)
    assert.equal(refusal(() => make(bad, { stored: { cover: PAGE } })), message)
    const textOf = (one: object) => (of: Model, at: string) => (of === page && at === 'p' ? JSON.stringify(one) : undefined)
    assert.equal(refusal(() => make(bad, { textOf: textOf(PAGE) })), message)
    assert.equal(refusal(() => make({ ...bad, id: 'q' }, { textOf: textOf(bad) })), message)
    assert.deepEqual(make(bad, { stored: { cover: bad } })['cover'], bad)
    assert.deepEqual(make(bad, { textOf: textOf(bad) })['cover'], bad)
    assert.deepEqual(make({ ...PAGE, code: 'isl' })['cover'], { ...PAGE, code: 'isl' }, 'codes of copies open nothing')
  })

  it('is nothing to the preferences of a reader, whose apps send back whole what they have', () => {
    const saved = { ...HEADLINE, url: 'foo bar' }
    const document = validateDocument(userContentPreferences, { ...PREFERENCES, savedHeadlines: [saved] }, { generated: GENERATED })
    assert.deepEqual(document['savedHeadlines'], [saved])
  })
})

describe('a field', () => {
  const STATUS = choice(['on', 'off'], { initial: 'on' })
  const IMPLIED = choice(['one'], { implied: 'one' })
  const RECORD = record({ a: text() })
  const taken: readonly (readonly [name: string, field: Field, given: Json | undefined, result: Json, stored?: Json])[] = [
    ['text may be empty', text(), '', ''],
    ['text keeps white space', nonBlankText(), ' a ', ' a '],
    ['text keeps every character', text(), 'a\0b\u2028𝄞', 'a\0b\u2028𝄞'],
    ['a title of 10,000 characters', nonBlankText(), '𝄞'.repeat(10_000), '𝄞'.repeat(10_000)],
    ['a choice with an initial value, left out of a new document', STATUS, undefined, 'on'],
    ['a choice with an implied value, left out of a new document', IMPLIED, undefined, 'one'],
    ['a choice with an implied value, left out of a replacement', IMPLIED, undefined, 'one', 'one'],
    ['a date in UTC', date(), '2025-10-20T14:34:56.789Z', '2025-10-20T14:34:56.789Z'],
    ['a date without a zone', date(), '2025-10-20T14:34:56.789123', '2025-10-20T14:34:56.789Z'],
    ['a date with a zone', date(), '2025-10-20T14:34:56+02:00', '2025-10-20T12:34:56.000Z'],
    ['null where it may be', nullable(text()), null, null],
    ['nothing where null may be', nullable(text()), undefined, null],
    ['a list, in its order', list(whole()), [3, 1, 2], [3, 1, 2]],
    ['a list that may be kept, left out of a replacement', list(text(), { absent: 'keep' }), undefined, ['a'], ['a']],
    ['a list that may be kept, left out of a new document', list(text(), { absent: 'keep' }), undefined, []],
    ['a list that may be kept, sent empty', list(text(), { absent: 'keep' }), [], [], ['a']],
    ['a record with further members', RECORD, { b: 1, a: 'x' }, { a: 'x', b: 1 }],
    ['a record that drops them', record({ a: text() }, 'drop'), { b: 1, a: 'x' }, { a: 'x' }],
    ['a map without keys', map(['k'], text()), {}, {}],
    ['a constant that is sent otherwise', constant('c'), { x: 1 }, 'c'],
    ['a copy', embedded(tag), { label: 'x', id: 'i', at: '2025-10-20' }, { label: 'x', id: 'i', at: '2025-10-20', type: 'tag' }],
  ]
  for (const [name, field, given, result, stored] of taken) {
    it(`takes ${name}`, () => assert.equal(JSON.stringify(read(field, given, stored)), JSON.stringify(result)))
  }

  const refused: readonly (readonly [field: Field, given: Json | undefined, message: string, stored?: Json])[] = [
    [text(), undefined, 'it: expected a string, found nothing'],
    [nonBlankText(), '\u2003', 'it: expected a text that is not blank, found "\u2003"'],
    [nonBlankText(), 'x'.repeat(10_001), `it: expected at most 10000 characters, found "${'x'.repeat(60)}…"`],
    [whole(), parseJson('9'.repeat(1_000_000)), `it: expected a whole number, 0 or more, found ${'9'.repeat(60)}…`],
    [embedded(tag), { label: 'x', id: 'i'.repeat(201), at: '2025-10-20' }, `it.id: expected an id of at most 200 characters, found "${'i'.repeat(60)}…"`],
    [STATUS, undefined, 'it: expected one of on, off, found nothing', 'off'],
    [STATUS, null, 'it: expected one of on, off, found null'],
    [STATUS, 'ON', 'it: expected one of on, off, found "ON"'],
    [boolean(), 0, 'it: expected true or false, found 0'],
    [whole(), 0.5, 'it: expected a whole number, 0 or more, found 0.5'],
    [whole(), parseJson('9007199254740993'), 'it: expected a whole number, 0 or more, found 9007199254740993'],
    [date(), '2025-02-29', 'it: expected an ISO 8601 date, found "2025-02-29"'],
    [nullable(text()), 7, 'it: expected a string, found 7'],
    [list(text()), null, 'it: expected an array, found null'],
    [list(text()), ['a', null], 'it[1]: expected a string, found null'],
    [list(text(), { absent: 'keep' }), null, 'it: expected an array, found null', ['a']],
    [list(list(whole())), [[], [1, 'x']], 'it[1][1]: expected a whole number, 0 or more, found "x"'],
    [RECORD, ['a'], 'it: expected an object, found an array'],
    [map(['k'], text()), { x: 'a' }, 'it: expected no keys but k, found "x"'],
    [map(['k'], text()), { constructor: 'a' }, 'it: expected no keys but k, found "constructor"'],
    [embedded(tag), 'i', 'it: expected a whole tag or {"id": …}, found "i"'],
    [embedded(tag), { label: 'x', at: '2025-10-20' }, 'it.id: expected the id of the embedded document, found nothing'],
    [embedded(tag), { label: 'x', id: 'i', at: 'now' }, 'it.at: expected an ISO 8601 date, found "now"'],
    [list(embedded(tag)), [{ label: ' ', id: 'i', at: '2025-10-20' }], 'it[0].label: expected a text that is not blank, found " "'],
  ]
  for (const [field, given, message, stored] of refused) {
    it(`refuses with "${message}"`, () => assert.equal(refusal(() => read(field, given, stored)), message))
  }
})

describe('a document', () => {
  it('is written in declared order, further members after it in the order sent', () => {
    const body = { zebra: 1, type: 'x', at: 'x', label: 'L', apple: 2, id: 'x' }
    const document = validateDocument(tag, body, { generated: { ...GENERATED, at: 'set' } as typeof GENERATED })
    assert.equal(writeJson(document), '{"id":"new-id","label":"L","at":"set","type":"tag","zebra":1,"apple":2}')
  })

  it('does not take members of Object.prototype for sent ones', () => {
    const odd = model({ ...REST, name: 'odd', fields: { toString: text() }, extras: 'drop' })
    assert.equal(refusal(() => validateDocument(odd, {}, { generated: GENERATED })), 'toString: expected a string, found nothing')
  })

  it('names the place in the middle of everything', () => {
    const wrong = { ...HEADLINE, source: { ...HEADLINE.source, language: { ...HEADLINE.source.language, code: 7 } } }
    const body = { ...PREFERENCES, savedHeadlines: [HEADLINE, HEADLINE, wrong] }
    const message = refusal(() => validateDocument(userContentPreferences, body, { generated: GENERATED }))
    assert.equal(message, 'savedHeadlines[2].source.language.code: expected a string, found 7')
  })

  it('leaves the body as it is', () => {
    const body = parseJson(writeJson(PREFERENCES)) as JsonObject
    const before = writeJson(body)
    validateDocument(userContentPreferences, body, { generated: GENERATED })
    assert.equal(writeJson(body), before)
  })
})

describe('names and texts that no document may hold', () => {
  const NAMES = 'names must not be __proto__, start with $ or contain a dot or NUL'
  const rows: readonly (readonly [json: string, message: string])[] = [
    ['{"__proto__":{"isAdmin":true}}', `cannot store a member named "__proto__": ${NAMES}`],
    ['{"label":"x","a":{"__proto__":1}}', `a: cannot store a member named "__proto__": ${NAMES}`],
    ['{"a":[[{"$gt":1}]]}', `a[0][0]: cannot store a member named "$gt": ${NAMES}`],
    ['{"a":{"b":{"c.d":1}}}', `a.b: cannot store a member named "c.d": ${NAMES}`],
    ['{"a":{"\\u0000":1}}', `a: cannot store a member named "\\u0000": ${NAMES}`],
    ['{"a":{"x\\ud800":1}}', `a: cannot store a member named "x\\ud800": ${NAMES}`],
    ['{"a":["ok","\\udc00"]}', 'a[1]: expected Unicode text, found half a surrogate pair'],
  ]
  for (const [json, message] of rows) {
    it(json, () => {
      const body = parseJson(json) as JsonObject
      assert.equal(refusal(() => validateDocument(tag, body, { generated: GENERATED })), message)
      assert.equal(({} as Record<string, unknown>)['isAdmin'], undefined)
    })
  }

  it('are refused also where the model would drop them', () => {
    const make = () => validateDocument(userContentPreferences, { ...PREFERENCES, $x: 1 }, { generated: GENERATED })
    assert.equal(refusal(make), `cannot store a member named "$x": ${NAMES}`)
  })

  it('more than 200 levels are refused, and 200 are taken', () => {
    const nested = (levels: number): Json => (levels === 0 ? [] : [nested(levels - 1)])
    const body = (levels: number): JsonObject => ({ label: 'x', deep: nested(levels - 2) })
    assert.equal(writeJson(validateDocument(tag, body(200), { generated: GENERATED })).includes('['.repeat(199)), true)
    const message = refusal(() => validateDocument(tag, body(201), { generated: GENERATED }))
    assert.equal(message, 'Cannot store a document of more than 200 levels, those of its embedded records included')
  })
})
