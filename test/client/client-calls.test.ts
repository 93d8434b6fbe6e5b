/** Every method of the client: the request that it sends, what it gives back, and that no route of the API lacks one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, type Client } from '../../src/client/client.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { serverThat } from '../support/service/scripted-http.ts'

const TOPIC = { name: 'Harbours', description: '', iconUrl: '', status: 'active' } as const
const DATA = { items: [], cursor: null, hasMore: false, user: { id: '1' }, token: 'new' }
const LONG = 'x'.repeat(4_096)

/** `EMPTY` is a response without a body, `DATA` the envelope with a bit of everything. */
const ROWS: readonly {
  readonly call: (client: Client) => Promise<unknown>
  readonly request: string
  readonly status?: 202 | 204
  readonly gives?: unknown
}[] = [
  {
    call: ({ auth }) => auth.requestCode({ email: 'a@b.example' }),
    request: 'POST /api/v1/auth/request-code {"email":"a@b.example"}',
    status: 202,
  },
  {
    call: ({ auth }) => auth.verifyCode({ email: 'a@b.example', code: '123456', isDashboardLogin: true }),
    request: 'POST /api/v1/auth/verify-code {"email":"a@b.example","code":"123456","isDashboardLogin":true}',
  },
  { call: ({ auth }) => auth.anonymous(), request: 'POST /api/v1/auth/anonymous {}' },
  { call: ({ auth }) => auth.me(), request: 'GET /api/v1/auth/me' },
  { call: ({ auth }) => auth.signOut(), request: 'POST /api/v1/auth/sign-out', status: 204 },
  { call: ({ auth }) => auth.deleteAccount(), request: 'DELETE /api/v1/auth/delete-account', status: 204 },
  { call: ({ data }) => data('topic').list(), request: 'GET /api/v1/data?model=topic' },
  {
    call: ({ data }) =>
      data('topic').list({ filter: { q: 'a&b', name: { $ne: '+' } }, sort: 'name:asc', limit: 0, cursor: 'c=' }),
    request:
      'GET /api/v1/data?model=topic&filter=%7B%22q%22%3A%22a%26b%22%2C%22name%22%3A%7B%22%24ne%22%3A%22%2B%22%7D%7D' +
      '&sort=name%3Aasc&limit=0&cursor=c%3D',
  },
  { call: ({ data }) => data('topic').list({ cursor: null }), request: 'GET /api/v1/data?model=topic' },
  {
    call: ({ data }) => data('topic').list({ filter: { name: LONG }, cursor: null }),
    request: `POST /api/v1/data/query?model=topic {"filter":{"name":"${LONG}"}}`,
  },
  {
    call: ({ data }) => data('topic').list({ filter: { name: LONG }, limit: 5 }),
    request: `POST /api/v1/data/query?model=topic {"filter":{"name":"${LONG}"},"limit":5}`,
  },
  {
    call: ({ data }) => data('topic').iterate({ pageSize: 7 }).next(),
    request: 'GET /api/v1/data?model=topic&limit=7',
    gives: { done: true, value: undefined },
  },
  {
    call: ({ data }) => data('topic').get('1'),
    request: 'GET /api/v1/data/1?model=topic',
    gives: { document: DATA, etag: '"v1"' },
  },
  {
    call: ({ data }) => data('topic').create(TOPIC),
    request: `POST /api/v1/data?model=topic ${JSON.stringify(TOPIC)}`,
    gives: { document: DATA, etag: '"v1"' },
  },
  {
    call: ({ data }) => data('topic').replace('1', TOPIC),
    request: `PUT /api/v1/data/1?model=topic ${JSON.stringify(TOPIC)}`,
    gives: { document: DATA, etag: '"v1"' },
  },
  { call: ({ data }) => data('topic').remove('1'), request: 'DELETE /api/v1/data/1?model=topic', status: 204 },
  {
    call: ({ data }) => data('topic').check({ name: 7 }),
    request: 'POST /api/v1/data/check?model=topic {"name":7}',
  },
  {
    call: ({ data }) => data('topic').check({}, { id: '1' }),
    request: 'POST /api/v1/data/check?model=topic&id=1 {}',
  },
  {
    call: ({ data }) => data('topic').explain({ filter: { status: 'draft' }, cursor: null }),
    request: 'POST /api/v1/data/explain?model=topic {"filter":{"status":"draft"}}',
  },
  { call: ({ auth }) => auth.sessions(), request: 'GET /api/v1/auth/sessions' },
  { call: ({ auth }) => auth.endOtherSessions(), request: 'DELETE /api/v1/auth/sessions' },
  { call: ({ auth }) => auth.endSession('s/1'), request: 'DELETE /api/v1/auth/sessions/s%2F1', status: 204 },
  { call: ({ dashboard }) => dashboard.setup(), request: 'GET /api/v1/dashboard/setup' },
  { call: ({ dashboard }) => dashboard.overview(), request: 'GET /api/v1/dashboard/overview' },
  { call: ({ admin }) => admin.status(), request: 'GET /api/v1/admin/status' },
  { call: ({ admin }) => admin.settings(), request: 'GET /api/v1/admin/settings' },
  { call: ({ admin }) => admin.log(), request: 'GET /api/v1/admin/log' },
  { call: ({ admin }) => admin.log({ level: 'warn', limit: 9 }), request: 'GET /api/v1/admin/log?level=warn&limit=9' },
  {
    call: ({ admin }) => admin.audit({ filter: { actor: 'a' }, email: 'a@b.example', sort: 'time:asc', limit: 2 }),
    request: 'GET /api/v1/admin/audit?filter=%7B%22actor%22%3A%22a%22%7D&email=a%40b.example&sort=time%3Aasc&limit=2',
  },
  { call: ({ admin }) => admin.outbox({ state: 'failed' }), request: 'GET /api/v1/admin/outbox?state=failed' },
  { call: ({ admin }) => admin.retryMail('m/1'), request: 'POST /api/v1/admin/outbox/m%2F1/retry' },
  {
    call: ({ admin }) => admin.testMail({ to: 'a@b.example' }),
    request: 'POST /api/v1/admin/outbox/test {"to":"a@b.example"}',
  },
  { call: ({ admin }) => admin.backups(), request: 'GET /api/v1/admin/backups' },
  { call: ({ admin }) => admin.makeBackup(), request: 'POST /api/v1/admin/backups' },
  {
    call: async ({ admin }) => (await admin.downloadBackup('a b.db')).text(),
    request: 'GET /api/v1/admin/backups/a%20b.db',
    gives: 'SQLite format 3',
  },
  { call: ({ admin }) => admin.sessions('u'), request: 'GET /api/v1/admin/users/u/sessions' },
  {
    call: ({ admin }) => admin.endSession('u', 's'),
    request: 'DELETE /api/v1/admin/users/u/sessions/s',
    status: 204,
  },
  { call: ({ admin }) => admin.endSessions('u'), request: 'DELETE /api/v1/admin/users/u/sessions' },
]

