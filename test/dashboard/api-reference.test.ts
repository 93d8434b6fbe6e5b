// isolated: it stands in for what a browser has once
/** What the API reference makes of the description of the API, and the parts of its script that need no page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { describedApi, tokenOf, type Operation, type Schema } from '../../src/reference/described-api.ts'
import { errorCodes } from '../../src/reference/error-codes.ts'
import { filterExamples, fitsModel, modelFor } from '../../src/reference/filter-examples.ts'
import { html } from '../../src/base/html.ts'
import { referencePage } from '../../src/reference/reference-page.ts'
import { exampleValues, requestExamples, variantsOf } from '../../src/reference/request-examples.ts'
import { limitsOf, typeOf } from '../../src/reference/schema-view.ts'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { FAILURES } from '../../src/base/failure.ts'
import { searchFor } from '../../src/dashboard/screens/docs/docs-search.ts'
import { jsonMistake } from '../../src/dashboard/screens/docs/json-mistake-text.ts'
import { indexFields, planLines } from '../../src/dashboard/screens/docs/plan-lines.ts'
import { HIDDEN, indented, withoutTokens } from '../../src/dashboard/screens/docs/response-view.ts'
import { requestProblem } from '../../src/dashboard/screens/docs/request-problem.ts'
import { pathOf, targetOf, type Given } from '../../src/dashboard/screens/docs/request.ts'
import { DOCS_TEXTS } from '../../src/dashboard/screens/docs/docs-texts.ts'
import { LANGUAGES, useLanguage, type LanguageCode } from '../../src/dashboard/texts.ts'
import type { QueryPlan } from '../../src/models/responses.ts'

before(() => {
  Object.assign(globalThis, { document: { documentElement: {} } })
  return useLanguage('en', DOCS_TEXTS)
})

const SERVICE = 'https://news.example.org/'
const document = openApiDocument({ version: '1.2.3' })
const api = describedApi(document)
const page = referencePage(document)

const operation = (id: string): Operation => {
  const found = api.operations.find(({ operationId }) => operationId === id)
  assert.ok(found, `no operation ${id}`)
  return found
}

const given = (name: string, location: string, value: string): Given => ({ name, location, value, required: true })

/** The text of a part of the page, from its id to its examples or the next id of its kind. */
const partOf = (id: string): string => {
  const [, rest = ''] = page.split(`<section id="${id}"`)
  const [part = ''] = rest.split(/\sid="\/(?:operations|models|tags|errors|schemas)\/\w+"|class="shown"/)
  return part.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

describe('the description of the API', () => {
  it('is read with every operation and parameter, references followed', () => {
    const paths = Object.values((document as unknown as { paths: Record<string, object> }).paths)
    assert.equal(api.operations.length, paths.flatMap((methods) => Object.keys(methods)).length)
    for (const { operationId: id, parameters = [], path } of api.operations) {
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) assert.ok(parameters.some((one) => one.name === name), id)
    }
    assert.ok(api.models.length > 5 && api.operators.length > 10 && api.schemas.size > 20)
    assert.ok(variantsOf(operation('create')).includes('topic'))
    assert.deepEqual(['requestCode', 'me'].map((id) => tokenOf(operation(id))), ['none', 'required'])
  })

  it('names every code of failures with its status', () => {
    const { all } = errorCodes(api.operations)
    const wanted = Object.entries(FAILURES).map(([code, { status }]) => [code, status])
    assert.deepEqual(Object.fromEntries(all.map(({ code, status }) => [code, Number(status)])), Object.fromEntries(wanted))
  })

  it('says types and limits in words', () => {
    const ref = { $ref: '#/components/schemas/Topic' }
    const text = (schema: Schema): string => html`${typeOf(schema)}`.markup.replace(/<a [^>]*>(\w+)<\/a>/g, '<$1>')
    for (const [schema, wanted] of [
      [{ type: 'string', format: 'date-time' }, 'date'],
      [{ type: 'array', items: ref }, 'array of <Topic>'],
      [{ anyOf: [ref, { type: 'null' }] }, '<Topic> or null'],
      [{}, 'anything'],
    ] as const) {
      assert.equal(text(schema), wanted)
    }
    assert.equal(
      limitsOf({ minimum: 1, maximum: 9, enum: ['a'], pattern: '\\S' }),
      'One of `a`. At least 1. At most 9. Not empty.',
    )
  })
})

