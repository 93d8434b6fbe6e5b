import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, writeJson, type Json } from '../../src/base/json.ts'
import { readCursor, writeCursor } from '../../src/query/cursor.ts'
import { parseSort } from '../../src/query/order.ts'

const SORT = parseSort('updatedAt:desc')
const SCOPE = { model: 'headline', sort: SORT }
const KEYS = ['2025-10-20T12:34:56.789Z']
const ID = '660000000000000000000001'
const CURSOR = writeCursor({ ...SCOPE, keys: KEYS, id: ID })

const refusal = (message: RegExp) => ({ name: 'Failure', code: 'badRequest', message })
const encode = (text: string): string => Buffer.from(text).toString('base64url')

describe('writeCursor()', () => {
  it('writes a text that needs no escape in a URL', () => {
    assert.match(writeCursor({ ...SCOPE, keys: ['\u{1F600}~?&=/+ é'], id: ID }), /^[\w-]+$/)
  })

  const values = `[null, true, 0, -1.5, 9007199254740993, 1e400, "", "\\ud800", "a\\u0000b",
    {}, {"__proto__":1}, {"a":[]}, [], [[]], [[1,[2]]]]`
  for (const value of parseJson(values) as readonly Json[]) {
    it(`keeps the key ${writeJson(value)}`, () => {
      const position = readCursor(writeCursor({ ...SCOPE, keys: [value], id: ID }), SCOPE)
      assert.equal(writeJson(position.keys), writeJson([value]))
      assert.equal(position.id, ID)
    })
  }

  it('keeps a place in a sort of no keys', () => {
    const scope = { model: 'topic', sort: [] }
    assert.deepEqual(readCursor(writeCursor({ ...scope, keys: [], id: ID }), scope), { keys: [], id: ID })
  })

  it('takes values up to the limit and refuses one character more, rather than cutting', () => {
    const cursorOf = (chars: number): string => writeCursor({ ...SCOPE, keys: ['x'.repeat(chars)], id: ID })
    let chars = 49_000
    while (cursorOf(chars + 1).length <= 65_536 && cursorOf(chars + 1).length < 65_535) chars++
    assert.ok(readCursor(cursorOf(chars), SCOPE))
    assert.throws(() => cursorOf(chars + 3), refusal(/Cannot page by sort "updatedAt:desc": .* at most 65536/))
  })

  it('refuses values that nest deeper than a cursor is read', () => {
    const nested = (depth: number): Json => (depth === 0 ? {} : { a: nested(depth - 1) })
    assert.ok(readCursor(writeCursor({ ...SCOPE, keys: [nested(197)], id: ID }), SCOPE))
    const deeper = { ...SCOPE, keys: [nested(198)], id: ID }
    assert.throws(() => writeCursor(deeper), refusal(/nested too deep/))
  })
})

describe('readCursor()', () => {
  it('gives back the place', () => assert.deepEqual(readCursor(CURSOR, SCOPE), { keys: KEYS, id: ID }))

  it('names the model when it is another', () => {
    const message = /^Cannot read cursor ".*": expected one of model "topic", found "headline"$/
    assert.throws(() => readCursor(CURSOR, { model: 'topic', sort: SORT }), refusal(message))
  })

  for (const other of ['updatedAt', 'createdAt:desc', 'updatedAt:desc,id', 'id']) {
    it(`names the sort when it is ${other}`, () => {
      const message = /expected one of sort "[\w:,]+", found "updatedAt:desc"$/
      assert.throws(() => readCursor(CURSOR, { model: 'headline', sort: parseSort(other) }), refusal(message))
    })
  }

  it('takes another spelling of the same sort', () => {
    assert.ok(readCursor(CURSOR, { model: 'headline', sort: parseSort(' updatedAt : desc ') }))
    const byId = { model: 'headline', sort: parseSort('_id') }
    const cursor = writeCursor({ ...byId, keys: [ID], id: ID })
    assert.ok(readCursor(cursor, { model: 'headline', sort: parseSort('id:asc') }))
  })

  const hostile: readonly (readonly [name: string, text: string])[] = [
    ['an empty text', ''],
    ['an id', ID],
    ['no base64url', 'héllo!'],
    ['padding', `${CURSOR}=`],
    ['a trailing space', `${CURSOR} `],
    ['the other base64 alphabet', inOtherAlphabet(encode(`[1,"headline","updatedAt:desc",[">>>???"],"${ID}"]`))],
    ['a cut cursor', CURSOR.slice(0, -3)],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x5b, 0x5d]).toString('base64url')],
    ['no JSON', encode('[1,')],
    ['other JSON', encode('{"v":1}')],
    ['null', encode('null')],
    ['white space in the JSON', encode(`[1, "headline","updatedAt:desc",["x"],"${ID}"]`)],
    ['a number spelled otherwise', encode(`[1,"headline","updatedAt:desc",[1.0],"${ID}"]`)],
    ['another version', encode(`[2,"headline","updatedAt:desc",["x"],"${ID}"]`)],
    ['a version as text', encode(`["1","headline","updatedAt:desc",["x"],"${ID}"]`)],
    ['a model that is no text', encode(`[1,["headline"],"updatedAt:desc",["x"],"${ID}"]`)],
    ['a sort that is no text', encode(`[1,"headline",{},["x"],"${ID}"]`)],
    ['too few keys', encode(`[1,"headline","updatedAt:desc",[],"${ID}"]`)],
    ['too many keys', encode(`[1,"headline","updatedAt:desc",["x","y"],"${ID}"]`)],
    ['keys that are no list', encode(`[1,"headline","updatedAt:desc",{"0":"x","length":1},"${ID}"]`)],
    ['a key that no document can have', encode(`[1,"headline","updatedAt:desc",[[1]],"${ID}"]`)],
    ['a box of two', encode(`[1,"headline","updatedAt:desc",[[[1],[2]]],"${ID}"]`)],
    ['an id that is no text', encode('[1,"headline","updatedAt:desc",["x"],null]')],
    ['an id that is an object', encode('[1,"headline","updatedAt:desc",["x"],{"$gt":""}]')],
    ['a sixth member', encode(`[1,"headline","updatedAt:desc",["x"],"${ID}",0]`)],
    ['nesting to no end', encode('['.repeat(40_000))],
    ['more than the limit', 'W'.repeat(65_537)],
    ['much more than the limit', 'W'.repeat(10_000_000)],
  ]
  for (const [name, text] of hostile) {
    it(`refuses ${name}`, () => {
      const message = /^Cannot read cursor ".{0,120}": not issued by this server$/s
      assert.throws(() => readCursor(text, SCOPE), refusal(message))
    })
  }
})

function inOtherAlphabet(cursor: string): string {
  assert.match(cursor, /[-_]/)
  return cursor.replaceAll('-', '+').replaceAll('_', '/')
}
