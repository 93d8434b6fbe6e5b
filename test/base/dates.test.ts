import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseIsoDate } from '../../src/base/dates.ts'

for (const [text, expected] of [
  ['2025-10-01', '2025-10-01T00:00:00.000Z'],
  ['2025-10-01T02:00:00+02:00', '2025-10-01T00:00:00.000Z'],
  ['2025-10-01T02:00', '2025-10-01T02:00:00.000Z'],
  ['2025-10-20T14:34:56.789123', '2025-10-20T14:34:56.789Z'],
  ['2025-10-20 14:34:56.7Z', '2025-10-20T14:34:56.700Z'],
  ['2025-10-20T14:34:56-0330', '2025-10-20T18:04:56.000Z'],
  ['1970-01-01T00:00:00.000', '1970-01-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2025-02-29', undefined],
  ['2025-02-30', undefined],
  ['2025-13-01', undefined],
  ['2025-10-01T24:00:00', undefined],
  ['2025-10-01T02:00:00+25:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['2025-10', undefined],
  ['20 Oct 2025', undefined],
  ['', undefined],
] as const) {
  it(`parseIsoDate() reads ${JSON.stringify(text)} as ${expected ?? 'no date'}`, () => {
    assert.equal(parseIsoDate(text), expected)
  })
}

it('parseIsoDate() takes the dates in the form that it writes as they are, and no others of that form', () => {
  const digits = (n: number): string => String(n).padStart(2, '0')
  let taken = 0
  for (const year of ['1900', '2000', '2023', '2024']) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${digits(month)}-${digits(day)}T23:59:59.999Z`
        const date = new Date(Date.UTC(Number(year), month - 1, day, 23, 59, 59, 999))
        const expected = date.toISOString() === text ? text : undefined
        assert.equal(parseIsoDate(text), expected, text)
        if (expected !== undefined) taken++
      }
    }
  }
  assert.equal(taken, 365 + 366 + 365 + 366)
  for (const time of ['24:00:00.000', '23:60:00.000', '23:59:60.000', '99:00:00.000']) {
    assert.equal(parseIsoDate(`2025-10-20T${time}Z`), undefined, time)
  }
})