describe('the page', () => {
  it('has everything that is described', () => {
    const links = [...page.matchAll(/href="#(\/[^"?]*)/g)].map(([, path = '']) => decodeURIComponent(path))
    const ids = new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id))
    for (const link of links) assert.ok(ids.has(link), `${link} leads nowhere`)
    for (const { operationId } of api.operations) assert.ok(ids.has(`/operations/${operationId}`), operationId)
    for (const { name } of api.models) assert.ok(ids.has(`/models/${name}`), name)
    for (const name of api.schemas.keys()) assert.ok(ids.has(`/schemas/${name}`), name)
    for (const name of Object.keys(FAILURES)) assert.ok(ids.has(`/errors/${name}`), name)
    for (const [, name = ''] of page.matchAll(/data-members="([^"]*)"/g)) assert.ok(ids.has(`/schemas/${name}`), name)
  })

  it('says who may do an operation, with which models', () => {
    assert.match(partOf('/operations/create'), /Who may publishers and administrators: headline administrators: /)
    assert.match(partOf('/models/headline'), /create publishers and administrators replace/)
    assert.doesNotMatch(partOf('/operations/me'), /Who may/)
  })

  it('shows parameters, bodies, responses, headers and errors of an operation', () => {
    const text = partOf('/operations/replace')
    for (const wanted of [/PUT \/api\/v1\/data\/{id} Needs a token/, /If-Match .* in the header optional/]) {
      assert.match(text, wanted)
    }
    assert.match(text, /One of HeadlineReplacement TopicReplacement/)
    assert.match(text, /200 Done .* ETag .* 412 preconditionFailed/)
    assert.match(partOf('/operations/endSession'), /204 .* without a body/)
  })
})

describe('a search in the reference', () => {
  const entry = (kind: string, title: string, text: string) => ({ kind, title, text, about: '', href: '' })
  const entries = [
    entry('Field', 'Headline.title', 'the title of a headline'),
    entry('Schema', 'HeadlineBody', 'what creating a headline takes'),
    entry('Model', 'headline', 'a news item'),
    entry('Operation', 'Replace a document by a whole one', 'put /api/v1/data/{id} with the etag of a headline'),
  ]

  it('finds every word anywhere, and names first', () => {
    const titles = (query: string): readonly string[] => searchFor(query, entries).map(({ title }) => title)
    assert.deepEqual(titles('headline'), ['headline', 'HeadlineBody', 'Headline.title', 'Replace a document by a whole one'])
    assert.deepEqual(titles('whole replace'), ['Replace a document by a whole one'])
    assert.deepEqual(titles('data/{id} put'), ['Replace a document by a whole one'])
    for (const nothing of ['  ', 'no such words', 'headline missing']) assert.deepEqual(titles(nothing), [])
  })
})

