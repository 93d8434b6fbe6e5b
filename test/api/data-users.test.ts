import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { isId } from '../../src/base/ids.ts'
import { newCast, newPerson, type Person } from '../support/cast.ts'
import { decodeEnvelope, decodePage, decodeUser, DECODERS } from '../support/service/client-codec.ts'
import { USER, withAt } from '../support/service/data-bodies.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const cast = await newCast(service)
const { admin } = cast
const NOW = new Date(service.now()).toISOString()

const invite = (body: unknown): Promise<ApiResponse> =>
  service.data('POST', '', { model: 'user' }, { token: admin.token, body })
const readUser = async (id: string): Promise<JsonObject> =>
  (await service.data('GET', `/${id}`, { model: 'user' }, { token: admin.token })).at('data') as JsonObject
const put = (id: string, body: unknown, caller: Person): Promise<ApiResponse> =>
  service.data('PUT', `/${id}`, { model: 'user' }, { token: caller.token, body })

const FRESH_CARDS = Object.fromEntries(
  ['linkAccount', 'upgrade', 'rateApp', 'enableNotifications', 'suggestedTopics', 'suggestedSources'].map((kind) => [
    kind,
    { isCompleted: false, lastShownAt: null },
  ]),
)

describe('an administrator invites a user', () => {
  it('who has everything from the start, and gets no mail', async () => {
    const response = await invite({ email: 'new@example.org' })
    assert.equal(response.status, 201, response.text)
    const user = decodeEnvelope(response.body, decodeUser).data
    assert.ok(isId(user.id))
    const roles = { appRole: 'standardUser', dashboardRole: 'none' }
    const dates = { createdAt: NOW, updatedAt: NOW }
    assert.deepEqual(user, {
      id: user.id,
      email: 'new@example.org',
      ...roles,
      ...dates,
      feedDecoratorStatus: FRESH_CARDS,
    })
    assert.deepEqual(await readUser(user.id), user)
    for (const model of ['user_app_settings', 'user_content_preferences'] as const) {
      const owned = await service.data('GET', `/${user.id}`, { model }, { token: admin.token })
      assert.equal((decodeEnvelope<unknown>(owned.body, DECODERS[model]).data as JsonObject)['id'], user.id)
    }
    assert.deepEqual(await service.mails('new@example.org'), [])
    const signedIn = await service.signIn('new@example.org')
    assert.equal(signedIn.id, user.id)
  })

  it('with roles, and whatever the dashboard sends along is ignored', async () => {
    const sent = {
      ...USER,
      email: 'roles@example.org',
      appRole: 'premiumUser',
      dashboardRole: 'publisher',
      password: 'x',
    }
    const response = await invite({
      ...sent,
      id: '0b7f1f6e-6a1e-4a55-9b43-7c1f4f0f2a10',
      createdAt: '2025-10-20T14:34:56.789123',
    })
    assert.equal(response.status, 201, response.text)
    const { id, createdAt, appRole, dashboardRole, ...rest } = response.at('data') as JsonObject
    assert.ok(isId(String(id)))
    assert.deepEqual(
      { createdAt, appRole, dashboardRole },
      { createdAt: NOW, appRole: 'premiumUser', dashboardRole: 'publisher' },
    )
    assert.deepEqual(Object.keys(rest).sort(), ['email', 'feedDecoratorStatus', 'updatedAt'])
  })

  it('under the normalised address', async () => {
    const response = await invite({ email: '  Mixed.Case@Example.ORG ' })
    assert.equal(response.at('data.email'), 'mixed.case@example.org')
    for (const email of ['mixed.case@example.org', 'MIXED.CASE@EXAMPLE.ORG', ' mixed.case@example.org']) {
      const second = await invite({ email })
      assert.equal(second.status, 409)
      assert.equal(second.error, 'conflict: email: a user with this e-mail address exists already')
    }
  })

  it('once, however many requests come at the same moment', async () => {
    const responses = await Promise.all([1, 2, 3, 4].map(() => invite({ email: 'race@example.org' })))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409])
  })

  const refused: readonly (readonly [body: JsonObject, message: string])[] = [
    [{}, 'email: expected a string, found nothing'],
    [{ email: null }, 'email: expected a string, found null'],
    [{ email: 7 }, 'email: expected a string, found 7'],
    [{ email: '' }, 'email: expected an e-mail address such as name@example.org'],
    [{ email: 'no address' }, 'email: expected an e-mail address such as name@example.org'],
    [{ email: 'a@b' }, 'email: expected an e-mail address such as name@example.org'],
    [{ email: 'x@anonymous.invalid' }, 'email: this address is reserved for a guest or the service and gets no mail'],
    [
      { email: 'Administrator@Local.invalid' },
      'email: this address is reserved for a guest or the service and gets no mail',
    ],
    [
      { email: 'a@b.org', appRole: 'admin' },
      'appRole: expected one of guestUser, standardUser, premiumUser, found "admin"',
    ],
    [{ email: 'a@b.org', appRole: null }, 'appRole: expected one of guestUser, standardUser, premiumUser, found null'],
    [
      { email: 'a@b.org', dashboardRole: 'Admin' },
      'dashboardRole: expected one of none, publisher, admin, found "Admin"',
    ],
    [{ email: 'a@b.org', dashboardRole: true }, 'dashboardRole: expected one of none, publisher, admin, found true'],
    [{ email: 'a@b.org', feedDecoratorStatus: 7 }, 'feedDecoratorStatus: expected an object, found 7'],
    [
      { email: 'a@b.org', $where: '1' },
      'cannot store a member named "$where": names must not be __proto__, start with $ or contain a dot or NUL',
    ],
  ]
  for (const [body, message] of refused) {
    it(`not with ${JSON.stringify(body)}`, async () => {
      const response = await invite(body)
      assert.deepEqual([response.status, response.error], [400, `invalidInput: ${message}`])
    })
  }
})

