/** Requests that want a state of the log, against nodes that follow a log in memory. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { createPositionGate, type ReplicatedState } from '../../src/endpoints/position-gate.ts'
import { createMemoryLog } from '../support/cluster/memory-log.ts'

/** A node that has applied what its log delivered. */
function createNode(log = createMemoryLog()) {
  const connection = log.connect()
  let applied = 0
  let reads = 0
  let state: ReturnType<ReplicatedState['state']> = { kind: 'in-step' }
  const waiting = new Set<() => void>()
  connection.follow(0, {
    entry({ position }) {
      applied = position
      for (const look of waiting) look()
    },
    gap: assert.fail,
  })
  const reached = (position: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (applied < position) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
      look()
    })
  const replication: ReplicatedState = {
    position: () => applied,
    reached,
    async newest(signal) {
      reads++
      const last = await connection.last()
      await reached(last, signal)
      return last
    },
    state: () => state,
  }
  return {
    ...{ connection, gate: createPositionGate(replication), reached, position: () => applied, reads: () => reads },
    become: (next: typeof state) => void (state = next),
    append: async (after: number): Promise<number> => {
      const outcome = await connection.append(after, Buffer.from('entry'))
      assert.equal(outcome.kind, 'appended')
      return after + 3
    },
  }
}

const from = (headers: Record<string, string>, clientAddress = '192.0.2.1') => ({ headers, clientAddress })

async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work()
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error
  }
  assert.fail('expected a failure')
}

describe('a request with X-Dateline-Position', () => {
  it('is served at once where the node has the position', () => {
    const { gate } = createNode()
    assert.equal(gate.admit(from({})), undefined)
    assert.equal(gate.admit(from({ 'x-dateline-position': '0' })), undefined)
  })

  it('gets 503 with Retry-After where the node stays behind', async () => {
    const log = createMemoryLog()
    const [writer, reader] = [createNode(log), createNode(log)]
    reader.connection.cut()
    const position = await writer.append(0)
    const failure = await failureOf(() => reader.gate.admit(from({ 'x-dateline-position': String(position) })))
    assert.deepEqual([failure.status, failure.headers['Retry-After']], [503, '1'])
    assert.match(failure.message, /behind position 3: try again, or at another node/)
  })
})

describe('a request with Consistency: strong', () => {
  it('gets 503 without a quorum, and shares one read of the log with others', async () => {
    const node = createNode()
    node.connection.cut()
    const failures = await Promise.all(Array.from({ length: 5 }, () => failureOf(() => node.gate.admit(from({ consistency: 'strong' })))))
    assert.deepEqual(new Set(failures.map(({ status }) => status)), new Set([503]))
    assert.equal(node.reads(), 1)
  })

  it('is refused for another value', async () => {
    const { message, status } = await failureOf(() => createNode().gate.admit(from({ consistency: 'eventual' })))
    assert.deepEqual([status, message], [400, 'Cannot read the header Consistency: expected strong, found "eventual"'])
  })
})

for (const [name, headers] of [
  ['X-Dateline-Position waits until the node has it', (position: number) => ({ 'x-dateline-position': String(position) })],
  ['Consistency: strong waits for all that was in the log when it came', () => ({ consistency: 'Strong' })],
] as const) {
  it(`a request with ${name}`, async () => {
    const log = createMemoryLog()
    const [writer, reader] = [createNode(log), createNode(log)]
    reader.connection.hold()
    const position = await writer.append(0)
    const admitted = Promise.resolve(reader.gate.admit(from(headers(position))))
    reader.connection.release()
    await admitted
    assert.equal(reader.position(), position)
  })
}

describe('attack: forged positions', () => {
  for (const value of ['-1', '1.5', '1e3', 'newest', '', ' ', '1, 2', '9007199254740993', `1${'0'.repeat(30)}`, '٣']) {
    it(`"${value}" gets 400`, async () => {
      const { status, message } = await failureOf(() => createNode().gate.admit(from({ 'x-dateline-position': value })))
      assert.equal(status, 400)
      assert.match(message, /^Cannot read the header X-Dateline-Position: expected the whole number/)
    })
  }

  it('one that the log does not have waits for no entry', async () => {
    const node = createNode()
    await node.gate.admit(from({ 'x-dateline-position': String(Number.MAX_SAFE_INTEGER) }))
    assert.equal(node.reads(), 1)
  })

  it('of one client wait in a bounded number, and those of others are served', async () => {
    const log = createMemoryLog()
    const [writer, reader] = [createNode(log), createNode(log)]
    reader.connection.hold()
    const wanted = { 'x-dateline-position': String(await writer.append(0)) }
    const admitted = Array.from({ length: 64 }, () => Promise.resolve(reader.gate.admit(from(wanted))))
    const failure = await failureOf(() => reader.gate.admit(from(wanted)))
    assert.match(failure.message, /^Too many requests wait for this node/)
    admitted.push(Promise.resolve(reader.gate.admit(from(wanted, '192.0.2.2'))))
    reader.connection.release()
    await Promise.all(admitted)
  })
})

it('a node that has diverged serves nothing, and says when to come again', async () => {
  const node = createNode()
  node.become({ kind: 'diverged', reason: 'a row of user differs' })
  const failure = await failureOf(() => node.gate.admit(from({})))
  assert.deepEqual([failure.status, failure.headers['Retry-After']], [503, '5'])
  assert.doesNotMatch(failure.message, /row/)
})

it('responses carry the position, and say when the quorum is lost', async () => {
  const node = createNode()
  await node.append(0)
  await node.reached(3)
  assert.deepEqual(node.gate.headers(), ['X-Dateline-Position', '3'])
  node.become({ kind: 'no-quorum' })
  assert.deepEqual(node.gate.headers(), ['X-Dateline-Position', '3', 'X-Dateline-Quorum', 'lost'])
})