describe('examples of requests', () => {
  it('are there in curl and JavaScript for each operation, and never with a token in them', () => {
    for (const one of api.operations) {
      for (const variant of variantsOf(one)) {
        for (const { language, code } of requestExamples(one, exampleValues(one, variant), SERVICE)) {
          const name = `${one.operationId} ${language}`
          assert.match(code, /https:\/\/news\.example\.org/, name)
          assert.doesNotMatch(code, /undefined|(?<!\$)\{\w+\}/, name)
          if (tokenOf(one) === 'required') assert.match(code, /\$TOKEN|\$\{TOKEN\}|token: TOKEN/, name)
        }
      }
    }
  })

  it('quote what a shell or a script would take for its own', () => {
    const values = { given: [given('model', 'query', "it's"), given('filter', 'query', `{"a":"'\\"$(id)"}`)], body: '' }
    const [curl = '', script = ''] = requestExamples(operation('list'), values, SERVICE).map(({ code }) => code)
    assert.ok(curl.includes(`--data-urlencode 'model=it'\\''s'`), curl)
    assert.ok(curl.includes(`'filter={"a":"'\\''\\"$(id)"}'`), curl)
    assert.ok(script.includes(`'model', 'it\\'s'`), script)
  })

  it('of lists name only members that the documents of their model have', () => {
    const variants = ['list', 'query'].flatMap((id) => variantsOf(operation(id)).map((name) => [id, name] as const))
    assert.ok(variants.length > 10)
    for (const [id, name] of variants) {
      const { given, body } = exampleValues(operation(id), name)
      const of = (parameter: string): string => given.find((one) => one.name === parameter)?.value ?? ''
      const query = JSON.parse(body) as { readonly filter?: object; readonly sort?: string | null }
      const filtered = Object.keys({ ...(JSON.parse(of('filter') || '{}') as object), ...query.filter })
      const sorted = (of('sort') || (query.sort ?? '')).split(',').filter((key) => key !== '')
      const fields = api.schemas.get(api.models.find((one) => one.name === name)?.schema ?? '')?.properties ?? {}
      for (const path of [...filtered, ...sorted]) assert.ok(Object.hasOwn(fields, path.split(/[.:]/)[0] ?? ''), `${id} ${name} ${path}`)
    }
  })

  it('keep the bytes of a response that is no text', () => {
    const file = operation('downloadBackup')
    const [curl = '', script = ''] = requestExamples(file, exampleValues(file, ''), SERVICE).map(({ code }) => code)
    assert.match(curl, / --fail -O /)
    assert.match(script, /\nconst file = await response\.blob\(\)$/)
  })

  it('show a response as it came, with numbers that no double can hold', () => {
    assert.equal(
      indented('{"count":12345678901234567890,"rate":0.10}'),
      '{\n  "count": 12345678901234567890,\n  "rate": 0.1\n}',
    )
  })

  it('have a line of the typed client for all methods that it has', () => {
    // What RxDB sends has no method.
    const without = api.operations.filter((one) => requestExamples(one, exampleValues(one, ''), SERVICE).length < 3)
    const ids = without.map(({ operationId }) => operationId).filter((id) => !id.startsWith('sync'))
    assert.deepEqual(ids.sort(), ['health', 'metrics', 'openapi', 'ready'])
  })

  it('escape what is put into a path, and refuse what would be a step of it', () => {
    const values = (id: string) => [given('model', 'query', 'topic'), given('id', 'path', id)]
    assert.equal(pathOf('/api/v1/data/{id}', values('a/b?$&')), 'api/v1/data/a%2Fb%3F%24%26')
    assert.equal(targetOf('/api/v1/data/{id}', values('a')), 'api/v1/data/a?model=topic')
    for (const id of ['', '.', '..']) assert.equal(requestProblem(values(id))?.name, 'id')
    assert.equal(requestProblem(values('a')), undefined)
    assert.equal(requestProblem([given('If-Match', 'header', '"ä"')])?.name, 'If-Match')
    assert.match(requestProblem([given('body', 'body', '{')])?.message ?? '', /^Line 1, column 2: /)
  })
})

describe('the place of a mistake in JSON', () => {
  it('is told with line and column', () => {
    for (const [text, at, message] of [
      ['{"a": x}', 6, 'Line 1, column 7: x cannot stand here'],
      ['{\n  "a": nil\n}', 9, 'Line 2, column 8: nil cannot stand here'],
      ['[1, 2', 5, 'Line 1, column 6: something is missing'],
      ['{"a": "b', 6, 'Line 1, column 7: a text in quotes cannot stand here, or is not closed'],
    ] as const) {
      assert.deepEqual(jsonMistake(text), { at, message }, text)
    }
    assert.equal(jsonMistake('{"a": [1, null]}'), undefined)
  })
})

