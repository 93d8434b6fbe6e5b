/** Tokens of the API: what each may do, and attacks with them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { SYSTEM } from '../../src/store/actor.ts'
import { newPerson } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { databaseOf, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const DAY_MS = 86_400_000
const TOPIC = { name: 'Harbours', description: 'Ships.', iconUrl: 'https://example.org/h.png' }
const TOKENS = '/api/v1/admin/tokens'
const { service, cast, admin } = await startSite()

interface Made {
  readonly id: string
  readonly token: string
}

async function make(body: object, as: string = admin.token): Promise<Made> {
  const response = await service.call('POST', TOKENS, { token: as, body: { name: 'a test', ...body } })
  assert.equal(response.status, 201, response.text)
  return { id: String(response.at('data.id')), token: String(response.at('data.token')) }
}

const me = (token: string): Promise<ApiResponse> => service.call('GET', '/api/v1/auth/me', { token })
const create = (token: string): Promise<ApiResponse> => service.data('POST', '', { model: 'topic' }, { token, body: TOPIC })
const list = (token: string, model = 'topic'): Promise<ApiResponse> => service.data('GET', '', { model }, { token })

describe('a token of the API', () => {
  it('is shown once, listed with its limits and last use, and leaves its record', async () => {
    const body = { name: '  nightly\timport ', role: 'publisher', models: ['topic', 'headline', 'topic'], methods: ['read'], days: 30 }
    const { id, token } = await make(body)
    assert.match(token, /^dl_[\w-]{43}$/)
    const shown = async () => {
      const response = await service.call('GET', TOKENS, { token: admin.token })
      assert.ok(!response.text.includes(token))
      return (response.at('data.items') as Record<string, unknown>[]).find((one) => one['id'] === id)
    }
    const now = new Date(service.now()).toISOString()
    assert.deepEqual(await shown(), {
      ...{ id, name: 'nightly import', user: admin.id, role: 'publisher', models: ['headline', 'topic'], methods: ['read'], scopes: null },
      ...{ createdAt: now, expiresAt: new Date(service.now() + 30 * DAY_MS).toISOString(), usedAt: null },
    })
    assert.equal((await list(token)).status, 200)
    await service.app.services.store.as(SYSTEM).useSession(id, service.now())
    assert.equal((await shown())?.['usedAt'], now)
    const filter = JSON.stringify({ event: 'token.made', 'details.value': id })
    const trail = await service.call('GET', `/api/v1/admin/audit?filter=${encodeURIComponent(filter)}`, { token: admin.token })
    assert.deepEqual(trail.at('data.items[0].documentId'), admin.id)
    assert.ok(!trail.text.includes(token))
  })

  it('is not in the database file', { skip: ONLY_HERE }, async () => {
    const { token } = await make({})
    for (const end of ['', '-wal']) assert.ok(!readFileSync(databaseOf(service) + end).includes(token))
  })

  for (const { name, limits, status } of [
    { name: 'no role', limits: {}, status: { list: 200, create: 403, users: 403, status: 403 } },
    { name: 'a publisher', limits: { role: 'publisher' }, status: { list: 200, create: 403, users: 403, status: 403 } },
    { name: 'an administrator', limits: { role: 'admin' }, status: { list: 200, create: 201, users: 200, status: 200 } },
    { name: 'one model', limits: { role: 'admin', models: ['topic'] }, status: { list: 200, create: 201, users: 403, status: 403 } },
    { name: 'reading', limits: { role: 'admin', methods: ['read'] }, status: { list: 200, create: 403, users: 200, status: 403 } },
    { name: 'creating', limits: { role: 'admin', methods: ['create'] }, status: { list: 403, create: 201, users: 403, status: 403 } },
  ]) {
    it(`with the limits of ${name} does no more`, async () => {
      const { token } = await make(limits)
      assert.equal((await me(token)).status, 200)
      const refusal = /^forbidden: The token of this request may not create a topic: it was made for the models \(all\) and the methods read$/
      if (name === 'reading') assert.match((await create(token)).error, refusal)
      assert.deepEqual(
        {
          list: (await list(token)).status,
          create: (await create(token)).status,
          users: (await list(token, 'user')).status,
          status: (await service.call('GET', '/api/v1/admin/status', { token })).status,
        },
        status,
      )
    })
  }

  for (const [name, body, message] of [
    ['no name', { name: ' ' }, /^invalidInput: name: expected a text of 1 to 100 characters/],
    ['a name that turns the text beside it', { name: 'a\u202eb' }, /^invalidInput: name: expected a name without .*, found U\+202E$/],
    ['another role', { role: 'root' }, /^invalidInput: role: expected one of none, publisher, admin, found "root"/],
    ['no model', { models: [] }, /^invalidInput: models: expected a list with at least one/],
    ['an unknown method', { methods: ['list'] }, /^invalidInput: methods: expected one of read, /],
    ['no day', { days: 0 }, /^invalidInput: days: expected a whole number from 1 to 3650/],
    ['a limit under a mistyped name', { model: ['topic'] }, /^invalidInput: Cannot make a token with "model": expected name, role, models, methods, scopes, days: did you mean "models"\?$/],
    ['an unknown scope', { scopes: ['restore'] }, /^invalidInput: scopes: expected one of metrics, backups, found "restore"$/],
    ['no scope', { scopes: [] }, /^invalidInput: scopes: expected a list/],
    ['a scope and a role', { scopes: ['metrics'], role: 'admin' }, /^invalidInput: scopes: expected none with role, models or methods/],
    ['a scope and models', { scopes: ['metrics'], models: ['topic'] }, /^invalidInput: scopes: expected none with role, models or methods/],
  ] as const) {
    it(`is not made with ${name}`, async () => {
      const response = await service.call('POST', TOKENS, { token: admin.token, body: { name: 'a', ...body } })
      assert.equal(response.status, 400)
      assert.match(response.error, message)
    })
  }
})

describe('attack: a token of the API', () => {
  // Which routes each kind of token reaches at all is tested below.
  it('reaches beyond its scope by the past of documents: a version, a batch, a restore, or their end', async () => {
    const topics = { model: 'topic' }
    const narrowed = async (limits: object): Promise<string> => (await make({ role: 'admin', models: ['topic'], ...limits })).token
    const methods = ['read', 'create', 'replace', 'delete'].map((method) => narrowed({ methods: [method] }))
    const [reading = '', creating = '', replacing = '', deleting = ''] = await Promise.all(methods)
    const [topicsOnly, others] = [await narrowed({}), await narrowed({ models: ['headline'] })]
    const id = String((await create(admin.token)).at('data.id'))
    assert.equal((await service.data('PATCH', `/${id}`, topics, { token: admin.token, body: { name: 'Quays' } })).status, 200)
    const history = await service.data('GET', `/${id}/history`, topics, { token: topicsOnly })
    const first = String(history.at('data.items.1.seq'))
    assert.deepEqual([history.status, history.at('data.items.0.actor')], [200, { id: admin.id, email: null, name: null }], 'users are beyond its scope')
    const trashed = String((await create(admin.token)).at('data.id'))
    await service.data('DELETE', `/${trashed}`, topics, { token: admin.token })
    const operations = [{ operation: 'restore', model: 'topic', id: trashed }]
    const uses: Readonly<Record<string, (token: string) => Promise<ApiResponse>>> = {
      version: (token) => service.data('GET', `/${id}/history/${first}`, topics, { token }),
      trash: (token) => service.data('GET', '/trash', topics, { token }),
      revert: (token) => service.data('POST', `/${id}/restore`, { ...topics, seq: first }, { token }),
      batch: (token) => service.call('POST', '/api/v1/data/batch', { token, body: { operations } }),
      restore: (token) => service.data('POST', `/${trashed}/restore`, topics, { token }),
    }
    // What a token that deletes restores would be published.
    for (const [token, ...allowed] of [[others], [reading, 'version', 'trash'], [creating], [replacing, 'revert'], [deleting]]) {
      for (const [use, send] of Object.entries(uses)) assert.equal((await send(token ?? '')).status, allowed.includes(use) ? 200 : 403, use)
    }
    assert.equal((await uses['restore']?.(topicsOnly))?.status, 200)
    await service.data('DELETE', `/${trashed}`, topics, { token: admin.token })
    for (const [token, status] of [[others, 403], [reading, 403], [creating, 403], [replacing, 403], [deleting, 204]] as const) {
      assert.equal((await service.data('DELETE', `/trash/${trashed}`, topics, { token })).status, status)
    }
  })

  it('reads by what it writes: documents come back to those who may read them alone', async () => {
    const [writing, reader] = [await make({ role: 'admin', methods: ['create', 'replace', 'delete'] }), await make({ role: 'admin', models: ['topic'] })]
    const topics = { model: 'topic' }
    const id = String((await create(admin.token)).at('data.id'))
    const operations = [{ operation: 'patch', model: 'topic', id, body: {} }, { operation: 'patch', model: 'user', id: cast.standard.id, body: {} }]
    const first = String((await service.data('GET', `/${id}/history`, topics, { token: admin.token })).at('data.items.0.seq'))
    for (const send of [
      (token: string) => service.data('PATCH', `/${id}`, topics, { token, body: {} }),
      (token: string) => service.data('PUT', `/${id}`, topics, { token, body: { ...TOPIC, status: 'active' } }),
      (token: string) => service.data('POST', `/${id}/restore`, { ...topics, seq: first }, { token }),
    ]) {
      const [hidden, shown] = [await send(writing.token), await send(reader.token)]
      assert.deepEqual([hidden.status, hidden.at('data')], [200, { id }])
      assert.equal(shown.at('data.name'), TOPIC.name)
    }
    const batch = await service.call('POST', '/api/v1/data/batch', { token: writing.token, body: { operations } })
    assert.deepEqual([batch.at('data.results.0.document'), batch.at('data.results.1.document')], [{ id }, { id: cast.standard.id }], batch.text)
    const made = await create(writing.token)
    assert.deepEqual([made.status, Object.keys(made.at('data') as object)], [201, ['id']])
    const person = await service.data('PATCH', `/${cast.standard.id}`, { model: 'user' }, { token: writing.token, body: {} })
    assert.ok(person.status === 200 && !person.text.includes('@'), person.text)
  })

  // Each model is checked behind these routes: of "user", which is beyond the scope of the first, most are forbidden as well.
  const PUBLIC = ['requestCode', 'verifyCode', 'signInAnonymously', 'me', 'passkeyRequest', 'signInWithPasskey', 'dashboardSetup', 'setUpFirstAdmin', 'lookForSite', 'restoreSite', 'siteProgress', 'openapi', 'health', 'ready', 'metrics']
  const REACHED: Readonly<Record<string, readonly string[]>> = {
    topics: ['batch', 'version', 'duplicates'],
    metrics: [],
    backups: ['backups', 'downloadBackup'],
    reading: ['list', 'query', 'counts', 'explain', 'batch', 'read', 'trash', 'history', 'version', 'duplicates'],
    writing: ['create', 'check', 'batch', 'replace', 'patch', 'remove', 'eraseTrashed', 'version', 'restore', 'duplicates'],
  }

  it('reaches beyond its scope by any route', async () => {
    const kinds = { metrics: { scopes: ['metrics'] }, backups: { scopes: ['backups'] }, topics: { models: ['topic'] }, reading: { methods: ['read'] }, writing: { methods: ['create', 'replace', 'delete'] } }
    const { paths } = JSON.parse((await service.call('GET', '/api/v1/openapi.json')).text) as { paths: Record<string, Record<string, { operationId: string }>> }
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path: path.replaceAll(/\{\w+\}/g, 'x'), method: method.toUpperCase(), operationId })),
    )
    assert.ok(routes.length > 80)
    for (const [name, limits] of Object.entries(kinds)) {
      const { token } = await make({ ...('scopes' in limits ? {} : { role: 'admin' }), ...limits })
      const reached: string[] = []
      for (const { path, method, operationId } of routes) {
        const headers = { authorization: `Bearer ${token}`, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) }
        const response = await fetch(`${service.url}${path}?model=user`, { method, headers, ...(method === 'GET' ? {} : { body: '{"model":"user","format":"csv"}' }) })
        await response.arrayBuffer()
        if (response.status !== 403) reached.push(operationId)
      }
      assert.deepEqual(reached.filter((id) => !PUBLIC.includes(id)), REACHED[name], name)
    }
  })

  it('makes, lists or revokes tokens, renews itself, ends sessions or deletes the account', async () => {
    const { id, token } = await make({ role: 'admin' })
    const before = await service.call('GET', '/api/v1/auth/sessions', { token: admin.token })
    for (const [method, path, body] of [
      ['POST', TOKENS, { name: 'more' }],
      ['DELETE', `${TOKENS}/${id}`],
      ['POST', '/api/v1/auth/refresh-token'],
      ['POST', '/api/v1/auth/sign-out'],
      ['GET', '/api/v1/auth/sessions'],
      ['DELETE', '/api/v1/auth/sessions'],
      ['DELETE', '/api/v1/auth/delete-account'],
    ] as const) {
      assert.equal((await service.call(method, path, { token, body })).status, 403, `${method} ${path}`)
    }
    const after = await service.call('GET', '/api/v1/auth/sessions', { token: admin.token })
    assert.equal(after.text.match(/"id"/g)?.length, before.text.match(/"id"/g)?.length)
    const narrow = await make({ role: 'admin', models: ['topic'] })
    for (const path of ['backups', 'settings', 'log', 'audit', 'tokens'])
      assert.equal((await service.call('GET', `/api/v1/admin/${path}`, { token: narrow.token })).status, 403, path)
    // From elsewhere, as a proxy says, metrics want an administrator.
    const [scraper, puller] = await Promise.all(['metrics', 'backups'].map((scope) => make({ scopes: [scope] })))
    const statuses = [await make({ role: 'admin' }), narrow, scraper, puller].map(async (made) => {
      const headers = { 'x-forwarded-for': '192.0.2.1', authorization: `Bearer ${made?.token}` }
      return (await fetch(`${service.url}/metrics`, { headers })).status
    })
    assert.deepEqual(await Promise.all(statuses), [200, 403, 200, 403])
  })

  it('with the scope backups reads what only its user may, or a backup after a demotion', async () => {
    const boss = await newPerson(service, 'admin', admin.token)
    const { token } = await make({ scopes: ['backups', 'metrics'] }, boss.token)
    const made = await service.call('POST', '/api/v1/admin/backups', { token: admin.token })
    const path = `/api/v1/admin/backups/${String(made.at('data.name'))}`
    const download = (): Promise<number> => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(async (one) => (await one.arrayBuffer(), one.status))
    assert.deepEqual([(await service.call('GET', '/api/v1/admin/backups', { token })).status, await download()], [200, 200])
    assert.equal((await service.call('GET', '/api/v1/auth/me', { token })).status, 403)
    assert.equal((await service.data('GET', `/${boss.id}`, { model: 'user' }, { token })).status, 403)
    await service.data('PATCH', `/${boss.id}`, { model: 'user' }, { token: admin.token, body: { dashboardRole: 'publisher' } })
    assert.deepEqual([(await service.call('GET', '/api/v1/admin/backups', { token })).status, await download()], [403, 403], 'after a demotion')
  })

  it('deletes the account of its person, ends sessions of others, or gives a role that stays when it ends', async () => {
    const boss = await newPerson(service, 'admin', admin.token)
    const [plain, full, narrow] = [await make({}, boss.token), await make({ role: 'admin' }, boss.token), await make({ role: 'admin', models: ['user'] }, boss.token)]
    const user = { model: 'user' }
    const invitation = (dashboardRole: string) => ({ email: `${dashboardRole}-of-a-token@example.org`, appRole: 'standardUser', dashboardRole })
    for (const { token } of [plain, full, narrow]) assert.equal((await service.data('DELETE', `/${boss.id}`, user, { token })).status, 403)
    for (const { token } of [full, narrow]) {
      for (const role of ['publisher', 'admin']) {
        assert.equal((await service.data('POST', '', user, { token, body: invitation(role) })).status, 403)
        assert.equal((await service.data('PATCH', `/${cast.standard.id}`, user, { token, body: { dashboardRole: role } })).status, 403)
      }
      const operations = [{ operation: 'patch', model: 'user', id: cast.standard.id, body: { dashboardRole: 'admin' } }]
      assert.equal((await service.call('POST', '/api/v1/data/batch', { token, body: { operations } })).status, 403)
    }
    for (const path of [`/${boss.id}/sessions`, `/${boss.id}/sessions/1`])
      assert.equal((await service.call('DELETE', `/api/v1/admin/users${path}`, { token: full.token })).status, 403)
    assert.equal((await me(boss.token)).status, 200)
    // What gives no more rights in the dashboard is for programs as well.
    const reader = await service.data('POST', '', user, { token: full.token, body: invitation('none') })
    assert.equal(reader.status, 201, reader.text)
    const path = `/${String(reader.at('data.id'))}`
    assert.equal((await service.data('PATCH', path, user, { token: full.token, body: { appRole: 'premiumUser' } })).status, 200)
    assert.equal((await service.data('DELETE', path, user, { token: full.token })).status, 204)
  })

  it('is guessed, cut, extended or of another prefix', async () => {
    const { token } = await make({})
    const other = `dl_${'A'.repeat(43)}`
    for (const wrong of [other, token.slice(0, -1), `${token}A`, token.replace('dl_', 'DL_'), token.slice(3), 'dl_', `${token}.a.b`])
      assert.equal((await me(wrong)).status, 401, wrong)
  })

  it('is used when it has expired, or was revoked', async () => {
    const { token } = await make({ days: 1 })
    assert.equal((await me(token)).status, 200)
    const revoked = await make({})
    assert.equal((await me(revoked.token)).status, 200)
    assert.equal((await service.call('DELETE', `${TOKENS}/${revoked.id}`, { token: admin.token })).status, 204)
    assert.equal((await me(revoked.token)).status, 401)
    assert.equal((await service.call('DELETE', `${TOKENS}/${revoked.id}`, { token: admin.token })).status, 404)
    service.advance(DAY_MS - 1)
    assert.equal((await me(token)).status, 200)
    service.advance(1)
    assert.equal((await me(token)).status, 401)
  })

  it('is turned into a ticket that has more rights, or outlives it', async () => {
    const narrow = await make({ role: 'admin', models: ['topic'] })
    assert.equal((await service.call('POST', '/api/v1/changes/ticket', { token: narrow.token })).status, 403)
    const { id, token } = await make({})
    const ticket = await service.call('POST', '/api/v1/changes/ticket', { token })
    assert.equal(ticket.status, 201, ticket.text)
    assert.equal((await service.call('DELETE', `${TOKENS}/${id}`, { token: admin.token })).status, 204)
    const path = `/api/v1/changes/stream?ticket=${String(ticket.at('data.ticket'))}`
    assert.equal((await service.call('GET', path)).status, 401)
  })

  it('is one of more than a thousand; expired ones make room', async () => {
    const boss = await newPerson(service, 'admin', admin.token)
    const [store, now] = [service.app.services.store.as(SYSTEM), service.now()]
    const limits = { role: 'none', models: null, methods: null } as const
    const record = { userId: boss.id, name: 'one of many', limits, createdAt: now, expiresAt: now + 1, usedAt: undefined }
    const add = (_: unknown, n: number) => store.addApiToken(`hash ${n}`, { ...record, id: `token ${n}` })
    assert.ok((await Promise.all(Array.from({ length: 1_001 }, add))).includes('full'))
    const response = await service.call('POST', TOKENS, { token: admin.token, body: { name: 'a' } })
    assert.deepEqual([response.status, response.at('error.code')], [409, 'conflict'])
    service.advance(1)
    await make({})
  })

  it('outlives the rights of the administrator who made it', async () => {
    const boss = await newPerson(service, 'admin', admin.token)
    const { token } = await make({ role: 'admin' }, boss.token)
    assert.equal((await create(token)).status, 201)
    const store = service.app.services.store.as(SYSTEM)
    await store.updateUser(boss.id, (stored) => ({ ...stored, dashboardRole: 'none' }))
    assert.equal((await create(token)).status, 403)
    assert.equal((await me(token)).status, 200)
    await store.updateUser(boss.id, (stored) => ({ ...stored, dashboardRole: 'admin' }))
    assert.equal((await create(token)).status, 201)
    assert.equal((await service.call('DELETE', `/api/v1/admin/users/${boss.id}/sessions`, { token: admin.token })).status, 200)
    assert.equal((await me(token)).status, 401)
    const next = await make({ role: 'admin' }, await service.app.services.sessions.issue(boss.id, { label: 'a', now: service.now() + 1000 }))
    assert.equal((await service.data('DELETE', `/${boss.id}`, { model: 'user' }, { token: admin.token })).status, 204)
    assert.equal((await me(next.token)).status, 401)
  })
})