describe('replacing a user: what takes effect', () => {
  interface Row {
    readonly name: string
    readonly caller: 'guest' | 'standard' | 'premium' | 'publisher' | 'admin' | 'self-admin'
    readonly change: JsonObject
    readonly applied: JsonObject
  }
  const shown = { ...FRESH_CARDS, rateApp: { isCompleted: true, lastShownAt: '2026-02-28T10:00:00.000Z' } }
  const rows: readonly Row[] = [
    ...(['guest', 'standard', 'premium', 'publisher'] as const).flatMap((caller): Row[] => [
      {
        name: `${caller}: the own cards`,
        caller,
        change: { feedDecoratorStatus: shown },
        applied: { feedDecoratorStatus: shown },
      },
      {
        name: `${caller}: not the own roles`,
        caller,
        change: { appRole: 'premiumUser', dashboardRole: 'admin' },
        applied: {},
      },
      { name: `${caller}: not the address`, caller, change: { email: 'other@example.org' }, applied: {} },
      {
        name: `${caller}: not id and dates`,
        caller,
        change: { id: 'x', createdAt: '1999-01-01T00:00:00Z', updatedAt: '' },
        applied: {},
      },
      { name: `${caller}: nothing beyond the declared members`, caller, change: { isAdmin: true }, applied: {} },
    ]),
    {
      name: 'admin: roles of another user',
      caller: 'admin',
      change: { appRole: 'premiumUser', dashboardRole: 'publisher' },
      applied: { appRole: 'premiumUser', dashboardRole: 'publisher' },
    },
    {
      name: 'admin: not the cards of another user',
      caller: 'admin',
      change: { feedDecoratorStatus: shown },
      applied: {},
    },
    {
      name: 'admin: not the e-mail of another user',
      caller: 'admin',
      change: { email: 'other@example.org', id: 'y', createdAt: '1999-01-01' },
      applied: {},
    },
    {
      name: 'admin: the own cards',
      caller: 'self-admin',
      change: { feedDecoratorStatus: shown },
      applied: { feedDecoratorStatus: shown },
    },
    {
      name: 'admin: the own roles',
      caller: 'self-admin',
      change: { appRole: 'premiumUser', dashboardRole: 'none' },
      applied: { appRole: 'premiumUser', dashboardRole: 'none' },
    },
    { name: 'admin: not the own address', caller: 'self-admin', change: { email: 'other@example.org' }, applied: {} },
  ]
  for (const { name, caller, change, applied } of rows) {
    it(name, async () => {
      const role = caller === 'admin' ? 'standard' : caller === 'self-admin' ? 'admin' : caller
      const target = await newPerson(service, role, admin.token)
      const stored = await readUser(target.id)
      service.advance(1000)
      const response = await put(target.id, { ...stored, ...change }, caller === 'admin' ? admin : target)
      assert.equal(response.status, 200, response.text)
      const wanted = { ...stored, ...applied, updatedAt: new Date(service.now()).toISOString() }
      assert.deepEqual(decodeEnvelope(response.body, decodeUser).data, wanted)
      assert.deepEqual(await readUser(target.id), wanted)
    })
  }
})

