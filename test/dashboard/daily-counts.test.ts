/** The days of the chart: a reader's days, of hours in UTC. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dailyCounts, scaleOf } from '../../src/dashboard/daily-counts.ts'

describe('days of the reader', () => {
  const today = new Date(2026, 10, 21, 15)
  const at = (day: number, hour: number): string => new Date(2026, 10, day, hour).toISOString()

  it('add up hours between two midnights of the reader, with zeros in between', () => {
    const days = dailyCounts(
      [{ hour: at(19, 0), headlines: 1 }, { hour: at(19, 23), headlines: 2 }, { hour: at(21, 14), headlines: 4 }],
      today,
    )
    assert.equal(days.length, 30)
    assert.deepEqual(days.slice(-3).map(({ count }) => count), [3, 0, 4])
    assert.equal(days.at(-1)?.day.getTime(), new Date(2026, 10, 21).getTime())
  })

  it('have a scale of few round values, of which the last fits the largest', () => {
    for (const [most, ...scale] of [
      [0, 0, 1, 2],
      [3, 0, 1, 2, 3],
      [6, 0, 2, 4, 6],
      [11, 0, 5, 10, 15],
      [26, 0, 10, 20, 30],
      [100, 0, 20, 40, 60, 80, 100],
      [999, 0, 200, 400, 600, 800, 1000],
      [1001, 0, 500, 1000, 1500],
    ] as const) {
      assert.deepEqual(scaleOf([0, most]), scale, String(most))
    }
  })
})
