// also: threads
/**
 * The order of checks: a session, the rate limit, the model, the right of the role, the item, its owner, the body, the
 * limits of preferences, the operation. Each test sends what violates two neighbours and gets the earlier response.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newPerson } from '../support/cast.ts'
import { copies, PREFERENCES, SETTINGS, SUMMARY_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startService, type Call } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, cast } = await startSite()
const stranger = await newPerson(service, 'standard', cast.admin.token)
const FREE_ID = '000000000000000000000000'
const TOO_MANY = { ...PREFERENCES, id: undefined, followedTopics: copies(TOPIC, 6) }

type Request = readonly [method: string, target: string, query: Record<string, string>]

const { guest, admin } = cast
const cases: readonly (readonly [name: string, request: Request, call: Call, status: number, code: string])[] = [
  ['the session before the model', ['GET', '', { model: 'nonsense' }], { token: 'x.y.z' }, 401, 'unauthorized'],
  ['the session before an unsupported method', ['DELETE', `/${SUMMARY_ID}`, { model: 'dashboard_summary' }], {}, 401, 'unauthorized'],
  ['the model before the parameters of a list', ['GET', '', { model: 'nonsense', limit: '-1', filter: '{', sort: ',' }], { token: guest.token }, 400, 'badRequest'],
  ['the model before the body', ['POST', '', { model: 'nonsense' }], { token: guest.token, body: '{' }, 400, 'badRequest'],
  ['the right of the role before the parameters of a list', ['GET', '', { model: 'user', limit: '-1', filter: '{' }], { token: guest.token }, 403, 'forbidden'],
  ['the right of the role before the item', ['DELETE', `/${FREE_ID}`, { model: 'topic' }], { token: guest.token }, 403, 'forbidden'],
  ['the right of the role before the body', ['POST', '', { model: 'topic' }], { token: guest.token, body: '{' }, 403, 'forbidden'],
  ['an unsupported method before the item', ['DELETE', `/${FREE_ID}`, { model: 'dashboard_summary' }], { token: admin.token }, 405, 'methodNotAllowed'],
  ['the item before its owner', ['GET', `/${FREE_ID}`, { model: 'user_app_settings' }], { token: guest.token }, 404, 'notFound'],
  ['the item before the body', ['PUT', `/${FREE_ID}`, { model: 'topic' }], { token: admin.token, body: '{' }, 404, 'notFound'],
  ['the owner before the body', ['PUT', `/${stranger.id}`, { model: 'user_app_settings' }], { token: guest.token, body: '{' }, 403, 'forbidden'],
  ['the owner before the limits of preferences', ['PUT', `/${stranger.id}`, { model: 'user_content_preferences' }], { token: guest.token, body: {} }, 403, 'forbidden'],
  ['the body before the limits of preferences', ['PUT', `/${guest.id}`, { model: 'user_content_preferences' }], { token: guest.token, body: { ...TOO_MANY, savedFilters: 7 } }, 400, 'invalidInput'],
  ['the body before the operation', ['POST', '', { model: 'user_app_settings' }], { token: guest.token, body: { ...SETTINGS, language: 7 } }, 400, 'invalidInput'],
  ['the limits of preferences before the operation', ['POST', '', { model: 'user_content_preferences' }], { token: guest.token, body: TOO_MANY }, 403, 'forbidden'],
]

describe('the earlier of two violations decides the response', () => {
  for (const [name, [method, target, query], call, status, code] of cases) {
    it(name, async () => {
      const response = await service.data(method, target, query, call)
      assert.deepEqual([response.status, response.at('error.code')], [status, code], response.text)
    })
  }
})

it('the session comes before the rate limit, and the rate limit before the model', async (t) => {
  const limited = await startService(t, { rateLimits: 'on', dataPerUser: '1' })
  const { token } = await limited.guest()
  const send = (call: Call): Promise<readonly unknown[]> =>
    limited.data('GET', '', { model: 'nonsense' }, call).then((response) => [response.status, response.at('error.code')])
  assert.deepEqual(await send({ token }), [400, 'badRequest'])
  assert.deepEqual(await send({ token }), [429, 'tooManyRequests'])
  assert.deepEqual(await send({ token: `${token}x` }), [401, 'unauthorized'])
})

it('the parameter "model" that is none is 400 in every operation', async () => {
  for (const [query, found] of [
    ['', 'in the URL, as in ?model=headline, found nothing'],
    ['?model=', 'found ""'],
    ['?model=topics', 'found "topics"'],
    ['?model=__proto__', 'found "__proto__"'],
    ['?model=topic&model=source', 'found it 2 times'],
  ] as const) {
    for (const [method, target] of [['GET', ''], ['POST', ''], ['GET', '/x'], ['PUT', '/x'], ['DELETE', '/x']] as const) {
      const call = { token: admin.token, ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) }
      const response = await service.call(method, `/api/v1/data${target}${query}`, call)
      assert.deepEqual([response.status, response.at('error.code')], [400, 'badRequest'])
      assert.ok(response.error.includes(found), response.error)
    }
  }
})
