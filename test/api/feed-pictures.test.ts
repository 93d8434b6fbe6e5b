/** Feeds whose pictures the service keeps, over the API: who decides about it, and what readers get. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { BODIES, FEED } from '../../scripts/tools/data-bodies.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'
import { serverThat } from '../support/service/scripted-http.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startSite } from '../support/service/site.ts'

const site = await startSite({ outboundAllow: '127.0.0.1', publicUrl: 'https://news.example.org/', rateLimits: 'off', dataPerUser: '0' })
const { service, admin, publisher, standard } = site
const { id: _, createdAt: _c, updatedAt: _u, keepsPictures: _k, ...BODY } = FEED

it('a feed keeps no pictures where it does not say so, and administrators alone say it', async (t) => {
  const created = await site.create('feed', { ...BODY, address: 'https://harbour.example.org/one', paused: true })
  assert.deepEqual([created.status, created.at('data.keepsPictures')], [201, false], created.text)
  const id = String(created.at('data.id'))
  t.after(() => site.remove('feed', id))
  const patch = (keepsPictures: unknown, token: string | undefined) => service.call('PATCH', `/api/v1/data/${id}?model=feed`, { token, body: { keepsPictures } })
  for (const by of [publisher, standard]) assert.equal((await patch(true, by.token)).status, 403)
  const wrong = await patch('yes', admin.token)
  assert.deepEqual([wrong.status, wrong.at('error.message')], [400, 'keepsPictures: expected true or false, found "yes"'])
  assert.equal((await patch(true, admin.token)).at('data.keepsPictures'), true)
  const replaced = await service.call('PUT', `/api/v1/data/${id}?model=feed`, { token: admin.token, body: { ...BODY, address: 'https://harbour.example.org/one', paused: true } })
  assert.equal(replaced.at('data.keepsPictures'), false)
})

it('OPML brings feeds that keep their pictures where the request says so', async () => {
  const opml = (n: number): string => `<opml version="2.0"><body><outline text="x" xmlUrl="http://127.0.0.1:9/opml-${n}"/></body></opml>`
  const source = (await site.create('source', BODIES['source'] as JsonObject)).at('data.id')
  const send = (body: object) => service.call('POST', '/api/v1/admin/feeds/opml', { token: admin.token, body: { source: { id: source }, ...body } })
  assert.equal((await send({ opml: opml(1), keepsPictures: true })).at('data.added'), 1)
  const list = await service.call('GET', '/api/v1/data?model=feed&filter={"keepsPictures":true}', { token: admin.token })
  assert.deepEqual((list.at('data.items') as JsonObject[]).map(({ address }) => address), ['http://127.0.0.1:9/opml-1'])
  for (const { id } of list.at('data.items') as JsonObject[]) await site.remove('feed', String(id))
  assert.equal((await send({ opml: opml(2), keepsPictures: 1 })).at('error.message'), 'keepsPictures: expected true or false, found 1')
})

it('the headline of an item gets the address of the kept picture, which everybody may read', { skip: ONLY_HERE }, async (t) => {
  const { url, seen } = await serverThat(t, (request, response) => {
    if (request.url !== '/feed.xml') return void response.writeHead(200, { 'content-type': 'image/webp' }).end(samplePicture('webp'))
    const item = `<item><guid>1</guid><title>Kept</title><link>https://harbour.example.org/kept</link><enclosure url="${url}/ferry.webp" type="image/webp" length="1"/></item>`
    response.writeHead(200).end(`<rss version="2.0"><channel><title>x</title>${item}</channel></rss>`)
  })
  const created = await site.create('feed', { ...BODY, address: `${url}/feed.xml`, keepsPictures: true })
  const id = String(created.at('data.id'))
  t.after(() => site.remove('feed', id))
  await service.app.feeds.idle()
  await service.app.feedPictures.idle()
  assert.deepEqual(seen, ['GET /feed.xml', 'GET /ferry.webp'])
  const items = (await service.call('GET', `/api/v1/feeds/${id}/items`, { token: publisher.token })).at('data.items') as JsonObject[]
  const { imageUrl } = await site.stored('headline', items[0]?.['headline'])
  assert.match(String(imageUrl), /^https:\/\/news\.example\.org\/media\/[0-9a-f]{64}\.webp$/)
  const response = await fetch(service.url + new URL(String(imageUrl)).pathname)
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/webp'])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^dateline_feed_pictures_total\{outcome="kept"\} 1$/m)
  const usage = await service.call('GET', `/api/v1/media/${new URL(String(imageUrl)).pathname.slice(7, 71)}`, { token: publisher.token })
  assert.deepEqual([usage.at('data.picture.createdBy'), usage.at('data.users')], ['feed', [{ model: 'headline', id: items[0]?.['headline'] }]])
})
