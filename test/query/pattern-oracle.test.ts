/** The comparison of patterns with V8 may skip what takes V8 too long, and nothing else. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startPatternOracle } from '../support/query/pattern-oracle.ts'

// All cases of such a batch counted as too slow for V8, after 20 seconds.
it('a process that ends in place of an answer is an error, and the next question starts another', async (t) => {
  const oracle = startPatternOracle()
  t.after(() => oracle.close())
  await assert.rejects(oracle.ask([null as never]), /^Error: The process that asks V8 ended with 1$/)
  assert.deepEqual(await oracle.ask([{ source: 'a', flags: 'u', texts: ['a', 'b'] }]), [[true, false]])
})
