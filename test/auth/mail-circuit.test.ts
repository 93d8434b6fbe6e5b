import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCircuit, isServerFailure } from '../../src/auth/mail-circuit.ts'
import { DeliveryError, type Stage } from '../../src/mail/delivery/delivery-error.ts'

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
