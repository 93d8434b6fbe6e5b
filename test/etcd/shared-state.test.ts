/** What one node of a cluster gives and another one takes: tokens, tickets, codes, cursors, the trash, and imports. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { noEtcd } from '../support/cluster/etcd-server.ts'
import { startProxy } from '../support/cluster/tcp-proxy.ts'
import { HEADLINE } from '../support/service/data-bodies.ts'
import { openEvents, type EventReader } from '../support/service/event-reader.ts'
import { runHere } from '../support/service/in-process.ts'
import type { ApiResponse, Call, TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { suiteCleanup, temporaryDirectory, type Cleanup } from '../support/service/temporary-directory.ts'

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

  it('take a code for a person that an operator made beside another', async () => {
    const email = 'you@example.org'
    const { code } = JSON.parse(await cluster.command(one.directory, 'user', 'code', email, '--json')) as { readonly code: string }
    const body = { email, code, isDashboardLogin: true }
    const signedIn = await ask(two, 'POST', '/api/v1/auth/verify-code', { token: undefined, body })
    assert.equal(signedIn.status, 200, signedIn.text)
    assert.equal((await ask(one, 'POST', '/api/v1/auth/verify-code', { token: undefined, body })).status, 400)
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

  it('share the trash and the history of a document', async () => {
    const id = String((await make(one, { ...TOPIC, name: 'Thrown away' })).at('data.id'))
    assert.equal((await ask(two, 'PATCH', `/api/v1/data/${id}?model=topic`, { body: { name: 'Changed' } })).status, 200)
    assert.equal((await ask(one, 'DELETE', `/api/v1/data/${id}?model=topic`)).status, 204)
    const trash = await ask(two, 'GET', '/api/v1/data/trash?model=topic')
    assert.ok(trash.text.includes(id), trash.text)
    assert.equal((await ask(two, 'POST', `/api/v1/data/${id}/restore?model=topic`, { body: {} })).status, 200)
    const history = await ask(one, 'GET', `/api/v1/data/${id}/history?model=topic`)
    const kinds = (history.at('data.items') as readonly { readonly kind: string }[]).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['restored', 'deleted', 'updated', 'created'])
    const seq = String(history.at('data.items[3].seq'))
    assert.equal((await ask(one, 'POST', `/api/v1/data/${id}/restore?model=topic&seq=${seq}`, { body: {} })).status, 200)
    assert.equal((await named(two, 'Thrown away')).length, 1)
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

  it('find what was imported, and stream it', async (t) => {
    const events = await stream(t, two, '', { ...STRONG, authorization: `Bearer ${token}` })
    const file = join(temporaryDirectory(t), 'row.csv')
    writeFileSync(file, 'name,description,iconUrl\nFerries,Slow.,https://example.org/f.png\n')
    await cluster.command(one.directory, 'import', '--model', 'topic', file)
    const [imported] = await events.next()
    assert.deepEqual(imported?.data['document'], (await named(two, 'Ferries'))[0])
  })

  it('take an import over the API in pieces with a key once, whichever gets it, and where it was not known whether it happened', async (t) => {
    const rows = Array.from({ length: 60 }, (_, i) => JSON.stringify({ ...TOPIC, name: `Piece ${i}` })).join('\n')
    const send = (node: TestService, key: string, text: string): Promise<ApiResponse> =>
      ask(node, 'POST', '/api/v1/admin/import', { body: { model: 'topic', format: 'ndjson', rows: text }, headers: { 'Idempotency-Key': key } })
    const sendUntilDone = async (node: TestService, key: string, text: string): Promise<ApiResponse> => {
      for (;;) {
        const response = await send(node, key, text)
        if (response.status === 200 && response.at('data.failed') === null) return response
        assert.ok(response.status === 409 || response.status === 503, response.text)
      }
    }
    const both = await Promise.all([one, two].map((node) => sendUntilDone(node, 'both', rows)))
    assert.deepEqual(both.map((response) => response.at('data.inserted')), [60, 60])
    for (const i of [0, 59]) assert.equal((await named(two, `Piece ${i}`)).length, 1)

    const proxy = await startProxy(t, cluster.cluster)
    await two.stop()
    two = await cluster.serve(two.directory, { adminEmail: undefined, cluster: proxy.url })
    const dropped = proxy.dropResponses()
    const later = rows.replaceAll('Piece', 'Unknown')
    const unknown = two.call('POST', '/api/v1/admin/import', {
      token,
      body: { model: 'topic', format: 'ndjson', rows: later },
      headers: { 'Idempotency-Key': 'unknown' },
    })
    await dropped
    const { status, error } = await unknown
    assert.equal(status, 503)
    assert.match(error, /The change (?:may have happened|was not made)/)
    proxy.passResponses()
    assert.equal((await sendUntilDone(two, 'unknown', later)).at('data.inserted'), 60)
    for (const i of [0, 59]) assert.equal((await named(one, `Unknown ${i}`)).length, 1)
  })
})
