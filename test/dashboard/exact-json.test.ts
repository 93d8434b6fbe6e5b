import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json } from '../../src/client/client.ts'
import { isMembers } from '../../src/dashboard/any-documents.ts'
import { isSame } from '../../src/dashboard/document-difference.ts'
import { isExactNumber, parseExactly } from '../../src/dashboard/exact-json.ts'

const ROWS = [
  { source: '12345678901234567890', isKept: true },
  { source: '9007199254740993', isKept: true },
  { source: '-0.12345678901234567', isKept: true },
  { source: '1e400', isKept: true },
  { source: '1e-400', isKept: true },
  { source: '9007199254740992', isKept: false },
  { source: '0.1', isKept: false },
  { source: '1.50', isKept: false },
  { source: '0e400', isKept: false },
  { source: '1E2', isKept: false },
  { source: '0.000000000000000000001', isKept: false },
]

describe('a number of JSON', () => {
  for (const { source, isKept } of ROWS) {
    it(`${source} is ${isKept ? 'kept as it is' : 'a number'}`, () => {
      const { value } = parseExactly(`{"value":${source}}`) as { value: Json }
      assert.equal(isExactNumber(value), isKept)
      assert.equal(typeof value === 'number', !isKept)
      assert.equal(isMembers(value), false)
      if (isKept) assert.equal(JSON.stringify({ value }), `{"value":${source}}`)
      else assert.equal(value, Number(source))
    })
  }

  it('is the same as another of the same text only', () => {
    const [one, same, other] = parseExactly('[1e400, 1e400, 2e400]') as Json[]
    assert.ok(isSame(one, same))
    assert.ok(!isSame(one, other))
    assert.ok(!isSame(one, 1))
  })
})
