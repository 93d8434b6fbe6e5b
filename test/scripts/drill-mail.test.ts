/** A short run of `npm run drill -- mail`: real processes, killed while they send. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drillMail } from '../../scripts/drill-mail.ts'
import { seedOfRun } from '../support/random.ts'

it('no promised code is lost and none is knowingly sent twice, however often the service is killed', async (t) => {
  const seed = seedOfRun()
  t.diagnostic(`SEED=${seed}`)
  const report = await drillMail({ codes: 40, kills: 2, seed })
  t.diagnostic(report)
  assert.match(report, /^40 addresses, \d+ mails .*, 2 kills, /)
})
