/** The comparison of patterns with V8 may skip what takes V8 too long, and nothing else. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startPatternOracle } from '../support/query/pattern-oracle.ts'

// All cases of such a batch counted as too slow for V8, after 20 seconds.
it('a process that ends in place of a result is an error, and the next case starts another', async (t) => {
  const oracle = startPatternOracle()
  t.after(() => oracle.close())
  await assert.rejects(oracle.match([null as never]), /^Error: The process that runs V8 ended with 1$/)
  assert.deepEqual(await oracle.match([{ source: 'a', flags: 'u', texts: ['a', 'b'] }]), [[true, false]])
})
