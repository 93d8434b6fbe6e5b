// gate: kills a process again and again
/** A process that is killed while it keeps the pictures of items: none is lost, none is kept half, and none is fetched without end. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { ingestItems } from '../../../src/content/feeds/ingest.ts'
import { feed } from '../../../src/models/feed-model.ts'
import { headline } from '../../../src/models/headline.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { openedDataDir } from '../../../src/store/db/data-dir.ts'
import { parseFileName, pictureFiles } from '../../../src/store/media/picture-files.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { FEED } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { samplePicture } from '../../../scripts/tools/media/sample-pictures.ts'
import { madeDataDir } from '../../../scripts/tools/stores.ts'
import { ROOT } from '../../support/service/documented-commands.ts'
import { serverThat } from '../../support/service/scripted-http.ts'

const PICTURES = 60
/** At the same time: as many may be asked for once more behind each kill. */
const AT_ONCE = 2
const BASE = 'https://news.example.org/media/'

/** Keeps what is due in a data directory, and ends. */
const PROGRAM = `
  const names = ['content/feeds/kept-item-pictures', 'content/feeds/item-picture-work', 'content/feeds/ingest-pace', 'content/kept-pictures', 'store/media/picture-files',
    'models/registry', 'store/db/data-dir', 'store/open-store', 'base/metrics', 'outbound/outbound-allow', 'outbound/outbound-client']
  const all = Object.assign({}, ...(await Promise.all(names.map((name) => import(process.argv[1] + '/src/' + name + '.ts')))))
  const now = () => 0
  const store = all.openStore({ dir: all.openedDataDir(process.argv[2]), models: all.STORED_MODELS, version: '1.2.3', now, trash: true, owner: { pid: process.pid, startedAt: 'now' } })
  const pictures = all.createPictures({ store, files: all.pictureFiles(process.argv[2] + '/media'), limit: () => ({ bytesMax: 1e9, isDiskShort: false }), now })
  const client = all.createOutboundClient({ rules: { allow: all.parseOutboundAllow('127.0.0.1'), proxyFor: () => undefined, ca: [] }, userAgent: () => 'a test' })
  const keeping = all.createKeptItemPictures({ store, client, pictures, pace: all.createIngestPace(), siteAddress: () => 'https://news.example.org/', metrics: all.createMetrics(), now })
  const work = all.startItemPictures({ store, keeping, now, log: { error: (_, { error }) => { throw error } } })
  await work.idle()
  await work.stop()
  await store.close()`

it('a kill at any moment leaves whole pictures, and the next process keeps the rest', { timeout: 60_000 }, async (t) => {
  const dir = madeDataDir(t)
  let killAt = Infinity
  let kill = (): void => {}
  const { url, seen } = await serverThat(t, ({ url: path = '' }, response) => {
    // Another picture for each address.
    const picture = samplePicture('gif animated')
    picture.writeUInt16LE(Number(path.slice(1)), picture.indexOf(Buffer.from([0x21, 0xf9])) + 4)
    response.end(picture)
    if (seen.length >= killAt) setImmediate(kill)
  })
  const open = () => openStore({ dir: openedDataDir(dir.path), models: STORED_MODELS, version: '1.2.3', now: () => 0, trash: true, owner: { pid: process.pid, startedAt: 'now' } })
  const first = open()
  await first.as({ kind: 'operator' }).insert(feed, { id: FEED.id, value: { ...FEED, keepsPictures: true } as unknown as JsonObject })
  const items = Array.from({ length: PICTURES }, (_, n) => ({ id: `tag:${n}`, title: `Story ${n}`, link: `https://harbour.example.org/${n}`, picture: `${url}/${n}`, categories: [] }))
  let made = 0
  const newId = (): string => `made-${made++}`
  await ingestItems({ store: first, newId, pace: UNPACED }, { feedId: FEED.id, address: FEED.address, items, now: 0, state: undefined })
  await first.close()

  const files = pictureFiles(join(dir.path, 'media'))
  /** How many headlines have a picture of ours: each is known, and its file is whole. */
  const counted = async (): Promise<readonly [named: number, pictures: number, due: number]> => {
    const store = open()
    const addresses = Array.from({ length: PICTURES }, (_, n) => String((JSON.parse(store.documents.get(headline, `made-${n}`) ?? '{}') as JsonObject)['imageUrl']))
    const named = addresses.filter((address) => address.startsWith(BASE))
    for (const address of named) {
      const name = parseFileName(address.slice(BASE.length))
      assert.ok(name !== undefined && store.pictures.pictureFile(name.hash) !== undefined && files.read(name) !== undefined, address)
    }
    const found = [named.length, store.pictures.pictureTotals().pictures, store.feeds.duePictures(0, PICTURES).length] as const
    await store.close()
    assert.equal(new Set(named).size, named.length)
    return found
  }
  const run = async (): Promise<string | null> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ROOT, dir.path], { stdio: ['ignore', 'inherit', 'inherit'] })
    kill = () => void child.kill('SIGKILL')
    await once(child, 'exit')
    return child.signalCode
  }
  let before = 0
  const kills = [1, 12, 30]
  for (killAt of kills) {
    assert.equal(await run(), 'SIGKILL')
    const [named, pictures, due] = await counted()
    assert.ok(named >= before && named < PICTURES, `${named} of ${PICTURES}`)
    assert.ok(pictures >= named && pictures <= named + AT_ONCE, `${pictures} pictures, ${named} named`)
    assert.equal(due, PICTURES - named)
    before = named
  }
  killAt = Infinity
  assert.equal(await run(), null)
  assert.deepEqual(await counted(), [PICTURES, PICTURES, 0])
  assert.ok(seen.length <= PICTURES + kills.length * AT_ONCE, `${seen.length} requests`)
})
