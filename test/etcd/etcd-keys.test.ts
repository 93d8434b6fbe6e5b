/** Keys, leases, watches and facts of a real etcd server. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { checkEtcd, UnusableEtcd } from '../../src/cluster/etcd/etcd-check.ts'
import { createEtcdKeys } from '../../src/cluster/etcd/etcd-keys.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../support/cluster/etcd-server.ts'

const { endpoints } = noEtcd === false ? await startEtcd({ after }) : { endpoints: [] }
const bytes = (text: string): Buffer => Buffer.from(text)

describe('keys of a site', { skip: noEtcd }, () => {
  it('are written, read, listed and removed below the prefix', async (t) => {
    const etcd = connectTo(t, endpoints)
    const keys = createEtcdKeys({ etcd, prefix: '/site-a/' })
    await createEtcdKeys({ etcd, prefix: '/site-b/' }).put('nodes/3', bytes('three'))
    assert.equal(await keys.get('nodes/1'), undefined)
    await keys.put('nodes/1', bytes('one'))
    await keys.put('nodes/2', bytes('two'))
    await keys.put('nodes/2', bytes('zwei'))
    await keys.put('keeper', bytes('1'))
    assert.equal(String(await keys.get('nodes/2')), 'zwei')
    assert.deepEqual([...(await keys.list('nodes/'))].map(([name, value]) => `${name} ${value}`), ['nodes/1 one', 'nodes/2 zwei'])
    assert.equal(await keys.remove('nodes/1'), true)
    assert.equal(await keys.remove('nodes/1'), false)
    assert.equal((await keys.list('nodes/')).size, 1)
  })

  it('are created by one of several that race, and again by the one that lost its response', async (t) => {
    const keys = createEtcdKeys({ etcd: connectTo(t, endpoints), prefix: '/race/' })
    const won = await Promise.all(['a', 'b', 'c'].map((name) => keys.create('keeper', bytes(name))))
    assert.equal(won.filter((one) => one).length, 1)
    const keeper = String(await keys.get('keeper'))
    assert.equal(await keys.create('keeper', bytes(keeper)), true)
    assert.equal(await keys.create('keeper', bytes('d')), false)
  })

  it('go with their lease', async (t) => {
    const etcd = connectTo(t, endpoints)
    const keys = createEtcdKeys({ etcd, prefix: '/leased/' })
    const lease = await etcd.grantLease(60)
    assert.equal(await keys.create('keeper', bytes('1'), { lease }), true)
    assert.equal(await etcd.keepLeaseAlive(lease), true)
    await etcd.revokeLease(lease)
    assert.equal(await keys.get('keeper'), undefined)
    assert.equal(await etcd.keepLeaseAlive(lease), false)
    await etcd.revokeLease(lease)
  })
})

describe('a watch', { skip: noEtcd }, () => {
  it('delivers puts and deletions of its range from a revision on', async (t) => {
    const etcd = connectTo(t, endpoints)
    const keys = createEtcdKeys({ etcd, prefix: '/watched/' })
    const { revision } = await etcd.range({ key: '/watched/' })
    const seen: string[] = []
    const done = Promise.withResolvers<void>()
    const watch = etcd.watch({ key: '/watched/nodes/', end: '/watched/nodes0' }, revision + 1, {
      event({ kind, pair }) {
        seen.push(`${kind} ${pair.key}`)
        if (seen.length === 3) done.resolve()
      },
      compacted: async () => undefined,
      trouble: done.reject,
    })
    await keys.put('nodes/1', bytes('one'))
    await keys.put('other', bytes('x'))
    await keys.put('nodes/2', bytes('two'))
    await keys.remove('nodes/1')
    await done.promise
    watch.stop()
    assert.deepEqual(seen, ['put /watched/nodes/1', 'put /watched/nodes/2', 'delete /watched/nodes/1'])
  })
})

describe('the facts of etcd', { skip: noEtcd }, () => {
  it('are its version, leader, members and alarms', async (t) => {
    const etcd = connectTo(t, endpoints)
    const [url = ''] = endpoints
    const status = await etcd.statusAt(url)
    assert.match(status.version, /^3\.\d+\.\d+/)
    assert.equal(status.leader, status.member)
    assert.ok(status.dbBytes > 0)
    assert.deepEqual((await etcd.members()).map(({ id, name, clientUrls }) => ({ id, name, clientUrls })), [
      { id: status.member, name: 'e1', clientUrls: [url] },
    ])
    assert.deepEqual(await etcd.alarms(), [])
  })

  it('pass the check where requests of 8 MiB are taken', async (t) => {
    await checkEtcd(connectTo(t, endpoints))
  })

  it('fail the check with the default of etcd, and the error names the flag', async (t) => {
    const small = await startEtcd(t, { requestBytesMax: 1_572_864 })
    await assert.rejects(checkEtcd(connectTo(t, small.endpoints)), (error) => {
      assert.ok(error instanceof UnusableEtcd)
      assert.match(error.message, /expected servers that take requests of 8388608 bytes, found 1572864: start each with --max-request-bytes 8388608/)
      return true
    })
    const almost = await startEtcd(t, { requestBytesMax: 8_388_607 })
    await assert.rejects(checkEtcd(connectTo(t, almost.endpoints)), /found 8388607/)
  })
})
