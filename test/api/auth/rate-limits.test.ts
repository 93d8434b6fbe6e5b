// also: threads
/** The six limits: at the limit and one past it, how long to wait, and what does not count. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { authCalls, otherCode, type AuthCalls } from '../../support/service/auth-calls.ts'
import { newCast, newPerson } from '../../support/cast.ts'
import { PREFERENCES, TOPIC } from '../../../scripts/tools/data-bodies.ts'
import { RawConnection } from '../../support/service/http-client.ts'
import { startService, type ApiResponse, type TestService, type TestSettings } from '../../support/service/service.ts'
import { suiteCleanup, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

type Site = TestService & AuthCalls

/** Only the named limits are on. */
async function limited(t: Cleanup, settings: TestSettings): Promise<Site> {
  const off = {
    codesPerEmail: '0',
    codesPerAddress: '0',
    wrongCodesPerAddress: '0',
    wrongCodesPerEmail: '0',
    guestsPerAddress: '0',
    dataPerUser: '0',
  }
  const service = await startService(t, { rateLimits: 'on', trustedProxies: '127.0.0.1', ...off, ...settings })
  return { ...service, ...authCalls(service) }
}

const from = (address: string): { headers: Record<string, string> } => ({ headers: { 'x-forwarded-for': address } })
const ADDRESS = { one: from('192.0.2.1'), other: from('192.0.2.2') }
let addresses = 0
const newEmail = (): string => `reader-${++addresses}@example.org`

function assertLimited(response: ApiResponse, retryAfterS: number): void {
  assert.equal(response.status, 429, response.text)
  assert.equal(response.at('error.code'), 'tooManyRequests')
  assert.equal(response.headers.get('retry-after'), String(retryAfterS))
}

interface Limit {
  readonly name: string
  readonly settings: TestSettings
  readonly windowMs: number
  /** Sends one request of the limited client or of another; allowed ones get the status. */
  readonly prepare: (site: Site) => Promise<(who: 'one' | 'other') => Promise<ApiResponse>>
  readonly status: number
}

/** Each limit is 3. */
const LIMITS: readonly Limit[] = [
  {
    ...{ name: 'codes per e-mail address', settings: { codesPerEmail: '3' }, windowMs: 15 * MINUTE_MS, status: 202 },
    prepare: async ({ requestCode }) => (who) => requestCode({ email: `${who}@example.org` }),
  },
  {
    ...{ name: 'codes per client address', settings: { codesPerAddress: '3' }, windowMs: HOUR_MS, status: 202 },
    prepare: async ({ requestCode }) => (who) => requestCode({ email: newEmail() }, ADDRESS[who]),
  },
  {
    ...{ name: 'guests per client address', settings: { guestsPerAddress: '3' }, windowMs: HOUR_MS, status: 200 },
    prepare: async ({ anonymous }) => (who) => anonymous({ body: {}, ...ADDRESS[who] }),
  },
  {
    ...{ name: 'wrong codes per client address', settings: { wrongCodesPerAddress: '3' }, windowMs: HOUR_MS, status: 400 },
    // Of addresses without a code, which count as well.
    prepare: async ({ verify }) => (who) => verify({ email: newEmail(), code: '123456' }, ADDRESS[who]),
  },
  {
    ...{ name: 'wrong codes per e-mail address', settings: { wrongCodesPerEmail: '3' }, windowMs: DAY_MS, status: 400 },
    prepare: async ({ codeFor, verify }) => async (who) => {
      const email = `${who}@example.org`
      return verify({ email, code: otherCode(await codeFor(email)) })
    },
  },
  {
    ...{ name: 'data requests per user', settings: { dataPerUser: '3' }, windowMs: MINUTE_MS, status: 200 },
    async prepare(site) {
      const guests = { one: await site.guest(), other: await site.guest() }
      return (who) => site.data('GET', '', { model: 'topic' }, { token: guests[who].token })
    },
  },
]
for (const { name, settings, windowMs, prepare, status } of LIMITS) {
  describe(`the limit on ${name}`, () => {
    const cleanup = suiteCleanup(after)
    let site: Site
    let send: Awaited<ReturnType<Limit['prepare']>>
    before(async () => {
      site = await limited(cleanup, settings)
      send = await prepare(site)
    })

    it('allows as many as it says, refuses the next, and leaves others alone', async () => {
      for (let i = 0; i < 3; i++) assert.equal((await send('one')).status, status)
      assertLimited(await send('one'), windowMs / SECOND_MS)
      assert.equal((await send('other')).status, status)
    })

    it('slides: each place comes free when its own request leaves the window, to the millisecond', async () => {
      site.advance(windowMs)
      const step = windowMs / 4
      for (let i = 0; i < 3; i++) {
        assert.equal((await send('one')).status, status)
        site.advance(step)
      }
      assertLimited(await send('one'), step / SECOND_MS)
      site.advance(step - SECOND_MS - 1)
      assertLimited(await send('one'), 2) // 1.001 s, in whole seconds that are enough
      site.advance(SECOND_MS)
      assertLimited(await send('one'), 1) // 1 ms
      site.advance(1)
      assert.equal((await send('one')).status, status)
      assertLimited(await send('one'), step / SECOND_MS)
    })

    it('does not count what it refuses, so that Retry-After is kept, and is not passed by requests at once', async () => {
      site.advance(windowMs)
      const responses = await Promise.all(Array.from({ length: 12 }, () => send('one')))
      assert.deepEqual(responses.filter((response) => response.status === status).length, 3)
      assert.deepEqual(responses.filter((response) => response.status === 429).length, 9)
      for (let i = 1; i <= 5; i++) {
        site.advance(SECOND_MS)
        assertLimited(await send('one'), windowMs / SECOND_MS - i)
      }
      site.advance(windowMs - 5 * SECOND_MS)
      for (let i = 0; i < 3; i++) assert.equal((await send('one')).status, status)
      assertLimited(await send('one'), windowMs / SECOND_MS)
    })
  })
}

