/** Commands that make, join and leave clusters over a real etcd server: refused and interrupted ones do no harm. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createEpochs } from '../../src/cluster/log/epochs.ts'
import { keyRingFile, newNode, newSite, nodeKeyFileOf, readIdentity, writeDraft } from '../../src/cluster/node-identity.ts'
import { openKeyRing } from '../../src/cluster/sealing/key-ring.ts'
import { createSite } from '../../src/cluster/site-record.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd } from '../support/cluster/etcd-server.ts'
import { runHere } from '../support/service/in-process.ts'
import { recordingLog } from '../support/service/recording-log.ts'
import type { TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup, temporaryDirectory } from '../support/service/temporary-directory.ts'

const TOPIC = { name: 'Harbours', description: 'Ships, ports and tides.', iconUrl: 'https://example.org/a.png' }
const STRONG = { consistency: 'strong' }

describe('commands of a cluster', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let node: TestService
  let token: string
  const cleanup = suiteCleanup(after)
  before(async () => {
    cluster = await startCluster(cleanup)
    node = await cluster.first()
    // A node answers before what its start writes has come through the log.
    await until(() => node.app.services.accounts.hasAdministrator())
    ;({ token } = await node.admin())
  })
  const dataOf = ({ directory }: TestService): string => join(directory, 'data')
  const refused = async (directory: string, ...words: readonly string[]): Promise<string> => {
    const { code, stderr } = await runHere([...words, '--cluster', cluster.cluster, '--data-dir', join(directory, 'data')])
    assert.notEqual(code, 0)
    return stderr
  }
  const joinAt = async (directory: string): Promise<string> =>
    cluster.command(directory, 'cluster', 'join', '--from', node.url, '--token', await cluster.command(node.directory, 'cluster', 'token'))
  const write = async (name: string): Promise<void> => {
    const written = await node.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name } })
    assert.equal(written.status, 201, written.text)
  }
  const rotate = async (): Promise<void> => {
    const data = dataOf(node)
    const identity = readIdentity(data)
    assert.ok(identity !== undefined)
    const [etcd, ring, { log }] = [connectTo(cleanup, cluster.etcd.endpoints), openKeyRing(keyRingFile(data)), recordingLog()]
    const epochs = createEpochs({ etcd, prefix: '/dateline/', ...identity, ring, nodeKeyFile: nodeKeyFileOf(data), now: () => cluster.start, log })
    assert.equal(await epochs.rotate(), true)
  }

  it('attack: init with another prefix on a running node is refused, and changes nothing', async () => {
    const files = (): readonly string[] => readdirSync(dataOf(node)).filter((name) => !/^dateline\.db-/.test(name))
    const [identity, before] = [readIdentity(dataOf(node)), files()]
    for (const extra of [[], ['--from', join(dataOf(node), 'dateline.db')]]) {
      assert.match(await refused(node.directory, 'cluster', 'init', '--cluster-prefix', '/second/', ...extra), /is using it: stop it first/)
    }
    assert.deepEqual([readIdentity(dataOf(node)), files()], [identity, before])
    const etcd = connectTo(cleanup, cluster.etcd.endpoints)
    assert.deepEqual((await etcd.range({ key: '/second/site' })).pairs, [])
    await node.stop()
    node = await cluster.serve(node.directory)
    await write('Still a node')
  })

  it('init that is refused leaves no data directory, in which the advised join works', async () => {
    const directory = temporaryDirectory(cleanup)
    assert.match(await refused(directory, 'cluster', 'init'), /there is one since .*join it/)
    assert.equal(existsSync(join(directory, 'data')), false)
    // As an earlier version left it.
    mkdirSync(join(directory, 'data'))
    for (const name of ['dateline.db', 'dateline.lock', 'owner.json']) writeFileSync(join(directory, 'data', name), '')
    assert.match(await joinAt(directory), /^Joined the cluster/)
  })

  it('init and join that were interrupted can be run again', async () => {
    const [first, second] = [temporaryDirectory(cleanup), temporaryDirectory(cleanup)]
    for (const directory of [first, second]) mkdirSync(join(directory, 'data'), { mode: 0o700 })
    const site = newSite()
    writeDraft(join(first, 'data'), 'init', { node: newNode(), site })
    assert.equal(await createSite(connectTo(cleanup, cluster.etcd.endpoints), '/interrupted/', site, 0), true)
    assert.match(await refused(temporaryDirectory(cleanup), 'cluster', 'init', '--cluster-prefix', '/interrupted/'), /there is one since/)
    assert.match(await cluster.command(first, 'cluster', 'init', '--cluster-prefix', '/interrupted/'), /^Made the log/)
    assert.equal(readIdentity(join(first, 'data'))?.site, site)
    await (await cluster.serve(first, { clusterPrefix: '/interrupted/' })).stop()

    writeDraft(join(second, 'data'), 'join', { node: newNode(), site: newSite() })
    for (const name of ['secrets', 'cluster-keys', 'dateline.db.joining']) writeFileSync(join(second, 'data', name), 'a part', { mode: 0o600 })
    assert.match(await joinAt(second), /^Joined the cluster/)
  })

  it('init --from refuses keys that are older than the log, and names what helps; another prefix does', async () => {
    const { stdout } = await runHere(['backup', '--json', '--data-dir', dataOf(node)])
    const { file } = JSON.parse(stdout) as { readonly file: string }
    const directory = temporaryDirectory(cleanup)
    const data = join(directory, 'data')
    mkdirSync(data)
    for (const name of ['secrets', 'cluster-keys']) copyFileSync(join(dataOf(node), name), join(data, name))
    await rotate()
    await write('In a later epoch')
    const init = ['cluster', 'init', '--from', file] as const
    assert.match(
      await refused(directory, ...init),
      /has its keys up to epoch 1, and its newest entries are of epoch 2: put a newer copy of cluster-keys there.*or name another --cluster-prefix/,
    )
    assert.deepEqual(readdirSync(data).sort(), ['cluster-keys', 'secrets'])
    await cluster.command(directory, ...init, '--cluster-prefix', '/alone/')
    const restored = await cluster.serve(directory, { clusterPrefix: '/alone/' })
    const names = await restored.data('GET', '', { model: 'topic' }, { token, headers: STRONG })
    assert.deepEqual((names.at('data.items') as readonly { readonly name: string }[]).map(({ name }) => name), ['Still a node'])
    assert.equal((await restored.data('POST', '', { model: 'topic' }, { token, body: TOPIC })).status, 201)
    await restored.stop()
    const newer = temporaryDirectory(cleanup)
    mkdirSync(join(newer, 'data'))
    for (const name of ['secrets', 'cluster-keys']) copyFileSync(join(dataOf(node), name), join(newer, 'data', name))
    assert.match(await cluster.command(newer, ...init), /^Joined the log/)
  })
})
