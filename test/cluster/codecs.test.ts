/** The codecs of the cluster with random input; `npm run fuzz -- codecs` goes on for longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { protoMessage, readProto } from '../../src/cluster/etcd/protobuf.ts'
import { fuzzCodecs } from '../support/cluster/codec-fuzz.ts'
import { fuzzRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const CASES = fuzzRun(3_000, 5_000)

it('random messages are read as they were written, and damaged ones are refused', () => {
  const random = seededRandom(seedOfTest())
  let refused = 0
  try {
    for (let i = 0; i < CASES; i++) refused += fuzzCodecs(random)
  } catch (error) {
    throw new Error(`SEED=${random.seed}`, { cause: error })
  }
  assert.ok(refused > CASES, `only ${refused} were refused`)
})

// The examples of https://protobuf.dev/programming-guides/encoding/.
for (const [name, message, hex] of [
  ['a varint', protoMessage([1, 150]), '089601'],
  ['a text', protoMessage([2, 'testing']), '120774657374696e67'],
  ['a message in a message', protoMessage([3, protoMessage([1, 150])]), '1a03089601'],
  ['a negative number', protoMessage([1, -2]), '08feffffffffffffffff01'],
  ['a flag, and a field that is left out', protoMessage([1, true], [2, undefined]), '0801'],
] as const) {
  it(`protobuf writes ${name} as its documentation does`, () => {
    assert.equal(Buffer.concat(message.parts).toString('hex'), hex)
  })
}

it('protobuf reads the last of several values, skips what it does not know, and finds zeros in what is missing', () => {
  // Field 1 twice, field 2 as fixed64, field 3 as fixed32, field 4 as -1.
  const fields = readProto(Buffer.from('0801080211000000000000000a1d0000000020ffffffffffffffffff01', 'hex'))
  assert.equal(fields.number(1), 2)
  assert.equal(fields.number(4), -1)
  assert.equal(fields.id(4), 2n ** 64n - 1n)
  assert.equal(fields.number(9), 0)
  assert.deepEqual(fields.messages(9), [])
  assert.throws(() => fields.text(1), /expected bytes in field 1, found an integer/)
  assert.throws(() => fields.number(2), /expected an integer in field 2, found bytes/)
})