describe('all limits', () => {
  it('are off at 0, and at --rate-limits off', async (t) => {
    const three = Object.assign({}, ...LIMITS.map(({ settings }) => settings)) as TestSettings
    for (const site of [await limited(t, {}), await limited(t, { ...three, rateLimits: 'off' })]) {
      for (const { name, prepare, status } of LIMITS) {
        const send = await prepare(site)
        for (let i = 0; i < 5; i++) assert.equal((await send('one')).status, status, name)
      }
    }
  })
})

describe('requests for codes', () => {
  it('count on the client address before anything of them is read', async (t) => {
    const site = await limited(t, { codesPerAddress: '4' })
    const bodies = ['{', { email: 'unknown' }, { email: 'stranger@example.org', isDashboardLogin: true }]
    const statuses: number[] = []
    for (const body of bodies) statuses.push((await site.requestCode(body)).status)
    statuses.push(
      (await site.call('POST', '/api/v1/auth/request-code', { body: 'a=b', headers: { 'content-type': 'text/plain' } })).status,
    )
    assert.deepEqual(statuses, [400, 400, 401, 400])
    assertLimited(await site.requestCode({ email: 'reader@example.org' }), 3600)
  })

  it('count on the e-mail address in any spelling, for app and dashboard together', async (t) => {
    const site = await limited(t, { codesPerEmail: '2' })
    assert.equal((await site.requestCode({ email: 'Admin@Example.org ' })).status, 202)
    assert.equal((await site.requestCode({ email: 'admin@example.org', isDashboardLogin: true })).status, 202)
    assertLimited(await site.requestCode({ email: 'ADMIN@example.org' }), 900)
  })

  it('past the limit send no mail, leave the code before good, and tell nothing of the account', async (t) => {
    const site = await limited(t, { codesPerEmail: '1' })
    for (const email of ['admin@example.org', 'stranger@example.org']) {
      await site.requestCode({ email, isDashboardLogin: true })
      assertLimited(await site.requestCode({ email, isDashboardLogin: true }), 900)
    }
    const code = await site.codeFor('reader@example.org')
    assertLimited(await site.requestCode({ email: 'reader@example.org' }), 900)
    assert.equal((await site.mails('reader@example.org')).length, 1)
    assert.equal((await site.verify({ email: 'reader@example.org', code })).status, 200)
  })
})

describe('wrong codes', () => {
  it('are not right ones, not malformed ones, and for an e-mail address not those without a live code', async (t) => {
    const site = await limited(t, { wrongCodesPerEmail: '1' })
    const email = 'reader@example.org'
    for (let i = 0; i < 3; i++) {
      assert.equal((await site.verify({ email, code: '123456' })).status, 400)
      assert.equal((await site.verify({ email, code: 'abcdef' })).status, 400)
      await site.signIn(email)
    }
    const code = await site.codeFor(email)
    assert.equal((await site.verify({ email, code: otherCode(code) })).status, 400)
    assertLimited(await site.verify({ email, code }), DAY_MS / SECOND_MS)
  })
})

