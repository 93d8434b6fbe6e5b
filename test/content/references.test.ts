import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { resolveReferences } from '../../src/content/references.ts'
import { headline } from '../../src/models/headline.ts'
import type { Model } from '../../src/models/schema.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { user } from '../../src/models/user.ts'

/** Records by `model id`, and what was asked for. */
function shelf(records: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const get = async (model: Model, id: string): Promise<string | undefined> => {
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

describe('references by id', () => {
  const rows: readonly (readonly [
    name: string,
    model: Model,
    body: string,
    resolved: string,
    asked: readonly string[],
  ])[] = [
    ['at the top', headline, '{"topic":{"id":"t"}}', '{"topic":{"id":"t","big":9007199254740993}}', ['topic t']],
    [
      'in a whole copy',
      headline,
      '{"source":{"name":"S","language":{"id":"l"},"x":1}}',
      '{"source":{"name":"S","language":{"id":"l"},"x":1}}',
      ['language l'],
    ],
    [
      'not inside the record that was put in',
      headline,
      '{"source":{"id":"s"}}',
      '{"source":{"id":"s","language":{"id":"stored as it is"}}}',
      ['source s'],
    ],
    [
      'in lists, each record asked for once',
      userContentPreferences,
      '{"followedTopics":[{"id":"t"},{"id":"t"}],"savedHeadlines":[{"id":"h"}]}',
      '{"followedTopics":[{"id":"t","big":9007199254740993},{"id":"t","big":9007199254740993}],"savedHeadlines":[{"id":"h"}]}',
      ['topic t', 'headline h'],
    ],
    [
      'in the lists of a saved filter',
      userContentPreferences,
      '{"savedFilters":[{"id":"f","countries":[{"id":"c"}]}]}',
      '{"savedFilters":[{"id":"f","countries":[{"id":"c"}]}]}',
      ['country c'],
    ],
    [
      'not in a saved filter that is named by id alone',
      userContentPreferences,
      '{"savedFilters":[{"id":"f"}]}',
      '{"savedFilters":[{"id":"f"}]}',
      [],
    ],
    [
      'not in further members',
      headline,
      '{"also":{"topic":{"id":"t"}},"more":{"id":"t"}}',
      '{"also":{"topic":{"id":"t"}},"more":{"id":"t"}}',
      [],
    ],
    [
      'not where more than the id is sent',
      headline,
      '{"topic":{"id":"t","name":"x"}}',
      '{"topic":{"id":"t","name":"x"}}',
      [],
    ],
    [
      'not where the id is no text',
      headline,
      '{"topic":{"id":7},"source":{"id":null},"eventCountry":{"id":{}}}',
      '{"topic":{"id":7},"source":{"id":null},"eventCountry":{"id":{}}}',
      [],
    ],
    [
      'not where nothing or something else stands',
      headline,
      '{"topic":null,"source":[{"id":"s"}],"eventCountry":"c"}',
      '{"topic":null,"source":[{"id":"s"}],"eventCountry":"c"}',
      [],
    ],
    ['not in a model that embeds nothing', user, '{"id":"u","topic":{"id":"t"}}', '{"id":"u","topic":{"id":"t"}}', []],
  ]
  for (const [name, model, body, resolved, asked] of rows) {
    it(name, async () => {
      const store = shelf(RECORDS)
      const given = parseJson(body) as JsonObject
      assert.equal(writeJson(await resolveReferences(model, given, store)), resolved)
      assert.deepEqual(store.asked, asked)
      assert.equal(writeJson(given), body, 'the body itself is left alone')
    })
  }

  it('keep a member named __proto__ a member, for validation to refuse', async () => {
    const body = parseJson('{"topic":{"id":"t"},"x":{"__proto__":{"a":1}}}') as JsonObject
    const resolved = await resolveReferences(headline, body, shelf(RECORDS))
    assert.deepEqual(Object.keys(resolved['x'] as object), ['__proto__'])
  })

  it('that no record has are refused by name', async () => {
    const body = { followedSources: [{ id: 's' }, { id: 't' }] }
    await assert.rejects(resolveReferences(userContentPreferences, body, shelf(RECORDS)), (error: unknown) => {
      assert.ok(error instanceof Failure)
      assert.deepEqual(
        [error.code, error.message],
        ['invalidInput', 'followedSources[1]: expected the id of a source, found "t", which no source has'],
      )
      return true
    })
  })

  it('are at most 1000 in one body', async () => {
    const body = (count: number): JsonObject => ({
      followedTopics: Array.from({ length: count }, (): Json => ({ id: 't' })),
    })
    const store = shelf(RECORDS)
    const resolved = await resolveReferences(userContentPreferences, body(1000), store)
    assert.equal((resolved['followedTopics'] as readonly Json[]).length, 1000)
    assert.deepEqual(store.asked, ['topic t'])
    await assert.rejects(
      resolveReferences(userContentPreferences, body(1001), store),
      /Cannot take 1001 references by id: at most 1000 in one body/,
    )
  })

  it('bring in at most 4 MiB of records', async () => {
    const chars = 1024 * 1024
    const record = `{"id":"t","d":"${'x'.repeat(chars - 17)}"}`
    assert.equal(record.length, chars)
    const body = (count: number): JsonObject => ({
      followedTopics: Array.from({ length: count }, (): Json => ({ id: 't' })),
    })
    await resolveReferences(userContentPreferences, body(4), shelf({ 'topic t': record }))
    await assert.rejects(
      resolveReferences(userContentPreferences, body(5), shelf({ 'topic t': record })),
      /^Failure: followedTopics\[4\]: expected records of at most 4194304 characters/,
    )
  })
})