describe('a method of the client', () => {
  for (const { call, request, status = 200, gives = status === 200 ? DATA : undefined } of ROWS) {
    it(`sends ${request.slice(0, 100)}`, async (t) => {
      const { url, seen } = await serverThat(t, ({ url: asked, headers }, response) => {
        assert.equal(headers.authorization, 'Bearer old')
        assert.equal(headers['accept-language'], 'de-CH')
        if (asked?.includes('a%20b.db') === true) {
          response.writeHead(200, { 'content-type': 'application/vnd.sqlite3' }).end('SQLite format 3')
        } else if (status !== 200) response.writeHead(status).end()
        else response.writeHead(200, { etag: '"v1"' }).end(JSON.stringify({ data: DATA, metadata: {} }))
      })
      assert.deepEqual(await call(createClient({ url, token: 'old', language: 'de-CH' })), gives)
      assert.deepEqual(seen, [request])
    })
  }

  it('is there for each route of the API', () => {
    const isSent = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replace(/:\w+/g, '[^/ ?]+')}(?:[ ?]|$)`)
      return ROWS.some(({ request }) => pattern.test(request))
    }
    const all = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)
    const routes = all.filter((route) => / \/api\/v1\/(?!openapi\.json)/.test(route))
    assert.ok(routes.length >= 12)
    assert.deepEqual(
      routes.filter((route) => !isSent(route)),
      [],
    )
  })
})

describe('the token', () => {
  for (const [name, call, before, after] of [
    ['is kept by verifyCode()', ROWS[1]?.call, undefined, 'new'],
    ['of a guest is kept', ROWS[2]?.call, undefined, 'new'],
    ['is forgotten by signOut()', ROWS[4]?.call, 'old', undefined],
    ['is forgotten by deleteAccount()', ROWS[5]?.call, 'old', undefined],
  ] as const) {
    it(name, async (t) => {
      const { url } = await serverThat(t, (_request, response) => {
        if (after === undefined) response.writeHead(204).end()
        else response.end(JSON.stringify({ data: DATA }))
      })
      const client = createClient({ url, token: before })
      await call?.(client)
      assert.equal(client.token, after)
    })
  }

  it('is forgotten by signOut() also where its session is over', async (t) => {
    const { url } = await serverThat(t, (_request, response) => {
      response.writeHead(401).end('{"error":{"code":"unauthorized","message":"Sign in again"}}')
    })
    const client = createClient({ url, token: 'old' })
    await client.auth.signOut()
    assert.equal(client.token, undefined)
  })

  it('is not sent where there is none', async (t) => {
    const { url } = await serverThat(t, ({ headers }, response) => {
      response.end(JSON.stringify({ data: { sent: headers.authorization ?? null } }))
    })
    const client = createClient({ url, token: 'old' })
    client.token = undefined
    assert.deepEqual(await client.auth.me(), { sent: null })
  })
})

it('an entity tag that a proxy made weak is sent as the service gave it', async (t) => {
  const { url } = await serverThat(t, ({ headers }, response) => {
    response.writeHead(200, { etag: 'W/"v1"' }).end(JSON.stringify({ data: { tag: headers['if-match'] ?? null } }))
  })
  const topics = createClient({ url }).data('topic')
  const { etag } = await topics.get('1')
  assert.deepEqual((await topics.replace('1', TOPIC, { ifMatch: etag })).document, { tag: '"v1"' })
  assert.deepEqual((await topics.replace('1', TOPIC, { ifMatch: undefined })).document, { tag: null })
})

it('iterate() asks for the next page when it is wanted, and for none after the loop was left', async (t) => {
  const { url, seen } = await serverThat(t, ({ url: asked }, response) => {
    const page = Number(new URL(asked ?? '', 'http://x').searchParams.get('cursor') ?? 0)
    const items = [{ id: `${page}a` }, { id: `${page}b` }]
    response.end(JSON.stringify({ data: { items, cursor: String(page + 1), hasMore: true } }))
  })
  const ids: string[] = []
  for await (const { id } of createClient({ url }).data('topic').iterate()) {
    ids.push(id)
    if (ids.length === 3) break
  }
  assert.deepEqual(ids, ['0a', '0b', '1a'])
  assert.deepEqual(seen, ['GET /api/v1/data?model=topic&limit=100', 'GET /api/v1/data?model=topic&limit=100&cursor=1'])
})
