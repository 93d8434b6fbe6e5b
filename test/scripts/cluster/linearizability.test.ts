/** Histories of one register: known good and bad ones, all small ones beside brute force, and a large one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOfRegister, type RegisterStep } from '../../../scripts/cluster/linearizability.ts'
import { longRun } from '../../support/long-run.ts'
import { seededRandom, seedOfRun, type Random } from '../../support/random.ts'

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

describe('faultOfRegister() accepts', () => {
  for (const [name, steps] of [
    ['one after the other', [write('a', 0, 1), read('a', 2, 3), write('b', 4, 5, 'a'), read('b', 6, 7)]],
    ['a read beside a write that sees the old value', [write('a', 0, 1), write('b', 2, 5), read('a', 3, 4)]],
    ['a read beside a write that sees the new value', [write('a', 0, 1), write('b', 2, 5), read('b', 3, 4)]],
    ['two writes at once, seen in turn', [write('a', 0, 9), write('b', 0, 9), read('b', 1, 2), read('a', 3, 4)]],
    ['an unknown write that never happened', [write('a', 0, 1), lost('b', 2), read('a', 3, 4)]],
    ['an unknown write that happened much later', [write('a', 0, 1), lost('b', 2), read('a', 3, 4), read('b', 5, 6)]],
    ['a chain of unknown writes', [lost('a', 0), lost('b', 1, 'a'), write('c', 2, 3, 'b'), read('c', 4, 5)]],
    ['a mismatch that only an unknown write explains', [write('a', 0, 1), lost('b', 2), mismatch('a', 3, 4), write('c', 5, 6)]],
    ['a mismatch that only an unknown conditional write explains', [write('a', 0, 1), lost('b', 2, 'a'), mismatch('a', 3, 4)]],
  ] as const) {
    it(name, () => assert.equal(faultOfRegister(steps), undefined))
  }

  it('a late read that only has to come after what its client saw', () => {
    const first = write('a', 0, 1)
    const late: RegisterStep = { ...read('a', 0, 9), after: [first] }
    assert.equal(faultOfRegister([first, write('b', 2, 3), read('b', 4, 5), late]), undefined)
  })
})

describe('faultOfRegister() finds', () => {
  for (const [name, steps] of [
    ['a stale read', [write('a', 0, 1), write('b', 2, 3), read('a', 4, 5)]],
    ['a read of what was never written', [write('a', 0, 1), read('b', 2, 3)]],
    ['a read before its unknown write', [read('a', 0, 1), lost('a', 2)]],
    ['values that go back', [write('a', 0, 1), write('b', 2, 9), read('b', 3, 4), read('a', 5, 6)]],
    ['an unknown write that is taken back', [write('a', 0, 1), lost('b', 2), read('b', 3, 4), read('a', 5, 6)]],
    ['two writes on one condition', [write('a', 0, 1), write('b', 2, 9, 'a'), write('c', 2, 9, 'a')]],
    ['a mismatch with the value that is there', [write('a', 0, 1), mismatch('a', 2, 3)]],
    ['an unknown write that explains a mismatch and is hidden again', [write('a', 0, 1), lost('b', 2), mismatch('a', 3, 4), read('a', 5, 6)]],
  ] as const) {
    it(name, () => assert.match(faultOfRegister(steps) ?? '', /none of these fits/))
  }

  it('a late read that is older than what its client saw', () => {
    const second = write('b', 2, 3)
    const late: RegisterStep = { ...read('a', 0, 9), after: [second] }
    assert.match(faultOfRegister([write('a', 0, 1), second, late]) ?? '', /with the value "b" none of these fits: read a/)
  })
})

describe('faultOfRegister() agrees with brute force', () => {
  it('on random histories of up to seven steps', (t) => {
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
})

it('3,750 steps of a register are judged, also where hundreds of writes are unknown', () => {
  for (let register = 1; register <= longRun(1, 16); register++) {
    const steps = served(seededRandom(register), 3_750)
    assert.equal(faultOfRegister(steps), undefined)
    const stale = steps.findLast(({ kind }) => kind === 'read') as RegisterStep
    const old = steps.find(({ kind, end }) => kind === 'write' && end < Infinity) as RegisterStep
    const faulty = steps.map((step) => (step === stale ? { ...step, value: old.value } : step))
    assert.match(faultOfRegister(faulty) ?? '', /none of these fits/, `register ${register}`)
  }
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

/** The history of 16 clients of a register that works: each step takes effect somewhere within its interval. */
function served(random: Random, count: number): readonly RegisterStep[] {
  let state = ''
  const seen = Array.from({ length: 16 }, () => '')
  return Array.from({ length: count }, (_, i) => {
    const [start, end] = [i * 10 - random.below(70), i * 10 + random.below(70)]
    const client = random.below(seen.length)
    const expected = seen[client] as string
    if (random.oneIn(2)) return read((seen[client] = state), start, end)
    const isUnknown = random.oneIn(8)
    if (random.oneIn(4)) return isUnknown && random.oneIn(2) ? lost(`v${i}`, start) : write((state = `v${i}`), start, isUnknown ? Infinity : end)
    if (expected !== state) return isUnknown ? lost(`v${i}`, start, expected) : mismatch(expected, start, end)
    return write((state = `v${i}`), start, isUnknown ? Infinity : end, expected)
  })
}
