/** When a mail is tried again: the pauses of one message, and the circuit of a server that fails. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextTry } from '../../src/auth/retry-schedule.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { createCircuit, isServerFailure } from '../../src/auth/mail-circuit.ts'
import { DeliveryError, type Stage } from '../../src/mail/delivery/delivery-error.ts'

const LIFETIME_MS = 900_000
const next = (attempts: number, { chance = 0, now = 0, expiresAt = LIFETIME_MS } = {}) =>
  nextTry({ now, attempts, expiresAt, random: () => chance })

describe('the pause after a failed attempt', () => {
  for (const [attempts, shortest, longest] of [
    [1, 1_000, 2_000],
    [2, 2_000, 4_000],
    [3, 4_000, 8_000],
    [5, 16_000, 32_000],
    [6, 30_000, 60_000],
    [7, 30_000, 60_000],
    [5_000, 30_000, 60_000],
  ] as const) {
    it(`number ${attempts} lasts from ${shortest} to ${longest} milliseconds, at random`, () => {
      assert.equal(next(attempts), shortest)
      assert.equal(next(attempts, { chance: 0.5 }), (shortest + longest) / 2)
      assert.equal(next(attempts, { chance: 1 - 2 ** -32 }), longest)
    })
  }
})

describe('near the end of the code', () => {
  const expiresAt = 100_000
  for (const { name, now, expected } of [
    { name: 'an attempt that still leaves 30 seconds is set as usual', now: 40_000, expected: 70_000 },
    { name: 'a pause that would pass them ends 30 seconds before the code', now: 40_001, expected: 70_000 },
    { name: 'that last attempt is set while it is 2 seconds away', now: 68_000, expected: 70_000 },
    { name: 'there is none after it', now: 68_001, expected: undefined },
    { name: 'there is none after the last attempt', now: 70_000, expected: undefined },
    { name: 'there is none after the end', now: 100_000, expected: undefined },
  ]) {
    it(name, () => assert.equal(next(6, { now, expiresAt }), expected))
  }

  it('with any random numbers, every code gets an attempt 30 seconds before its end, and a bounded number of them', () => {
    const random = seededRandom(seedOfRun())
    for (let i = 0; i < 500; i++) {
      const lifetime = 60_000 + random.below(1_440) * 60_000
      const tries: number[] = [0]
      for (let now: number | undefined = 0; now !== undefined;) {
        now = nextTry({ now, attempts: tries.length, expiresAt: lifetime, random: () => random.below(1_000) / 1_000 })
        if (now !== undefined) tries.push(now)
      }
      const last = tries.at(-1) ?? 0
      const seed = `SEED=${random.seed} ${tries.join()}`
      assert.ok(last <= lifetime - 30_000 && last > lifetime - 32_000, seed)
      assert.ok(tries.every((at, k) => k === 0 || at - (tries[k - 1] ?? 0) >= 1_000), seed)
      assert.ok(tries.length <= 10 + lifetime / 30_000, seed)
    }
  })
})
const FAR = 1e9
const longest = (): number => 1 - 2 ** -32

describe('the circuit', () => {
  it('opens at the third failure in a row, pauses longer each time up to a minute, and closes with the first reply', () => {
    const circuit = createCircuit()
    assert.deepEqual([circuit.isOpen, circuit.pausedUntil(0)], [false, undefined])
    const fail = (random: () => number) => circuit.failed({ epoch: circuit.epoch, now: 0, expiresAt: FAR, random })
    assert.deepEqual([fail(longest), circuit.pausedUntil(0)], [false, 2_500])
    assert.deepEqual([fail(longest), circuit.pausedUntil(0)], [false, 5_000])
    assert.deepEqual([fail(() => 0), circuit.pausedUntil(0), circuit.isOpen], [true, 5_000, true])
    for (const wait of [20_000, 40_000, 60_000, 60_000]) {
      assert.deepEqual([fail(longest), circuit.pausedUntil(0)], [false, wait])
    }
    assert.equal(circuit.answered(), true)
    assert.deepEqual([circuit.isOpen, circuit.pausedUntil(0)], [false, undefined])
    assert.equal(circuit.answered(), false, 'it is reported once')
    fail(longest)
    assert.equal(circuit.answered(), false, 'it had not been open')
  })

  it('counts one failure of attempts that began together', () => {
    const circuit = createCircuit()
    const { epoch } = circuit
    for (let i = 0; i < 10; i++) circuit.failed({ epoch, now: 0, expiresAt: FAR, random: longest })
    assert.deepEqual([circuit.isOpen, circuit.pausedUntil(0)], [false, 2_500])
  })

  it('pauses no longer than a minute when the clock is set back', () => {
    const circuit = createCircuit()
    circuit.failed({ epoch: circuit.epoch, now: FAR, expiresAt: 2 * FAR, random: longest })
    assert.equal(circuit.pausedUntil(FAR + 2_500 - 60_000), FAR + 2_500)
    assert.equal(circuit.pausedUntil(FAR + 2_499 - 60_000), FAR + 2_499 - 60_000)
    assert.equal(circuit.pausedUntil(FAR), FAR + 2_499 - 60_000, 'from then on it uses the new time')
  })

  it('ends its pause in time for one more attempt at the message that was the probe', () => {
    const circuit = createCircuit()
    const fail = (now: number) => {
      circuit.failed({ epoch: circuit.epoch, now, expiresAt: 100_000, random: longest })
      return circuit.pausedUntil(now)
    }
    for (let i = 0; i < 5; i++) fail(0)
    assert.equal(fail(50_000), 70_000)
    assert.equal(fail(70_000), 130_000, 'after that, it is as for any other')
  })
})

describe('isServerFailure()', () => {
  const error = (stage: Stage, { temporary = true, reply = undefined as string | undefined } = {}) =>
    new DeliveryError('x', { stage, temporary, ...(reply === undefined ? {} : { reply }) })
  it('is true where no mail could be handed over, and for a 421 to MAIL', () => {
    for (const stage of ['connect', 'greeting', 'ehlo', 'starttls', 'tls', 'auth', 'file'] as const) assert.ok(isServerFailure(error(stage)), stage)
    assert.ok(isServerFailure(error('mail', { reply: '421 closing' })))
  })
  it('is false where this mail was rejected, and for a bug', () => {
    for (const [stage, reply] of [['mail', '450 not now'], ['rcpt', '421 too many of these'], ['rcpt', '450 greylisted']] as const) {
      assert.ok(!isServerFailure(error(stage, { reply })), reply)
    }
    assert.ok(!isServerFailure(error('message', { temporary: false, reply: '554 no' })))
    assert.ok(!isServerFailure(error('compose', { temporary: false })))
    assert.ok(!isServerFailure(new TypeError('x is undefined')))
  })
})
