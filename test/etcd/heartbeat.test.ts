/** The pulse of a node over a real etcd server: what it notices, and whether there is always a keeper. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Etcd } from '../../src/cluster/etcd/etcd-client.ts'
import { startHeartbeat } from '../../src/cluster/heartbeat.ts'
import { CLAIM_MS_MAX, claimIdentity, claimOnce } from '../../src/cluster/identity-claim.ts'
import { createMembership } from '../../src/cluster/membership.ts'
import { until } from '../support/cluster/cluster-services.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'

const NODE = '0123456789abcdef'
const PREFIX = '/heartbeat/'

function start(t: TestContext, etcd: Etcd, ticks = (): number => performance.now()) {
  const [asked, taken] = [{ count: 0 }, { count: 0 }]
  const told: boolean[] = []
  const own = { node: NODE, url: undefined, version: '1.2.3', position: 0, durable: 0, state: 'in-step', time: 0, startedAt: 0, snapshot: undefined }
  const heartbeat = startHeartbeat({
    ...{ etcd, prefix: PREFIX, node: NODE, record: () => own, onKeeper: (isKeeper) => told.push(isKeeper), onTaken: () => taken.count++, now: () => 0, ticks, log: recordingLog().log },
    membership: createMembership({ etcd, prefix: PREFIX, sealKey: Buffer.alloc(32) }),
    replication: { newest: () => Promise.resolve(asked.count++) },
  })
  t.after(() => heartbeat.stop())
  return { heartbeat, asked, taken, told }
}

describe('the heartbeat of a node', { skip: noEtcd }, () => {
  it('is no keeper once the time of its lease has passed, before any timer says so', async (t) => {
    let stoodStill = 0
    const { heartbeat, told } = start(t, connectTo(t, (await startEtcd(t)).endpoints), () => performance.now() + stoodStill)
    await until(() => heartbeat.isKeeper())
    stoodStill = 3_000
    assert.deepEqual([heartbeat.isKeeper(), told.at(-1)], [false, true])
    // Where etcd still has the lease, it is the keeper again with the next beat.
    await until(() => heartbeat.isKeeper())
  })

  it('does not become the keeper by a response that comes behind the end of its lease', async (t) => {
    const etcd = connectTo(t, (await startEtcd(t)).endpoints)
    let stoodStill = 0
    const late = Promise.withResolvers<void>()
    const { heartbeat, told } = start(
      t,
      {
        ...etcd,
        async transact(transaction) {
          const response = await etcd.transact(transaction)
          if (!transaction.compare.some(({ key }) => key === `${PREFIX}keeper`)) return response
          stoodStill = 3_000
          setImmediate(late.resolve)
          return response
        },
      },
      () => performance.now() + stoodStill,
    )
    await late.promise
    assert.deepEqual([heartbeat.isKeeper(), told], [false, []])
  })

  it('takes its identity once the lease of a process that crashed is over, and tells of one that goes on', async (t) => {
    const etcd = connectTo(t, (await startEtcd(t)).endpoints)
    const membership = createMembership({ etcd, prefix: PREFIX, sealKey: Buffer.alloc(32) })
    const claim = { etcd, membership, node: NODE }
    assert.ok((await claimOnce(claim)) !== undefined)
    assert.equal(await claimOnce(claim), undefined)
    const lease = await claimIdentity(claim)
    assert.ok(lease !== undefined)
    // A process that goes on, at whatever speed this test runs.
    await etcd.revokeLease(lease)
    assert.equal(await membership.claim(NODE, await etcd.grantLease(600)), true)
    let passed = 0
    const { heartbeat, taken } = start(t, etcd, () => passed)
    await until(() => heartbeat.failure()?.includes('another process lives as node') === true)
    assert.equal(taken.count, 0)
    passed = CLAIM_MS_MAX + 1
    await until(() => taken.count > 0)
    assert.equal(await claimIdentity(claim, 2), undefined)
  })
})