describe('the playground', () => {
  it('has examples that fit their models, and a model for each example', () => {
    const examples = filterExamples(api)
    assert.ok(examples.length > 20)
    for (const { filter, models, label } of examples) {
      assert.ok(models.length > 0, label)
      for (const name of models) {
        const model = api.models.find((one) => one.name === name)
        assert.ok(model !== undefined && (filter === '' || fitsModel(JSON.parse(filter) as object, model, api)), label)
      }
    }
    assert.equal(modelFor({ usage: 'eventCountry' }, api), 'country')
    assert.equal(modelFor({ savedFilters: { $size: 0 } }, api), 'user_content_preferences')
    assert.equal(modelFor({ $or: [{ headquarters: 1 }] }, api), 'source')
  })

  it('says what a plan means', () => {
    const plan: QueryPlan = {
      ...{ model: 'headline', access: 'table', index: null, exact: false, runs: 'thread', order: 'none', ranges: 1 },
      ...{ sql: 'SELECT 1', values: [], rowsExpected: 9000, rowsRead: 9000, rowsReturned: 1, hasMore: true },
      ...{ finished: true, milliseconds: 40, weighed: [] },
    }
    const told = planLines(plan).map(({ value, rating }) => `${value}: ${rating}`)
    assert.deepEqual(told.slice(0, 2), ['whole table: warn', 'SQL, then the filter: plain'])
    assert.deepEqual(told.slice(2), ['sorted: plain', '40 ms, in a thread: plain', '9000 read, 1 returned: warn'])
    assert.equal(indexFields('headline/status,updatedAt:desc,+title'), 'status, updatedAt:desc')
    assert.equal(indexFields('headline_search'), 'headline_search')
  })
})

it('a token is removed from what is shown, also one that a response contains', () => {
  const [own, other] = ['dlt_0123456789', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NmYwIn0.c2lnbmF0dXJl']
  assert.equal(withoutTokens(`a ${own} b "${other}"`, own), `a ${HIDDEN} b "${HIDDEN}"`)
  assert.equal(withoutTokens('a b', ''), 'a b')
})

describe('the controls of the reference', () => {
  const html = readFileSync(join(import.meta.dirname, '../../src/dashboard/docs.html'), 'utf8')
  const marked = [...`${html}${page}`.matchAll(/<[^>]*\sdata-text="([^"]*)"[^>]*>([^<]*)</g)].map(([, key = '', text = '']) => [key, unescaped(text)] as const)
  const labels = [...`${html}${page}`.matchAll(/(?:aria-label|placeholder)="([^"]*)" data-(?:label|placeholder)="([^"]*)"/g)].map(([, text = '', key = '']) => [key, unescaped(text)] as const)

  it('stand in the page in English, as the table of their texts has them', async () => {
    const english: Readonly<Record<string, unknown>> = (await DOCS_TEXTS.en()).default
    assert.ok(new Set(marked.map(([key]) => key)).size > 25 && labels.length > 5)
    for (const [key, text] of [...marked, ...labels]) assert.equal(text, english[key], key)
  })

  it('are all that the page has within the reference, which is marked as English', () => {
    assert.match(page, /<main [^>]*lang="en" dir="ltr"/)
    const rest = page.replace(/<span data-text="[^"]*">[^<]*<\/span>/g, '').replace(/<pre[^]*?<\/pre>/g, '')
    for (const [, control = ''] of rest.matchAll(/<(?:summary class="button"|button class="primary"[^>]*|label[^>]*>\s*<span)>([^<]*)</g)) {
      assert.doesNotMatch(control, /\p{L}/u, control)
    }
  })

  it('tell what keeps a request from being sent in every language', async () => {
    const told = new Set<string>()
    for (const code of Object.keys(LANGUAGES) as LanguageCode[]) {
      await useLanguage(code, DOCS_TEXTS)
      for (const text of ['{', '{"a": x}', '{"a": "b']) told.add(jsonMistake(text)?.message ?? '')
      for (const problem of [given('id', 'path', ''), given('id', 'path', '..'), given('a', 'header', 'ä')]) told.add(requestProblem([problem])?.message ?? '')
    }
    await useLanguage('en', DOCS_TEXTS)
    assert.equal(told.size, 6 * Object.keys(LANGUAGES).length)
  })
})

function unescaped(text: string): string {
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim()
}
