// isolated: it mocks timers
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { repeat } from '../../src/base/repeating.ts'

/** Resolves when what waits for nothing but promises has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A job whose runs end when the test says so. */
function heldJob(t: TestContext, more: { readonly firstMs?: number } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const runs: ((pauseMs: number) => void)[] = []
  const errors: unknown[] = []
  const onError = (error: unknown): number => {
    errors.push(error)
    return 50
  }
  const job = repeat(() => new Promise<number>((resolve) => void runs.push(resolve)), { ...more, onError })
  t.after(() => {
    runs.forEach((end) => end(1))
    return job.stop()
  })
  return {
    ...{ job, runs, errors },
    async end(pauseMs: number): Promise<void> {
      runs.at(-1)?.(pauseMs)
      await settled()
    },
    async pass(ms: number): Promise<void> {
      t.mock.timers.tick(ms)
      await settled()
    },
  }
}

it('repeat() runs at once, then after the pause that each run gives', async (t) => {
  const { runs, end, pass } = heldJob(t)
  await settled()
  assert.equal(runs.length, 1)
  await pass(1_000)
  assert.equal(runs.length, 1, 'one run at a time')
  await end(100)
  await pass(99)
  assert.equal(runs.length, 1)
  await pass(1)
  assert.equal(runs.length, 2)
})

it('runs again behind a pause of Infinity only when it is woken', async (t) => {
  const { job, runs, end, pass } = heldJob(t)
  await settled()
  await end(Infinity)
  await pass(2 ** 31)
  assert.equal(runs.length, 1)
  const woken = job.wake()
  await settled()
  assert.equal(runs.length, 2)
  await end(Infinity)
  await woken
})

it('the first run may be later, and wake() makes it now', async (t) => {
  const { job, runs, end, pass } = heldJob(t, { firstMs: 100 })
  await pass(99)
  assert.equal(runs.length, 0)
  const woken = job.wake()
  await settled()
  assert.equal(runs.length, 1)
  await pass(1)
  assert.equal(runs.length, 1, 'the timer of the first run is gone')
  await end(100)
  await woken
})

it('wake() during a run makes one more behind it, however often it is called', async (t) => {
  const { job, runs, end, pass } = heldJob(t)
  await settled()
  const woken = Promise.all([job.wake(), job.wake()])
  await end(1_000)
  assert.equal(runs.length, 2)
  await end(1_000)
  await woken
  await pass(999)
  assert.equal(runs.length, 2)
})

it('a run that throws, immediately or later, is followed by the pause for errors', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const errors: string[] = []
  const failures = [
    (): number => {
      throw new Error('immediately')
    },
    (): Promise<number> => Promise.reject(new Error('later')),
    (): number => 1_000,
  ]
  const job = repeat(() => (failures.shift() as () => number)(), {
    onError(error) {
      errors.push((error as Error).message)
      return 50
    },
  })
  t.after(job.stop)
  for (const expected of [['immediately'], ['immediately', 'later'], ['immediately', 'later']]) {
    await settled()
    assert.deepEqual(errors, expected)
    t.mock.timers.tick(50)
  }
  assert.equal(failures.length, 0)
})

it('stop() waits for the run that is made, and none follows, woken or not', async (t) => {
  const { job, runs, end, pass } = heldJob(t)
  await settled()
  void job.wake()
  let isStopped = false
  const stopping = job.stop().then(() => (isStopped = true))
  await settled()
  assert.equal(isStopped, false)
  await end(1)
  await stopping
  await job.wake()
  await pass(1_000)
  assert.equal(runs.length, 1)
})

it('a pause longer than timers take is not cut to nothing', async (t) => {
  const { runs, end, pass } = heldJob(t)
  await settled()
  await end(Infinity)
  await pass(1_000)
  assert.equal(runs.length, 1)
})
