/** The service on two nodes, over a real etcd server that they share: the tests build on each other. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clusterKeysOf } from '../../src/cluster/cluster-keys.ts'
import { keysBelow } from '../../src/cluster/etcd/etcd-messages.ts'
import { readIdentity } from '../../src/cluster/node-identity.ts'
import { createJoinTokens } from '../../src/cluster/join-tokens.ts'
import { signRequest } from '../../src/cluster/node-requests.ts'
import type { ClusterStatus, ServiceStatus } from '../../src/models/responses.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { SCHEMA } from '../../src/store/schema/migrate.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { REMOTE_CONFIG_ID } from '../../scripts/tools/data-bodies.ts'
import { runHere } from '../support/service/in-process.ts'
import { ADMIN_EMAIL, databaseOf, startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { suiteCleanup, temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'

const TOPIC = { name: 'Harbours', description: 'Ships, ports and tides.', iconUrl: 'https://example.org/a.png' }
const STRONG = { consistency: 'strong' }

interface Report {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

const positionOf = ({ headers }: ApiResponse): string => headers.get('x-dateline-position') ?? ''

describe('two nodes', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let one: TestService
  let two: TestService
  let token: string
  const cleanup = suiteCleanup(after)
  before(async () => {
    cluster = await startCluster(cleanup)
    one = await cluster.first()
    two = await cluster.join(one)
    ;({ token } = await one.admin())
  })
  const status = async (node: TestService): Promise<ClusterStatus> =>
    (await node.call('GET', '/api/v1/admin/cluster', { token, headers: STRONG })).at('data') as ClusterStatus
  const nodeOf = ({ directory }: TestService): string => readIdentity(join(directory, 'data'))?.node ?? ''
  const concerns = async (node: TestService): Promise<readonly string[]> => {
    const { attention } = (await node.call('GET', '/api/v1/admin/status', { token })).at('data') as ServiceStatus
    return attention.filter(({ kind }) => kind === 'cluster').map(({ message }) => message)
  }
  const joinWith = (token: string, headers = {}): Promise<ApiResponse> =>
    one.call('POST', '/cluster/join', { body: { token }, headers, isUndescribed: true })

  it('serve one user, who reads their writes at both, with the same ETags', async () => {
    const created = await one.data('POST', '', { model: 'topic' }, { token, body: TOPIC })
    assert.equal(created.status, 201, created.text)
    const headers = { 'x-dateline-position': positionOf(created) }
    const lists = await Promise.all([one, two].map((node) => node.data('GET', '', { model: 'topic' }, { token, headers })))
    assert.deepEqual(lists.map((list) => list.at('data.items[0].name')), ['Harbours', 'Harbours'])
    const [etag] = lists.map((list) => list.headers.get('etag'))
    assert.deepEqual(lists.map((list) => list.headers.get('etag')), [etag, etag])
    const again = await two.data('GET', '', { model: 'topic' }, { token, headers: { ...headers, 'if-none-match': etag ?? '' } })
    assert.equal(again.status, 304)
    assert.ok(Number(positionOf(again)) >= Number(positionOf(created)))

    const removed = await two.data('DELETE', `/${String(created.at('data.id'))}`, { model: 'topic' }, { token })
    assert.equal(removed.status, 204, removed.text)
    const strong = await one.data('GET', '', { model: 'topic' }, { token, headers: STRONG })
    assert.deepEqual(strong.at('data.items'), [])
    assert.notEqual(strong.headers.get('etag'), etag)
  })

  it('take a code once, and end a session at both', async () => {
    const email = 'reader@example.org'
    const asked = await two.call('POST', '/api/v1/auth/request-code', { body: { email, isDashboardLogin: false } })
    assert.equal(asked.status, 202, asked.text)
    await until(async () => (await cluster.mails(email)).length > 0)
    const code = /\b\d{6}\b/.exec((await cluster.mails(email))[0] ?? '')?.[0] ?? ''
    const verify = { body: { email, code, isDashboardLogin: false } }
    const outcomes = await Promise.all([one, two].map((node) => node.call('POST', '/api/v1/auth/verify-code', verify)))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 400])
    const token = String(outcomes.find(({ status }) => status === 200)?.at('data.token'))
    const out = await one.call('POST', '/api/v1/auth/sign-out', { token, headers: STRONG })
    assert.equal(out.status, 204)
    const headers = { 'x-dateline-position': positionOf(out) }
    assert.equal((await two.call('GET', '/api/v1/auth/me', { token, headers })).status, 401)
  })

  it('take what commands write beside the running node', async () => {
    await cluster.command(one.directory, 'admin', '--email', 'second@example.org')
    const users = await two.data('GET', '', { model: 'user', filter: { email: 'second@example.org' } }, { token, headers: STRONG })
    assert.equal(users.at('data.items[0].dashboardRole'), 'admin')
    const shown = JSON.parse(await cluster.command(one.directory, 'cluster', 'status', '--json')) as ClusterStatus
    assert.equal(shown.nodes.length, 2)
  })

  it('attack: a stranger guesses a join token, and gets the same answer for each', async () => {
    const good = await cluster.command(one.directory, 'cluster', 'token')
    const guesses = ['', 'dlj', good.slice(0, -1), `${good.slice(0, -4)}AAAA`, good.replace(/-[0-9a-f]{16}-/, '-0123456789abcdef-')]
    const answers = await Promise.all(guesses.map((guess) => joinWith(guess)))
    assert.deepEqual(new Set(answers.map(({ status, error }) => `${status} ${error}`)).size, 1)
    assert.match(answers[0]?.error ?? '', /^forbidden: The join token is wrong, used or expired/)
    // A wrong secret does not use the token up; a right one does, with any session.
    const { token: guest } = await one.guest()
    const joined = await joinWith(good, { authorization: `Bearer ${guest}` })
    assert.equal(joined.status, 200)
    assert.equal((await joinWith(good)).status, 403, 'used twice')
    assert.equal(joined.headers.get('cache-control'), 'no-store')
    const tries = await Promise.all(Array.from({ length: 10 }, () => joinWith('dlj')))
    assert.ok(tries.some(({ status }) => status === 429))
  })

  it('attack: strangers, guests, publishers and administrators ask for a snapshot', async () => {
    const { token: guest } = await one.guest()
    const { token: publisher } = await one.userWith('publisher@example.org', { dashboardRole: 'publisher' })
    const forged = 'Dateline-Node 0123456789abcdef.1700000000.AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    for (const authorization of ['', ...[guest, publisher, token].map((one) => `Bearer ${one}`), forged]) {
      const headers: Record<string, string> = authorization === '' ? {} : { authorization }
      const { status, error } = await one.call('GET', '/cluster/snapshot', { headers, isUndescribed: true })
      assert.deepEqual([status, error], [403, 'forbidden: Snapshots are for the nodes of this site'])
    }
  })

  it('attack: what a node signed for a snapshot is sent again, and to another node', async () => {
    const key = clusterKeysOf(one.app.services.secrets).sign
    const wanted = { method: 'GET', path: '/cluster/snapshot', to: nodeOf(one) } as const
    const authorization = signRequest(key, wanted, nodeOf(two), cluster.start)
    const ask = async (node: TestService): Promise<number> => {
      const response = await fetch(`${node.url}${wanted.path}`, { headers: { authorization } })
      await response.arrayBuffer()
      return response.status
    }
    assert.deepEqual([await ask(two), await ask(one), await ask(one), await ask(two)], [403, 200, 403, 403])
  })

  it('attack: a join token that has expired', async () => {
    const etcd = connectTo(cleanup, cluster.etcd.endpoints)
    const tokens = createJoinTokens(etcd, '/dateline/')
    // Etcd makes no lease shorter than the time of an election.
    const token = await tokens.make(1 / 60)
    await until(async () => (await etcd.range(keysBelow('/dateline/tokens/'))).pairs.length === 0)
    assert.equal(await tokens.redeem(token), false)
  })

  it('check etcd, nodes, keys and clocks, and say what is wrong with them', async () => {
    const check = async (): Promise<Record<string, string>> => {
      const place = ['--cluster', cluster.cluster, '--data-dir', join(one.directory, 'data'), '--json']
      const { checks } = JSON.parse((await runHere(['check', ...place])).stdout) as Report
      return Object.fromEntries(checks.slice(-4).map(({ name, ok, text }) => [name, `${ok} ${text}`]))
    }
    // A node whose heartbeat is late on a slow machine is silent for a moment.
    let found: Record<string, string> = {}
    await until(async () => / in step$/.test((found = await check())['nodes'] ?? ''))
    const { clocks, ...others } = found
    assert.deepEqual(others, {
      etcd: 'true 1 of 1 servers are named, all answer',
      nodes: 'true 2 nodes, as far as they say in step',
      keys: 'true they open the newest entry of the log',
    })
    // The clocks of the nodes have stood still since the start of the test, and that of the command is the real one.
    assert.match(clocks ?? '', /^(true that of this machine and of 1 nodes agree|false the clock of node [0-9a-f]{16} is [\d.]+ s or more behind)/)
  })

  it('restore no backup over the API, and say what to do', async () => {
    const backups = '/api/v1/admin/backups'
    const names = async (): Promise<readonly { readonly name: string }[]> => (await one.call('GET', backups, { token })).at('data.items') as { name: string }[]
    await until(async () => (await names()).length > 0)
    const [{ name = '' } = {}] = await names()
    for (const [path, body] of [['check', undefined], ['restore', { confirm: name }]] as const) {
      const refused = await one.call('POST', `${backups}/${name}/${path}`, { token, body })
      assert.deepEqual([refused.status, refused.error.includes(`cluster init --from" with the file "${name}"`)], [409, true], refused.text)
      assert.equal((await one.call('POST', `${backups}/other/${path}`, { token, body })).status, 404)
    }
  })

  it('attack: keys and tokens are in no log, status or metric', async () => {
    const secret = one.app.services.secrets[0] ?? ''
    const seen = [
      ...[...one.logLines, ...two.logLines],
      JSON.stringify(await status(one)),
      (await one.call('GET', '/metrics', { isUndescribed: true }).catch(() => ({ text: '' }))).text,
      await cluster.command(one.directory, 'cluster', 'status'),
    ].join('\n')
    for (const text of [secret, 'dlj-']) assert.ok(!seen.includes(text))
  })

  it('leave service where one has diverged, which fetches a copy of the other', async () => {
    const guest = await one.guest()
    await two.call('GET', '/api/v1/auth/me', { token: guest.token, headers: STRONG })
    await two.stop()
    const database = openDatabase(databaseOf(two))
    database.run('DELETE FROM session')
    database.close()
    const broken = await cluster.serve(two.directory)
    const deleted = await one.call('DELETE', '/api/v1/auth/delete-account', { token: guest.token })
    assert.equal(deleted.status, 204)
    await until(async () => (await broken.call('GET', '/readyz')).status === 503)
    const read = await broken.call('GET', '/api/v1/auth/me', { token: guest.token })
    assert.deepEqual([read.status, read.headers.get('retry-after')], [503, '5'])
    assert.deepEqual((await broken.call('GET', '/readyz')).at('reasons'), ['cluster: this node fetches its data again from another one, which has to run'])
    assert.match(await broken.app.replaced, /a row is missing/)
    const key = clusterKeysOf(one.app.services.secrets).sign
    const wanted = { method: 'GET', path: '/cluster/snapshot', to: nodeOf(two) } as const
    const signed = signRequest(key, wanted, '0123456789abcdef', cluster.start)
    const copy = await broken.call(wanted.method, wanted.path, { headers: { authorization: signed }, isUndescribed: true })
    assert.deepEqual([copy.status, copy.error], [503, 'networkError: This node has left service: ask another one for a snapshot'])
    await broken.stop()
    two = await cluster.serve(two.directory, { host: '0.0.0.0' })
    assert.equal((await two.call('GET', '/readyz')).status, 200)
    assert.equal((await two.call('GET', '/api/v1/auth/me', { token, headers: STRONG })).status, 200)
    // Its address means another machine to each of the others.
    assert.ok((await status(one)).nodes.every(({ url }) => url?.includes('0.0.0.0') !== true))
    assert.ok((await concerns(two)).some((text) => /it tells no URL: set --cluster-node-url/.test(text)))
  })

  it('that were away for longer than the log goes back fetch a copy of another one', async () => {
    const place = { headers: STRONG, token }
    await two.stop()
    const written = await one.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name: 'Missed' } })
    const later = await one.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name: 'Later' } })
    assert.deepEqual([written.status, later.status], [201, 201])
    await connectTo(cleanup, cluster.etcd.endpoints).compact(Number(positionOf(later)))
    const behind = await cluster.serve(two.directory)
    assert.match(await behind.app.replaced, /the log does not go back to position \d+ any more/)
    await behind.stop()
    two = await cluster.serve(two.directory)
    const names = (await two.data('GET', '', { model: 'topic' }, place)).at('data.items') as readonly { readonly name: string }[]
    assert.deepEqual(names.map(({ name }) => name).sort(), ['Later', 'Missed'])
  })

  it('have one keeper; the other one takes over, and says that a node is silent', async () => {
    const idOf = ({ nodes }: ClusterStatus): string | undefined => nodes.find(({ url }) => url === two.url)?.id
    await until(async () => idOf(await status(two)) !== undefined)
    await one.stop()
    await until(async () => {
      const found = await status(two)
      return found.keeper === idOf(found)
    })
    await two.codeFor(ADMIN_EMAIL, { dashboard: true })
    await until(async () => (await concerns(two)).some((text) => /is silent since .*cluster remove/.test(text)))
  })

  it('go on without a node that is removed', async () => {
    const dead = (await status(two)).nodes.find(({ alive }) => !alive)?.id ?? ''
    await cluster.command(two.directory, 'cluster', 'remove', dead)
    assert.deepEqual((await status(two)).nodes.map(({ id }) => id).includes(dead), false)
    const written = await two.data('POST', '', { model: 'topic' }, { token, body: TOPIC })
    assert.equal(written.status, 201, written.text)
  })

  it('all of which are lost come back from a backup and the log behind it, and one leaves to run alone', async () => {
    // What a service cannot be without comes back with the next start of a node.
    const configAt = (node: TestService, method: string): Promise<ApiResponse> =>
      node.data(method, `/${REMOTE_CONFIG_ID}`, { model: 'remote_config' }, { token })
    assert.equal((await configAt(two, 'DELETE')).status, 204)
    const { file } = JSON.parse((await runHere(['backup', '--json', '--data-dir', join(two.directory, 'data')])).stdout) as { readonly file: string }
    const written = await two.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name: 'Behind the backup' } })
    const directory = temporaryDirectory(cleanup)
    const data = join(directory, 'data')
    const lost = ['cluster', 'init', '--from', file] as const
    const keyless = await runHere([...lost, '--cluster', cluster.cluster, '--data-dir', data])
    assert.match(keyless.stderr, /put the file secrets of a lost node into/)
    mkdirSync(data)
    copyFileSync(join(two.directory, 'data', 'secrets'), join(data, 'secrets'))
    assert.match(await cluster.command(directory, ...lost), /^Joined the log/)
    const namesAt = async (node: TestService, headers = {}): Promise<readonly string[]> => {
      const list = await node.data('GET', '', { model: 'topic' }, { token, headers })
      return (list.at('data.items') as readonly { readonly name: string }[]).map(({ name }) => name)
    }
    const restored = await cluster.serve(directory)
    assert.ok((await namesAt(restored, { 'x-dateline-position': positionOf(written) })).includes('Behind the backup'))
    await until(async () => (await configAt(restored, 'GET')).status === 200)
    assert.equal(await cluster.command(directory, 'cluster', 'upgrade'), `The schema is ${SCHEMA} already`)
    await restored.stop()
    assert.match(await cluster.command(directory, 'cluster', 'leave'), /is no node any more/)
    const alone = await startService(cleanup, {}, { directory, start: cluster.start })
    assert.ok((await namesAt(alone)).includes('Behind the backup'))
    const own = await alone.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name: 'Alone' } })
    assert.deepEqual([own.status, positionOf(own)], [201, ''])
    await alone.stop()
    assert.ok(!(await namesAt(two, STRONG)).includes('Alone'))
  })

  it('that are stopped say what to do in place of a command that works on one process', async () => {
    const data = ['--data-dir', join(one.directory, 'data')]
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [['admin', '--email', 'a@b.example', ...data], /name its cluster with --cluster or DATELINE_CLUSTER/],
      [['restore', 'backup.db', ...data], /stop all nodes, then run "dateline cluster init --from backup.db"/],
      [['import', '--model', 'topic', join(one.directory, 'data', 'cluster.json'), '--format', 'ndjson', ...data], /name its cluster with --cluster or DATELINE_CLUSTER/],
      [['serve', '--port', '0', ...data], /start the service with --cluster/],
    ]
    for (const [words, wanted] of rows) {
      const { code, stderr } = await runHere(words)
      assert.notEqual(code, 0)
      assert.match(stderr, wanted, words.join(' '))
    }
  })

  it('attack: a node with the prefix of another site does not start', async () => {
    const other = temporaryDirectory(cleanup)
    await cluster.command(other, 'cluster', 'init', '--cluster-prefix', '/other/')
    await assert.rejects(cluster.serve(one.directory, { clusterPrefix: '/other/' }), /there is the log of another site in etcd/)
    await assert.rejects(cluster.serve(one.directory, { clusterPrefix: '/none/' }), /there is no log in etcd/)
  })

  it('serve reads without a quorum, say so, and refuse writes with Retry-After', async () => {
    await cluster.etcd.end(0, 'SIGKILL')
    const write = await two.data('POST', '', { model: 'topic' }, { token, body: TOPIC })
    assert.equal(write.status, 503)
    assert.ok(Number(write.headers.get('retry-after')) > 0)
    assert.match(write.error, /was not made|may have happened/)
    await until(async () => (await two.call('GET', '/api/v1/auth/me', { token })).headers.get('x-dateline-quorum') === 'lost')
    const reasons = (await two.call('GET', '/readyz')).at('reasons') as readonly string[] | undefined
    assert.ok(reasons?.some((reason) => reason.startsWith('cluster')) !== true)
    const strong = await two.call('GET', '/api/v1/auth/me', { token, headers: STRONG })
    assert.deepEqual([strong.status, strong.headers.get('retry-after')], [503, '1'])
  })
})
