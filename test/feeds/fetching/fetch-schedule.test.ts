import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'
import type { Failed, FetchOutcome } from '../../../src/feeds/fetching/fetch.ts'
import { type FetchResult, type FetchState, NEW_FEED_STATE, nextFetchState } from '../../../src/feeds/fetching/fetch-schedule.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const NOW = Date.parse('2025-10-20T12:00:00.000Z')
const FETCHED: FetchOutcome = { kind: 'fetched', address: 'https://a.example/', bytes: new Uint8Array() }
const UNCHANGED: FetchOutcome = { kind: 'unchanged', address: 'https://a.example/' }
const MOVED: FetchOutcome = { ...UNCHANGED, permanentAddress: 'https://b.example/' }
const GONE: FetchOutcome = { kind: 'gone', problem: 'ended' }
const failed = (more: Partial<Failed> = {}): FetchOutcome => ({ kind: 'failed', reason: 'status', problem: 'broken', ...more })

type Given = Partial<Omit<FetchResult, 'outcome'>>
const next = (state: FetchState, outcome: FetchOutcome, given: Given = {}): FetchState =>
  nextFetchState(state, { outcome, hasChanged: false, nowMs: NOW, random: 0, ...given })
/** The waits in minutes after each of the outcomes, each fetched when it is due. */
function waits(outcomes: readonly FetchOutcome[], given: Given = {}, from: FetchState = NEW_FEED_STATE): readonly number[] {
  let [state, nowMs] = [from, NOW]
  return outcomes.map((outcome) => {
    state = next(state, outcome, { ...given, nowMs })
    const wait = (state.nextFetchMs ?? Number.NaN) - nowMs
    nowMs = state.nextFetchMs ?? nowMs
    return wait / MINUTE
  })
}
const times = (count: number, outcome: FetchOutcome): readonly FetchOutcome[] => Array(count).fill(outcome)

describe('the wait after a success', () => {
  const rows: readonly (readonly [name: string, got: readonly number[], wanted: readonly number[]])[] = [
    ['halves while the feed changes, down to 15 minutes', waits(times(4, FETCHED), { hasChanged: true }), [30, 15, 15, 15]],
    ['grows by a quarter while it does not, up to a day', waits(times(16, UNCHANGED)).filter((_, at) => [0, 1, 2, 14, 15].includes(at)), [75, 93.75, 117.1875, 1440, 1440]],
    ['is at least as long as the server calls it fresh', waits([{ ...FETCHED, freshMs: 3 * HOUR }], { hasChanged: true }), [180]],
    ['is at least as long as the feed says', waits([FETCHED], { hasChanged: true, updateMinutes: 120 }), [120]],
    ['is not shortened by either', waits([{ ...UNCHANGED, freshMs: MINUTE }], { updateMinutes: 1 }), [75]],
    ['is a day at most, whatever they say', waits([{ ...UNCHANGED, freshMs: 366 * DAY }], { updateMinutes: 1e9, random: 0.99 }), [1440]],
    ['is spread by a tenth', waits([UNCHANGED], { random: 0.5 }), [78.75]],
  ]
  for (const [name, got, wanted] of rows) it(name, () => assert.deepEqual(got, wanted))

  it('settles where about one fetch in four brings something', () => {
    // A feed with a new item every 8 hours, for 30 days.
    let [state, nowMs, fetches, changes, seen] = [NEW_FEED_STATE, NOW, 0, 0, 0]
    while (nowMs < NOW + 30 * DAY) {
      const items = Math.floor((nowMs - NOW) / (8 * HOUR))
      state = next(state, FETCHED, { nowMs, hasChanged: items > seen })
      if (items > seen) changes++
      seen = items
      fetches++
      nowMs = state.nextFetchMs ?? 0
    }
    assert.ok(changes >= 80 && fetches / changes > 3 && fetches / changes < 5, `${fetches} fetches, ${changes} changes`)
  })
})

