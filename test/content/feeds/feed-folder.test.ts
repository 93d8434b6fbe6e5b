/** Files of the watched folder become headlines of their feed, each item once, whenever the process ends. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { idGenerator } from '../../../src/base/ids.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { startFeedFolder } from '../../../src/content/feeds/feed-folder.ts'
import { createFeedReader } from '../../../src/feeds/reading/feed-reader.ts'
import { feed } from '../../../src/models/feed-model.ts'
import { headline } from '../../../src/models/headline.ts'
import { matchAll } from '../../../src/query/ast.ts'
import type { Actor } from '../../../src/store/actor.ts'
import { FEED } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { recordingLog } from '../../../scripts/tools/recording-log.ts'
import { testStore, writerWith } from '../../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const CALLER = { key: 'test', class: 'dashboard' } as never
const item = (n: number): string => `<item><guid>tag:${n}</guid><title>Story ${n}</title><link>/stories/${n}</link><enclosure url="/p.jpg" type="image/jpeg"/></item>`
const rss = (count: number, self: string = FEED.address): string =>
  `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>x</title><atom:link rel="self" href="${self}"/>${Array.from({ length: count }, (_, n) => item(n)).join('')}</channel></rss>`

async function openFolder(t: TestContext) {
  const { store } = testStore(t)
  await store.insert(feed, { id: FEED.id, value: { ...FEED, paused: true } as unknown as JsonObject })
  const directory = temporaryDirectory(t)
  const { log, entries } = recordingLog()
  let metrics = createMetrics()
  const start = (from: Pick<typeof store, 'as'> = store) => {
    metrics = createMetrics()
    const parts = { as: from.as, documents: store.documents } as typeof store
    const folder = startFeedFolder({ directory, store: parts, newId: idGenerator(() => NOW), pace: UNPACED, reader: createFeedReader(), metrics, now: () => NOW, log })
    t.after(() => folder.stop())
    return folder
  }
  const put = (name: string, text: string): void => writeFileSync(join(directory, name), text)
  const titles = async (): Promise<unknown[]> => {
    const { items } = await store.documents.find(headline, { filter: matchAll, sort: [], limit: 1_000, after: undefined }, CALLER)
    return items.map((text) => (JSON.parse(text) as JsonObject)['title'])
  }
  const notes = (): string[] => ['rejected', 'done'].flatMap((folder) => readdirSync(join(directory, folder)).sort().filter((name) => name.endsWith('.txt')).map((name) => readFileSync(join(directory, folder, name), 'utf8')))
  return { store, directory, start, put, titles, notes, entries, report: () => metrics.report() }
}

it('files bring the items of the feed that they name, or that their name begins with; others are rejected with what helps', async (t) => {
  const { start, put, titles, notes, directory, entries, report } = await openFolder(t)
  const folder = start()
  await folder.look()
  put('1.xml', rss(2))
  put('2.xml', rss(3, 'https://none.example/feed'))
  put(`${FEED.id}-3.ndjson`, '{"id":"tag:7","title":"Story 7","url":"https://harbour.example.org/stories/7","imageUrl":"https://harbour.example.org/p.jpg"}\n{"title":7}\n')
  put('4.ndjson', '{"id":"tag:8","title":"Story 8"}\n')
  put('5.html', '<html><p>No feed')
  put('66f000000000000000000999-6.xml', rss(4))
  for (let n = 0; n < 2; n++) await folder.look()
  assert.deepEqual(new Set(await titles()), new Set(['Story 0', 'Story 1', 'Story 7', 'Story 2', 'Story 3']))
  assert.deepEqual(notes(), [
    'No feed has the address "https://none.example/feed", which the file gives as its own: begin the name of the file with the id of its feed, as in 66f000000000000000000701-news.xml\n',
    'The file does not say which feed it is of: begin the name of the file with the id of its feed, as in 66f000000000000000000701-news.xml\n',
    'Cannot read the feed: expected RSS, Atom or JSON Feed, found a web page\n',
    'Line 2: rejected: title: expected a text, found 7\n',
  ])
  assert.deepEqual(readdirSync(directory), ['done', 'rejected'])
  assert.deepEqual(entries.map(({ event }) => event).sort(), [...Array<string>(3).fill('feed.file-rejected'), ...Array<string>(3).fill('feed.file-taken')])
  assert.match(await report(), /dateline_feed_files_total\{outcome="taken"\} 3\n/)
})

it('a feed of the folder that is long is read in a thread', async (t) => {
  const { start, put, titles } = await openFolder(t)
  const folder = start()
  await folder.look()
  put('long.xml', rss(2).replace('</channel>', `${' '.repeat(300_000)}</channel>`))
  for (let n = 0; n < 2; n++) await folder.look()
  assert.equal((await titles()).length, 2)
})

it('a process that ends within a file loses no item of it and doubles none', async (t) => {
  const { store, start, put, titles, directory } = await openFolder(t)
  for (const left of [1, 2]) {
    let writes = 0
    const dying = {
      as: (actor: Actor) =>
        writerWith(store.as(actor as never), {
          together: (work: never) => {
            if (++writes > left) throw new Error('killed')
            return store.as(actor as never).together(work)
          },
        }),
    } as unknown as Pick<typeof store, 'as'>
    const first = start(dying)
    await first.look()
    put(`${left}.xml`, rss(90))
    for (let n = 0; n < 2; n++) await first.look()
    await first.stop()
    assert.ok(existsSync(join(directory, `${left}.xml`)))
  }
  assert.equal((await titles()).length, 69)
  const second = start()
  for (let n = 0; n < 2; n++) await second.look()
  assert.deepEqual([(await titles()).length, readdirSync(join(directory, 'done')).length], [90, 2])
})

it('a folder that is gone is told once, of concern until it is back, and looked at again', async (t) => {
  const { start, put, titles, directory, entries, report } = await openFolder(t)
  const folder = start()
  await folder.look()
  assert.equal(folder.concern(), undefined)
  renameSync(directory, `${directory}-away`)
  for (let n = 0; n < 3; n++) await folder.look()
  assert.equal(folder.concern(), `${JSON.stringify(directory)}: no such file or directory`)
  assert.match(await report(), /^dateline_feeds_folder_failing 1$/m)
  renameSync(`${directory}-away`, directory)
  put('a.xml', rss(1))
  for (let n = 0; n < 2; n++) await folder.look()
  assert.equal(folder.concern(), undefined)
  assert.match(await report(), /^dateline_feeds_folder_failing 0$/m)
  assert.deepEqual(entries.map(({ event }) => event), ['feed-folder.failed', 'feed-folder.recovered', 'feed.file-taken'])
  assert.equal((await titles()).length, 1)
})
