/** Every method of the client: the request that it sends, what it gives back, and that no route of the API lacks one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changes, changeTicket, createClient, readChanges, type Client } from '../../src/client/client.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { serverThat } from '../support/service/scripted-http.ts'

const TOPIC = { name: 'Harbours', description: '', iconUrl: '', status: 'active' } as const
const DATA = { items: [], cursor: null, hasMore: false, user: { id: '1' }, token: 'new' }
const LONG = 'x'.repeat(4_096)

/** Work that goes on when the response is there. */
const ACCEPTED = /request-code|offsite-backups/

type Call = (client: Client) => Promise<unknown>

/** What is sent, and the call that sends it. All of these get an envelope with a bit of everything. */
const OF_DATA: readonly (readonly [request: string, call: Call])[] = [
  [
    'POST /api/v1/auth/verify-code {"email":"a@b.example","code":"123456","isDashboardLogin":true}',
    ({ auth }) => auth.verifyCode({ email: 'a@b.example', code: '123456', isDashboardLogin: true }),
  ],
  ['POST /api/v1/auth/anonymous {}', ({ auth }) => auth.anonymous()],
  ['GET /api/v1/auth/me', ({ auth }) => auth.me()],
  ['POST /api/v1/auth/setup {"token":"t","email":"a@b.example"}', ({ auth }) => auth.setup({ token: 't', email: 'a@b.example' })],
  [
    'POST /api/v1/auth/setup/restore/look {"token":"t","place":"file:///mnt/nas","keys":"","identity":"i","at":""}',
    ({ auth }) => auth.lookForSite({ token: 't', place: 'file:///mnt/nas', keys: '', identity: 'i', at: '' }),
  ],
  [
    'POST /api/v1/auth/setup/restore {"token":"t","place":"file:///mnt/nas","keys":"","identity":"i","at":""}',
    ({ auth }) => auth.restoreSite({ token: 't', place: 'file:///mnt/nas', keys: '', identity: 'i', at: '' }),
  ],
  ['POST /api/v1/auth/setup/restore/progress {"token":"t"}', ({ auth }) => auth.siteProgress({ token: 't' })],
  ['POST /api/v1/auth/proxy', ({ auth }) => auth.proxy()],
  ['POST /api/v1/auth/passkeys/request', ({ auth }) => auth.passkeyRequest()],
  [
    'POST /api/v1/auth/passkeys/sign-in {"id":"a","clientDataJSON":"b","authenticatorData":"c","signature":"d"}',
    ({ auth }) => auth.signInWithPasskey({ id: 'a', clientDataJSON: 'b', authenticatorData: 'c', signature: 'd' }),
  ],
  ['POST /api/v1/auth/passkeys/creation', ({ auth }) => auth.passkeyCreation()],
  ['GET /api/v1/auth/passkeys', ({ auth }) => auth.passkeys()],
  [
    'POST /api/v1/auth/passkeys {"code":"123456","name":"a","clientDataJSON":"b","attestationObject":"c"}',
    ({ auth }) => auth.addPasskey({ code: '123456', name: 'a', clientDataJSON: 'b', attestationObject: 'c' }),
  ],
  ['POST /api/v1/media GI', ({ admin }) => admin.uploadPicture(new Uint8Array([0x47, 0x49]))],
  ['POST /api/v1/media GIF', ({ admin }) => admin.uploadPicture(new Blob(['GIF']))],
  ['GET /api/v1/media?limit=2&cursor=1-a&unused=true&search=a', ({ admin }) => admin.pictures({ limit: 2, cursor: '1-a', unused: true, search: 'a' })],
  ['GET /api/v1/media/a', ({ admin }) => admin.picture('a')],
  ['PUT /api/v1/media/a {"alt":"b","focus":{"x":1,"y":2}}', ({ admin }) => admin.describePicture('a', { alt: 'b', focus: { x: 1, y: 2 } })],
  ['GET /api/v1/admin/users/1/passkeys', ({ admin }) => admin.passkeys('1')],
  ['DELETE /api/v1/admin/users/1/passkeys', ({ admin }) => admin.removePasskeys('1')],
  ['POST /api/v1/admin/users/1/code', ({ admin }) => admin.makeCode('1')],
  ['GET /api/v1/admin/tokens', ({ admin }) => admin.apiTokens()],
  [
    'POST /api/v1/admin/tokens {"name":"a","role":"publisher","models":["topic"],"methods":["read"],"days":1}',
    ({ admin }) => admin.makeApiToken({ name: 'a', role: 'publisher', models: ['topic'], methods: ['read'], days: 1 }),
  ],
  ['GET /api/v1/data?model=topic', ({ data }) => data('topic').list()],
  [
    'GET /api/v1/data?model=topic&filter=%7B%22q%22%3A%22a%26b%22%2C%22name%22%3A%7B%22%24ne%22%3A%22%2B%22%7D%7D&sort=name%3Aasc&limit=0&cursor=c%3D',
    ({ data }) => data('topic').list({ filter: { q: 'a&b', name: { $ne: '+' } }, sort: 'name:asc', limit: 0, cursor: 'c=' }),
  ],
  ['GET /api/v1/data?model=topic', ({ data }) => data('topic').list({ cursor: null })],
  [`POST /api/v1/data/query?model=topic {"filter":{"name":"${LONG}"}}`, ({ data }) => data('topic').list({ filter: { name: LONG }, cursor: null })],
  [
    `POST /api/v1/data/query?model=topic {"filter":{"name":"${LONG}"},"sort":"name:asc","limit":5,"cursor":"c="}`,
    ({ data }) => data('topic').list({ filter: { name: LONG }, sort: 'name:asc', limit: 5, cursor: 'c=' }),
  ],
  ['POST /api/v1/data/check?model=topic {"name":7}', ({ data }) => data('topic').check({ name: 7 })],
  ['POST /api/v1/data/check?model=topic&id=1 {}', ({ data }) => data('topic').check({}, { id: '1' })],
  ['POST /api/v1/data/explain?model=topic {"filter":{"status":"draft"}}', ({ data }) => data('topic').explain({ filter: { status: 'draft' }, cursor: null })],
  ['GET /api/v1/data/1/history?model=topic&limit=2&cursor=9', ({ data }) => data('topic').history('1', { limit: 2, cursor: '9' })],
  ['GET /api/v1/data/1/usage?model=topic', ({ data }) => data('topic').usage('1')],
  [
    'GET /api/v1/data/duplicates?model=headline&url=https%3A%2F%2Fharbour.example%2Fa%3Fb%3Dc&except=1',
    ({ data }) => data('headline').duplicates({ url: 'https://harbour.example/a?b=c', except: '1' }),
  ],
  ['POST /api/v1/data/usage?model=topic {"ids":["1","2"]}', ({ data }) => data('topic').usageOfMany({ ids: ['1', '2'] })],
  ['GET /api/v1/data/counts?model=topic&filter=%7B%22name%22%3A%22Ports%22%7D', ({ data }) => data('topic').counts({ filter: { name: 'Ports' } })],
  ['GET /api/v1/data/trash?model=topic&limit=2', ({ data }) => data('topic').trash({ limit: 2 })],
  ['POST /api/v1/auth/refresh-token', ({ auth }) => auth.refreshToken()],
  ['POST /api/v1/changes/ticket', (client) => changeTicket(client)],
  ['GET /api/v1/auth/sessions', ({ auth }) => auth.sessions()],
  ['DELETE /api/v1/auth/sessions', ({ auth }) => auth.endOtherSessions()],
  ['GET /api/v1/dashboard/setup', ({ dashboard }) => dashboard.setup()],
  ['GET /api/v1/dashboard/overview', ({ dashboard }) => dashboard.overview()],
  ['POST /api/v1/dashboard/people {"ids":["1"]}', ({ dashboard }) => dashboard.people({ ids: ['1'] })],
  ['GET /api/v1/dashboard/views', ({ dashboard }) => dashboard.views()],
  ['POST /api/v1/dashboard/views {"name":"Mine","model":"topic","query":"q=a"}', ({ dashboard }) => dashboard.addView({ name: 'Mine', model: 'topic', query: 'q=a' })],
  [
    'PUT /api/v1/dashboard/views/v%2F1 {"name":"Mine","model":"topic","query":""}',
    ({ dashboard }) => dashboard.replaceView('v/1', { name: 'Mine', model: 'topic', query: '' }),
  ],
  ['GET /api/v1/admin/status', ({ admin }) => admin.status()],
  ['GET /api/v1/admin/cluster', ({ admin }) => admin.cluster()],
  ['GET /api/v1/admin/log?limit=5&text=a+b&route=%2Fapi&from=2026-03-01', ({ admin }) => admin.log({ text: 'a b', route: '/api', from: '2026-03-01', limit: 5 })],
  ['POST /api/v1/admin/sample', ({ admin }) => admin.loadSample()],
  ['GET /api/v1/admin/settings', ({ admin }) => admin.settings()],
  ['PATCH /api/v1/admin/settings {"backupKeep":3,"mail":null}', ({ admin }) => admin.changeSettings({ backupKeep: 3, mail: null }, { ifMatch: '"v1"' })],
  [
    'POST /api/v1/admin/settings/test {"to":"a@b.example","settings":{"mailFrom":"a@b.example"}}',
    ({ admin }) => admin.testMailSettings({ to: 'a@b.example', settings: { mailFrom: 'a@b.example' } }),
  ],
  ['GET /api/v1/admin/log', ({ admin }) => admin.log()],
  ['GET /api/v1/admin/log?level=warn&limit=9', ({ admin }) => admin.log({ level: 'warn', limit: 9 })],
  [
    'GET /api/v1/admin/audit?filter=%7B%22actor%22%3A%22a%22%7D&email=a%40b.example&sort=time%3Aasc&limit=2',
    ({ admin }) => admin.audit({ filter: { actor: 'a' }, email: 'a@b.example', sort: 'time:asc', limit: 2 }),
  ],
  ['GET /api/v1/admin/outbox?state=failed', ({ admin }) => admin.outbox({ state: 'failed' })],
  ['POST /api/v1/admin/outbox/m%2F1/retry', ({ admin }) => admin.retryMail('m/1')],
  ['POST /api/v1/admin/outbox/test {"to":"a@b.example"}', ({ admin }) => admin.testMail({ to: 'a@b.example' })],
  ['GET /api/v1/admin/backups', ({ admin }) => admin.backups()],
  ['POST /api/v1/admin/backups', ({ admin }) => admin.makeBackup()],
  ['POST /api/v1/admin/backups/a%20b/check {}', ({ admin }) => admin.checkBackup('a b')],
  ['POST /api/v1/admin/backups/a/restore {"confirm":"a"}', ({ admin }) => admin.restoreBackup('a', { confirm: 'a' })],
  ['GET /api/v1/admin/restore', ({ admin }) => admin.lastRestore()],
  [
    'POST /api/v1/admin/import/preview {"model":"topic","format":"csv","rows":"name"}',
    ({ admin }) => admin.previewImport({ model: 'topic', format: 'csv', rows: 'name' }),
  ],
  [
    'POST /api/v1/admin/import {"model":"topic","format":"ndjson","rows":"{}","dryRun":true}',
    ({ admin }) => admin.importRows({ model: 'topic', format: 'ndjson', rows: '{}', dryRun: true }),
  ],
  ['GET /api/v1/admin/users/u/sessions', ({ admin }) => admin.sessions('u')],
  ['DELETE /api/v1/admin/users/u/sessions', ({ admin }) => admin.endSessions('u')],
  ['GET /api/v1/reviews', ({ dashboard }) => dashboard.reviews()],
  ['GET /api/v1/data/h/review?model=headline', ({ data }) => data('headline').review('h')],
  ['GET /api/v1/feeds', ({ admin }) => admin.feeds()],
  ['GET /api/v1/feeds/f/items', ({ admin }) => admin.feedItems('f')],
  ['POST /api/v1/feeds/rules {"rules":[]}', ({ admin }) => admin.previewFeedRules({ rules: [] })],
  ['GET /api/v1/feeds/stories/h', ({ admin }) => admin.sameStories('h')],
  ['POST /api/v1/feeds/origins {"ids":["h"]}', ({ admin }) => admin.headlineOrigins({ ids: ['h'] })],
  ['POST /api/v1/admin/feeds/preview {"address":"a"}', ({ admin }) => admin.previewFeed({ address: 'a' })],
  ['POST /api/v1/admin/feeds/f/fetch {}', ({ admin }) => admin.fetchFeed('f')],
  ['POST /api/v1/admin/feeds/opml {"opml":"<opml/>","source":{"id":"s"}}', ({ admin }) => admin.importFeeds({ opml: '<opml/>', source: { id: 's' } })],
  ['GET /api/v1/publications', ({ admin }) => admin.publications()],
  ['POST /api/v1/admin/publications/preview {"publication":{}}', ({ admin }) => admin.previewPublication({ publication: {} })],
  ['POST /api/v1/admin/publications/p/secret', ({ admin }) => admin.makePublicationSecret('p')],
  ['GET /api/v1/admin/users/u/invitation', ({ admin }) => admin.invitation('u')],
  ['POST /api/v1/admin/users/u/invitation?language=de {}', ({ admin }) => admin.inviteAgain('u', { language: 'de' })],
]
/** These give a document with its version. */
const OF_DOCUMENTS: typeof OF_DATA = [
  ['GET /api/v1/data/1?model=topic', ({ data }) => data('topic').get('1')],
  [`POST /api/v1/data?model=topic ${JSON.stringify(TOPIC)}`, ({ data }) => data('topic').create(TOPIC)],
  [`PUT /api/v1/data/1?model=topic ${JSON.stringify(TOPIC)}`, ({ data }) => data('topic').replace('1', TOPIC)],
  ['PATCH /api/v1/data/1?model=topic {"name":"Ports","description":null}', ({ data }) => data('topic').patch('1', { name: 'Ports', description: null })],
  ['GET /api/v1/data/1/history/7?model=topic', ({ data }) => data('topic').version('1', '7')],
  ['POST /api/v1/data/1/restore?model=topic&seq=7 {}', ({ data }) => data('topic').restore('1', { seq: 7, ifMatch: '"v1"' })],
  [`POST /api/v1/data?model=topic ${JSON.stringify(TOPIC)}`, ({ data }) => data('topic').create(TOPIC, { idempotencyKey: 'k' })],
  ['POST /api/v1/data/h/return?model=headline {"note":"n"}', ({ data }) => data('headline').giveBack('h', { note: 'n' })],
]
/** The response to these has no body. */
const WITHOUT_BODY: typeof OF_DATA = [
  ['POST /api/v1/auth/sign-out', ({ auth }) => auth.signOut()],
  ['DELETE /api/v1/auth/delete-account', ({ auth }) => auth.deleteAccount()],
  ['DELETE /api/v1/auth/passkeys/a%2Fb', ({ auth }) => auth.removePasskey('a/b')],
  ['DELETE /api/v1/admin/media/a', ({ admin }) => admin.removePicture('a')],
  ['DELETE /api/v1/admin/tokens/a%2Fb', ({ admin }) => admin.revokeApiToken('a/b')],
  ['DELETE /api/v1/data/1?model=topic', ({ data }) => data('topic').remove('1')],
  ['DELETE /api/v1/data/trash/1?model=topic', ({ data }) => data('topic').eraseTrashed('1')],
  ['DELETE /api/v1/auth/sessions/s%2F1', ({ auth }) => auth.endSession('s/1')],
  ['DELETE /api/v1/dashboard/views/v1', ({ dashboard }) => dashboard.removeView('v1')],
  ['DELETE /api/v1/admin/users/u/sessions/s', ({ admin }) => admin.endSession('u', 's')],
  ['PUT /api/v1/admin/feeds/f/password {"password":null}', ({ admin }) => admin.setFeedPassword('f', { password: null })],
  ['POST /api/v1/auth/request-code {"email":"a@b.example"}', ({ auth }) => auth.requestCode({ email: 'a@b.example' })],
  ['POST /api/v1/admin/offsite-backups {}', ({ admin }) => admin.makeOffsiteBackups()],
]
const OTHERS: readonly (readonly [request: string, call: Call, gives: unknown])[] = [
  ['GET /api/v1/data?model=topic&limit=7', ({ data }) => data('topic').iterate({ pageSize: 7 }).next(), { done: true, value: undefined }],
  [
    'POST /api/v1/data/batch {"operations":[{"operation":"delete","model":"topic","id":"1","ifMatch":"\\"v1\\""}]}',
    async (client) => client.batch({ operations: [{ operation: 'delete', model: 'topic', id: '1', ifMatch: 'W/"v1"' }] }).catch((error: Error) => error.name), 'UnreadableReply',
  ],
  [
    'GET /api/v1/changes?since=7.r.a&models=topic%2Csource&filter=%7B%22name%22%3A%22x%22%7D&limit=9&wait=30',
    async (client) => readChanges(client, { models: ['topic', 'source'], filter: { name: 'x' }, since: '7.r.a', limit: 9, wait: 30 }).catch((error: Error) => error.name), 'UnreadableReply',
  ],
  [
    'GET /api/v1/changes/stream?since=7.r.a&editing=headline%3A1%2Ctopic%3A2',
    async (client) => changes(client, { since: '7.r.a', editing: ['headline:1', 'topic:2'] }).next().catch((error: Error) => error.name), 'UnreadableReply',
  ],
  [
    'GET /api/v1/changes/stream?models=topic&since=7.r.a',
    async (client) => changes(client, { models: ['topic'], since: '7.r.a' }).next().catch((error: Error) => error.name), 'UnreadableReply',
  ],
  ['GET /api/v1/admin/backups/a%20b.db', async ({ admin }) => (await admin.downloadBackup('a b.db')).text(), 'SQLite format 3'],
  ['POST /api/v1/data/export {"model":"topic","format":"csv"}', async ({ admin }) => (await admin.exportList({ model: 'topic', format: 'csv' })).text(), 'id,name'],
  ['GET /api/v1/feeds/opml', async ({ admin }) => (await admin.feedsAsOpml()).text(), '<opml>'],
]
const ROWS: typeof OTHERS = [
  ...OF_DATA.map(([request, call]) => [request, call, DATA] as const),
  ...OF_DOCUMENTS.map(([request, call]) => [request, call, { document: DATA, etag: '"v1"' }] as const),
  ...WITHOUT_BODY.map(([request, call]) => [request, call, undefined] as const),
  ...OTHERS,
]

