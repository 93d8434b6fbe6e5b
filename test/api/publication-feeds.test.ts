/** Publications as feeds of a Dateline: that of another one, whose stories come once, and its own, which brings nothing. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { COUNTRY, FEED, HEADLINE, PUBLICATION, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'

const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = PUBLICATION
const { id: _f, createdAt: _fc, updatedAt: _fu, ...FEED_BODY } = FEED
const FILES = ['feed.atom', 'feed.rss', 'feed.json']

async function create(service: TestService, token: string, model: string, body: object): Promise<JsonObject> {
  const response = await service.data('POST', '', { model }, { token, body })
  assert.equal(response.status, 201, response.text)
  return response.at('data') as JsonObject
}

const list = async (service: TestService, token: string, model: string): Promise<JsonObject[]> =>
  (await service.data('GET', '', { model, limit: 100, incomplete: model === 'headline' }, { token })).at('data.items') as JsonObject[]

/** Adds a feed of each format of the publication, and fetches all until nothing is due. */
async function follow(service: TestService, token: string, address: string): Promise<void> {
  for (const file of FILES) {
    const feed = { ...FEED_BODY, address: `${address}${file}`, source: SOURCE, topic: TOPIC, country: COUNTRY }
    await create(service, token, 'feed', feed)
    await service.app.feeds.idle()
  }
}

const SETTINGS = { outboundAllow: '127.0.0.1' }

it('a Dateline reads that of another one without a loss, and each story once', { skip: ONLY_HERE }, async (t) => {
  const publisher = await startService(t, SETTINGS)
  const { token } = await publisher.admin()
  await create(publisher, token, 'publication', BODY)
  for (const n of [1, 2, 3]) await create(publisher, token, 'headline', { ...HEADLINE, title: `Story ${n} & <more>`, excerpt: `Part ${n}`, url: `https://harbour.example.org/${n}` })
  const reader = await startService(t, SETTINGS)
  const admin = await reader.admin()
  await follow(reader, admin.token, `${publisher.url}/p/${BODY.name}/`)
  const found = await list(reader, admin.token, 'headline')
  const parts = found.map(({ title, excerpt, url, imageUrl, status }) => [title, excerpt, url, imageUrl, status])
  assert.deepEqual(parts.toSorted(), [1, 2, 3].map((n) => [`Story ${n} & <more>`, `Part ${n}`, `https://harbour.example.org/${n}`, HEADLINE.imageUrl, 'active']))
})

it('attack: a Dateline that reads its own publications neither doubles nor loops', { skip: ONLY_HERE }, async (t) => {
  const service = await startService(t, SETTINGS)
  const { token } = await service.admin()
  await create(service, token, 'publication', BODY)
  for (const n of [1, 2]) await create(service, token, 'headline', { ...HEADLINE, title: `Own ${n}`, url: `https://harbour.example.org/${n}` })
  await create(service, token, 'headline', { ...HEADLINE, title: 'Without a page', url: '' })
  await follow(service, token, `${service.url}/p/${BODY.name}/`)
  const count = (await list(service, token, 'headline')).length
  const feeds = await list(service, token, 'feed')
  for (let round = 0; round < 3; round++) {
    for (const { id } of feeds) {
      const fetched = await service.call('POST', `/api/v1/admin/feeds/${String(id)}/fetch`, { token })
      assert.equal(fetched.at('data.status'), 'working', fetched.text)
    }
  }
  const headlines = await list(service, token, 'headline')
  assert.equal(headlines.length, count)
  const titles = headlines.map(({ title, status }) => `${String(title)} ${String(status)}`).toSorted()
  // A story that leads nowhere is no headline that could be published: it waits as a draft, of each feed once.
  assert.deepEqual(titles.filter((title) => title.endsWith('active')), ['Own 1 active', 'Own 2 active', 'Without a page active'])
  assert.ok(titles.length <= 3 + FILES.length, titles.join())
})
