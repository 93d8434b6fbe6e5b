/** A load that gathers new documents stores what one that writes them one by one does, with the same changes in the log. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { incompleteOf, placesOf } from '../../src/models/incomplete.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import type { BulkTables } from '../../src/store/writes/bulk-tables.ts'
import { openBulkWriter } from '../../src/store/writes/bulk-writer.ts'
import type { Database } from '../../src/store/db/database.ts'
import { GATHERED_ROWS_MAX } from '../../src/store/writes/group-inserts.ts'
import { searchRow } from '../../src/store/search/pending-rows.ts'
import { wordFaults } from '../../src/store/search/word-index.ts'
import { changeFaults } from '../support/cluster/change-faults.ts'
import { seededRandom, seedOfTest, type Random } from '../../scripts/tools/random.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const DATE = '2026-03-01T08:00:00.000Z'
const [BATCHES, IDS, ROWS_MAX] = [longRun(4, 10), longRun(400, 2_000), longRun(1.3, 2) * GATHERED_ROWS_MAX]

interface Written {
  readonly id: string
  readonly title: string
  readonly isTopic: boolean
  readonly isIncomplete: boolean
}

function randomRow(random: Random, i: number): Written {
  return { id: `d${random.below(IDS)}`, title: `ferry ${i % 50}`, isTopic: random.oneIn(200), isIncomplete: random.oneIn(20) }
}

function write(tables: BulkTables, { id, title, isTopic, isIncomplete }: Written): string {
  const model = isTopic ? topic : headline
  const place = isTopic || !isIncomplete ? model : (incompleteOf(model) ?? model)
  const from = placesOf(model, true).find((one) => tables.textOf(one, id) !== undefined)
  const basis = from === undefined ? undefined : tables.textOf(from, id)
  const copies = { topic: { id: 't' }, source: { id: 's' }, eventCountry: { id: 'c' } }
  const value = { id, title, name: title, ...copies, status: isIncomplete ? 'draft' : 'active', createdAt: DATE, updatedAt: DATE }
  const search = place.trigrams === undefined ? undefined : searchRow(place, value)
  return tables.write(model, { id, doc: JSON.stringify(value), search, place: place.name, from: from?.name, basis })
}

const TABLES = ['headline', 'headline_incomplete', 'topic', 'status_count', 'key_count', 'hour_count', 'model_version']

class OnPurpose extends Error {}

/** All that is derived from the order of the writes, but for what is drawn by lot. */
function contents(database: Database): unknown {
  const changes = database.all('SELECT seq, model, id, kind, at, actor, before, after, status_before FROM change ORDER BY seq')
  const texts = database.all('SELECT rowid, text, id, status FROM headline_search ORDER BY rowid')
  return [...TABLES.map((name) => database.all(`SELECT * FROM ${name} ORDER BY 1, 2`)), changes, texts]
}

it('a load that gathers rows stores what one that writes row by row does', async (t) => {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const openLoad = (isAlone: boolean) => {
    const { dir } = testStore(t)
    const writer = openBulkWriter({ file: dir.database, isAlone, accountOf: () => assert.fail(), now: () => 0 })
    t.after(() => writer.close())
    const reader = openForTest(t, dir.database)
    return { writer, reader }
  }
  const [gathering, single] = [openLoad(true), openLoad(false)]
  const kinds = new Set<string>()
  for (let batch = 0; batch < BATCHES; batch++) {
    const rows = Array.from({ length: random.below(ROWS_MAX) }, (_, i) => randomRow(random, i))
    const [keep, fails] = [!random.oneIn(4), batch % 3 === 1]
    const load = ({ writer }: typeof single): Promise<unknown> => {
      const work = (tables: BulkTables): readonly string[] => {
        const outcomes = rows.map((row) => write(tables, row))
        for (const outcome of outcomes) kinds.add(outcome)
        if (fails) throw new OnPurpose()
        return outcomes
      }
      return writer.transact(work, keep).catch((error: unknown) => (error instanceof OnPurpose ? 'failed' : assert.fail(String(error))))
    }
    assert.deepEqual(await load(gathering), await load(single))
    assert.deepEqual(contents(gathering.reader), contents(single.reader), `batch ${batch}`)
  }
  assert.deepEqual([...kinds].sort(), ['inserted', 'replaced', 'unchanged'])
  const faults = [gathering, single].flatMap(({ reader }) => [...changeFaults(reader, STORED_MODELS), ...wordFaults(reader, STORED_MODELS)])
  assert.deepEqual(faults, [])
})
