// also: threads cluster
/**
 * Checking a body finds what creating or replacing would refuse, in the same words: each list of problems is held
 * against the responses of real requests, fixing one problem after the other.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Problem } from '../../src/base/problem.ts'
import {
  bodyOf,
  BODIES,
  HEADLINE,
  REMOTE_CONFIG_ID,
  SUMMARY_ID,
} from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Call } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, publisher, standard, madeId: made } = await startSite()
const FREE_ID = '000000000000000000000000'
const CONTENT = ['headline', 'topic', 'source', 'country', 'language']

const check = (model: string, body: unknown, id?: string, call: Call = {}): Promise<ApiResponse> =>
  service.data('POST', '/check', { model, ...(id === undefined ? {} : { id }) }, { token: admin.token, body, ...call })

async function problemsOf(model: string, body: unknown, id?: string, by = admin): Promise<readonly Problem[]> {
  const response = await check(model, body, id, { token: by.token })
  assert.equal(response.status, 200, response.text.slice(0, 300))
  return response.at('data.problems') as Problem[]
}

describe('checking', () => {
  it('writes nothing, be the body good or bad', async () => {
    const everything = async (): Promise<string[]> => {
      const texts: string[] = []
      for (const model of [...Object.keys(BODIES), 'dashboard_summary']) {
        const { status, text } = await service.data('GET', '', { model, limit: 100 }, { token: admin.token })
        assert.ok(status === 200 || status === 405, text)
        texts.push(text.slice(0, text.lastIndexOf(',"metadata":')))
      }
      return texts
    }
    const ids = new Map<string, string>()
    for (const model of CONTENT) ids.set(model, await made(model))
    for (const model of ['user', 'user_app_settings', 'user_content_preferences']) ids.set(model, standard.id)
    ids.set('remote_config', REMOTE_CONFIG_ID)
    const before = await everything()
    service.advance(60_000)
    for (const [model, id] of ids) {
      const body = { ...bodyOf(model), id: undefined, ...(model === 'user' ? { email: 'new@example.org' } : {}) }
      if (CONTENT.includes(model) || model === 'user') assert.deepEqual(await problemsOf(model, body), [], model)
      assert.deepEqual(await problemsOf(model, body, id), [], model)
      for (const one of [undefined, id]) assert.notEqual((await problemsOf(model, {}, one)).length, 0, model)
    }
    assert.deepEqual(await everything(), before)
  })

  it('is for those who may do it, and comes in the order of the real request', async () => {
    const topic = await made('topic')
    const rows: [name: string, model: string, id: string | undefined, call: Call, status: number, code: string][] = [
      ['no session', 'topic', undefined, { token: undefined }, 401, 'unauthorized'],
      ['no such model', 'nonsense', undefined, {}, 400, 'badRequest'],
      ['a guest creates', 'topic', undefined, { token: guest.token }, 403, 'forbidden'],
      ['a publisher creates a topic', 'topic', undefined, { token: publisher.token }, 403, 'forbidden'],
      ['a guest replaces nothing', 'topic', FREE_ID, { token: guest.token }, 403, 'forbidden'],
      ['nothing is replaced', 'topic', FREE_ID, {}, 404, 'notFound'],
      ['an empty id', 'topic', '', {}, 404, 'notFound'],
      ["the settings of another user", 'user_app_settings', standard.id, { token: guest.token }, 403, 'forbidden'],
      ['a summary', 'dashboard_summary', undefined, {}, 405, 'methodNotAllowed'],
      ['a summary in place of one', 'dashboard_summary', SUMMARY_ID, {}, 405, 'methodNotAllowed'],
      ['no JSON', 'topic', undefined, { body: '{' }, 400, 'invalidInput'],
      ['an array', 'topic', topic, { body: [] }, 400, 'invalidInput'],
    ]
    for (const [name, model, id, call, status, code] of rows) {
      const response = await check(model, '{', id, call)
      assert.deepEqual([response.status, response.error.split(':')[0]], [status, code], name)
    }
    const editor = await problemsOf('headline', { ...HEADLINE, title: 7 }, undefined, publisher)
    const message = 'expected a string, found 7'
    assert.deepEqual(editor, [{ path: 'title', code: 'notText', params: {}, message }])
  })
})
