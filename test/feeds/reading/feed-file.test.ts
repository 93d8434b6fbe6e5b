/** Files that bring items: what they are is found out from what they say, and a line that is none holds up no other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFeedFile, type FileReading } from '../../../src/feeds/reading/read-feed-file.ts'
import { SAMPLE_ATOM, SAMPLE_JSON, SAMPLE_NOW, SAMPLE_RSS } from '../../support/feeds/sample-feeds.ts'

const read = (file: string | Uint8Array): FileReading => readFeedFile({ bytes: Buffer.from(file as string), address: undefined, now: SAMPLE_NOW })
const lines = (file: string | Uint8Array) => {
  const found = read(file)
  assert.ok(found.kind === 'items' && found.format === 'lines')
  return found
}
const LINE = '{"id":"a1","title":"Ferry &amp; <b>late</b>","excerpt":null,"url":"https://harbour.example/late","imageUrl":"","publishedAt":"2026-03-01T09:30:00.000Z","author":" Ann  B ","language":"en_US","categories":["Ferries","Ferries",""]}'

describe('a file of items', () => {
  it('is what it says that it is', () => {
    const formats = [SAMPLE_RSS, SAMPLE_ATOM, SAMPLE_JSON, JSON.stringify(JSON.parse(SAMPLE_JSON)), `${LINE}\n`, `\ufeff\n\n${LINE}`, '{"items":[]}', '{"title":"A"}'].map((file) => {
      const found = read(file)
      return found.kind === 'items' ? found.format : found.reason
    })
    assert.deepEqual(formats, ['rss', 'atom', 'json', 'json', 'lines', 'lines', 'json', 'lines'])
    for (const file of ['', '[]', '{', '7', '<html>']) assert.equal(read(file).kind, 'none', file)
  })

  it('has items with their places, from lines with the members of a headline', () => {
    const { items, rejected, problems } = lines(`${LINE}\r\n\n{"id":7}`)
    assert.deepEqual(items, [
      {
        place: 1,
        item: {
          ...{ id: 'a1', title: 'Ferry & late', link: 'https://harbour.example/late', published: '2026-03-01T09:30:00.000Z', author: 'Ann B', language: 'en-US' },
          categories: ['Ferries'],
        },
      },
      { place: 3, item: { id: '7', categories: [] } },
    ])
    assert.deepEqual([rejected, problems], [[], []])
    const feed = read(SAMPLE_RSS)
    assert.ok(feed.kind === 'items' && feed.items[0]?.place === 1 && feed.items[0].item.title !== undefined)
  })

  it('tells each line that is none, with its number, and reads the others', () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['{', /^cannot read it as JSON: it ends too early$/],
      ['"text"', /^expected an object, found "text"$/],
      ['{"title":["a"]}', /^title: expected a text, found an array$/],
      ['{"url":"data:text/html,x"}', /^url: expected a link of http or https, found "data:text\/html,x"$/],
      ['{"url":"/relative"}', /^url: expected a link/],
      ['{"imageUrl":"javascript:x"}', /^imageUrl: expected a link/],
      ['{"publishedAt":"soon"}', /^publishedAt: expected a date that is not in the future, found "soon"$/],
      ['{"updatedAt":"2999-01-01"}', /^updatedAt: expected a date that is not in the future/],
      ['{"language":"the sea"}', /^language: expected a language such as "en", found "the sea"$/],
      ['{"categories":"a"}', /^categories: expected at most 50 texts, found "a"$/],
      [`{"categories":[${'"a",'.repeat(50)}"b"]}`, /^categories: expected at most 50 texts/],
      [`{"id":"${'a'.repeat(2_001)}"}`, /^id: expected at most 2000 characters, found 2001$/],
      [`{"title":"${'a'.repeat(70_000)}"}`, /^expected at most 65536 bytes in a line, found more$/],
      [`{"a":[${'1,'.repeat(2_000)}1]}`, /more than 1000 names and values/],
    ]
    const { items, rejected } = lines([LINE, ...wrong.map(([line]) => line), '{"id":"last"}'].join('\n'))
    assert.deepEqual([items.map(({ place }) => place), rejected.map(({ place }) => place)], [[1, wrong.length + 2], wrong.map((_, n) => n + 2)])
    for (const [n, [line, says]] of wrong.entries()) assert.match(rejected[n]?.message ?? '', says, line.slice(0, 40))
    const bytes = Buffer.concat([Buffer.from(`${LINE}\n`), Buffer.from([0x22, 0xff, 0x22])])
    assert.deepEqual(lines(bytes).rejected, [{ place: 2, message: 'expected JSON in UTF-8, found other bytes' }])
  })

  it('names the members that are not read, ten at most and none as it is', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`member ${n}\u202e`, n]))
    const { problems } = lines(`${LINE}\n${JSON.stringify(many)}`)
    assert.equal(problems.length, 1)
    assert.match(problems[0]?.message ?? '', /^Members of lines that are not read: "member 0 ", (?:"member \d "[,.] ?){9}The feed gives source, topic and country\.$/)
  })

  it('attack: has 10,000 lines at most, whatever they are', () => {
    const at = (count: number, line: string) => lines(`${LINE}\n${`${line}\n`.repeat(count - 1)}`)
    assert.deepEqual([at(10_000, '{}').items.length, at(10_000, '{}').leftOut, at(10_001, '{}').leftOut], [10_000, 0, 1])
    const broken = at(300_000, '{')
    assert.deepEqual([broken.rejected.length, broken.leftOut], [9_999, 290_000])
    assert.equal(at(2, '\n'.repeat(5_000_000)).items.length, 1)
  })
})
