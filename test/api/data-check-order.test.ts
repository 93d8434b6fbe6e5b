/**
 * The order of checks: a session, the rate limit, the model, the right of the role, the item, its owner, the body, the
 * limits of preferences, the operation. Each test sends what violates two neighbours and gets the earlier response.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCast, newPerson } from '../support/cast.ts'
import { copies, PREFERENCES, SETTINGS, SUMMARY_ID, TOPIC } from '../support/service/data-bodies.ts'
import { startService, type Call } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const cast = await newCast(service)
const stranger = await newPerson(service, 'standard', cast.admin.token)
const FREE_ID = '000000000000000000000000'
const TOO_MANY = { ...PREFERENCES, id: undefined, followedTopics: copies(TOPIC, 6) }

interface Case {
  readonly name: string
  readonly request: readonly [method: string, target: string, query: Record<string, string>]
  readonly call: Call
  readonly response: readonly [status: number, code: string]
}

const { guest, admin } = cast
const cases: readonly Case[] = [
  {
    name: 'the session before the model',
    request: ['GET', '', { model: 'nonsense' }],
    call: { token: 'x.y.z' },
    response: [401, 'unauthorized'],
  },
  {
    name: 'the session before an unsupported method',
    request: ['DELETE', `/${SUMMARY_ID}`, { model: 'dashboard_summary' }],
    call: {},
    response: [401, 'unauthorized'],
  },
  {
    name: 'the model before the parameters of a list',
    request: ['GET', '', { model: 'nonsense', limit: '-1', filter: '{', sort: ',' }],
    call: { token: guest.token },
    response: [400, 'badRequest'],
  },
  {
    name: 'the model before the body',
    request: ['POST', '', { model: 'nonsense' }],
    call: { token: guest.token, body: '{' },
    response: [400, 'badRequest'],
  },
  {
    name: 'the right of the role before the parameters of a list',
    request: ['GET', '', { model: 'user', limit: '-1', filter: '{' }],
    call: { token: guest.token },
    response: [403, 'forbidden'],
  },
  {
    name: 'the right of the role before the item',
    request: ['DELETE', `/${FREE_ID}`, { model: 'topic' }],
    call: { token: guest.token },
    response: [403, 'forbidden'],
  },
  {
    name: 'the right of the role before the body',
    request: ['POST', '', { model: 'topic' }],
    call: { token: guest.token, body: '{' },
    response: [403, 'forbidden'],
  },
  {
    name: 'an unsupported method before the item',
    request: ['DELETE', `/${FREE_ID}`, { model: 'dashboard_summary' }],
    call: { token: admin.token },
    response: [405, 'methodNotAllowed'],
  },
  {
    name: 'the item before its owner',
    request: ['GET', `/${FREE_ID}`, { model: 'user_app_settings' }],
    call: { token: guest.token },
    response: [404, 'notFound'],
  },
  {
    name: 'the item before the body',
    request: ['PUT', `/${FREE_ID}`, { model: 'topic' }],
    call: { token: admin.token, body: '{' },
    response: [404, 'notFound'],
  },
  {
    name: 'the owner before the body',
    request: ['PUT', `/${stranger.id}`, { model: 'user_app_settings' }],
    call: { token: guest.token, body: '{' },
    response: [403, 'forbidden'],
  },
  {
    name: 'the owner before the limits of preferences',
    request: ['PUT', `/${stranger.id}`, { model: 'user_content_preferences' }],
    call: { token: guest.token, body: {} },
    response: [403, 'forbidden'],
  },
  {
    name: 'the body before the limits of preferences',
    request: ['PUT', `/${guest.id}`, { model: 'user_content_preferences' }],
    call: { token: guest.token, body: { ...TOO_MANY, savedFilters: 7 } },
    response: [400, 'invalidInput'],
  },
  {
    name: 'the body before the operation',
    request: ['POST', '', { model: 'user_app_settings' }],
    call: { token: guest.token, body: { ...SETTINGS, language: 7 } },
    response: [400, 'invalidInput'],
  },
  {
    name: 'the limits of preferences before the operation',
    request: ['POST', '', { model: 'user_content_preferences' }],
    call: { token: guest.token, body: TOO_MANY },
    response: [403, 'forbidden'],
  },
]

describe('the earlier of two violations decides the response', () => {
  for (const {
    name,
    request: [method, target, query],
    call,
    response: [status, code],
  } of cases) {
    it(name, async () => {
      const response = await service.data(method, target, query, call)
      assert.deepEqual([response.status, response.at('error.code')], [status, code], response.text)
    })
  }

  it('the message about too many entries names the list, the limit and the number', async () => {
    const response = await service.data(
      'POST',
      '',
      { model: 'user_content_preferences' },
      { token: guest.token, body: TOO_MANY },
    )
    assert.equal(response.error, 'forbidden: followedTopics: at most 5 entries for a guestUser, found 6')
  })
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

describe('the parameter "model"', () => {
  const wrong: readonly (readonly [query: string, found: string])[] = [
    ['', 'in the URL, as in ?model=headline, found nothing'],
    ['?model=', 'found ""'],
    ['?model=Topic', 'found "Topic"'],
    ['?model=topics', 'found "topics"'],
    ['?model=topic%20', 'found "topic "'],
    ['?model=local_ad', 'found "local_ad"'],
    ['?model=__proto__', 'found "__proto__"'],
    ['?model=constructor', 'found "constructor"'],
    ['?model=topic&model=source', 'found it 2 times'],
  ]
  for (const [query, found] of wrong) {
    it(`"${query}" is 400 in every operation`, async () => {
      for (const [method, target] of [
        ['GET', ''],
        ['POST', ''],
        ['GET', '/x'],
        ['PUT', '/x'],
        ['DELETE', '/x'],
      ] as const) {
        const call = { token: admin.token, ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) }
        const response = await service.call(method, `/api/v1/data${target}${query}`, call)
        assert.equal(response.status, 400)
        assert.equal(response.at('error.code'), 'badRequest')
        assert.ok(response.error.includes(found), response.error)
      }
    })
  }
})
