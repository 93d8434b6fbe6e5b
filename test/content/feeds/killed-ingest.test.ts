// gate: kills a process again and again
/** A process that is killed while it takes the items of a feed: no item is lost, and none comes twice. */
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
import { openDatabase } from '../../../src/store/db/database.ts'
import { openedDataDir } from '../../../src/store/db/data-dir.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { FEED } from '../../../scripts/tools/data-bodies.ts'
import { UNPACED } from '../../support/feeds/unpaced.ts'
import { madeDataDir } from '../../../scripts/tools/stores.ts'
import { ROOT } from '../../support/service/documented-commands.ts'

const ITEMS = 300
const items = Array.from({ length: ITEMS }, (_, n) => ({ id: `tag:${n}`, title: `Story ${n}`, link: `https://harbour.example.org/${n}`, picture: 'https://harbour.example.org/p.jpg', categories: [] }))
const READ = { feedId: FEED.id, address: FEED.address, items, now: 0, state: () => ({ nextAt: 1, state: {} }) }

/** Takes the items, and prints a line for each id that it gives. */
const PROGRAM = `
  const [{ ingestItems }, { createIngestPace }, { STORED_MODELS }, { openedDataDir }, { openStore }, { idGenerator }] = await Promise.all(
    ['content/feeds/ingest', 'content/feeds/ingest-pace', 'models/registry', 'store/db/data-dir', 'store/open-store', 'base/ids'].map((name) => import(process.argv[1] + '/src/' + name + '.ts')))
  const store = openStore({ dir: openedDataDir(process.argv[2]), models: STORED_MODELS, version: '1.2.3', now: () => 0, trash: true, owner: { pid: process.pid, startedAt: 'now' } })
  const next = idGenerator(Date.now)
  const newId = () => { process.stdout.write('.'); return next() }
  const read = JSON.parse(process.argv[3])
  await ingestItems({ store, newId, pace: createIngestPace() }, { ...read, state: () => ({ nextAt: 1, state: {} }) })
  await store.close()`

it('a kill at any moment leaves each item once, and the next read brings the rest', { timeout: 60_000 }, async (t) => {
  const dir = madeDataDir(t)
  const open = () => openStore({ dir: openedDataDir(dir.path), models: STORED_MODELS, version: '1.2.3', now: () => 0, trash: true, owner: { pid: process.pid, startedAt: 'now' } })
  const first = open()
  await first.as({ kind: 'operator' }).insert(feed, { id: FEED.id, value: FEED as unknown as JsonObject })
  await first.close()
  const counts = (): readonly number[] => {
    const database = openDatabase(dir.database, { readOnly: true })
    const count = (sql: string): number => Number(database.get(sql)?.['n'])
    try {
      const headlines = `SELECT count(*) AS n FROM "${headline.name}"`
      return [count(headlines), count('SELECT count(*) AS n FROM feed_item'), count(`${headlines} WHERE id IN (SELECT headline FROM feed_item)`), count('SELECT count(*) AS n FROM feed_state')]
    } finally {
      database.close()
    }
  }
  let taken = 0
  for (const given of [1, 25, 60]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ROOT, join(dir.path), JSON.stringify(READ)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let ids = 0
    child.stdout.on('data', (dots: Buffer) => {
      ids += dots.length
      if (ids >= given) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    assert.equal(child.signalCode, 'SIGKILL')
    const [headlines = 0, rows, both, states] = counts()
    assert.deepEqual([rows, both, states], [headlines, headlines, 0])
    assert.ok(headlines >= taken && headlines < ITEMS, `${headlines} of ${ITEMS}`)
    taken = headlines
  }
  const store = open()
  t.after(() => store.close())
  let made = 0
  await ingestItems({ store, newId: () => `made-${++made}`, pace: UNPACED }, READ)
  assert.equal(made, ITEMS - taken)
  assert.deepEqual(counts(), [ITEMS, ITEMS, ITEMS, 1])
})
