// also: cache-off threads cluster
/** ETags of the data endpoint, and the conditions of RFC 9110 section 13 on them: each with each method and model. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { newPerson, type Person } from '../support/cast.ts'
import { bodyOf, REMOTE_CONFIG_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Call } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, standard } = await startSite({ publicRemoteConfig: 'on' })
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

/** Of two statuses the first is that of GET and HEAD, the second that of a change: 2 stands for its success. */
const CONDITIONS: [name: string, headers: (tag: string) => Readonly<Record<string, string>>, got: number, change: number][] = [
  ['no condition', () => ({}), 200, 2],
  ['If-Match: *', () => ({ 'If-Match': '*' }), 200, 2],
  ['If-Match: a list with the tag', (tag) => ({ 'If-Match': `${OTHER}, W/"x",${tag}` }), 200, 2],
  ['If-Match: the tag in a list, made weak', (tag) => ({ 'If-Match': `${OTHER}, W/${tag}` }), 412, 412],
  ['If-None-Match: another', () => ({ 'If-None-Match': OTHER }), 200, 2],
  ['If-None-Match: a list with the tag made weak', (tag) => ({ 'If-None-Match': `${OTHER},W/${tag}` }), 304, 412],
  ['If-None-Match: *', () => ({ 'If-None-Match': '*' }), 304, 412],
  ['both, and the second fails', (tag) => ({ 'If-Match': tag, 'If-None-Match': tag }), 304, 412],
  ['both, and the first fails', (tag) => ({ 'If-Match': OTHER, 'If-None-Match': tag }), 412, 412],
]

describe('a topic', () => {
  for (const [name, headersFor, got, change] of CONDITIONS) {
    it(`gets ${got}, and ${change === 2 ? 'is changed' : `no change, but ${change}`}, with ${name}`, async () => {
      const done = { GET: got, HEAD: got, PUT: 200, PATCH: 200, DELETE: 204 }
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const) {
        const { id, tag, body } = await created('topic')
        service.advance(1000)
        const isChange = method === 'PUT' || method === 'PATCH' || method === 'DELETE'
        const wanted = isChange && change !== 2 ? change : done[method]
        const sent = method === 'PUT' ? { body } : method === 'PATCH' ? { body: {} } : {}
        const response = await call(method, 'topic', id, { headers: headersFor(tag), ...sent })
        assert.equal(response.status, wanted, `${method}: ${response.text}`)
        if (wanted === 304 || method === 'HEAD') assert.equal(response.text, '', method)
        if (wanted !== 412 || !isChange) continue
        assert.match(response.error, /^preconditionFailed: Cannot meet If-(None-)?Match: expected .*, found ("|it behind a W\/)/, method)
        assert.deepEqual([tagOf(response), dataOf(await read('topic', id))], [tag, `{"data":${JSON.stringify(body)}`], method)
      }
    })
  }
})

for (const model of ['headline', 'topic', 'source', 'country', 'language', 'remote_config', 'user', 'user_app_settings', 'user_content_preferences']) {
  it(`a ${model} has one tag for all methods, another after each change, and is changed with it alone`, async () => {
    const isOwned = model.startsWith('user')
    const { id, tag, body } = await (isOwned ? ofPerson(model) : model === 'remote_config' ? configuration() : created(model))
    for (const method of ['GET', 'HEAD']) assert.equal(tagOf(await call(method, model, id)), tag, method)
    assert.equal((await call('GET', model, id, { headers: { 'If-None-Match': tag } })).status, 304)
    for (const [method, sent] of [['PUT', { body }], ['PATCH', { body: {} }], ['DELETE', {}]] as const) {
      const response = await call(method, model, id, { headers: { 'If-Match': OTHER }, ...sent })
      assert.deepEqual([response.status, tagOf(response)], [412, tag], method)
    }
    service.advance(1000)
    const replaced = await call('PUT', model, id, { body, headers: { 'If-Match': tag } })
    assert.notEqual(tagOf(replaced), tag)
    assert.equal(tagOf(await call('GET', model, id)), tagOf(replaced))
    service.advance(1000)
    const patched = await call('PATCH', model, id, { body: {}, headers: { 'If-Match': tagOf(replaced) } })
    assert.equal(new Set([tag, tagOf(replaced), tagOf(patched)]).size, 3)
    assert.equal((await call('DELETE', model, id, { headers: { 'If-Match': tagOf(patched) } })).status, 204)
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

  it('reveals neither hidden documents nor missing ones', async () => {
    const { id } = await ofPerson('user_app_settings')
    const topic = await created('topic')
    const rows: [method: string, model: string, id: string, by: Person | undefined, status: number][] = [
      ['GET', 'user_app_settings', id, undefined, 401],
      ['GET', 'user_app_settings', id, standard, 403],
      ['DELETE', 'user_app_settings', id, standard, 403],
      ['PUT', 'topic', topic.id, guest, 403],
      ['GET', 'topic', 'nowhere', admin, 404],
      ['PUT', 'topic', 'nowhere', admin, 404],
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

  it('of headers that repeat their name is one list, bounded as a whole', async () => {
    const { id } = await created('topic')
    const headers: [string, string][] = Array.from({ length: 500 }, (_, i) => ['If-None-Match', `"${i}"`])
    const response = await fetch(`${service.url}/api/v1/data/${id}?model=topic`, { headers: [['authorization', `Bearer ${admin.token}`], ...headers] })
    assert.equal(response.status, 400)
    assert.match(await response.text(), /expected at most 100 ETags, found more/)
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

// How a removal and a replacement race is at content/racing-versions.
it('of several who mean the same version exactly one replaces it, and its words are the ones that stay', async () => {
  const { id, tag, body } = await created('topic')
  service.advance(1000)
  const put = (i: number): Promise<ApiResponse> => call('PUT', 'topic', id, { body: { ...body, name: `by ${i}` }, headers: { 'If-Match': tag } })
  const responses = await Promise.all(Array.from({ length: 8 }, (_, i) => put(i)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(412)])
  const winner = responses.find(({ status }) => status === 200)
  assert.equal(dataOf(winner?.text ?? ''), dataOf(await read('topic', id)))
})
