import assert from 'node:assert/strict'
import { it } from 'node:test'
import { counted, sizeText } from '../../src/base/counted.ts'

it('counted() has the word for one, and for any other number that for many', () => {
  assert.deepEqual([0, 1, 2].map((n) => counted(n, 'item')), ['0 items', '1 item', '2 items'])
  assert.equal(counted(1, 'token of the API', 'tokens of the API'), '1 token of the API')
})

it('sizeText() shows no size as 0.0, and none as a thousand of its unit', () => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_000, '1.0 kB'],
    [49_152, '49.2 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [12_400_000, '12.4 MB'],
    [1_030_000_000, '1.03 GB'],
  ] as const)
    assert.equal(sizeText(bytes), text)
})