describe('the wait after a failure', () => {
  const rows: readonly (readonly [name: string, got: readonly number[], wanted: readonly number[]])[] = [
    ['doubles up to a day', waits(times(9, failed({ status: 404 }))), [15, 30, 60, 120, 240, 480, 960, 1440, 1440]],
    ['stays a day after a thousand', waits(times(1_100, failed({ reason: 'timeout' }))).slice(-1), [1440]],
    ['is shortened by chance, not below 15 minutes', waits(times(3, failed()), { random: 1 }), [15, 22.5, 45]],
    ['is as long as the server asks', waits([failed({ status: 429, retryAfterMs: 2 * HOUR })]), [120]],
    ['is 15 minutes at least', waits([failed({ status: 503, retryAfterMs: 1_000 })]), [15]],
    ['is a day at most', waits([failed({ status: 429, retryAfterMs: 366 * DAY })]), [1440]],
    ['is short again after a success', waits([failed(), failed(), UNCHANGED, failed()]), [15, 30, 75, 15]],
    ['doubles the pace by 429', waits([failed({ status: 429 }), UNCHANGED]), [15, 150]],
    ['is the shortest where the service has too much to do', waits([failed(), failed({ reason: 'busy' }), failed()]), [15, 15, 30]],
  ]
  for (const [name, got, wanted] of rows) it(name, () => assert.deepEqual(got, wanted))

  it('is none where the service stops: the feed stays due', () => {
    assert.equal(next(NEW_FEED_STATE, failed({ reason: 'stopped' })), NEW_FEED_STATE)
  })

  it('tells since when, why and how often, until a success', () => {
    const validators = { address: 'https://a.example/', etag: '"1"' }
    const good = next(NEW_FEED_STATE, { ...FETCHED, validators })
    const twice = next(next(good, failed()), failed({ problem: 'worse' }), { nowMs: NOW + HOUR })
    const { failures, failingSinceMs, problem, lastSuccessMs } = twice
    assert.deepEqual([failures, failingSinceMs, problem?.message, lastSuccessMs, twice.validators], [2, NOW, 'worse', NOW, validators])
    assert.deepEqual(next(twice, UNCHANGED), { nextFetchMs: NOW + 75 * MINUTE * 1.25, paceMs: 75 * MINUTE * 1.25, failures: 0, lastSuccessMs: NOW })
  })
})

describe('a feed that has ended', () => {
  it('is not fetched again', () => {
    assert.deepEqual(next(NEW_FEED_STATE, GONE), { paceMs: HOUR, failures: 1, failingSinceMs: NOW, problem: { code: 'gone', params: {}, message: 'ended' } })
  })

  it('at an address that redirects led to is fetched from its own again', () => {
    const state = next({ ...NEW_FEED_STATE, movedTo: 'https://b.example/' }, GONE)
    assert.deepEqual([state.movedTo, state.nextFetchMs, state.problem?.message], [undefined, NOW + 15 * MINUTE, 'ended'])
    assert.equal(next(state, GONE).nextFetchMs, undefined)
  })
})

describe('permanent redirects', () => {
  const after = (outcomes: readonly FetchOutcome[]): FetchState => outcomes.reduce((state, outcome) => next(state, outcome), NEW_FEED_STATE)
  const ELSEWHERE: FetchOutcome = { ...UNCHANGED, permanentAddress: 'https://c.example/' }
  const rows: readonly (readonly [name: string, outcomes: readonly FetchOutcome[], movedTo: string | undefined, seen: string | undefined])[] = [
    ['are not remembered after the first', [MOVED], undefined, 'https://b.example/'],
    ['are remembered after the second', [MOVED, MOVED], 'https://b.example/', undefined],
    ['are remembered across failures', [MOVED, failed(), MOVED], 'https://b.example/', undefined],
    ['that lead elsewhere count from the start', [MOVED, ELSEWHERE], undefined, 'https://c.example/'],
    ['that are gone in between count from the start', [MOVED, UNCHANGED, MOVED], undefined, 'https://b.example/'],
    ['stay remembered', [MOVED, MOVED, UNCHANGED, FETCHED], 'https://b.example/', undefined],
    ['may follow each other', [MOVED, MOVED, ELSEWHERE, ELSEWHERE], 'https://c.example/', undefined],
    ['survive two failures', [MOVED, MOVED, failed(), failed()], 'https://b.example/', undefined],
    ['are forgotten with the third failure', [MOVED, MOVED, failed(), failed(), failed()], undefined, undefined],
  ]
  for (const [name, outcomes, movedTo, seen] of rows) {
    it(name, () => {
      const state = after(outcomes)
      assert.deepEqual([state.movedTo, state.redirectSeen], [movedTo, seen])
    })
  }
})

it('whatever happens, the wait is between 15 minutes and a day, and the same for the same seed', () => {
  const run = (): readonly FetchState[] => {
    const random = seededRandom(seedOfTest())
    const outcome = (): FetchOutcome =>
      random.pick([FETCHED, UNCHANGED, MOVED, failed(), failed({ status: 429, retryAfterMs: random.below(1e9) }), { ...FETCHED, freshMs: random.below(1e9) }])
    let [state, nowMs] = [NEW_FEED_STATE, NOW]
    return Array.from({ length: 5_000 }, () => {
      state = next(state, outcome(), { nowMs, random: random.below(1_000) / 1_000, hasChanged: random.oneIn(3), updateMinutes: random.below(10_000) })
      const wait = (state.nextFetchMs ?? 0) - nowMs
      assert.ok(wait >= 15 * MINUTE && wait <= DAY && Number.isInteger(wait), `seed ${random.seed}: ${wait}`)
      nowMs += wait
      return state
    })
  }
  assert.deepEqual(run(), run())
})