describe('data requests', () => {
  it('count whatever becomes of them, over all sessions of the user, and come before the model', async (t) => {
    const site = await limited(t, { dataPerUser: '3' })
    const { token: adminToken } = await site.admin()
    const { id, token } = await newPerson(site, 'standard', adminToken)
    const other = await site.app.services.sessions.issue(id, { label: 'another device', now: site.now() })
    assert.equal((await site.data('GET', '', {}, { token })).status, 400)
    assert.equal((await site.data('DELETE', '/x', { model: 'topic' }, { token: other })).status, 403)
    assert.equal((await site.data('GET', '/x', { model: 'topic' }, { token })).status, 404)
    assertLimited(await site.data('GET', '', { model: 'nonsense' }, { token: other }), 60)
  })

  it('of dashboard roles, without a valid token, and for the own account are not counted; a body longer than the limit is taken alone', async (t) => {
    const site = await limited(t, { dataPerUser: '1' })
    const { admin, publisher, standard, guest } = await newCast(site)
    const list = async (token: string): Promise<number> => (await site.data('GET', '', { model: 'topic' }, { token })).status
    const statuses = async (...tokens: readonly string[]): Promise<readonly number[]> => Promise.all(tokens.map(list))
    assert.deepEqual(await statuses(admin.token, admin.token, publisher.token, publisher.token, 'x', 'x'), [200, 200, 200, 200, 401, 401])
    for (let i = 0; i < 3; i++) assert.equal((await site.me(guest.token)).status, 200)
    assert.deepEqual([await list(guest.token), await list(guest.token)], [200, 429])
    const body = JSON.stringify({ x: 'x'.repeat(1_000_000) })
    const check = (): Promise<ApiResponse> => site.data('POST', '/check', { model: 'user_content_preferences', id: standard.id }, { token: standard.token, body })
    assert.equal((await check()).status, 200)
    assertLimited(await check(), 60)
    site.advance(60_000)
    assert.equal((await check()).status, 200)
  })

  it('attack: bodies in pieces count by what they bring, and one that never ends is refused where the limit is passed', async (t) => {
    const site = await limited(t, { dataPerUser: '35' })
    const { id, token } = (await newCast(site)).standard
    const path = `/api/v1/data/check?model=user_content_preferences&id=${id}`
    const check = async (bytes: number): Promise<number> => {
      const body = new Blob([`{"x":"${'x'.repeat(bytes - 8)}"}`]).stream()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (await fetch(site.url + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)).status
    }
    // Of the 35: 1, 33, 1, and the last has no room.
    assert.deepEqual([await check(8), await check(2 * 1024 * 1024), await check(8), await check(8)], [200, 200, 200, 429])
    site.advance(60_000)
    assert.equal(await check(2 * 1024 * 1024), 200)
    const connection = await RawConnection.open(Number(new URL(site.url).port))
    t.after(() => connection.destroy())
    connection.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
    for (let i = 0; i < 4; i++) connection.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
    assert.equal((await connection.response()).status, 429)
  })

  it('attack: bodies at the limit of their size, for the price of a small one', async (t) => {
    // A user who sent them one after the other had all of the service's time.
    const site = await limited(t, { dataPerUser: '75' })
    const { id, token } = (await newCast(site)).standard
    const KIB = 1024
    const check = async (bytes: number): Promise<ApiResponse> => {
      const start = '{"x":"'
      const body = `${start}${'x'.repeat(bytes - start.length - 2)}"}`
      return site.data('POST', '/check', { model: 'user_content_preferences', id }, { token, body })
    }
    // Of the 75: 2, 1 and 33 twice.
    for (const bytes of [64 * KIB, 64 * KIB - 1, 2048 * KIB, 2048 * KIB]) assert.equal((await check(bytes)).status, 200)
    // It counts as one, since it was read that far.
    assertLimited(await check(2048 * KIB), 60)
    assert.equal((await check(4 * 64 * KIB)).status, 200, 'what there is room for goes on')
    assertLimited(await check(10), 60)
    const other = await site.guest()
    assert.equal((await site.data('GET', '', { model: 'topic' }, { token: other.token })).status, 200)
  })

  it('attack: bodies of many names and values count by these', async (t) => {
    const site = await limited(t, { dataPerUser: '12' })
    const { guest } = await newCast(site)
    const check = (tokens: number): Promise<ApiResponse> => {
      // The object, the name, the array and its zeros.
      const body = { x: Array(tokens - 3).fill(0) }
      const query = { model: 'user_content_preferences', id: guest.id }
      return site.data('POST', '/check', query, { token: guest.token, body })
    }
    // Of the 12: 1, 2, 1 + 4, and a last one that is refused costs its request.
    for (const tokens of [2_047, 2_048, 8_192]) assert.equal((await check(tokens)).status, 200)
    assertLimited(await check(8_192), 60)
    assert.equal((await check(4_096)).status, 200, 'what there is room for goes on')
    assertLimited(await check(10), 60)
  })

  it('attack: long filters count by their length, in a URL and in a body', async (t) => {
    const site = await limited(t, { dataPerUser: '12' })
    const { guest } = await newCast(site)
    // `{"a":"…"}`
    const filter = (chars: number) => ({ a: 'x'.repeat(chars - 8) })
    const list = (chars: number): Promise<ApiResponse> =>
      site.data('GET', '', { model: 'topic', filter: filter(chars) }, { token: guest.token })
    const query = (chars: number): Promise<ApiResponse> =>
      site.data('POST', '/query', { model: 'topic' }, { token: guest.token, body: { filter: filter(chars) } })
    // Of the 12: 1, 2, 1, 2 and 1 + 4, and a last one that is refused costs its request.
    for (const send of [list, query]) {
      assert.equal((await send(4_095)).status, 200)
      assert.equal((await send(4_096)).status, 200)
    }
    assert.equal((await list(4 * 4_096)).status, 200)
    assertLimited(await list(4_096), 60)
    assertLimited(await list(10), 60)
  })

  it('attack: small bodies whose references bring in much count by that', async (t) => {
    const site = await limited(t, { dataPerUser: '9' })
    const { admin, guest } = await newCast(site)
    const create = (description: string): Promise<ApiResponse> =>
      site.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, description } })
    const bytesOf = ({ text }: ApiResponse): number =>
      Buffer.byteLength(text.slice('{"data":'.length, text.indexOf(',"metadata"')))
    const topic = await create('x'.repeat(1_310 - bytesOf(await create(''))))
    assert.equal(bytesOf(topic), 1_310)
    const put = (count: number): Promise<ApiResponse> => {
      const topics = Array.from({ length: count }, () => ({ id: topic.at('data.id') }))
      const savedFilters = [{ id: 'f', name: 'F', topics, sources: [], countries: [] }]
      const body = { ...PREFERENCES, id: guest.id, savedFilters }
      return site.data('PUT', `/${guest.id}`, { model: 'user_content_preferences' }, { token: guest.token, body })
    }
    // 262,000 bytes are 3 more requests, and as much as a guest may send.
    const [most, more] = [await put(200), await put(201)]
    assert.equal(most.status, 200, most.text)
    assert.match(more.error, /topics\[200\]: expected records of at most 262144 bytes in all references by id/)
    // Of the 9: 4, 1 and 4.
    assert.equal((await put(200)).status, 200)
    assertLimited(await put(0), 60)
    site.advance(60_000)
    for (let i = 0; i < 6; i++) assert.equal((await put(0)).status, 200)
    assertLimited(await put(200), 60)
    assert.equal((await put(49)).status, 200, 'what there is room for goes on')
  })
})

