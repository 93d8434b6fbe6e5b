/** The client against the service itself: documents, signing in, pages and versions. Each call is in client-calls. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  BadRequest,
  createClient,
  Forbidden,
  NotFound,
  PreconditionFailed,
  Unauthorized,
  type Client,
  type Collection,
} from '../../src/client/client.ts'
import type { Bodies, ModelName } from '../../src/client/client-types.ts'
import { ADMIN_EMAIL } from '../support/service/service.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const admin = createClient({ url: service.url, token: (await service.admin()).token })

describe('documents', () => {
  /** One that takes bodies of its own type; which it is, a row decides. */
  type Any = Collection<'topic'>
  const any = (client: Client, model: ModelName): Any => client.data(model as 'topic')

  for (const model of ['headline', 'country'] as const) {
    it(`are created, read, listed, replaced and removed: ${model}`, async () => {
      const items = any(admin, model)
      const { document, etag } = await items.create(bodyOf(model) as unknown as Bodies['topic'])
      assert.match(etag ?? '', /^"[^"]+"$/)
      assert.deepEqual(await items.get(document.id), { document, etag })
      const listed = await items.list({ filter: { id: document.id } })
      assert.deepEqual(listed, { items: [document], cursor: null, hasMore: false })
      const replaced = await items.replace(document.id, { ...document, status: 'draft' }, { ifMatch: etag })
      assert.deepEqual([replaced.document.status, replaced.document.id], ['draft', document.id])
      assert.notEqual(replaced.etag, etag)
      await items.remove(document.id, { ifMatch: replaced.etag })
      await assert.rejects(items.get(document.id), NotFound)
    })
  }

  it('are confirmed by the service where the client has them, whatever coding they came in', async () => {
    const statuses: number[] = []
    const acceptances = ['identity', 'gzip', 'gzip, deflate, br, zstd']
    const watching: typeof fetch = async (url, init) => {
      // In the order of rows, so that each is asked for in more than one.
      const coding = acceptances[statuses.length % acceptances.length] ?? ''
      const headers = { ...(init?.headers as Record<string, string>), 'accept-encoding': coding }
      const response = await fetch(url, { ...init, headers })
      statuses.push(response.status)
      return response
    }
    const client = createClient({ url: service.url, token: admin.token, fetch: watching as never })
    const headlines = client.data('headline')
    const { document, etag } = await headlines.create(bodyOf('headline') as unknown as Bodies['headline'])
    const read = async (): Promise<void> => {
      const one = await headlines.get(document.id)
      assert.deepEqual(one, { document, etag })
      const page = await headlines.list({ filter: { id: document.id } })
      assert.deepEqual(page.items, [document])
      // What a caller does to a result is not what the next one gets.
      Object.assign(one.document, { title: 'changed here' })
      Object.assign(page.items[0] ?? {}, { title: 'changed here' })
    }
    for (let i = 0; i < 3; i++) await read()
    assert.deepEqual(statuses, [201, 200, 200, 304, 304, 304, 304])
    statuses.length = 0
    const replaced = await headlines.replace(document.id, { ...document, title: 'Changed' }, { ifMatch: etag })
    assert.deepEqual(await headlines.get(document.id), replaced)
    assert.deepEqual((await headlines.list({ filter: { id: document.id } })).items, [replaced.document])
    assert.deepEqual(statuses, [200, 200, 200])
    // What only its owner may read is not kept.
    for (let i = 0; i < 2; i++) await client.data('user').list()
    assert.deepEqual(statuses.slice(3), [200, 200])
    // Nothing is kept beyond the use of a token, not even for the same one later.
    statuses.length = 0
    await headlines.get(document.id)
    client.token = undefined
    client.token = admin.token
    await headlines.get(document.id)
    assert.deepEqual(statuses, [304, 200])
  })
})

