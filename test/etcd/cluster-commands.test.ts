/** Commands that make, join and leave clusters over a real etcd server: refused and interrupted ones do no harm. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { olderNodes } from '../../src/cli/cluster/cluster-upgrade-command.ts'
import { newNode, newSite, readIdentity, writeDraft } from '../../src/cluster/node-identity.ts'
import { createSite } from '../../src/cluster/site-record.ts'
import { beginRestore } from '../../src/store/backup/unfinished-restore.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { runHere } from '../support/service/in-process.ts'
import type { TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup, temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

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
  const check = async (): Promise<Record<string, string>> => {
    const { stdout } = await runHere(['check', '--cluster', cluster.cluster, '--data-dir', dataOf(node), '--json'])
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[] }
    return Object.fromEntries(checks.map(({ name, ok, text }) => [name, `${ok} ${text}`]))
  }

  it('attack: init with another prefix on a running node is refused, and changes nothing', async () => {
    const files = (): readonly string[] => readdirSync(dataOf(node)).filter((name) => /^cluster|^dateline\.db\./.test(name))
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

  it('init and join refuse what a restore that was killed has left, as the service does', async () => {
    const restoring = (directory: string) => {
      const data = prepareDataDir(join(directory, 'data'))
      return { directory, data, begun: beginRestore(data, 'dateline restore --from file:///mnt/nas') }
    }
    const [empty, half] = [restoring(temporaryDirectory(cleanup)), restoring(temporaryDirectory(cleanup))]
    writeFileSync(half.data.database, 'the database of a site whose secrets are missing')
    half.begun.replacing()
    const ticket = await cluster.command(node.directory, 'cluster', 'token')
    for (const [{ directory, data }, found] of [[empty, 'it has no database yet'], [half, 'the database may lack its secrets']] as const) {
      const before = readdirSync(data.path)
      for (const words of [['init', '--cluster-prefix', '/half/'], ['join', '--from', node.url, '--token', ticket]]) {
        const wanted = `a restore into it was interrupted or still runs, and ${found}: run "dateline restore --from file:///mnt/nas" again`
        assert.ok((await refused(directory, 'cluster', ...words)).includes(wanted), words.join(' '))
      }
      assert.deepEqual(readdirSync(data.path).filter((name) => name !== 'owner.json'), before)
    }
    // The token was not used up.
    assert.match(await cluster.command(temporaryDirectory(cleanup), 'cluster', 'join', '--from', node.url, '--token', ticket), /^Joined the cluster/)
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
    for (const name of ['secrets', 'dateline.db.joining']) writeFileSync(join(second, 'data', name), 'a part', { mode: 0o600 })
    assert.match(await joinAt(second), /^Joined the cluster/)
  })

  it('a node that joined and never started is shown as such, and removed', async () => {
    const directory = temporaryDirectory(cleanup)
    await joinAt(directory)
    const joined = readIdentity(join(directory, 'data'))?.node ?? ''
    assert.match(await cluster.command(node.directory, 'cluster', 'status'), new RegExp(`${joined} +joined \\S+, never started`))
    assert.match((await check())['nodes'] ?? '', new RegExp(`node ${joined} joined at \\S+ and has not started: start it, or run`))
    await cluster.command(node.directory, 'cluster', 'remove', joined)
    assert.equal((await cluster.command(node.directory, 'cluster', 'status')).includes(joined), false)
    const gone = await runHere(['cluster', 'remove', joined, '--cluster', cluster.cluster, '--data-dir', dataOf(node)])
    assert.equal(gone.code, 1)
    assert.match(gone.stderr, /^There is no node/)
  })

  it('upgrade names the running nodes whose programs are older than the schema, or unknown', () => {
    const one = { url: undefined, version: '1.2.3', position: 0, durable: 0, state: 'in-step', time: 0, startedAt: 0, snapshot: undefined }
    const nodes = [
      { ...one, node: 'a', schema: 8, isAlive: true },
      { ...one, node: 'b', schema: 7, isAlive: true, url: 'https://b' },
      { ...one, node: 'c', isAlive: true },
      { ...one, node: 'd', isAlive: false },
    ]
    assert.deepEqual(olderNodes({ nodes, strangers: ['e'] }, 8), [
      'node b (https://b) runs version 1.2.3, which knows schema 7',
      'node c (no URL) runs version 1.2.3, which knows no schema as new',
      'node e has other secrets, and its version is not known',
    ])
  })

  it('attack: a copy of a data directory does not serve beside the original, nor the original beside the copy', async () => {
    await node.stop()
    const copy = temporaryDirectory(cleanup)
    cpSync(dataOf(node), join(copy, 'data'), { recursive: true })
    const copied = await cluster.serve(copy)
    const refusal = (error: Error): boolean => /another process does, so that "\S+" is a copy.*run "dateline cluster join"/.test(error.message)
    await assert.rejects(cluster.serve(node.directory), refusal)
    await copied.stop()
    node = await cluster.serve(node.directory)
    await assert.rejects(cluster.serve(copy), refusal)
  })

  it('init --from refuses secrets that are not those of the log, and names what helps; another prefix does', async () => {
    const { stdout } = await runHere(['backup', '--json', '--data-dir', dataOf(node)])
    const { file } = JSON.parse(stdout) as { readonly file: string }
    const directory = temporaryDirectory(cleanup)
    const data = join(directory, 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'secrets'), `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
    await write('Behind the backup')
    const init = ['cluster', 'init', '--from', file] as const
    assert.match(
      await refused(directory, ...init),
      /its newest entry is sealed with another secret than those given: put the file secrets of a lost node into .*or name another --cluster-prefix/,
    )
    assert.deepEqual(readdirSync(data), ['secrets'])
    assert.match((await check())['keys'] ?? '', /^true they open the newest entry/)
    copyFileSync(join(dataOf(node), 'secrets'), join(data, 'secrets'))
    await cluster.command(directory, ...init, '--cluster-prefix', '/alone/')
    const restored = await cluster.serve(directory, { clusterPrefix: '/alone/' })
    const names = await restored.data('GET', '', { model: 'topic' }, { token, headers: STRONG })
    assert.deepEqual((names.at('data.items') as readonly { readonly name: string }[]).map(({ name }) => name), ['Still a node'])
    assert.equal((await restored.data('POST', '', { model: 'topic' }, { token, body: TOPIC })).status, 201)
    await restored.stop()
    const newer = temporaryDirectory(cleanup)
    mkdirSync(join(newer, 'data'))
    copyFileSync(join(dataOf(node), 'secrets'), join(newer, 'data', 'secrets'))
    assert.match(await cluster.command(newer, ...init), /^Joined the log/)
  })
})