describe('a method of the client', () => {
  for (const [request, call, gives] of ROWS) {
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
        } else if (gives === undefined) response.writeHead(ACCEPTED.test(request) ? 202 : 204).end()
        else response.writeHead(200, { etag: '"v1"' }).end(JSON.stringify({ data: DATA, metadata: {} }))
      })
      assert.deepEqual(await call(createClient({ url, token: 'old', language: 'de-CH' })), gives)
      assert.deepEqual(seen, [request])
    })
  }

  it('is there for each route of the API, but those of RxDB', () => {
    const isSent = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replace(/:\w+/g, '[^/ ?]+')}(?:[ ?]|$)`)
      return ROWS.some(([request]) => pattern.test(request))
    }
    const all = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)
    const routes = all.filter((route) => / \/api\/v1\/(?!openapi\.json|sync\/)/.test(route))
    assert.ok(routes.length >= 12)
    assert.deepEqual(routes.filter((route) => !isSent(route)), [])
  })
})

describe('the token', () => {
  for (const [name, call, before, after] of [
    ['is kept by verifyCode()', ({ auth }) => auth.verifyCode({ email: 'a@b.example', code: '123456' }), undefined, 'new'],
    ['of a guest is kept', ({ auth }) => auth.anonymous(), undefined, 'new'],
    ['is forgotten by signOut()', ({ auth }) => auth.signOut(), 'old', undefined],
    ['is forgotten by deleteAccount()', ({ auth }) => auth.deleteAccount(), 'old', undefined],
  ] satisfies readonly (readonly [string, Call, string | undefined, string | undefined])[]) {
    it(name, async (t) => {
      const { url } = await serverThat(t, (_request, response) => {
        if (after === undefined) response.writeHead(204).end()
        else response.end(JSON.stringify({ data: DATA }))
      })
      const client = createClient({ url, token: before })
      await call(client)
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
