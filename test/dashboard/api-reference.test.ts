/** What the API reference makes of the description of the API, apart from the page that shows it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { callProblem, exampleValues, pathOf, variantsOf } from '../../src/dashboard/screens/docs/api-call.ts'
import { readApiDocument, type ApiDocument } from '../../src/dashboard/screens/docs/api-document.ts'
import { fitsModel, modelForFilter } from '../../src/dashboard/screens/docs/described-models.ts'
import { searchEntries, searchFor } from '../../src/dashboard/screens/docs/docs-search.ts'
import { errorCodes } from '../../src/dashboard/screens/docs/error-codes.ts'
import { filterExamples } from '../../src/dashboard/screens/docs/filter-examples.ts'
import { jsonMistake } from '../../src/dashboard/screens/docs/json-place.ts'
import { indexWords, planLines } from '../../src/dashboard/screens/docs/plan-words.ts'
import { playgroundQuery, readPlayground } from '../../src/dashboard/screens/docs/playground-state.ts'
import { readReply } from '../../src/dashboard/screens/docs/reply-view.ts'
import { requestExamples } from '../../src/dashboard/screens/docs/request-examples.ts'
import { limitWords, typeParts } from '../../src/dashboard/screens/docs/schema-words.ts'
import { HIDDEN, withoutTokens } from '../../src/dashboard/screens/docs/secret-words.ts'
import { whoMay, withoutWhoMay } from '../../src/dashboard/screens/docs/who-may.ts'
import { FAILURES } from '../../src/base/failure.ts'
import type { QueryPlan } from '../../src/models/replies.ts'

const ADDRESS = 'https://news.example.org/'
const description: unknown = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' })))
const api = readApiDocument(description) as ApiDocument

const operation = (id: string): ApiDocument['operations'][number] => {
  const found = api.operations.find((one) => one.id === id)
  assert.ok(found, `no operation ${id}`)
  return found
}

describe('the description of the API', () => {
  it('is read with every operation, parameter, reply and example, references followed', () => {
    const paths = Object.values((description as { paths: Record<string, object> }).paths)
    assert.equal(api.operations.length, paths.flatMap((methods) => Object.keys(methods)).length)
    for (const { id, summary, replies, parameters, path } of api.operations) {
      assert.notEqual(summary, '', id)
      assert.ok(replies.length > 1, id)
      for (const { status, about, content } of replies) {
        assert.notEqual(about, '', `${id} ${status}`)
        if (content !== undefined) assert.ok(content.examples.length > 0, `${id} ${status} has no example`)
      }
      for (const { name, about } of parameters) assert.notEqual(about, '', `${id} ${name}`)
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) assert.ok(parameters.some((one) => one.name === name))
    }
    assert.ok(api.models.length > 5 && api.operators.length > 10 && api.schemas.size > 20)
    assert.ok(operation('create').body?.examples.some(({ name }) => name === 'topic'))
  })

  it('is read as empty where members are missing or of another kind', () => {
    for (const odd of [undefined, null, 7, 'text', [], {}, { paths: [] }, { paths: { '/a': { get: undefined } } }]) {
      assert.equal(readApiDocument(odd), undefined)
    }
    const poor = readApiDocument({ paths: { '/a/{b}': { get: { parameters: [{}], responses: { 200: 7 } } } }, tags: 3 })
    assert.deepEqual(poor?.operations[0]?.replies, [{ status: '200', about: '', headers: [], content: undefined }])
    assert.deepEqual(poor?.tags, [{ name: 'Other', about: '' }])
    const circle = { $ref: '#/components/parameters/a' }
    const round = readApiDocument({
      paths: { '/a': { get: { parameters: [circle, { $ref: '#/constructor/name' }] } } },
      components: { parameters: { a: circle } },
    })
    assert.deepEqual(
      round?.operations[0]?.parameters.map(({ name }) => name),
      ['', ''],
    )
  })

  it('names every code of failures with its status', () => {
    const found = new Map(errorCodes(api).map(({ code, status }) => [code, Number(status)]))
    const statuses = Object.entries(FAILURES).map(([code, { status }]) => [code, status])
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(statuses))
    for (const { code, about, sample } of errorCodes(api)) {
      assert.doesNotMatch(about, /^`/, code)
      assert.notEqual(sample, '', code)
    }
  })

  it('tells who may by model, in place of the sentence', () => {
    const grants = whoMay(operation('create'), api.models)
    assert.deepEqual(grants[0], { who: 'publishers and administrators', models: ['headline'] })
    assert.deepEqual(whoMay(operation('me'), api.models), [])
    assert.equal(withoutWhoMay('Does it. Who may: all: a, b; nobody: c.'), 'Does it.')
    assert.equal(withoutWhoMay('Does it.'), 'Does it.')
  })

  it('says types and limits in words', () => {
    const text = (schema: object): string =>
      typeParts(schema as Record<string, unknown>)
        .map((part) => ('ref' in part ? `<${part.ref}>` : part.text))
        .join('')
    const ref = { $ref: '#/components/schemas/Topic' }
    for (const [schema, wanted] of [
      [{ type: 'string', format: 'date-time' }, 'date'],
      [{ type: 'array', items: ref }, 'array of <Topic>'],
      [{ anyOf: [ref, { type: 'null' }] }, '<Topic> or null'],
      [{ type: ['string', 'null'] }, 'string or null'],
      [{ const: 'a' }, '"a"'],
      [{}, 'anything'],
    ] as const) {
      assert.equal(text(schema), wanted)
    }
    assert.deepEqual(limitWords({ minimum: 1, maximum: 9, enum: ['a'], pattern: '\\S' }), [
      'One of `a`',
      'At least 1',
      'At most 9',
      'Not empty',
    ])
  })
})

describe('a search in the reference', () => {
  const entries = searchEntries(api)

  it('finds operations, models, fields, errors and operators, by words in any order', () => {
    for (const [query, kind, title] of [
      ['sign in with', 'Operation', 'Sign in with a code'],
      ['data/{id} put', 'Operation', 'Replace a document by a whole one'],
      ['headline', 'Model', 'headline'],
      ['imageUrl', 'Field', 'Headline.imageUrl'],
      ['preconditionfailed', 'Error', 'preconditionFailed'],
      ['$elemMatch', 'Filter', '$elemMatch'],
      ['explain plan', 'Guide', 'Filter playground'],
    ] as const) {
      assert.ok(
        searchFor(query, entries).some((one) => one.kind === kind && one.title === title),
        query,
      )
    }
    assert.equal(searchFor('headline', entries)[0]?.title, 'headline')
    assert.deepEqual(searchFor('  ', entries), [])
    assert.deepEqual(searchFor('no such words', entries), [])
  })
})

describe('examples of requests', () => {
  it('are there in curl and JavaScript for each operation, and never with a token in them', () => {
    for (const one of api.operations) {
      for (const variant of ['', ...variantsOf(one)]) {
        for (const { label, code } of requestExamples(one, exampleValues(one, variant), ADDRESS)) {
          assert.match(code, /https:\/\/news\.example\.org/, `${one.id} ${label}`)
          assert.doesNotMatch(code, /undefined|(?<!\$)\{\w+\}/, `${one.id} ${label}`)
          if (one.token === 'required') assert.match(code, /\$TOKEN|\$\{TOKEN\}|token: TOKEN/, `${one.id} ${label}`)
        }
      }
    }
  })

  it('quote what a shell or a script would take for its own', () => {
    const values = {
      parameters: new Map([
        ['model', "it's"],
        ['filter', `{"a":"'\\"$(id)"}`],
      ]),
      body: '',
    }
    const [curl = '', script = ''] = requestExamples(operation('list'), values, ADDRESS).map(({ code }) => code)
    assert.ok(curl.includes(`--data-urlencode 'model=it'\\''s'`), curl)
    assert.ok(curl.includes(`'filter={"a":"'\\''\\"$(id)"}'`), curl)
    assert.ok(script.includes(`'model', 'it\\'s'`), script)
  })

  it('keep the bytes of a reply that is no text', () => {
    const file = operation('downloadBackup')
    const [curl = '', script = ''] = requestExamples(file, exampleValues(file, ''), ADDRESS).map(({ code }) => code)
    assert.match(curl, / --fail -O /)
    assert.match(script, /\nconst file = await response\.blob\(\)$/)
    const text = operation('metrics')
    const [shown = '', read = ''] = requestExamples(text, exampleValues(text, ''), ADDRESS).map(({ code }) => code)
    assert.doesNotMatch(shown, / -O/)
    assert.match(read, /\nconst text = await response\.text\(\)$/)
  })

  it('show a reply as it came, with numbers that no double can hold', async () => {
    const headers = { 'content-type': 'application/json' }
    const { body } = await readReply(
      new Response('{"count":12345678901234567890,"rate":0.10}', { headers }),
      1,
      undefined,
    )
    assert.equal(body, '{\n  "count": 12345678901234567890,\n  "rate": 0.1\n}')
  })

  it('have a line of the typed client for all that it can do', () => {
    const without = api.operations.filter((one) => requestExamples(one, exampleValues(one, ''), ADDRESS).length < 3)
    assert.deepEqual(without.map(({ id }) => id).sort(), ['health', 'metrics', 'openapi', 'ready'])
  })

  it('escape what is put into a path, and refuse what would be a step of it', () => {
    const read = operation('read')
    const values = (id: string): Parameters<typeof pathOf>[1] => ({
      parameters: new Map([
        ['model', 'topic'],
        ['id', id],
      ]),
      body: '',
    })
    assert.equal(pathOf(read, values('a/b?$&')), 'api/v1/data/a%2Fb%3F%24%26')
    for (const id of ['', '.', '..']) assert.equal(callProblem(read, values(id))?.parameter, 'id')
    assert.equal(callProblem(read, values('a')), undefined)
    const unread = { ...values('a'), body: '{' }
    assert.match(callProblem(operation('replace'), unread)?.message ?? '', /^Line 1, column 2: /)
  })
})

describe('the place of a mistake in JSON', () => {
  it('is told with line and column', () => {
    for (const [text, at, words] of [
      ['{"a": x}', 6, 'Line 1, column 7: x cannot stand here'],
      ['{\n  "a": nil\n}', 9, 'Line 2, column 8: nil cannot stand here'],
      ['{"a": 1,}', 8, 'Line 1, column 9: } cannot stand here'],
      ['[1, 2', 5, 'Line 1, column 6: something is missing'],
      ['{"a": "b', 6, 'Line 1, column 7: a text in quotes cannot stand here, or is not closed'],
      ['', 0, 'Line 1, column 1: something is missing'],
    ] as const) {
      assert.deepEqual(jsonMistake(text), { at, words }, text)
    }
    assert.equal(jsonMistake('{"a": [1, null]}'), undefined)
  })
})

describe('the playground', () => {
  it('reads its address back, and takes nothing that there is not', () => {
    const state = { model: 'topic', filter: '{"a": "b&c"}', sort: 'name', limit: 25 }
    const query = new URLSearchParams(playgroundQuery(state))
    assert.deepEqual(readPlayground(query, ['headline', 'topic']), state)
    for (const hostile of ['model=__proto__&limit=1e9', 'limit=-1', 'limit=NaN&model=', 'limit=0x10000']) {
      const { model, limit } = readPlayground(new URLSearchParams(hostile), ['headline', 'topic'])
      assert.deepEqual([model, limit], ['headline', 10], hostile)
    }
    assert.ok(readPlayground(new URLSearchParams({ filter: 'x'.repeat(1e6) }), ['a']).filter.length < 10_000)
  })

  it('has examples that fit their model, and a model for each example', () => {
    for (const model of api.models) {
      for (const { filter } of filterExamples(api, model)) {
        if (filter !== '') assert.ok(fitsModel(JSON.parse(filter) as object as never, model, api.schemas), filter)
      }
    }
    assert.equal(modelForFilter({ usage: 'eventCountry' }, api), 'country')
    assert.equal(modelForFilter({ savedFilters: { $size: 0 } }, api), 'user_content_preferences')
    assert.equal(modelForFilter({ $or: [{ headquarters: 1 }] }, api), 'source')
  })

  it('says what a plan means', () => {
    const plan: QueryPlan = {
      ...{ model: 'headline', access: 'table', index: null, exact: false, runs: 'thread', order: 'none', ranges: 1 },
      ...{ sql: 'SELECT 1', values: [], rowsExpected: 9000, rowsRead: 9000, rowsReturned: 1, hasMore: true },
      ...{ finished: true, milliseconds: 40, weighed: [] },
    }
    assert.deepEqual(
      planLines(plan).map(({ value, judgement }) => [value, judgement]),
      [
        ['whole table', 'warn'],
        ['SQL, then the filter', 'plain'],
        ['sorted', 'plain'],
        ['40 ms, in a thread', 'plain'],
        ['9000 read, 1 returned', 'warn'],
      ],
    )
    assert.equal(indexWords('headline/status,updatedAt:desc,+title'), 'status, updatedAt:desc')
    assert.equal(indexWords('headline_search'), 'headline_search')
  })
})

it('a token is taken out of what is shown, also one that a reply brings', () => {
  const [own, other] = ['dlt_0123456789', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NmYwIn0.c2lnbmF0dXJl']
  assert.equal(withoutTokens(`a ${own} b "${other}"`, own), `a ${HIDDEN} b "${HIDDEN}"`)
  assert.equal(withoutTokens('a b', ''), 'a b')
})
