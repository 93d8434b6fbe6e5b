/** The work of editors on two nodes: review, saved views, invitations by mail, and the schedule across a change of the keeper. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { noEtcd } from '../support/cluster/etcd-server.ts'
import { HEADLINE } from '../support/service/data-bodies.ts'
import type { ApiResponse, Call, TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup } from '../support/service/temporary-directory.ts'

const STRONG = { consistency: 'strong' }
const VIEWS = '/api/v1/dashboard/views'
const VIEWS_MAX = 50
const MINUTE_MS = 60_000

describe('editors at two nodes', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let one: TestService | undefined
  let two: TestService | undefined
  let [admin, publisher] = ['', '']
  const cleanup = suiteCleanup(after)
  before(async () => {
    cluster = await startCluster(cleanup)
    const settings = { invitationUrl: 'https://news.example.org/' }
    one = await cluster.first(settings)
    two = await cluster.join(one, settings)
    admin = (await one.admin()).token
    publisher = (await one.userWith('publisher@example.org', { dashboardRole: 'publisher' })).token
  })
  const ask = async (node: TestService | undefined, method: string, path: string, { token = admin, ...options }: Call = {}): Promise<ApiResponse> => {
    assert.ok(node !== undefined)
    return node.call(method, path, { token, ...options, headers: { ...STRONG, ...options.headers } })
  }
  const draft = async (node: TestService | undefined, members: JsonObject): Promise<string> => {
    const { id: _, ...body } = HEADLINE
    const made = await ask(node, 'POST', '/api/v1/data?model=headline', { body: { ...body, status: 'draft', ...members } })
    assert.equal(made.status, 201, made.text)
    return String(made.at('data.id'))
  }
  const statusOf = async (node: TestService | undefined, id: string): Promise<unknown> =>
    (await ask(node, 'GET', `/api/v1/data/${id}?model=headline`)).at('data.status')

  it('attack: a publisher publishes at one node after an administrator has turned review on at the other', async () => {
    const ids = [await draft(one, { title: 'Before review' }), await draft(one, { title: 'Not reviewed' })]
    const publish = (id: string | undefined, headers = {}): Promise<ApiResponse | undefined> =>
      Promise.resolve(two?.call('PATCH', `/api/v1/data/${id}?model=headline`, { body: { status: 'active' }, token: publisher, headers }))
    assert.equal((await publish(ids[0], STRONG))?.status, 200)
    const turned = await ask(one, 'PATCH', '/api/v1/admin/settings', { body: { review: 'on' } })
    assert.equal(turned.status, 200, turned.text)
    // As soon as the node has that entry, which it need not be asked for.
    assert.equal((await publish(ids[1], { 'x-dateline-position': turned.headers.get('x-dateline-position') ?? '' }))?.status, 403)
  })

  it('hand in at one, and give back and publish at the other what they saw', async () => {
    const id = await draft(one, { title: 'Handed in' })
    const patch = (node: TestService | undefined, body: object, call: Call = {}): Promise<ApiResponse> =>
      ask(node, 'PATCH', `/api/v1/data/${id}?model=headline`, { body, ...call })
    const handIn = async (node: TestService | undefined): Promise<void> => {
      const handed = await patch(node, { handedInAt: new Date(cluster.start).toISOString() }, { token: publisher })
      assert.equal(handed.status, 200, handed.text)
    }
    const queue = async (node: TestService | undefined): Promise<readonly JsonObject[]> => (await ask(node, 'GET', '/api/v1/reviews')).at('data.items') as JsonObject[]
    await handIn(one)
    assert.deepEqual((await queue(two)).map((item) => item['id']), [id])
    assert.equal((await patch(two, { status: 'active' }, { token: publisher })).status, 403)

    const returned = await ask(two, 'POST', `/api/v1/data/${id}/return?model=headline`, { body: { note: 'Name the harbour.' } })
    assert.equal(returned.status, 200, returned.text)
    const state = await ask(one, 'GET', `/api/v1/data/${id}/review?model=headline`, { token: publisher })
    assert.equal(state.at('data.note.text'), 'Name the harbour.', state.text)
    await handIn(one)
    const [item] = await queue(two)
    const headers = { 'if-match': String(item?.['etag']) }
    assert.equal((await patch(one, { title: 'Changed meanwhile' })).status, 200)
    assert.equal((await patch(two, { status: 'active' }, { headers })).status, 412)
    const [again] = await queue(two)
    assert.equal((await patch(two, { status: 'active' }, { headers: { 'if-match': String(again?.['etag']) } })).status, 200)
    assert.deepEqual([await queue(one), await statusOf(one, id)], [[], 'active'])
  })

  it('keep their own views at both, and no more than the limit where they save at both at once', async () => {
    const save = (name: string, i: number): Promise<ApiResponse> =>
      ask(i % 2 === 0 ? one : two, 'POST', VIEWS, { token: publisher, body: { name, model: 'headline', query: 'status=draft' } })
    const saved = await Promise.all(Array.from({ length: VIEWS_MAX + 4 }, (_, i) => save(`View ${i}`, i)))
    assert.deepEqual(Object.entries(Object.groupBy(saved, ({ status }) => status)).map(([status, all]) => [status, all?.length]), [['201', VIEWS_MAX], ['409', 4]])
    const listAt = async (node: TestService | undefined, token: string): Promise<readonly unknown[]> => (await ask(node, 'GET', VIEWS, { token })).at('data.items') as unknown[]
    const [first, second] = [await listAt(one, publisher), await listAt(two, publisher)]
    assert.deepEqual([first.length, second], [VIEWS_MAX, first])
    const id = String(saved.find(({ status }) => status === 201)?.at('data.id'))
    for (const [node, token, status] of [[one, admin, 404], [two, publisher, 204], [one, publisher, 404]] as const) {
      assert.equal((await ask(node, 'DELETE', `${VIEWS}/${id}`, { token })).status, status)
    }
    assert.deepEqual(await listAt(two, admin), [])
  })

  it('have what is scheduled published, and what is mailed sent, once, by the node that takes over from the keeper', async () => {
    const publishAt = new Date(cluster.start + MINUTE_MS).toISOString()
    const ids = [await draft(one, { title: 'Scheduled at one', publishAt }), await draft(two, { title: 'Scheduled at two', publishAt })]
    const keeper = String((await ask(two, 'GET', '/api/v1/admin/cluster')).at('data.keeper'))
    const nodes = (await ask(two, 'GET', '/api/v1/admin/cluster')).at('data.nodes') as readonly { readonly id: string; readonly url: string }[]
    const isOne = nodes.find(({ url }) => url === one?.url)?.id === keeper
    const [leaving, staying] = isOne ? [one, two] : [two, one]
    await leaving?.stop()
    const email = 'heir@example.org'
    const made = await ask(staying, 'POST', '/api/v1/data?model=user&invitation=mail', { body: { email, dashboardRole: 'publisher' } })
    assert.equal(made.status, 201, made.text)
    staying?.advance(MINUTE_MS + 1)
    for (const id of ids) {
      await until(async () => (await statusOf(staying, id)) === 'active')
      const history = (await ask(staying, 'GET', `/api/v1/data/${id}/history?model=headline`)).at('data.items') as readonly JsonObject[]
      assert.deepEqual(history.map(({ kind }) => kind), ['updated', 'created'])
    }
    await until(async () => (await cluster.mails(email)).length > 0)
    assert.equal((await cluster.mails(email)).length, 1)
  })
})