describe('the cards of the feed', () => {
  const dates: readonly (readonly [sent: Json, stored: string | null])[] = [
    ['2026-02-28T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
    ['2026-02-28T10:00:00.123456', '2026-02-28T10:00:00.123Z'],
    ['2026-02-28T10:00:00.123', '2026-02-28T10:00:00.123Z'],
    ['2026-02-28T10:00:00+02:00', '2026-02-28T08:00:00.000Z'],
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    [null, null],
  ]
  for (const [sent, stored] of dates) {
    it(`shown at ${JSON.stringify(sent)} is stored as ${JSON.stringify(stored)}`, async () => {
      const user = await readUser(cast.guest.id)
      const body = withAt(user, 'feedDecoratorStatus.upgrade', { isCompleted: true, lastShownAt: sent })
      const response = await put(cast.guest.id, body, cast.guest)
      assert.deepEqual(response.at('data.feedDecoratorStatus.upgrade'), { isCompleted: true, lastShownAt: stored })
    })
  }

  it('may leave lastShownAt out, and further members are dropped', async () => {
    const body = {
      ...(await readUser(cast.guest.id)),
      feedDecoratorStatus: { upgrade: { isCompleted: false, views: 7 } },
    }
    const response = await put(cast.guest.id, body, cast.guest)
    assert.deepEqual(response.at('data.feedDecoratorStatus.upgrade'), { isCompleted: false, lastShownAt: null })
  })

  it('that a client does not send are kept', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const user = await readUser(person.id)
    const rateApp = { isCompleted: true, lastShownAt: NOW }
    const response = await put(person.id, { ...user, feedDecoratorStatus: { rateApp } }, person)
    assert.deepEqual(response.at('data.feedDecoratorStatus'), { ...FRESH_CARDS, rateApp })
  })
})

