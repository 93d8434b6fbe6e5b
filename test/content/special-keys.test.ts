import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { inUse, takeSpecialKeys, type CountryUse } from '../../src/content/reads/special-keys.ts'
import { country } from '../../src/models/country.ts'
import { headline } from '../../src/models/headline.ts'
import { MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { and } from '../../src/query/ast.ts'
import { matches } from '../../src/query/match.ts'

describe('takeSpecialKeys()', () => {
  const rows: readonly (readonly [model: Model, filter: string, rest: string, conditions: number, uses: readonly CountryUse[]])[] = [
    [country, '{}', '{}', 0, []],
    [country, '{"usage":"eventCountry"}', '{}', 0, ['eventCountry']],
    [country, '{"usage":"hasActiveSources","a":1}', '{"a":1}', 0, ['headquarters']],
    [country, '{"hasActiveSources":true,"hasActiveHeadlines":true}', '{}', 0, ['eventCountry', 'headquarters']],
    [country, '{"usage":"headquarters","hasActiveSources":true}', '{}', 0, ['headquarters']],
    [country, '{"hasActiveSources":false,"hasActiveHeadlines":"x"}', '{}', 0, []],
    [country, '{"usage":"eventCountry","name":"x"}', '{}', 1, ['eventCountry']],
    [country, '{"usage":"eventCountry","name":{"$ne":"x"}}', '{"name":{"$ne":"x"}}', 0, ['eventCountry']],
    [country, '{"hasActiveHeadlines":true,"name":"x"}', '{"name":"x"}', 0, ['eventCountry']],
    [country, '{"name":"x"}', '{"name":"x"}', 0, []],
    [country, '{"q":"x","b":2,"a":1}', '{"b":2,"a":1}', 1, []],
    [country, '{"q":""}', '{}', 0, []],
    [country, '{"$and":[{"q":"x"},{"usage":"other"}]}', '{"$and":[{"q":"x"},{"usage":"other"}]}', 0, []],
    [headline, '{"usage":"other","hasActiveSources":true,"name":"x"}', '{"usage":"other","hasActiveSources":true,"name":"x"}', 0, []],
    [headline, '{"__proto__":1}', '{"__proto__":1}', 0, []],
    [headline, '[{"q":"x"}]', '[{"q":"x"}]', 0, []],
    [headline, 'null', 'null', 0, []],
    [headline, '"q"', '"q"', 0, []],
  ]
  for (const [model, filter, rest, conditions, uses] of rows) {
    it(`${model.name}: of ${filter} leaves ${rest}`, () => {
      const given = parseJson(filter)
      const taken = takeSpecialKeys(model, given)
      assert.equal(writeJson(taken.rest), rest)
      assert.equal(taken.conditions.length, conditions)
      assert.deepEqual(taken.uses, uses)
      assert.equal(writeJson(given), filter, 'the filter itself is left alone')
    })
  }

  const refused: readonly (readonly [filter: JsonObject, message: string])[] = [
    [{ q: 7 }, 'Cannot read filter at "$.q": expected a text to search for, found 7'],
    [{ usage: 'x' }, 'Cannot read filter at "$.usage": expected "eventCountry" or "headquarters", found "x"'],
    [{ usage: 'toString' }, 'Cannot read filter at "$.usage": expected "eventCountry" or "headquarters", found "toString"'],
  ]
  for (const [filter, message] of refused) {
    it(`refuses ${JSON.stringify(filter)}`, () => {
      assert.throws(() => takeSpecialKeys(country, filter), { code: 'badRequest', message })
    })
  }
})

describe('q', () => {
  const fields: Readonly<Record<string, readonly string[]>> = {
    ...{ headline: ['title'], topic: ['name'], source: ['name'], country: ['name'], language: ['name', 'nativeName', 'code'], user: ['email'], feed: ['title'], publication: ['title', 'name'] },
  }
  const members = ['title', 'name', 'nativeName', 'code', 'email', 'excerpt', 'description', 'id', 'isoCode', 'status']
  for (const model of MODELS) {
    it(`of ${model.name} looks at ${fields[model.name]?.join(', ') || 'nothing'}`, () => {
      const { conditions } = takeSpecialKeys(model, { q: 'NEEDLE' })
      const found = members.filter((name) => conditions.length > 0 && matches(and(...conditions), { [name]: 'a needle.' }))
      assert.deepEqual(found.sort(), [...(fields[model.name] ?? [])].sort())
    })
  }

  const texts: readonly (readonly [q: string, title: Json, found: boolean])[] = [
    ...[['a.c', 'abc', false], ['a.c', 'xA.Cx', true], ['^a', 'abc', false], ['C++', 'about c++ and more', true]] as const,
    ...[['(', 'f(x)', true], ['%', 'all', false], ['_', 'all', false], ['ß', 'STRASSE', false], ['É', 'café', true]] as const,
    ...[[' ', 'two words', true], ['x', 7, false], ['7', 7, false], ['x', null, false], ['x', ['a', 'xyz'], true]] as const,
  ]
  for (const [q, title, found] of texts) {
    it(`"${q}" ${found ? 'finds' : 'does not find'} ${JSON.stringify(title)}`, () => {
      assert.equal(matches(and(...takeSpecialKeys(headline, { q }).conditions), { title }), found)
    })
  }
})

it('inUse() holds for active countries that are in every set', () => {
  const sets = { eventCountry: ['a', 'b'], headquarters: ['b', 'c'] }
  const documents = { countriesInUse: (use: CountryUse) => sets[use] }
  const found = (uses: readonly CountryUse[], status: string): string[] => {
    const filter = inUse(uses, documents)
    return ['a', 'b', 'c', 'd'].filter((id) => matches(filter, { id, status }))
  }
  assert.deepEqual(found(['eventCountry'], 'active'), ['a', 'b'])
  assert.deepEqual(found(['headquarters'], 'active'), ['b', 'c'])
  assert.deepEqual(found(['eventCountry', 'headquarters'], 'active'), ['b'])
  assert.deepEqual(found(['eventCountry'], 'draft'), [])
})
