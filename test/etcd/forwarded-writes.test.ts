/** Writes at a node that is not the keeper: they go to the keeper, which makes them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clusterKeysOf } from '../../src/cluster/cluster-keys.ts'
import { joinParts, splitParts, writesPath } from '../../src/cluster/keeper-message.ts'
import { readIdentity } from '../../src/cluster/node-identity.ts'
import { signRequest } from '../../src/cluster/node-requests.ts'
import { WRITES_PATH } from '../../src/cluster/peer-requests.ts'
import { decodeResponse, encodeWrite } from '../../src/app/cluster/forwarded-write.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { startProxy } from '../support/cluster/tcp-proxy.ts'
import { PREFERENCES, TOPIC as FOLLOWED } from '../../scripts/tools/data-bodies.ts'
import { freePorts } from '../../scripts/tools/free-ports.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import type { ApiResponse, Signed, TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup } from '../../scripts/tools/temporary-directory.ts'

const TOPIC = { name: 'Harbours', description: 'Ships.', iconUrl: 'https://example.org/a.png' }
const STRONG = { consistency: 'strong' }
const CLIENT = '192.0.2.7'

describe('a write at a node that is not the keeper', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let proxy: Awaited<ReturnType<typeof startProxy>>
  /** Between the first node and etcd. */
  let log: Awaited<ReturnType<typeof startProxy>>
  let one: TestService
  let two: TestService
  let token: string
  const cleanup = suiteCleanup(after)
  const nodeOf = ({ directory }: TestService): string => readIdentity(join(directory, 'data'))?.node ?? ''
  const forwarded = (node: TestService): readonly string[] => node.logLines.filter((line) => line.includes(`"${WRITES_PATH}`))
  const make = (node: TestService, body: object = TOPIC, headers = {}): Promise<ApiResponse> =>
    node.data('POST', '', { model: 'topic' }, { token, body, headers })
  const named = async (node: TestService, name: string, headers = {}): Promise<readonly { readonly id: string }[]> =>
    (await node.data('GET', '', { model: 'topic', filter: { name } }, { token, headers })).at('data.items') as readonly { readonly id: string }[]
  /** Writes at the second node until one of them went to the first. */
  const untilForwarded = (): Promise<void> =>
    until(async () => {
      const before = forwarded(one).length
      assert.equal((await make(two, { ...TOPIC, name: 'Waiting' })).status, 201)
      return forwarded(one).length > before
    })
  before(async () => {
    cluster = await startCluster(cleanup)
    const [port = 0] = await freePorts(1)
    proxy = await startProxy(cleanup, `http://127.0.0.1:${port}`)
    log = await startProxy(cleanup, cluster.etcd.endpoints[0] ?? '')
    one = await cluster.first({ cluster: log.url, port: String(port), clusterNodeUrl: proxy.url, trustedProxies: '127.0.0.1', guestsMb: '1' })
    two = await cluster.join(one, { trustedProxies: '127.0.0.1' })
    ;({ token } = await one.admin())
    await untilForwarded()
  })

  it('is made by the keeper, and is there at that node when its response is', async () => {
    const before = forwarded(one).length
    const made = await make(two, { ...TOPIC, name: 'There' })
    assert.equal(made.status, 201, made.text)
    assert.equal(forwarded(one).length, before + 1)
    assert.equal((await named(two, 'There')).length, 1)
    assert.equal(made.headers.get('etag'), (await two.data('GET', `/${String(made.at('data.id'))}`, { model: 'topic' }, { token })).headers.get('etag'))
    const refused = await make(two, { name: '' })
    assert.deepEqual([refused.status, refused.error.startsWith('invalidInput')], [400, true])
    assert.equal((await two.data('POST', '', { model: 'topic' }, { body: TOPIC })).status, 401)
  })

  it('is in the audit trail and in the log of that node with the address of its client', async () => {
    const made = await make(two, { ...TOPIC, name: 'Audited' }, { 'x-forwarded-for': CLIENT })
    const id = String(made.at('data.id'))
    const records = (await one.call('GET', `/api/v1/admin/audit?limit=100`, { token, headers: STRONG })).at('data.items') as readonly Record<string, unknown>[]
    const record = records.find((one) => JSON.stringify(one).includes(id))
    assert.equal(record?.['clientAddress'], CLIENT)
    const requestId = made.headers.get('x-request-id') ?? '-'
    const line = two.logLines.find((text) => text.includes(requestId) && text.includes('"request"')) ?? '{}'
    assert.equal((JSON.parse(line) as { client?: string }).client, CLIENT)
  })

  it('is judged by its If-Match in the transaction that writes, whichever nodes two of them come by', async () => {
    const made = await make(two, { ...TOPIC, name: 'Contended' })
    const [id, etag] = [String(made.at('data.id')), made.headers.get('etag') ?? '']
    const patch = (node: TestService, description: string): Promise<ApiResponse> =>
      node.data('PATCH', `/${id}`, { model: 'topic' }, { token, body: { description }, headers: { 'if-match': etag } })
    const outcomes = await Promise.all([patch(one, 'first'), patch(two, 'second')])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 412])
  })

  it('takes effect once with an Idempotency-Key, whichever node it comes by', async () => {
    const body = { ...TOPIC, name: 'Once' }
    const headers = { 'idempotency-key': 'key-of-one-write' }
    const made = [await make(two, body, headers), await make(one, body, headers), ...(await Promise.all([one, two].map((node) => make(node, body, headers))))]
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(made.map((one) => one.at('data.id'))).size, 1)
  })

  it('is made by that node itself where its body is longer than what is sent', async () => {
    const before = forwarded(one).length
    const operations = Array.from({ length: 12 }, () => ({ operation: 'create', model: 'topic', body: { ...TOPIC, name: 'Long', description: 'x'.repeat(1_500) } }))
    const made = await two.call('POST', '/api/v1/data/batch', { token, body: { operations } })
    assert.equal(made.status, 200, made.text.slice(0, 500))
    assert.equal(forwarded(one).length, before)
  })

  const write = (changes = {}, document: object = { ...TOPIC, name: 'Forged' }): Buffer => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = { requestId: 'x', method: 'POST', target: '/api/v1/data?model=topic', params: {}, headers, clientAddress: CLIENT, isFromProxy: false, endpoint: 'POST /api/v1/data' }
    return encodeWrite({ request: { ...request, ...changes }, body: { bytes: new Uint8Array(Buffer.from(JSON.stringify(document))) } })
  }
  const pathOf = (body: Buffer, startedAt = cluster.start): string => writesPath(startedAt, body)
  const signFor = (node: TestService, path: string, key = clusterKeysOf(one.app.services.secrets).sign): string =>
    signRequest(key, { method: 'POST', path, to: nodeOf(node) }, nodeOf(two), cluster.start)
  const responseTo = (node: TestService, path: string, body: Buffer, authorization: string): Promise<Response> =>
    fetch(`${node.url}${path}`, { method: 'POST', body: new Uint8Array(body), headers: { authorization } })
  const post = async (...request: Parameters<typeof responseTo>): Promise<number> => {
    const response = await responseTo(...request)
    await response.arrayBuffer()
    return response.status
  }

  it('attack: strangers, guests, publishers and administrators send writes as a node does', async () => {
    const body = joinParts([write()])
    const path = pathOf(body)
    const { token: guest } = await one.guest()
    const { token: publisher } = await one.userWith('publisher@example.org', { dashboardRole: 'publisher' })
    for (const authorization of ['', `Bearer ${guest}`, `Bearer ${publisher}`, `Bearer ${token}`, signFor(one, path, randomBytes(32))]) {
      assert.equal(await post(one, path, body, authorization), 403)
    }
    assert.deepEqual(await named(one, 'Forged'), [])
  })

  it('attack: what a node signed is sent again, with another body, to another node, and to the keeper of another run', async () => {
    const [body, other] = [joinParts([write()]), joinParts([write(), write()])]
    const path = pathOf(body)
    const authorization = signFor(one, path)
    assert.equal(await post(two, path, body, authorization), 503, 'another node')
    assert.equal(await post(one, path, body, signFor(two, path)), 403, 'signed for another node')
    assert.equal(await post(one, path, other, signFor(one, path)), 403, 'another body')
    assert.equal(await post(one, pathOf(other), other, authorization), 403, 'another path')
    const before = pathOf(body, cluster.start - 1)
    assert.equal(await post(one, before, body, signFor(one, before)), 503, 'another run')
    assert.deepEqual(await named(one, 'Forged'), [])
    assert.equal(await post(one, path, body, authorization), 200)
    assert.equal(await post(one, path, body, authorization), 409, 'again')
    assert.equal((await named(one, 'Forged')).length, 1)
  })

  it('attack: a node sends what is no write, writes of other endpoints, and too many or too long ones', async () => {
    const sendTo = (node: TestService, body: Buffer): Promise<number> => post(node, pathOf(body), body, signFor(node, pathOf(body)))
    const rows: readonly (readonly [string, Buffer, number])[] = [
      ['nonsense', Buffer.from('nonsense'), 400],
      ['no JSON', joinParts([Buffer.from('nonsense')]), 400],
      ['an endpoint that is not sent', joinParts([write(), write({ endpoint: 'POST /api/v1/admin/tokens' })]), 400],
      ['65 writes', joinParts(Array.from({ length: 65 }, () => write())), 400],
      ['more than a MiB', Buffer.alloc(1024 * 1024 + 1), 413],
    ]
    const before = (await named(one, 'Forged')).length
    for (const [name, body, status] of rows) assert.equal(await sendTo(one, body), status, name)
    assert.equal(await sendTo(two, joinParts([write()])), 503, 'no keeper')
    assert.equal((await named(one, 'Forged')).length, before)
  })

  it('attack: small bodies that change long documents would have others of their request wait for the lane of long bodies', async () => {
    const { text } = await make(two, { ...TOPIC, name: 'Long before', description: 'x'.repeat(20_000) })
    const { id } = (JSON.parse(text) as { data: { id: string } }).data
    // The other node made it itself, and the request below does not name its position.
    assert.equal((await named(one, 'Long before', STRONG)).length, 1)
    const change = { name: 'Long behind' }
    const patch = write({ method: 'PATCH', target: `/api/v1/data/${id}?model=topic`, params: { id }, endpoint: 'PATCH /api/v1/data/:id' }, change)
    const body = joinParts([patch, write({}, { ...TOPIC, name: 'Beside it' })])
    const response = await responseTo(one, pathOf(body), body, signFor(one, pathOf(body)))
    const [left, made] = splitParts(Buffer.from(await response.arrayBuffer()), 2) ?? []
    assert.deepEqual([left?.length, made && decodeResponse(made)?.response.kind], [0, 'data'], 'left to its node, and made')
    assert.deepEqual([(await named(one, 'Long behind')).length, (await named(one, 'Beside it')).length], [0, 1])
    const before = forwarded(one).length
    const patched = await two.data('PATCH', `/${id}`, { model: 'topic' }, { token, body: change })
    assert.equal(patched.status, 200, patched.text.slice(0, 500))
    assert.deepEqual([forwarded(one).length, (await named(two, 'Long behind')).length], [before + 1, 1])
  })

  it('attack: a guest who asks for more than guests may keep would have a node write past the keeper', async () => {
    const fill = (node: TestService, { id, token: own }: Signed, chars: number): Promise<ApiResponse> =>
      node.data('PUT', `/${id}`, { model: 'user_content_preferences' }, { token: own, body: { ...PREFERENCES, id, followedTopics: [{ ...FOLLOWED, description: 'x'.repeat(chars) }] } })
    const late = await one.guest()
    for (const chars of [240_000, 240_000, 240_000, 240_000, 64_000, 32_000, 16_000, 8_000]) await fill(one, await one.guest(), chars)
    await untilForwarded()
    const before = forwarded(one).length
    assert.equal((await fill(two, late, 14_000)).status, 503)
    await make(two)
    assert.equal(forwarded(one).length, before + 2)
  })

  it('says that it may have happened where the keeper had it and no response came, and is not made again', async () => {
    const dropped = proxy.dropResponses()
    const made = make(two, { ...TOPIC, name: 'Unknown' })
    await dropped
    proxy.cut()
    const { status, error } = await made
    assert.deepEqual([status, /may have happened/.test(error)], [503, true], error)
    proxy.passResponses()
    await until(async () => (await named(one, 'Unknown', STRONG)).length > 0)
    await make(two, { ...TOPIC, name: 'Behind it' })
    assert.equal((await named(two, 'Unknown', STRONG)).length, 1)
  })

  it('is made by that node itself where the keeper cannot write', async () => {
    await untilForwarded()
    log.goAway()
    // What the keeper has then waits for the log, and was not made or may have been.
    await until(async () => (await make(two, { ...TOPIC, name: 'By itself' })).status === 201)
    const before = forwarded(one).length
    const made = await make(two, { ...TOPIC, name: 'By itself' })
    assert.equal(made.status, 201, made.text)
    assert.ok(forwarded(one).slice(before).every((line) => line.includes('"status":503')))
    log.comeBack()
  })

  it('is made by that node itself when the keeper has ended', async () => {
    // Either node may be the keeper by now.
    let keeper: TestService | undefined
    await until(async () => {
      const before = [one, two].map((node) => forwarded(node).length)
      for (const node of [one, two]) await make(node, { ...TOPIC, name: 'Waiting' })
      keeper = [one, two].find((node, i) => forwarded(node).length > (before[i] ?? 0))
      return keeper !== undefined
    })
    const other = keeper === one ? two : one
    await keeper?.stop()
    // A proxy takes the connection, so that it is not known whether the keeper has the first one, unless this node is the keeper by then.
    const { status, error } = await make(other, { ...TOPIC, name: 'First' })
    assert.ok(status === 201 || (status === 503 && /may have happened/.test(error)), error)
    const made = await make(other, { ...TOPIC, name: 'Alone' })
    assert.equal(made.status, 201, made.text)
    assert.equal((await named(other, 'Alone')).length, 1)
  })
})
