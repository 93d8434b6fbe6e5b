// also: cache-off threads cluster
/** ETags of the data endpoint, and the conditions of RFC 9110 section 13 on them: each with each method and model. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { newCast, newPerson, type Person } from '../support/cast.ts'
import { bodyOf, REMOTE_CONFIG_ID, SUMMARY_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Call } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService({ publicRemoteConfig: 'on' })
const { admin, guest, standard } = await newCast(service)
const OTHER = '"0000000000000000000000"'

const call = (method: string, model: string, id: string, options: Call = {}): Promise<ApiResponse> =>
  service.data(method, `/${id}`, { model }, { token: admin.token, ...options })
const read = async (model: string, id: string): Promise<string> => (await call('GET', model, id)).text

const tagOf = (response: ApiResponse): string => {
  const tag = response.headers.get('etag') ?? ''
  assert.match(tag, /^"[\w-]{22}"$/, response.text)
  return tag
}

interface Item {
  readonly id: string
  readonly tag: string
  /** What a PUT sends. */
  readonly body: JsonObject
}

async function item(model: string, id: string): Promise<Item> {
  const response = await call('GET', model, id)
  assert.equal(response.status, 200, response.text)
  return { id, tag: tagOf(response), body: response.at('data') as JsonObject }
}

async function created(model: string): Promise<Item> {
  const response = await service.data('POST', '', { model }, { token: admin.token, body: bodyOf(model) })
  assert.equal(response.status, 201, response.text)
  return { id: String(response.at('data.id')), tag: tagOf(response), body: response.at('data') as JsonObject }
}

async function configuration(): Promise<Item> {
  if ((await call('GET', 'remote_config', REMOTE_CONFIG_ID)).status === 200) return item('remote_config', REMOTE_CONFIG_ID)
  return created('remote_config')
}

const ofPerson = async (model: string): Promise<Item> => item(model, (await newPerson(service, 'standard', admin.token)).id)

/** How to come by an item that may be removed. */
const FRESH: Readonly<Record<string, () => Promise<Item>>> = {
  headline: () => created('headline'),
  topic: () => created('topic'),
  source: () => created('source'),
  country: () => created('country'),
  language: () => created('language'),
  user: () => ofPerson('user'),
  user_app_settings: () => ofPerson('user_app_settings'),
  user_content_preferences: () => ofPerson('user_content_preferences'),
  remote_config: configuration,
}

/** Of two statuses the first is that of GET and HEAD, the second that of a change: 2 stands for its success. */
const CONDITIONS: [name: string, headers: (tag: string) => Readonly<Record<string, string>>, got: number, change: number][] = [
  ['no condition', () => ({}), 200, 2],
  ['If-Match: the tag', (tag) => ({ 'If-Match': tag }), 200, 2],
  ['If-Match: *', () => ({ 'If-Match': '*' }), 200, 2],
  ['If-Match: a list with the tag', (tag) => ({ 'If-Match': `${OTHER}, W/"x",${tag}` }), 200, 2],
  ['If-Match: another', () => ({ 'If-Match': OTHER }), 412, 412],
  ['If-Match: the tag made weak', (tag) => ({ 'If-Match': `W/${tag}` }), 412, 412],
  ['If-Match: the tag in a list, made weak', (tag) => ({ 'If-Match': `${OTHER}, W/${tag}` }), 412, 412],
  ['If-None-Match: another', () => ({ 'If-None-Match': OTHER }), 200, 2],
  ['If-None-Match: the tag', (tag) => ({ 'If-None-Match': tag }), 304, 412],
  ['If-None-Match: the tag made weak', (tag) => ({ 'If-None-Match': `W/${tag}` }), 304, 412],
  ['If-None-Match: a list with the tag', (tag) => ({ 'If-None-Match': `${OTHER},${tag}` }), 304, 412],
  ['If-None-Match: *', () => ({ 'If-None-Match': '*' }), 304, 412],
  ['both, and both hold', (tag) => ({ 'If-Match': tag, 'If-None-Match': OTHER }), 200, 2],
  ['both, and the second fails', (tag) => ({ 'If-Match': tag, 'If-None-Match': tag }), 304, 412],
  ['both, and the first fails', (tag) => ({ 'If-Match': OTHER, 'If-None-Match': tag }), 412, 412],
]

