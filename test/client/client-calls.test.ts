/** Every method of the client: the request that it sends, what it gives back, and that no route of the API lacks one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changes, changeTicket, createClient, readChanges, type Client } from '../../src/client/client.ts'
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
  {
    call: ({ auth }) => auth.setup({ token: 't', email: 'a@b.example' }),
    request: 'POST /api/v1/auth/setup {"token":"t","email":"a@b.example"}',
  },
  {
    call: ({ auth }) => auth.lookForSite({ token: 't', place: 'file:///mnt/nas', keys: '', identity: 'i', at: '' }),
    request: 'POST /api/v1/auth/setup/restore/look {"token":"t","place":"file:///mnt/nas","keys":"","identity":"i","at":""}',
  },
  {
    call: ({ auth }) => auth.restoreSite({ token: 't', place: 'file:///mnt/nas', keys: '', identity: 'i', at: '' }),
    request: 'POST /api/v1/auth/setup/restore {"token":"t","place":"file:///mnt/nas","keys":"","identity":"i","at":""}',
  },
  { call: ({ auth }) => auth.siteProgress({ token: 't' }), request: 'POST /api/v1/auth/setup/restore/progress {"token":"t"}' },
  { call: ({ auth }) => auth.proxy(), request: 'POST /api/v1/auth/proxy' },
  { call: ({ auth }) => auth.passkeyRequest(), request: 'POST /api/v1/auth/passkeys/request' },
  {
    call: ({ auth }) => auth.signInWithPasskey({ id: 'a', clientDataJSON: 'b', authenticatorData: 'c', signature: 'd' }),
    request: 'POST /api/v1/auth/passkeys/sign-in {"id":"a","clientDataJSON":"b","authenticatorData":"c","signature":"d"}',
  },
  { call: ({ auth }) => auth.passkeyCreation(), request: 'POST /api/v1/auth/passkeys/creation' },
  { call: ({ auth }) => auth.passkeys(), request: 'GET /api/v1/auth/passkeys' },
  {
    call: ({ auth }) => auth.addPasskey({ code: '123456', name: 'a', clientDataJSON: 'b', attestationObject: 'c' }),
    request: 'POST /api/v1/auth/passkeys {"code":"123456","name":"a","clientDataJSON":"b","attestationObject":"c"}',
  },
  { call: ({ auth }) => auth.removePasskey('a/b'), request: 'DELETE /api/v1/auth/passkeys/a%2Fb', status: 204 },
  { call: ({ admin }) => admin.uploadPicture(new Uint8Array([0x47, 0x49])), request: 'POST /api/v1/media GI' },
  { call: ({ admin }) => admin.uploadPicture(new Blob(['GIF'])), request: 'POST /api/v1/media GIF' },
  { call: ({ admin }) => admin.pictures({ limit: 2, cursor: '1-a', unused: true }), request: 'GET /api/v1/media?limit=2&cursor=1-a&unused=true' },
  { call: ({ admin }) => admin.picture('a'), request: 'GET /api/v1/media/a' },
  {
    call: ({ admin }) => admin.describePicture('a', { alt: 'b', focus: { x: 1, y: 2 } }),
    request: 'PUT /api/v1/media/a {"alt":"b","focus":{"x":1,"y":2}}',
  },
  { call: ({ admin }) => admin.removePicture('a'), request: 'DELETE /api/v1/admin/media/a', status: 204 },
  { call: ({ admin }) => admin.passkeys('1'), request: 'GET /api/v1/admin/users/1/passkeys' },
  { call: ({ admin }) => admin.removePasskeys('1'), request: 'DELETE /api/v1/admin/users/1/passkeys' },
  { call: ({ admin }) => admin.makeCode('1'), request: 'POST /api/v1/admin/users/1/code' },
  { call: ({ admin }) => admin.apiTokens(), request: 'GET /api/v1/admin/tokens' },
  {
    call: ({ admin }) => admin.makeApiToken({ name: 'a', role: 'publisher', models: ['topic'], methods: ['read'], days: 1 }),
    request: 'POST /api/v1/admin/tokens {"name":"a","role":"publisher","models":["topic"],"methods":["read"],"days":1}',
  },
  { call: ({ admin }) => admin.revokeApiToken('a/b'), request: 'DELETE /api/v1/admin/tokens/a%2Fb', status: 204 },
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
    call: ({ data }) => data('topic').list({ filter: { name: LONG }, sort: 'name:asc', limit: 5, cursor: 'c=' }),
    request:
      `POST /api/v1/data/query?model=topic {"filter":{"name":"${LONG}"},` +
      '"sort":"name:asc","limit":5,"cursor":"c="}',
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
  {
    call: ({ data }) => data('topic').patch('1', { name: 'Ports', description: null }),
    request: 'PATCH /api/v1/data/1?model=topic {"name":"Ports","description":null}',
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
  {
    call: ({ data }) => data('topic').history('1', { limit: 2, cursor: '9' }),
    request: 'GET /api/v1/data/1/history?model=topic&limit=2&cursor=9',
  },
  {
    call: ({ data }) => data('topic').version('1', '7'),
    request: 'GET /api/v1/data/1/history/7?model=topic',
    gives: { document: DATA, etag: '"v1"' },
  },
  {
    call: ({ data }) => data('topic').usage('1'),
    request: 'GET /api/v1/data/1/usage?model=topic',
  },
  {
    call: ({ data }) => data('headline').duplicates({ url: 'https://harbour.example/a?b=c', except: '1' }),
    request: 'GET /api/v1/data/duplicates?model=headline&url=https%3A%2F%2Fharbour.example%2Fa%3Fb%3Dc&except=1',
  },
  {
    call: ({ data }) => data('topic').restore('1', { seq: 7, ifMatch: '"v1"' }),
    request: 'POST /api/v1/data/1/restore?model=topic&seq=7 {}',
    gives: { document: DATA, etag: '"v1"' },
  },
  {
    call: ({ data }) => data('topic').usageOfMany({ ids: ['1', '2'] }),
    request: 'POST /api/v1/data/usage?model=topic {"ids":["1","2"]}',
  },
  { call: ({ data }) => data('topic').counts({ filter: { name: 'Ports' } }), request: 'GET /api/v1/data/counts?model=topic&filter=%7B%22name%22%3A%22Ports%22%7D' },
  { call: ({ data }) => data('topic').trash({ limit: 2 }), request: 'GET /api/v1/data/trash?model=topic&limit=2' },
  { call: ({ data }) => data('topic').eraseTrashed('1'), request: 'DELETE /api/v1/data/trash/1?model=topic', status: 204 },
  { call: ({ auth }) => auth.refreshToken(), request: 'POST /api/v1/auth/refresh-token' },
  {
    call: ({ data }) => data('topic').create(TOPIC, { idempotencyKey: 'k' }),
    request: `POST /api/v1/data?model=topic ${JSON.stringify(TOPIC)}`,
    gives: { document: DATA, etag: '"v1"' },
  },
  {
    call: async (client) =>
      client.batch({ operations: [{ operation: 'delete', model: 'topic', id: '1', ifMatch: 'W/"v1"' }] }).catch((error: Error) => error.name),
    request: 'POST /api/v1/data/batch {"operations":[{"operation":"delete","model":"topic","id":"1","ifMatch":"\\"v1\\""}]}',
    gives: 'UnreadableReply',
  },
  {
    call: (client) => changeTicket(client),
    request: 'POST /api/v1/changes/ticket',
    gives: DATA,
  },
  {
    call: async (client) =>
      readChanges(client, { models: ['topic', 'source'], filter: { name: 'x' }, since: '7.r.a', limit: 9, wait: 30 }).catch((error: Error) => error.name),
    request: 'GET /api/v1/changes?since=7.r.a&models=topic%2Csource&filter=%7B%22name%22%3A%22x%22%7D&limit=9&wait=30',
    gives: 'UnreadableReply',
  },
  {
    call: async (client) => changes(client, { since: '7.r.a', editing: ['headline:1', 'topic:2'] }).next().catch((error: Error) => error.name),
    request: 'GET /api/v1/changes/stream?since=7.r.a&editing=headline%3A1%2Ctopic%3A2',
    gives: 'UnreadableReply',
  },
  {
    call: async (client) => changes(client, { models: ['topic'], since: '7.r.a' }).next().catch((error: Error) => error.name),
    request: 'GET /api/v1/changes/stream?models=topic&since=7.r.a',
    gives: 'UnreadableReply',
  },
  { call: ({ auth }) => auth.sessions(), request: 'GET /api/v1/auth/sessions' },
  { call: ({ auth }) => auth.endOtherSessions(), request: 'DELETE /api/v1/auth/sessions' },
  { call: ({ auth }) => auth.endSession('s/1'), request: 'DELETE /api/v1/auth/sessions/s%2F1', status: 204 },
  { call: ({ dashboard }) => dashboard.setup(), request: 'GET /api/v1/dashboard/setup' },
  { call: ({ dashboard }) => dashboard.overview(), request: 'GET /api/v1/dashboard/overview' },
  { call: ({ dashboard }) => dashboard.people({ ids: ['1'] }), request: 'POST /api/v1/dashboard/people {"ids":["1"]}' },
  { call: ({ dashboard }) => dashboard.views(), request: 'GET /api/v1/dashboard/views' },
  {
    call: ({ dashboard }) => dashboard.addView({ name: 'Mine', model: 'topic', query: 'q=a' }),
    request: 'POST /api/v1/dashboard/views {"name":"Mine","model":"topic","query":"q=a"}',
  },
  {
    call: ({ dashboard }) => dashboard.replaceView('v/1', { name: 'Mine', model: 'topic', query: '' }),
    request: 'PUT /api/v1/dashboard/views/v%2F1 {"name":"Mine","model":"topic","query":""}',
  },
  { call: ({ dashboard }) => dashboard.removeView('v1'), request: 'DELETE /api/v1/dashboard/views/v1', status: 204 },
  { call: ({ admin }) => admin.status(), request: 'GET /api/v1/admin/status' },
  { call: ({ admin }) => admin.cluster(), request: 'GET /api/v1/admin/cluster' },
  {
    call: ({ admin }) => admin.log({ text: 'a b', route: '/api', from: '2026-03-01', limit: 5 }),
    request: 'GET /api/v1/admin/log?limit=5&text=a+b&route=%2Fapi&from=2026-03-01',
  },
  { call: ({ admin }) => admin.loadSample(), request: 'POST /api/v1/admin/sample' },
  { call: ({ admin }) => admin.settings(), request: 'GET /api/v1/admin/settings' },
  {
    call: ({ admin }) => admin.changeSettings({ backupKeep: 3, mail: null }, { ifMatch: '"v1"' }),
    request: 'PATCH /api/v1/admin/settings {"backupKeep":3,"mail":null}',
  },
  {
    call: ({ admin }) => admin.testMailSettings({ to: 'a@b.example', settings: { mailFrom: 'a@b.example' } }),
    request: 'POST /api/v1/admin/settings/test {"to":"a@b.example","settings":{"mailFrom":"a@b.example"}}',
  },
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
  { call: ({ admin }) => admin.makeOffsiteBackups(), request: 'POST /api/v1/admin/offsite-backups {}', status: 202 },
  {
    call: async ({ admin }) => (await admin.downloadBackup('a b.db')).text(),
    request: 'GET /api/v1/admin/backups/a%20b.db',
    gives: 'SQLite format 3',
  },
  {
    call: async ({ admin }) => (await admin.exportList({ model: 'topic', format: 'csv' })).text(),
    request: 'POST /api/v1/data/export {"model":"topic","format":"csv"}',
    gives: 'id,name',
  },
  { call: ({ admin }) => admin.checkBackup('a b'), request: 'POST /api/v1/admin/backups/a%20b/check {}' },
  {
    call: ({ admin }) => admin.restoreBackup('a', { confirm: 'a' }),
    request: 'POST /api/v1/admin/backups/a/restore {"confirm":"a"}',
  },
  { call: ({ admin }) => admin.lastRestore(), request: 'GET /api/v1/admin/restore' },
  {
    call: ({ admin }) => admin.previewImport({ model: 'topic', format: 'csv', rows: 'name' }),
    request: 'POST /api/v1/admin/import/preview {"model":"topic","format":"csv","rows":"name"}',
  },
  {
    call: ({ admin }) => admin.importRows({ model: 'topic', format: 'ndjson', rows: '{}', dryRun: true }),
    request: 'POST /api/v1/admin/import {"model":"topic","format":"ndjson","rows":"{}","dryRun":true}',
  },
  { call: ({ admin }) => admin.sessions('u'), request: 'GET /api/v1/admin/users/u/sessions' },
  {
    call: ({ admin }) => admin.endSession('u', 's'),
    request: 'DELETE /api/v1/admin/users/u/sessions/s',
    status: 204,
  },
  { call: ({ admin }) => admin.endSessions('u'), request: 'DELETE /api/v1/admin/users/u/sessions' },
  { call: ({ dashboard }) => dashboard.reviews(), request: 'GET /api/v1/reviews' },
  { call: ({ data }) => data('headline').review('h'), request: 'GET /api/v1/data/h/review?model=headline' },
  {
    call: ({ data }) => data('headline').giveBack('h', { note: 'n' }),
    request: 'POST /api/v1/data/h/return?model=headline {"note":"n"}',
    gives: { document: DATA, etag: '"v1"' },
  },
  { call: ({ admin }) => admin.feeds(), request: 'GET /api/v1/feeds' },
  { call: async ({ admin }) => (await admin.feedsAsOpml()).text(), request: 'GET /api/v1/feeds/opml', gives: '<opml>' },
  { call: ({ admin }) => admin.feedItems('f'), request: 'GET /api/v1/feeds/f/items' },
  { call: ({ admin }) => admin.previewFeedRules({ rules: [] }), request: 'POST /api/v1/feeds/rules {"rules":[]}' },
  { call: ({ admin }) => admin.sameStories('h'), request: 'GET /api/v1/feeds/stories/h' },
  { call: ({ admin }) => admin.headlineOrigins({ ids: ['h'] }), request: 'POST /api/v1/feeds/origins {"ids":["h"]}' },
  {
    call: ({ admin }) => admin.setFeedPassword('f', { password: null }),
    request: 'PUT /api/v1/admin/feeds/f/password {"password":null}',
    status: 204,
  },
  { call: ({ admin }) => admin.previewFeed({ address: 'a' }), request: 'POST /api/v1/admin/feeds/preview {"address":"a"}' },
  { call: ({ admin }) => admin.fetchFeed('f'), request: 'POST /api/v1/admin/feeds/f/fetch {}' },
  {
    call: ({ admin }) => admin.importFeeds({ opml: '<opml/>', source: { id: 's' } }),
    request: 'POST /api/v1/admin/feeds/opml {"opml":"<opml/>","source":{"id":"s"}}',
  },
  { call: ({ admin }) => admin.publications(), request: 'GET /api/v1/publications' },
  { call: ({ admin }) => admin.previewPublication({ publication: {} }), request: 'POST /api/v1/admin/publications/preview {"publication":{}}' },
  { call: ({ admin }) => admin.makePublicationSecret('p'), request: 'POST /api/v1/admin/publications/p/secret' },
  { call: ({ admin }) => admin.invitation('u'), request: 'GET /api/v1/admin/users/u/invitation' },
  { call: ({ admin }) => admin.inviteAgain('u', { language: 'de' }), request: 'POST /api/v1/admin/users/u/invitation?language=de {}' },
]

describe('a method of the client', () => {
  for (const { call, request, status = 200, gives = status === 200 ? DATA : undefined } of ROWS) {
    it(`sends ${request.slice(0, 100)}`, async (t) => {
      const { url, seen } = await serverThat(t, ({ url: asked, headers }, response) => {
        assert.equal(headers.authorization, 'Bearer old')
        assert.equal(headers['accept-language'], 'de-CH')
        if (asked?.includes('a%20b.db') === true) {
          response.writeHead(200, { 'content-type': 'application/vnd.sqlite3' }).end('SQLite format 3')
        } else if (asked?.endsWith('/export') === true) {
          response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('id,name')
        } else if (asked?.endsWith('/v1/feeds/opml') === true) {
          response.writeHead(200, { 'content-type': 'text/x-opml; charset=utf-8' }).end('<opml>')
        } else if (status !== 200) response.writeHead(status).end()
        else response.writeHead(200, { etag: '"v1"' }).end(JSON.stringify({ data: DATA, metadata: {} }))
      })
      assert.deepEqual(await call(createClient({ url, token: 'old', language: 'de-CH' })), gives)
      assert.deepEqual(seen, [request])
    })
  }

  it('is there for each route of the API, but those of RxDB', () => {
    const isSent = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replace(/:\w+/g, '[^/ ?]+')}(?:[ ?]|$)`)
      return ROWS.some(({ request }) => pattern.test(request))
    }
    const all = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)
    const routes = all.filter((route) => / \/api\/v1\/(?!openapi\.json|sync\/)/.test(route))
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

it('the position of the last response goes with the next request, and starts over with a log that was created again', async (t) => {
  const answers = ['', '7', '5', 'x', '9007199254740993', '3']
  const sent: (string | undefined)[] = []
  const { url } = await serverThat(t, ({ headers }, response) => {
    sent.push(headers['x-dateline-position']?.toString())
    const position = answers[sent.length - 1] ?? ''
    response.writeHead(200, position === '' ? {} : { 'x-dateline-position': position }).end('{"data":{}}')
  })
  const client = createClient({ url })
  for (let i = 0; i < 7; i++) await client.auth.me()
  assert.deepEqual(sent, [undefined, undefined, '7', '5', '5', '5', '3'])
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