describe('replacing a user: what is refused', () => {
  const rows: readonly (readonly [path: string, value: Json | undefined, message: string])[] = [
    ['email', undefined, 'email: expected a string, found nothing'],
    ['email', 7, 'email: expected a string, found 7'],
    ['appRole', undefined, 'appRole: expected one of guestUser, standardUser, premiumUser, found nothing'],
    ['appRole', 'root', 'appRole: expected one of guestUser, standardUser, premiumUser, found "root"'],
    ['dashboardRole', undefined, 'dashboardRole: expected one of none, publisher, admin, found nothing'],
    ['dashboardRole', null, 'dashboardRole: expected one of none, publisher, admin, found null'],
    ['id', 7, 'id: expected a string, found 7'],
    ['id', null, 'id: expected a string, found null'],
    ['createdAt', 0, 'createdAt: expected an ISO 8601 date, found 0'],
    ['createdAt', 'x', 'createdAt: expected an ISO 8601 date, found "x"'],
    ['updatedAt', {}, 'updatedAt: expected a string, found an object'],
    ['feedDecoratorStatus', undefined, 'feedDecoratorStatus: expected an object, found nothing'],
    ['feedDecoratorStatus', null, 'feedDecoratorStatus: expected an object, found null'],
    ['feedDecoratorStatus', [], 'feedDecoratorStatus: expected an object, found an empty array'],
    [
      'feedDecoratorStatus.banner',
      {},
      'feedDecoratorStatus: expected no keys but linkAccount, upgrade, rateApp, enableNotifications, suggestedTopics, suggestedSources, found "banner"',
    ],
    ['feedDecoratorStatus.rateApp', null, 'feedDecoratorStatus.rateApp: expected an object, found null'],
    ['feedDecoratorStatus.rateApp', true, 'feedDecoratorStatus.rateApp: expected an object, found true'],
    [
      'feedDecoratorStatus.rateApp',
      {},
      'feedDecoratorStatus.rateApp.isCompleted: expected true or false, found nothing',
    ],
    [
      'feedDecoratorStatus.rateApp.isCompleted',
      'true',
      'feedDecoratorStatus.rateApp.isCompleted: expected true or false, found "true"',
    ],
    [
      'feedDecoratorStatus.rateApp.lastShownAt',
      '',
      'feedDecoratorStatus.rateApp.lastShownAt: expected an ISO 8601 date, found ""',
    ],
    [
      'feedDecoratorStatus.rateApp.lastShownAt',
      0,
      'feedDecoratorStatus.rateApp.lastShownAt: expected an ISO 8601 date, found 0',
    ],
    [
      'feedDecoratorStatus.rateApp.lastShownAt',
      'yesterday',
      'feedDecoratorStatus.rateApp.lastShownAt: expected an ISO 8601 date, found "yesterday"',
    ],
  ]
  for (const [path, value, message] of rows) {
    it(`${path}: ${value === undefined ? 'nothing' : JSON.stringify(value)}, by the owner and by an administrator`, async () => {
      const user = await readUser(cast.standard.id)
      for (const caller of [cast.standard, admin]) {
        const response = await put(cast.standard.id, withAt(user, path, value), caller)
        assert.deepEqual([response.status, response.error], [400, `invalidInput: ${message}`])
      }
      assert.deepEqual(await readUser(cast.standard.id), user)
    })
  }

  it('id and dates may be left out', async () => {
    const { id: _, createdAt: _c, updatedAt: _u, ...body } = await readUser(cast.standard.id)
    assert.equal((await put(cast.standard.id, body, cast.standard)).status, 200)
  })
})

describe('removing a user', () => {
  it('takes settings, preferences, the pending code and every token along, and nothing of others', async () => {
    const [person, other] = [
      await newPerson(service, 'standard', admin.token),
      await newPerson(service, 'standard', admin.token),
    ]
    const code = await service.codeFor(person.email)
    assert.equal(
      (await service.data('DELETE', `/${person.id}`, { model: 'user' }, { token: person.token })).status,
      204,
    )
    for (const model of ['user', 'user_app_settings', 'user_content_preferences']) {
      assert.equal((await service.data('GET', `/${person.id}`, { model }, { token: admin.token })).status, 404, model)
      assert.equal((await service.data('GET', `/${other.id}`, { model }, { token: admin.token })).status, 200, model)
    }
    assert.equal((await service.call('GET', '/api/v1/auth/me', { token: person.token })).status, 401)
    const verify = await service.call('POST', '/api/v1/auth/verify-code', { body: { email: person.email, code } })
    assert.equal(verify.status, 400)
    const again = await service.signIn(person.email)
    assert.notEqual(again.id, person.id)
  })

  it('twice is 404 the second time', async () => {
    const person = await newPerson(service, 'standard', admin.token)
    const remove = (): Promise<ApiResponse> =>
      service.data('DELETE', `/${person.id}`, { model: 'user' }, { token: admin.token })
    assert.deepEqual((await Promise.all([remove(), remove()])).map(({ status }) => status).sort(), [204, 404])
  })
})

