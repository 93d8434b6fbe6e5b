import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { collectProblems } from '../../src/content/rules/problems.ts'
import { findRecords, type Records } from '../../src/content/rules/references.ts'
import { readBody, validateDocument } from '../../src/content/rules/validate.ts'
import { headline } from '../../src/models/headline.ts'
import type { Model } from '../../src/models/schema.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { HEADLINE, PREFERENCES } from '../../scripts/tools/data-bodies.ts'

/** Records by `model id`, and what was asked for. */
function shelf(records: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const get = (model: Model, id: string): string | undefined => {
    asked.push(`${model.name} ${id}`)
    return records[`${model.name} ${id}`]
  }
  return { asked, get }
}

const RECORDS = {
  'topic t': '{"id":"t","big":9007199254740993}',
  'source s': '{"id":"s","language":{"id":"stored as it is"}}',
  'country c': '{"id":"c"}',
  'language l': '{"id":"l"}',
  'headline h': '{"id":"h"}',
}

const BYTES_MAX = 2 * 1024 * 1024
const GENERATED = { id: 'new', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }

type Shelf = ReturnType<typeof shelf>
const find = (model: Model, body: JsonObject, store: Pick<Shelf, 'get'>): Promise<Records> =>
  findRecords(model, body, store, { bytesMax: BYTES_MAX })

describe('references by id are looked up', () => {
  const rows: readonly (readonly [name: string, model: Model, body: string, asked: readonly string[]])[] = [
    ['at the top', headline, '{"topic":{"id":"t"}}', ['topic t']],
    ['in a whole copy', headline, '{"source":{"name":"S","language":{"id":"l"},"x":1}}', ['language l']],
    ['not inside the record that is put in', headline, '{"source":{"id":"s"}}', ['source s']],
    ['in lists, each record once', userContentPreferences, '{"followedTopics":[{"id":"t"},{"id":"t"}],"savedHeadlines":[{"id":"h"}]}', ['topic t', 'headline h']],
    ['in the lists of a saved filter', userContentPreferences, '{"savedFilters":[{"id":"f","countries":[{"id":"c"}]}]}', ['country c']],
    ['not in a saved filter that is named by id alone', userContentPreferences, '{"savedFilters":[{"id":"f"}]}', []],
    ['not where more than the id is sent', headline, '{"topic":{"id":"t","name":"x"}}', []],
    ['not where nothing or something else stands', headline, '{"topic":null,"source":[{"id":"s"}],"eventCountry":"c"}', []],
  ]
  for (const [name, model, body, asked] of rows) {
    it(name, async () => {
      const store = shelf(RECORDS)
      const given = parseJson(body) as JsonObject
      const records = await find(model, given, store)
      assert.deepEqual(store.asked, asked)
      assert.deepEqual([...records.keys()], asked)
      for (const key of asked) {
        assert.equal(writeJson(records.get(key) ?? null), RECORDS[key as keyof typeof RECORDS])
      }
      assert.equal(writeJson(given), body, 'the body itself is left alone')
    })
  }
})

describe('records take the places of references', () => {
  it('as they are stored, and what looks like a reference in them is left alone', async () => {
    const source = { ...HEADLINE.source, id: 's', more: { id: 't' }, big: parseJson('9007199254740993') }
    const store = shelf({ 'source s': writeJson(source) })
    const body = { ...HEADLINE, source: { id: 's' } }
    const records = await find(headline, body, store)
    const document = validateDocument(headline, body, { generated: GENERATED, records })
    assert.equal(writeJson(document['source'] ?? null), writeJson(source))
  })

  it('and what is wrong with a record is told at its first mention', async () => {
    const store = shelf({ 'topic t': '{"id":"t"}' })
    const body: JsonObject = { ...PREFERENCES, followedTopics: [{ id: 't' }, { id: 't' }] }
    const records = await find(userContentPreferences, body, store)
    const problems = await collectProblems(async (report) => {
      readBody(userContentPreferences, body, { creating: true, report, records })
    })
    assert.deepEqual([...new Set(problems.map(({ path }) => path.slice(0, 17)))], ['followedTopics[0]'])
  })
})

describe('references by id', () => {
  it('that no record has are refused by name', async () => {
    const body = { followedSources: [{ id: 's' }, { id: 't' }] }
    const message = 'followedSources[1]: expected the id of a source, found "t", which no source has'
    await assert.rejects(find(userContentPreferences, body, shelf(RECORDS)), { code: 'invalidInput', message })
  })

  const body = (count: number): JsonObject => ({ followedTopics: Array.from({ length: count }, (): Json => ({ id: 't' })) })

  it('are at most 1000 in one body', async () => {
    const store = shelf(RECORDS)
    await find(userContentPreferences, body(1000), store)
    assert.deepEqual(store.asked, ['topic t'])
    await assert.rejects(find(userContentPreferences, body(1001), store), /Cannot take 1001 references by id: at most 1000 in one body/)
    assert.equal(store.asked.length, 1)
  })

  it('bring in at most the bytes that they may, and these are told before anything is built', async () => {
    const weighed: number[] = []
    const options = { bytesMax: 4_000, onGrowth: async (bytes: number) => void weighed.push(bytes) }
    // Two bytes each in UTF-8.
    const record = `{"id":"t","d":"${'ü'.repeat((1_000 - 17) / 2)} "}`
    assert.equal(Buffer.byteLength(record), 1_000)
    await findRecords(userContentPreferences, body(4), shelf({ 'topic t': record }), options)
    assert.deepEqual(weighed, [4_000])
    await assert.rejects(
      findRecords(userContentPreferences, body(5), shelf({ 'topic t': record }), options),
      /^Failure: followedTopics\[4\]: expected records of at most 4000 bytes in all references by id, found more/,
    )
    assert.deepEqual(weighed, [4_000])
  })
})

describe('records that references named before', () => {
  const topicText = (name: string): string => writeJson({ ...(HEADLINE['topic'] as JsonObject), id: 'kept', name })
  const bodyWith = (topic: Json): JsonObject => ({ ...HEADLINE, topic })
  const store = (text: string) => shelf({ 'topic kept': text })
  const made = async (text: string): Promise<JsonObject> => {
    const body = bodyWith({ id: 'kept' })
    return validateDocument(headline, body, { generated: GENERATED, records: await find(headline, body, store(text)) })
  }

  it('are those of their present text', async () => {
    for (const name of ['Ferries', 'Ferries', 'Harbours', 'Ferries']) {
      assert.equal(writeJson((await made(topicText(name)))['topic'] ?? null), topicText(name))
    }
  })

  it('cannot be changed by what uses one of them', async () => {
    const { topic } = await made(topicText('Ferries'))
    assert.throws(() => Object.assign(topic as object, { name: 'Trains' }), TypeError)
    assert.equal(writeJson((await made(topicText('Ferries')))['topic'] ?? null), topicText('Ferries'))
  })
})