/** Those of which each model has a case; a topic has all. */
const USUAL = ['If-Match: the tag', 'If-Match: another', 'If-None-Match: the tag']

for (const [model, fresh] of Object.entries(FRESH)) {
  describe(`a ${model}`, () => {
    it('has the same tag from POST, GET, HEAD and PUT, and another after each change', async () => {
      const { id, tag, body } = await fresh()
      assert.equal(tagOf(await call('GET', model, id)), tag)
      assert.equal(tagOf(await call('HEAD', model, id)), tag)
      service.advance(1000)
      const changed = tagOf(await call('PUT', model, id, { body }))
      assert.notEqual(changed, tag)
      assert.equal(tagOf(await call('GET', model, id)), changed)
    })

    it('is read, replaced and removed where the conditions hold', async () => {
      for (const [name, headersFor, got, change] of model === 'topic'
        ? CONDITIONS
        : CONDITIONS.filter(([one]) => USUAL.includes(one))) {
        const { id, tag, body } = await fresh()
        const [headers, before] = [headersFor(tag), await read(model, id)]
        for (const method of ['GET', 'HEAD']) {
          const response = await call(method, model, id, { headers })
          const at = `${method} with ${name}`
          assert.equal(response.status, got, at)
          assert.equal(tagOf(response), tag, at)
          if (got === 304 || method === 'HEAD') assert.equal(response.text, '', at)
        }
        for (const [method, done] of [
          ['PUT', 200],
          ['PATCH', 200],
          ['DELETE', 204],
        ] as const) {
          const at = `${method} with ${name}`
          // A changed document has a new tag, which the condition does not know: each method gets its own.
          const one = method === 'PUT' ? { id, tag, body } : await fresh()
          const sends = method === 'PUT' ? { body } : method === 'PATCH' ? { body: {} } : {}
          service.advance(1000)
          const response = await call(method, model, one.id, { headers: headersFor(one.tag), ...sends })
          assert.equal(response.status, change === 2 ? done : change, `${at}: ${response.text}`)
          if (change !== 412) continue
          assert.match(
            response.error,
            /^preconditionFailed: Cannot meet If-(None-)?Match: expected .*, found ("|it behind a W\/)/,
            at,
          )
          assert.equal(tagOf(response), one.tag, at)
          assert.equal(tagOf(await call('GET', model, one.id)), one.tag, at)
          if (method === 'PUT') assert.equal(dataOf(await read(model, id)), dataOf(before), at)
        }
      }
    })
  })
}

/** The document of a response as it stands there, without the metadata. */
function dataOf(text: string): string {
  return text.slice(0, text.lastIndexOf(',"metadata":'))
}

describe('a condition', () => {
  it('whose tag a proxy made weak is told so, for reading again would not help', async () => {
    const { id, tag } = await created('topic')
    const response = await call('DELETE', 'topic', id, { headers: { 'If-Match': `"x", W/${tag}` } })
    assert.equal(response.status, 412)
    const words = `expected ${tag}, found it behind a W/, which a proxy adds that compresses: send it without`
    assert.equal(response.error, `preconditionFailed: Cannot meet If-Match: ${words}`)
    assert.equal((await call('DELETE', 'topic', id, { headers: { 'If-Match': tag } })).status, 204)
  })

  it('is for the dashboard summary as well, which cannot be changed', async () => {
    const { tag } = await item('dashboard_summary', SUMMARY_ID)
    const known = { headers: { 'If-None-Match': tag } }
    assert.equal((await call('GET', 'dashboard_summary', SUMMARY_ID, known)).status, 304)
    await created('topic')
    assert.equal((await call('GET', 'dashboard_summary', SUMMARY_ID, known)).status, 200)
    const changing = { body: {}, headers: { 'If-Match': OTHER } }
    assert.equal((await call('PUT', 'dashboard_summary', SUMMARY_ID, changing)).status, 405)
  })

  it('reveals neither hidden documents nor missing ones', async () => {
    const { id } = await ofPerson('user_app_settings')
    const topic = await created('topic')
    const rows: [method: string, model: string, id: string, by: Person | undefined, status: number][] = [
      ['GET', 'user_app_settings', id, undefined, 401],
      ['GET', 'user_app_settings', id, standard, 403],
      ['PUT', 'user_app_settings', id, standard, 403],
      ['DELETE', 'user_app_settings', id, standard, 403],
      ['PUT', 'topic', topic.id, guest, 403],
      ['DELETE', 'topic', topic.id, guest, 403],
      ['GET', 'topic', 'nowhere', admin, 404],
      ['PUT', 'topic', 'nowhere', admin, 404],
      ['DELETE', 'topic', 'nowhere', admin, 404],
    ]
    for (const [method, model, at, by, status] of rows) {
      for (const headers of [{ 'If-Match': '*' }, { 'If-Match': OTHER }, { 'If-None-Match': '*' }]) {
        const body = method === 'PUT' ? { body: TOPIC } : {}
        const response = await call(method, model, at, { token: by?.token, headers, ...body })
        assert.equal(response.status, status, `${method} ${model} ${JSON.stringify(headers)}`)
        assert.equal(response.headers.get('etag'), null)
      }
    }
  })

  it('comes before the body: one that fails needs no valid body', async () => {
    const { id, tag } = await created('topic')
    for (const body of ['{', '[]', { name: 7 }]) {
      assert.equal((await call('PUT', 'topic', id, { body, headers: { 'If-Match': OTHER } })).status, 412)
      assert.equal((await call('PUT', 'topic', id, { body, headers: { 'If-Match': tag } })).status, 400)
    }
  })

  it('is not looked at on creation, nor is If-Match on lists, which are about no version of a document', async () => {
    const headers = { 'If-Match': OTHER, 'If-None-Match': '*' }
    const ofList = { 'If-Match': OTHER, 'If-None-Match': OTHER }
    const list = await service.data('GET', '', { model: 'topic' }, { token: admin.token, headers: ofList })
    assert.equal(list.status, 200)
    const made = await service.data('POST', '', { model: 'topic' }, { token: admin.token, headers, body: TOPIC })
    assert.equal(made.status, 201)
  })
})

describe('of several who mean the same version, exactly one', () => {
  const RACERS = 8

  const statuses = async (race: (i: number) => Promise<ApiResponse>): Promise<number[]> => {
    service.advance(1000)
    const responses = await Promise.all(Array.from({ length: RACERS }, (_, i) => race(i)))
    return responses.map(({ status }) => status).sort((a, b) => a - b)
  }
  const onlyOne = (done: number): number[] => [done, ...Array<number>(RACERS - 1).fill(412)]

  it('replaces a topic, and its words are the ones that stay', async () => {
    const { id, tag, body } = await created('topic')
    const winners: string[] = []
    const outcome = await statuses(async (i) => {
      const response = await call('PUT', 'topic', id, { body: { ...body, name: `by ${i}` }, headers: { 'If-Match': tag } })
      if (response.status === 200) winners.push(dataOf(response.text))
      return response
    })
    assert.deepEqual(outcome, onlyOne(200))
    assert.deepEqual(winners, [dataOf(await read('topic', id))])
  })

  for (const model of ['topic', 'user']) {
    it(`changes a ${model} where some replace and some remove it`, async () => {
      const { id, tag, body } = await (model === 'topic' ? created('topic') : ofPerson('user'))
      const headers = { 'If-Match': tag }
      const replaces = (i: number): boolean => i % 2 === 0
      const outcome = await statuses((i) =>
        replaces(i) ? call('PUT', model, id, { body, headers }) : call('DELETE', model, id, { headers }),
      )
      const [won, ...lost] = outcome
      assert.ok(won === 200 || won === 204, outcome.join())
      // After a removal, later callers find nothing.
      assert.ok(
        lost.every((status) => status === 412 || (won === 204 && status === 404)),
        outcome.join(),
      )
      assert.equal((await call('GET', model, id)).status, won === 200 ? 200 : 404)
    })
  }
})

it('the last administrator stays one, whatever the condition', async () => {
  const { tag, body } = await item('user', admin.id)
  const demoted = { ...body, dashboardRole: 'none' }
  assert.equal((await call('PUT', 'user', admin.id, { body: demoted, headers: { 'If-Match': tag } })).status, 403)
  assert.equal((await call('DELETE', 'user', admin.id, { headers: { 'If-Match': tag } })).status, 403)
  assert.equal((await call('DELETE', 'user', admin.id, { headers: { 'If-Match': OTHER } })).status, 412)
})
