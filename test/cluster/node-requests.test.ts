/** Signed requests between nodes: each is good for one node, one path, once, and for a minute. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSignerCheck, readSigned, signRequest } from '../../src/cluster/node-requests.ts'

const KEY = randomBytes(32)
const NODE = '0123456789abcdef'
const REQUEST = { method: 'GET', path: '/cluster/snapshot', to: 'fedcba9876543210' } as const
const NOW = 1_700_000_000_000

const sign = (key = KEY): string => signRequest(key, REQUEST, NODE, NOW)

describe('a signed request', () => {
  it('tells the node that signed it', () => {
    assert.equal(createSignerCheck(KEY, () => NOW)(REQUEST, sign()), NODE)
  })

  it('attack: a copy of it is sent again, later, while the nonces of others come and go', () => {
    let now = NOW
    const check = createSignerCheck(KEY, () => now)
    const header = sign()
    assert.deepEqual([check(REQUEST, header), check(REQUEST, header), check(REQUEST, sign())], [NODE, undefined, NODE])
    for (now = NOW; now <= NOW + 60_000; now += 1_000) assert.equal(check(REQUEST, header), undefined)
  })

  it('that was seen before can be told from one that is not valid', () => {
    const [check, header] = [createSignerCheck(KEY, () => NOW), sign()]
    const isSigned = (now: number, text = header): boolean => readSigned({ key: KEY, now: () => now }, REQUEST, text) !== undefined
    assert.deepEqual([check(REQUEST, header), check(REQUEST, header), isSigned(NOW)], [NODE, undefined, true])
    assert.deepEqual([isSigned(NOW + 61_000), isSigned(NOW, sign(randomBytes(32))), isSigned(NOW, '')], [false, false, false])
  })

  it('attack: one that arrives late is sent again, behind thousands of its process', () => {
    const check = createSignerCheck(KEY, () => NOW)
    const headers = Array.from({ length: 3_000 }, () => sign())
    const [tooLate, late, ...rest] = [headers[0], headers[2_500], ...headers.slice(1, 2_500), ...headers.slice(2_501)]
    for (const header of rest) assert.equal(check(REQUEST, header), NODE)
    assert.deepEqual([check(REQUEST, late), check(REQUEST, late)], [NODE, undefined])
    assert.equal(check(REQUEST, tooLate), undefined)
    for (const header of headers) assert.equal(check(REQUEST, header), undefined)
  })

  for (const [name, change] of [
    ['another node', { to: NODE }],
    ['another path', { path: '/cluster/join' }],
    ['another method', { method: 'POST' }],
  ] as const) {
    it(`attack: it is used for ${name}`, () => {
      assert.equal(createSignerCheck(KEY, () => NOW)({ ...REQUEST, ...change }, sign()), undefined)
    })
  }

  for (const [passed, isGood] of [[60_000, true], [61_000, false], [-60_000, true], [-61_000, false]] as const) {
    it(`${isGood ? 'holds' : 'does not hold'} ${passed / 1000} s after it was signed`, () => {
      assert.equal(createSignerCheck(KEY, () => NOW + passed)(REQUEST, sign()), isGood ? NODE : undefined)
    })
  }

  it('attack: another key, another node, nonsense', () => {
    const check = createSignerCheck(KEY, () => NOW)
    const headers = [undefined, '', 'Bearer x', sign(randomBytes(32)), sign().replace(NODE, REQUEST.to), sign().slice(0, -1)]
    assert.deepEqual(headers.map((header) => check(REQUEST, header)), headers.map(() => undefined))
  })
})
