/** The check that responses of the tests go through: it must find a response that is not described. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertDescribed, type ResponseToCheck } from '../support/schema/described-responses.ts'

const METADATA = { requestId: 'r', timestamp: '2026-03-01T12:00:00.000Z' }
const LANGUAGE = {
  id: '66f000000000000000000201',
  code: 'is',
  name: 'Icelandic',
  nativeName: 'Íslenska',
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-01T08:00:00.000Z',
  status: 'active',
}

interface Changes extends Partial<Omit<ResponseToCheck, 'headers' | 'text'>> {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

function response({ headers = {}, body = { data: LANGUAGE, metadata: METADATA }, ...rest }: Changes): ResponseToCheck {
  const hasTag = ['GET', 'HEAD'].includes(rest.method ?? 'GET') && [200, 304].includes(rest.status ?? 200)
  const named = { 'x-request-id': 'r', 'x-dateline-instance': 'i', ...(hasTag && { etag: '"1"' }) }
  const always = { 'content-type': 'application/json; charset=utf-8', ...named }
  return {
    method: 'GET',
    path: '/api/v1/data/66f000000000000000000201?model=language',
    status: 200,
    text: body === '' ? '' : JSON.stringify(body),
    ...rest,
    // One without a text is left out.
    headers: new Headers(Object.entries({ ...always, ...headers }).filter(([, value]) => value !== '')),
  }
}

function failed(code: string, more: object = {}): object {
  return { error: { code, message: 'why' }, ...more }
}

describe('responses that fit:', () => {
  const cases: [name: string, changes: Changes][] = [
    ['a document', {}],
    ['a failure', { status: 404, body: failed('notFound') }],
    ['nothing', { method: 'DELETE', status: 204, body: '', headers: { 'content-type': '' } }],
    ['no such path', { path: '/api/v2', status: 404, body: failed('notFound') }],
    ['a head', { method: 'HEAD', body: '' }],
  ]
  for (const [name, changes] of cases) it(name, () => assertDescribed(response(changes)))
})

describe('responses that do not fit are caught:', () => {
  const { nativeName: _nativeName, ...lacking } = LANGUAGE
  const data = (document: object): Changes => ({ body: { data: document, metadata: METADATA } })
  const page = (item: object): object => ({ data: { items: [item], cursor: null, hasMore: false }, metadata: METADATA })
  const cases: [name: string, changes: Changes, message: RegExp][] = [
    ['an undocumented status', { status: 418, body: failed('notFound') }, /has no status 418/],
    ['a route without a description', { path: '/api/v1/other', status: 200 }, /is missing/],
    ['a document that lacks a member', data(lacking), /expected nativeName/],
    ['a member of another type', data({ ...LANGUAGE, name: 7 }), /expected string, found 7/],
    ['a date in another form', data({ ...LANGUAGE, createdAt: 'soon' }), /expected a date-time/],
    ['a document of another model in a list', { path: '/api/v1/data?model=topic', body: page(LANGUAGE) }, /description/],
    ['a member that the model drops', { path: '/api/v1/data/1?model=dashboard_summary' }, /no such member/],
    ['no metadata', { body: { data: LANGUAGE } }, /expected metadata/],
    ['a code that the status does not have', { status: 404, body: failed('conflict') }, /has no code conflict/],
    ['a limit that does not say how long', { status: 429, body: failed('tooManyRequests') }, /header Retry-After/],
    ['a document without its version', { headers: { etag: '' } }, /header ETag/],
    ['an undocumented header', { headers: { 'retry-after': '3' } }, /has no header retry-after/],
    ['a body where there is none', { method: 'DELETE', status: 204 }, /has no body for 204/],
    ['a body that is no JSON', { text: '<html>' } as Changes, /JSON/],
  ]
  for (const [name, changes, message] of cases) {
    it(name, () => {
      const one = response(changes)
      assert.throws(() => assertDescribed(one), message)
    })
  }
})
