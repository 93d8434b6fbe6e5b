/** What a WebSub hub is told: each change of a public publication once, also after failures and restarts, and nothing else. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createMetrics } from '../../src/base/metrics.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { startPublicationPings } from '../../src/content/publications/publication-pings.ts'
import { headline } from '../../src/models/headline.ts'
import { publication } from '../../src/models/publication-model.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { HEADLINE, PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { testStore, type SystemStore } from '../../scripts/tools/stores.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { clientOf } from '../support/outbound/outbound-requests.ts'
import { serverThat } from '../support/service/scripted-http.ts'

const SITE = 'https://news.example.org/'

async function scene(t: Cleanup) {
  const { store } = testStore(t)
  let status = 202
  let before = 0
  const types = new Set<string | undefined>()
  const { url, seen } = await serverThat(t, (request, response) => {
    types.add(request.headers['content-type'])
    response.writeHead(status, status === 301 ? { location: '/elsewhere' } : {}).end()
  })
  const settings = { websubHub: `${url}/hub` as string | undefined, publicUrl: SITE as string | undefined }
  const { client } = clientOf()
  const start = (isOnDuty = (): boolean => true) => {
    const pings = startPublicationPings({ store, own: store.as(SYSTEM), client, settings: () => settings, isOnDuty, metrics: createMetrics(), log: recordingLog().log })
    t.after(() => pings.stop())
    return pings
  }
  /** Looks, and gives what the hub was told by that. */
  const told = async (pings = first): Promise<readonly string[]> => {
    await pings.wake()
    const now = seen.slice(before)
    before = seen.length
    return now
  }
  const first = start()
  return { store, told, start, settings, types, respond: (next: number): void => void (status = next) }
}

const put = (store: SystemStore, model: typeof headline | typeof publication, value: object): Promise<unknown> =>
  store.insert(model, { id: String((value as JsonObject)['id']), value: value as JsonObject })
const paper = (n: number, more: object = {}): object => ({ ...PUBLICATION, id: `p${n}`, name: `news-${n}`, ...more })
const pingOf = (n: number): string => {
  const urls = ['feed.atom', 'feed.rss', 'feed.json'].map((file) => `&hub.url=${encodeURIComponent(`${SITE}p/news-${n}/${file}`)}`)
  return `POST /hub hub.mode=publish${urls.join('')}`
}

it('a hub is told of public publications, and of each change of their feeds once', async (t) => {
  const { store, told, types } = await scene(t)
  await put(store, publication, paper(1, { filter: '{"title":"One"}' }))
  await put(store, publication, paper(2, { visibility: 'secret' }))
  await put(store, publication, paper(3, { isPaused: true }))
  assert.deepEqual(await told(), [pingOf(1)])
  assert.deepEqual(await told(), [])
  await put(store, headline, { ...HEADLINE, id: 'h1', title: 'Other' })
  assert.deepEqual(await told(), [], 'a change that it does not have')
  await put(store, headline, { ...HEADLINE, id: 'h2', title: 'One' })
  assert.deepEqual(await told(), [pingOf(1)])
  await store.update(headline, 'h2', (stored) => ({ ...stored, status: 'archived' }))
  assert.deepEqual(await told(), [pingOf(1)])
  assert.deepEqual([...types], ['application/x-www-form-urlencoded'])
})

it('a hub that does not take it is told again, and a restart tells of what changed meanwhile alone', async (t) => {
  const { store, told, start, respond } = await scene(t)
  for (const n of [1, 2]) await put(store, publication, paper(n, { filter: `{"title":"${n}"}` }))
  for (const status of [500, 301, 404]) {
    respond(status)
    assert.deepEqual(await told(), [pingOf(1), pingOf(2)], `behind ${status}`)
  }
  respond(204)
  assert.deepEqual(await told(), [pingOf(1), pingOf(2)])
  await put(store, headline, { ...HEADLINE, id: 'h1', title: '2' })
  assert.deepEqual(await told(start()), [pingOf(2)])
  assert.deepEqual(await told(start()), [])
})

it('nothing is told without a hub, without the address of the site, and by a node that is not the keeper', async (t) => {
  const { store, told, start, settings } = await scene(t)
  await put(store, publication, paper(1))
  assert.deepEqual(await told(start(() => false)), [])
  settings.publicUrl = undefined
  assert.deepEqual(await told(), [])
  Object.assign(settings, { publicUrl: SITE, websubHub: undefined })
  assert.deepEqual(await told(), [])
})

it('attack: a hub on a private network is not asked, unless the operator allows it', async (t) => {
  const { store, settings } = await scene(t)
  await put(store, publication, paper(1))
  const { log, entries } = recordingLog()
  const { client } = clientOf({ allow: '' })
  const pings = startPublicationPings({ store, own: store.as(SYSTEM), client, settings: () => settings, metrics: createMetrics(), log })
  t.after(() => pings.stop())
  await pings.wake()
  assert.match(String(entries.find(({ event }) => event === 'publication.ping_failed')?.fields['reason']), /private|allow/i)
  assert.equal(store.publications.publicationPings().size, 0)
})