// Addresses and their counting are tested in http/client-address.
it('the client address is that of the header behind a trusted proxy alone, and the /64 of an IPv6 address', async (t) => {
  for (const [trustedProxies, first, second] of [
    ['10.0.0.0/8', '192.0.2.1', '192.0.2.2'],
    ['127.0.0.1', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ] as const) {
    const site = await limited(t, { codesPerAddress: '1', guestsPerAddress: '1', trustedProxies })
    assert.equal((await site.anonymous({ body: {}, ...from(first) })).status, 200)
    assert.equal((await site.anonymous({ body: {}, ...from(second) })).status, 429)
    assert.equal((await site.requestCode({ email: 'a@example.org' }, from(first))).status, 202)
    assert.equal((await site.requestCode({ email: 'b@example.org' }, from(second))).status, 429)
  }
})

it('all limits are on by default, with the figures of the manual', async (t) => {
  const service = await startService(t, { rateLimits: 'on' })
  const { requestCode, anonymous, verify } = authCalls(service)
  for (let i = 0; i < 60; i++) {
    assert.equal((await verify({ email: `reader-${i}@example.org`, code: '123456' })).status, 400)
  }
  const code = await service.codeFor('other@example.org')
  for (const sent of [code, '123456']) assertLimited(await verify({ email: 'other@example.org', code: sent }), 3600)
  for (let i = 0; i < 5; i++) assert.equal((await requestCode({ email: 'reader@example.org' })).status, 202)
  assertLimited(await requestCode({ email: 'reader@example.org' }), 900)
  for (let i = 7; i < 60; i++) assert.equal((await requestCode({ email: 'no address' })).status, 400)
  assertLimited(await requestCode({ email: 'other@example.org' }), 3600)
  for (let i = 0; i < 60; i++) assert.equal((await anonymous()).status, 200)
  assertLimited(await anonymous(), 3600)
})
