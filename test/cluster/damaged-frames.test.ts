/** Attack: frames of HTTP/2 between a server and our client of etcd are damaged. `npm run fuzz -- http2` goes on for longer. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fuzzRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { startHttp2Fuzz } from '../support/cluster/http2-fuzz.ts'

const CASES = fuzzRun(20, 300)
/** As some wait for a deadline. */
const AT_ONCE = 20

it('a call ends with a response or an EtcdError, and the client goes on', async (t) => {
  const random = seededRandom(seedOfTest())
  const runCase = await startHttp2Fuzz(t)
  const total = { responses: 0, errors: 0 }
  let begun = 0
  const work = async (): Promise<void> => {
    while (begun++ < CASES) {
      const { responses, errors } = await runCase(1 + random.below(1e9))
      total.responses += responses
      total.errors += errors
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  assert.ok(total.responses > CASES && total.errors > 0, `SEED=${random.seed} ${JSON.stringify(total)}`)
})