describe('signing in', () => {
  it('goes by a code that was sent, keeps the token, and ends', async () => {
    const client = createClient({ url: service.url })
    await client.auth.requestCode({ email: ADMIN_EMAIL, isDashboardLogin: true })
    const code = /\b\d{6}\b/.exec((await service.mails(ADMIN_EMAIL)).at(-1) ?? '')?.[0] ?? ''
    const { user, token } = await client.auth.verifyCode({ email: ADMIN_EMAIL, code, isDashboardLogin: true })
    assert.equal(client.token, token)
    assert.deepEqual(await client.auth.me(), user)
    await client.auth.signOut()
    client.token = token
    await assert.rejects(client.auth.me(), Unauthorized)
    await client.auth.signOut()
    assert.equal(client.token, undefined)
  })

  it('reads responses with the parser that it is given', async () => {
    const marked = (text: string): unknown =>
      JSON.parse(text.replace('"hasAdministrator":true', '"hasAdministrator":1'))
    const client = createClient({ url: service.url, parse: marked })
    assert.equal((await client.dashboard.setup()).hasAdministrator as unknown, 1)
  })

  it('makes an account of a guest, who then goes', async () => {
    const client = createClient({ url: service.url, language: 'de' })
    const guest = await client.auth.anonymous()
    assert.equal(guest.user.appRole, 'guestUser')
    await client.auth.requestCode({ email: 'guest@example.org' })
    const mail = (await service.mails('guest@example.org')).at(-1) ?? ''
    assert.match(mail, /Ihr Code/)
    const { user } = await client.auth.verifyCode({
      email: 'guest@example.org',
      code: /\b\d{6}\b/.exec(mail)?.[0] ?? '',
    })
    assert.deepEqual([user.id, user.appRole], [guest.user.id, 'standardUser'])
    await client.auth.deleteAccount()
    assert.equal(client.token, undefined)
    client.token = guest.token
    await assert.rejects(client.auth.me(), Unauthorized)
  })
})

it('iterate() gives each item once over several pages, in order', async () => {
  const topics = admin.data('topic')
  const wanted = Array.from({ length: 23 }, (_, i) => `Page ${String(i).padStart(2, '0')}`)
  for (const name of wanted) await topics.create({ name, description: '', iconUrl: '' })
  for (const pageSize of [1, 7, 23, 100, undefined]) {
    const found: string[] = []
    for await (const { name } of topics.iterate({ filter: { q: 'page' }, sort: 'name:asc', pageSize })) found.push(name)
    assert.deepEqual(found, wanted)
  }
})

describe('a refusal of the service is of its class', () => {
  const body = { name: 'A', description: '', iconUrl: '' }

  it('Unauthorized, Forbidden, NotFound and BadRequest', async () => {
    const guest = createClient({ url: service.url })
    await assert.rejects(guest.data('topic').list(), Unauthorized)
    await guest.auth.anonymous()
    await assert.rejects(guest.data('topic').create(body), Forbidden)
    await assert.rejects(guest.admin.status(), Forbidden)
    await assert.rejects(admin.data('topic').get('none'), NotFound)
    await assert.rejects(admin.data('topic').get('a/../b?model=user#c'), NotFound)
    await assert.rejects(admin.data('topic').list({ sort: ':' }), BadRequest)
    await assert.rejects(
      admin.data('topic').create({ ...body, name: ' ' }),
      (error) => error instanceof BadRequest && error.code === 'invalidInput' && error.message.startsWith('name: '),
    )
  })

  it('PreconditionFailed, and nothing is changed', async () => {
    const topics = admin.data('topic')
    const { document, etag } = await topics.create(body)
    const second = await topics.replace(document.id, { ...document, name: 'Second' }, { ifMatch: etag })
    const replacing = topics.replace(document.id, { ...document, name: 'Third' }, { ifMatch: etag })
    await assert.rejects(
      replacing,
      (error) => error instanceof PreconditionFailed && error.code === 'preconditionFailed',
    )
    await assert.rejects(topics.remove(document.id, { ifMatch: etag }), PreconditionFailed)
    assert.deepEqual(await topics.get(document.id), second)
  })
})

describe('the dashboard', () => {
  it('is told of before and after signing in', async () => {
    const setup = await createClient({ url: service.url }).dashboard.setup()
    assert.deepEqual([setup.hasAdministrator, setup.codesBy], [true, 'mail'])
    const overview = await admin.dashboard.overview()
    assert.ok(overview.counts.topic.active >= 23)
  })
})
