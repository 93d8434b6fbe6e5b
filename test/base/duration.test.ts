import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseDuration, showDuration } from '../../src/base/duration.ts'

const RANGE = { min: 1_000, max: 30 * 86_400_000 }

for (const [text, ms, shown] of [
  ['90s', 90_000, '90s'],
  ['30m', 1_800_000, '30m'],
  ['24h', 86_400_000, '1d'],
  [' 7d ', 604_800_000, '7d'],
  ['60m', 3_600_000, '1h'],
] as const) {
  it(`reads the time ${JSON.stringify(text)} and shows it as ${shown}`, () => {
    assert.equal(parseDuration(text, RANGE), ms)
    assert.equal(showDuration(ms), shown)
  })
}

for (const text of ['', '7', 'd', '1.5h', '-1d', '7w', '31d', '0s', '1e3s', '7d7d', '9'.repeat(40) + 's']) {
  it(`refuses the time ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.throws(() => parseDuration(text, RANGE), /^Error: expected a time from 1s to 30d, such as 30m, 24h or 7d/)
  })
}

it('shows what is no whole second in milliseconds', () => assert.equal(showDuration(1_500), '1500ms'))
