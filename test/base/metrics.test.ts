import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createMetrics } from '../../src/base/metrics.ts'

it('report() writes counters, gauges and histograms in the text format of Prometheus', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('requests_total', 'Requests served.')
  const observe = metrics.histogram('wait_seconds', 'How long it took.', [0.1, 1])
  metrics.gauge('queue_length', 'What waits.', async () => [[{ state: 'waiting' }, 3], [{ state: 'sent' }, 0]])
  metrics.counted('plans_total', 'Plans.', () => [[{}, 7]])
  count({ route: '/b' })
  count({ route: '/a' }, 2)
  count({ route: '/b' })
  for (const value of [0.05, 0.1, 0.5, 30]) observe({ route: '/a' }, value)
  assert.equal(
    await metrics.report(),
    `# HELP requests_total Requests served.
# TYPE requests_total counter
requests_total{route="/a"} 2
requests_total{route="/b"} 2
# HELP wait_seconds How long it took.
# TYPE wait_seconds histogram
wait_seconds_bucket{route="/a",le="0.1"} 2
wait_seconds_bucket{route="/a",le="1"} 3
wait_seconds_bucket{route="/a",le="+Inf"} 4
wait_seconds_sum{route="/a"} 30.65
wait_seconds_count{route="/a"} 4
# HELP queue_length What waits.
# TYPE queue_length gauge
queue_length{state="waiting"} 3
queue_length{state="sent"} 0
# HELP plans_total Plans.
# TYPE plans_total counter
plans_total 7
`,
  )
})

it('report() escapes what a label value must not hold', async () => {
  const metrics = createMetrics()
  metrics.counter('a_total', 'A.')({ name: 'quote " back \\ line \n end' })
  assert.match(await metrics.report(), /^a_total\{name="quote \\" back \\\\ line \\n end"\} 1$/m)
})

it('report() keeps the number of series bounded, whatever labels come', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('a_total', 'A.')
  for (let i = 0; i < 3_000; i++) count({ name: `n${i}` })
  const report = await metrics.report()
  assert.match(report, /^a_total\{name="other"\} 1000$/m)
  assert.equal(report.split('\n').filter((line) => line.startsWith('a_total')).length, 2_001)
})

it('report() leaves out what cannot be read, and reports the rest', async () => {
  const metrics = createMetrics()
  metrics.gauge('broken', 'B.', () => Promise.reject(new Error('no')))
  metrics.gauge('whole', 'W.', () => [[{}, 1]])
  assert.match(await metrics.report(), /^# TYPE broken gauge\n# HELP whole/m)
})
