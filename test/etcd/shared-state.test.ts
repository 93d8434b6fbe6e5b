/** What one node of a cluster gives and another one takes: tokens, tickets, codes, cursors, the trash, and imports. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { HEADLINE } from '../../scripts/tools/data-bodies.ts'
import { openEvents, type EventReader } from '../support/service/event-reader.ts'
import { runHere } from '../support/service/in-process.ts'
import type { ApiResponse, Call, TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup, temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const TOPIC = { name: 'Harbours', description: 'Ships.', iconUrl: 'https://example.org/a.png' }
const STRONG = { consistency: 'strong' }
const TOKENS = '/api/v1/admin/tokens'

describe('two nodes', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let one: TestService
  let two: TestService
  let token: string
  const cleanup = suiteCleanup(after)
  before(async () => {
    cluster = await startCluster(cleanup)
    one = await cluster.first({ adminEmail: undefined })
    two = await cluster.join(one, { adminEmail: undefined })
  })
  const ask = (node: TestService, method: string, path: string, options: Call = {}): Promise<ApiResponse> =>
    node.call(method, path, { token, ...options, headers: { ...STRONG, ...options.headers } })
  const make = async (node: TestService, body: object = TOPIC, headers = {}): Promise<ApiResponse> => {
    const made = await ask(node, 'POST', '/api/v1/data?model=topic', { body, headers })
    assert.equal(made.status, 201, made.text)
    return made
  }
  const named = async (node: TestService, name: string): Promise<readonly unknown[]> => {
    const filter = encodeURIComponent(JSON.stringify({ name }))
    return (await ask(node, 'GET', `/api/v1/data?model=topic&limit=100&filter=${filter}`)).at('data.items') as readonly unknown[]
  }
  const stream = (t: Cleanup, node: TestService, query: string, headers = {}): Promise<EventReader> =>
    openEvents(t, `${node.url}/api/v1/changes/stream?models=topic${query}`, headers)

  it('make one first administrator: the address of each is good at that node, until either is used', async () => {
    const setupOf = async (node: TestService): Promise<string> => (await node.app.setupUrl?.())?.split('#setup=')[1] ?? ''
    const [first, second] = [await setupOf(one), await setupOf(two)]
    const become = (node: TestService, token: string, email = 'you@example.org'): Promise<ApiResponse> =>
      node.call('POST', '/api/v1/auth/setup', { body: { token, email } })
    assert.equal((await become(two, first)).status, 401)
    const made = await become(two, second)
    assert.equal(made.status, 200, made.text)
    token = String(made.at('data.token'))
    assert.equal((await become(one, first, 'evil@example.org')).status, 403)
    assert.equal(await one.app.setupUrl?.(), undefined)
    assert.equal((await ask(one, 'GET', '/api/v1/admin/status')).status, 200)
  })

  it('take each other\'s tokens of the API, and refuse one that another has revoked', async () => {
    const made = await ask(one, 'POST', TOKENS, { body: { name: 'nightly', role: 'publisher' } })
    assert.equal(made.status, 201, made.text)
    const [program, id] = [String(made.at('data.token')), String(made.at('data.id'))]
    assert.equal((await ask(two, 'GET', '/api/v1/auth/me', { token: program })).status, 200)
    assert.equal((await ask(two, 'DELETE', `${TOKENS}/${id}`)).status, 204)
    assert.equal((await ask(one, 'GET', '/api/v1/auth/me', { token: program })).status, 401)
  })

  it('stream what the other writes, by a ticket of the other that works once, and from its cursors', async (t) => {
    const ticketed = await ask(one, 'POST', '/api/v1/changes/ticket')
    const ticket = String(ticketed.at('data.ticket'))
    const events = await stream(t, two, `&ticket=${ticket}`, STRONG)
    assert.equal(events.status, 200)
    for (const node of [one, two]) assert.equal((await stream(t, node, `&ticket=${ticket}`, STRONG)).status, 401)
    const id = (await make(one)).at('data.id')
    const [created] = await events.next()
    assert.deepEqual([created?.data['id'], created?.data['by']], [id, (await ask(one, 'GET', '/api/v1/auth/me')).at('data.id')])
    const later = (await make(two)).at('data.id')
    const page = await ask(one, 'GET', `/api/v1/changes?models=topic&since=${created?.id}`)
    assert.deepEqual([page.status, page.at('data.items[0].id'), page.at('data.items[1]')], [200, later, undefined])
    await make(one)
    const next = await ask(two, 'GET', `/api/v1/changes?models=topic&since=${String(page.at('data.next'))}`)
    assert.deepEqual([next.status, next.at('data.items[1]')], [200, undefined], next.text)
    const again = await stream(t, one, '', { ...STRONG, authorization: `Bearer ${token}`, 'last-event-id': created?.id ?? '' })
    assert.equal((await again.next())[0]?.data['id'], later)
    assert.equal((await events.next())[0]?.data['id'], later)
  })

  it('end a stream at one when its session ends at the other', async (t) => {
    const guest = await one.guest()
    const events = await stream(t, two, '', { ...STRONG, authorization: `Bearer ${guest.token}` })
    assert.equal(events.status, 200)
    assert.equal((await ask(one, 'POST', '/api/v1/auth/sign-out', { token: guest.token })).status, 204)
    await events.ended
  })

  it('do what a request with an idempotency key wants once, whichever gets it', async () => {
    const body = { ...TOPIC, name: 'Once' }
    const headers = { 'Idempotency-Key': '"a key"' }
    const both = await Promise.all([one, two].map((node) => ask(node, 'POST', '/api/v1/data?model=topic', { body, headers })))
    assert.ok(both.every(({ status }) => status === 201 || status === 409), both.map(({ text }) => text).join('\n'))
    const made = both.find(({ status }) => status === 201)
    const again = await Promise.all([one, two].map((node) => make(node, body, headers)))
    assert.deepEqual(again.map((response) => response.at('data')), [made?.at('data'), made?.at('data')])
    assert.equal((await named(one, 'Once')).length, 1)
  })

  it('share the settings that administrators change', async () => {
    const changed = await ask(one, 'PATCH', '/api/v1/admin/settings', { body: { appName: 'Harbour News' } })
    assert.equal(changed.status, 200, changed.text)
    const seen = await ask(two, 'GET', '/api/v1/admin/settings')
    assert.equal(seen.headers.get('etag'), changed.headers.get('etag'))
    assert.equal((await ask(two, 'GET', '/api/v1/dashboard/setup')).at('data.appName'), 'Harbour News')
  })

  it('publish what is scheduled once, whichever node has the duty', async () => {
    const publishAt = new Date(one.now() + 60_000).toISOString()
    const body = { status: 'draft', title: 'Ferries', publishAt }
    const made = await ask(two, 'POST', '/api/v1/data?model=headline&incomplete=true', { body: { ...HEADLINE, ...body } })
    assert.equal(made.status, 201, made.text)
    const id = String(made.at('data.id'))
    for (const node of [one, two]) node.advance(61_000)
    await until(async () => (await ask(two, 'GET', `/api/v1/data/${id}?model=headline`)).at('data.status') === 'active')
    const history = await ask(one, 'GET', `/api/v1/data/${id}/history?model=headline`)
    assert.equal((history.at('data.items') as readonly unknown[]).length, 2, history.text)
  })

  it('take an import beside one of them, through the log, which goes on where it was cut off', async (t) => {
    const file = join(temporaryDirectory(t), 'rows.ndjson')
    const rejects = `${file}.rejects`
    // Each fifth row is refused.
    const rows = Array.from({ length: 60 }, (_, i) => JSON.stringify(i % 5 === 4 ? {} : { ...TOPIC, name: `Imported ${i}` }))
    writeFileSync(file, `${rows.join('\n')}\n`)
    const flags = ['import', '--model', 'topic', '--batch', '10', '--cluster', cluster.cluster, '--data-dir', join(one.directory, 'data')]
    const erasures = two.app.services.store.replication?.erasures()
    assert.match((await runHere([...flags, '--dry-run', file])).stdout, /^Would import topic: 48 inserted, 0 replaced, 0 unchanged, 12 rejected/)
    assert.equal((await named(two, 'Imported 0')).length, 0)
    const cut = Promise.withResolvers<string>()
    const first = await runHere([...flags, '--rejects', rejects, file], { interrupted: cut.promise, onStderr: () => cut.resolve('SIGINT') })
    assert.match(first.stderr, /Interrupted before line \d+: continue with --resume/)
    // A batch is cut short on a slow machine, too.
    const before = Number(/^Imported topic: (\d+) inserted/.exec(first.stdout)?.[1])
    assert.ok(before > 0 && before < 48, first.stdout)
    // At the other node: what an import has noted is on all of them.
    const place = flags.with(-1, join(two.directory, 'data'))
    assert.match((await runHere([...place, file])).stderr, new RegExp(`: ${before} of its rows have no id and are there already`))
    const whole = await runHere([...place, '--resume', '--rejects', rejects, '--json', file])
    assert.equal((JSON.parse(whole.stdout) as { readonly inserted: number }).inserted, 48, whole.stderr)
    assert.equal(readFileSync(rejects, 'utf8').trim().split('\n').length, 12)
    for (const node of [one, two]) {
      for (const i of [0, 58]) assert.equal((await named(node, `Imported ${i}`)).length, 1)
    }
    const filter = encodeURIComponent(JSON.stringify({ 'details.value': 'import' }))
    const { text } = await ask(one, 'GET', `/api/v1/admin/audit?filter=${filter}`)
    assert.ok(text.includes(`"name":"inserted","value":"${48 - before}"`), text)
    assert.equal(two.app.services.store.replication?.erasures(), erasures, 'counting up a record erases no person')
  })
})