describe('the last administrator', () => {
  const LAST = 'The last administrator cannot be'

  it('can neither be demoted nor removed, by any caller', async (t) => {
    const alone = await startService(t)
    const { id, token, user } = await alone.admin()
    for (const dashboardRole of ['none', 'publisher']) {
      const response = await alone.data('PUT', `/${id}`, { model: 'user' }, { token, body: { ...user, dashboardRole } })
      assert.deepEqual(
        [response.status, response.error],
        [403, `forbidden: ${LAST} demoted here: give another user the role first`],
      )
    }
    const removed = await alone.data('DELETE', `/${id}`, { model: 'user' }, { token })
    assert.deepEqual(
      [removed.status, removed.error],
      [403, `forbidden: ${LAST} deleted here: give another user the role first`],
    )
    const same = await alone.data(
      'PUT',
      `/${id}`,
      { model: 'user' },
      { token, body: { ...user, appRole: 'premiumUser' } },
    )
    assert.deepEqual(
      [same.status, same.at('data.appRole'), same.at('data.dashboardRole')],
      [200, 'premiumUser', 'admin'],
    )
    const second = await newPerson(alone, 'admin', token)
    assert.equal((await alone.data('DELETE', `/${id}`, { model: 'user' }, { token: second.token })).status, 204)
    assert.equal((await alone.data('DELETE', `/${second.id}`, { model: 'user' }, { token: second.token })).status, 403)
  })

  const races: readonly (readonly [
    name: string,
    act: (site: TestService, who: Person, by: Person) => Promise<ApiResponse>,
  ])[] = [
    ['demotions', (site, who, by) => demote(site, who, by)],
    ['removals', (site, who, by) => site.data('DELETE', `/${who.id}`, { model: 'user' }, { token: by.token })],
  ]
  for (const [name, act] of races) {
    it(`is left over by two racing ${name} of the two last ones`, async (t) => {
      const site = await startService(t)
      const first = await site.admin()
      let one: Person = { id: first.id, email: '', token: first.token }
      for (let round = 0; round < 8; round++) {
        const two = await newPerson(site, 'admin', one.token)
        const responses =
          round % 2 === 0
            ? await Promise.all([act(site, one, two), act(site, two, one)])
            : await Promise.all([act(site, one, one), act(site, two, two)])
        const won = responses.filter(({ status }) => status < 300)
        assert.equal(won.length, 1, responses.map((response) => response.text).join('\n'))
        const left = responses[0] === won[0] ? two : one
        // The loser came too late: its right, its account or the other administrator was gone.
        const lost = responses.find((response) => response !== won[0])
        assert.ok(lost?.status === 401 || lost?.status === 403)
        const list = await site.data(
          'GET',
          '',
          { model: 'user', filter: { dashboardRole: 'admin' } },
          { token: left.token },
        )
        assert.deepEqual(
          decodePage(list.at('data'), decodeUser).items.map(({ id }) => id),
          [left.id],
        )
        one = left
      }
    })
  }

  async function demote(site: TestService, who: Person, by: Person): Promise<ApiResponse> {
    const body = { ...USER, email: 'ignored', dashboardRole: 'none' }
    return site.data('PUT', `/${who.id}`, { model: 'user' }, { token: by.token, body })
  }
})

describe('the list of users', () => {
  it('finds by address, roles and dates, the newest first', async () => {
    const list = async (query: Record<string, unknown>): Promise<readonly string[]> => {
      const response = await service.data('GET', '', { model: 'user', limit: 100, ...query }, { token: admin.token })
      return decodePage(response.at('data'), decodeUser).items.map(({ id }) => id)
    }
    assert.deepEqual(await list({ filter: { email: cast.publisher.email } }), [cast.publisher.id])
    assert.deepEqual(await list({ filter: { email: { $regex: cast.publisher.email.toUpperCase(), $options: 'i' } } }), [
      cast.publisher.id,
    ])
    assert.deepEqual(await list({ filter: { q: 'ADMIN@EXAMPLE' } }), [admin.id])
    assert.deepEqual(
      await list({ filter: { id: { $in: [cast.guest.id, admin.id] }, appRole: { $in: ['guestUser'] } } }),
      [cast.guest.id],
    )
    const admins = await list({ filter: { dashboardRole: { $in: ['admin'] } }, sort: 'createdAt:desc' })
    assert.ok(admins.includes(admin.id) && admins.length > 1)
    assert.deepEqual(
      await list({ filter: { id: admin.id, createdAt: { $gte: '2026-03-01T13:00:00+01:00', $lt: '2026-03-02' } } }),
      [admin.id],
    )
    assert.deepEqual(await list({ filter: { id: admin.id, createdAt: { $gt: '2026-03-01T13:00:00+01:00' } } }), [])
  })
})
