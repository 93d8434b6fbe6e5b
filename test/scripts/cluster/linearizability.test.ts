/** Histories of one register: known good and bad ones, and random ones beside brute force. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { faultOfRegister, type RegisterStep } from '../../../scripts/cluster/linearizability.ts'
import { longRun } from '../../../scripts/tools/long-run.ts'
import { seededRandom, seedOfRun, type Random } from '../../../scripts/tools/random.ts'

const read = (value: string, start: number, end: number): RegisterStep => ({ kind: 'read', value, start, end })
const write = (value: string, start: number, end: number, expected?: string): RegisterStep => ({
  kind: 'write',
  value,
  start,
  end,
  expected,
})
const lost = (value: string, start: number, expected?: string) => write(value, start, Infinity, expected)
const mismatch = (expected: string, start: number, end: number): RegisterStep => ({
  kind: 'mismatch',
  value: '',
  expected,
  start,
  end,
})

it('faultOfRegister() accepts what one register can have answered, also beside writes whose outcome is unknown', () => {
  const first = write('a', 0, 1)
  for (const steps of [
    [first, write('b', 2, 5), read('a', 3, 4)],
    [write('a', 0, 9), write('b', 0, 9), read('b', 1, 2), read('a', 3, 4)],
    [first, lost('b', 2), read('a', 3, 4), read('b', 5, 6)],
    [first, lost('b', 2, 'a'), mismatch('a', 3, 4)],
    [first, write('b', 2, 3), read('b', 4, 5), { ...read('a', 0, 9), after: [first] }],
  ]) {
    assert.equal(faultOfRegister(steps), undefined, JSON.stringify(steps))
  }
})

it('faultOfRegister() finds a stale read, values that go back, a lost update and a read older than what its client saw', () => {
  const second = write('b', 2, 3)
  for (const steps of [
    [write('a', 0, 1), second, read('a', 4, 5)],
    [write('a', 0, 1), write('b', 2, 9), read('b', 3, 4), read('a', 5, 6)],
    [write('a', 0, 1), write('b', 2, 9, 'a'), write('c', 2, 9, 'a')],
    [write('a', 0, 1), second, { ...read('a', 0, 9), after: [second] }],
  ]) {
    assert.match(faultOfRegister(steps) ?? '', /none of these fits/, JSON.stringify(steps))
  }
})

it('faultOfRegister() agrees with brute force on random histories of up to seven steps', (t) => {
  const random = seededRandom(seedOfRun())
  t.diagnostic(`SEED=${random.seed}`)
  let [good, bad] = [0, 0]
  for (let i = 0; i < longRun(800, 8_000); i++) {
    const steps = anyHistory(random)
    const wanted = isLinearizable(steps)
    assert.equal(faultOfRegister(steps) === undefined, wanted, JSON.stringify(steps))
    if (wanted) good++
    else bad++
  }
  assert.ok(good > 80 && bad > 80, `${good} good, ${bad} bad`)
})

/** Anything at all: short intervals of whole numbers, so that many overlap. */
function anyHistory(random: Random): readonly RegisterStep[] {
  const values = ['a', 'b', 'c', 'd']
  const steps: RegisterStep[] = []
  for (let i = 0; i < 3 + random.below(5); i++) {
    const start = random.below(8)
    const end = start + random.below(5)
    const seen = random.pick(['', 'a', 'b', 'c'])
    const kind = random.below(5)
    if (kind < 2) steps.push(read(seen, start, end))
    else if (kind === 2) steps.push(mismatch(seen, start, end))
    else if (values.length > 0) {
      steps.push(write(values.shift() ?? '', start, random.oneIn(3) ? Infinity : end, random.oneIn(2) ? seen : undefined))
    }
  }
  return steps
}

/** Tries each order. */
function isLinearizable(steps: readonly RegisterStep[], state = ''): boolean {
  const until = Math.min(...steps.map(({ end }) => end))
  if (steps.every(({ end }) => end === Infinity)) return true
  return steps.some((step, i) => {
    const rest = steps.toSpliced(i, 1)
    if (step.start > until) return false
    if (step.kind === 'read') return step.value === state && isLinearizable(rest, state)
    if (step.kind === 'mismatch') return step.expected !== state && isLinearizable(rest, state)
    return (step.expected === undefined || step.expected === state) && isLinearizable(rest, step.value)
  })
}
