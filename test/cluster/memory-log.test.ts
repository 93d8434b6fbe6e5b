/** The log in memory that the tests of the store use: the contract of every log, and its faults. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LogUnavailable } from '../../src/store/replica/commit-log.ts'
import { collect, describeLogContract } from '../support/cluster/log-contract.ts'
import { createMemoryLog } from '../support/cluster/memory-log.ts'

describeLogContract('in memory', () => Promise.resolve(createMemoryLog()))

describe('the faults of the log in memory', () => {
  const body = new TextEncoder().encode('entry')

  it('cut() rejects as not sent, and restore() delivers what came meanwhile', async () => {
    const { connect } = createMemoryLog()
    const [near, far] = [connect(), connect()]
    const reader = collect(far, 0)
    far.cut()
    await assert.rejects(far.append(0, body), (error) => error instanceof LogUnavailable && !error.sent)
    await near.append(0, body)
    assert.equal(reader.seen.length, 0)
    far.restore()
    assert.equal((await reader.entries(1)).length, 1)
  })

  it('loseResponse() appends, and rejects as sent', async () => {
    const log = createMemoryLog().connect()
    log.loseResponse()
    await assert.rejects(log.append(0, body), (error) => error instanceof LogUnavailable && error.sent)
    assert.ok((await log.last()) > 0)
    assert.deepEqual(await log.append(0, body), { kind: 'lost' })
  })

  it('hold() delays deliveries only', async () => {
    const log = createMemoryLog().connect()
    const reader = collect(log, 0)
    log.hold()
    const outcome = await log.append(0, body)
    assert.equal(outcome.kind, 'appended')
    assert.equal(reader.seen.length, 0)
    log.release()
    assert.equal((await reader.entries(1)).length, 1)
  })
})
