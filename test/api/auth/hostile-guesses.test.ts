// also: threads
/**
 * Guessing sign-in codes, and shutting owners out by guessing.
 *
 * Twenty wrong codes of a stranger once locked an address out for a day, even from the code that the operator made; and
 * each wrong code for a random address left a row for a day. Clients are told apart by X-Forwarded-For here, which the
 * service believes of this machine.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openDatabase, type Database } from '../../../src/store/db/database.ts'
import { authCalls, otherCode } from '../../support/service/auth-calls.ts'
import { fillOutbox } from '../../support/service/full-outbox.ts'
import { ADMIN_EMAIL, startService, type ApiResponse, type ServiceOptions, type TestSettings } from '../../support/service/service.ts'

const HOUR_MS = 3_600_000
const EMAIL = 'owner@example.org'
const OWNER = '192.0.2.1'
const TRIES = 5

async function guessed(t: TestContext, settings: TestSettings = {}, options: ServiceOptions = {}) {
  const service = await startService(t, { trustedProxies: '127.0.0.1', ...settings }, options)
  const { requestCode, verify, signOut } = authCalls(service)
  const tryCode = (email: string, code: string, client: string): Promise<ApiResponse> =>
    verify({ email, code }, { headers: { 'x-forwarded-for': client } })
  const data = join(service.directory, 'data')
  return {
    ...service,
    requestCode,
    signOut,
    data,
    tryCode,
    /** Makes wrong tries at a code, each of them another one. */
    async guess(code: string, client: string, count: number, { email = EMAIL, first = 1 } = {}): Promise<void> {
      const tries = Array.from({ length: count }, (_, i) => tryCode(email, otherCode(code, first + i), client))
      for (const { status, text } of await Promise.all(tries)) assert.equal(status, 400, text)
    },
    /** The code that the operator makes, as the command does it. */
    revealed: (email: string): Promise<string> => service.app.services.codes.reveal(email, service.now()),
    rows(table: string): number {
      return withDatabase(data, (database) => Number(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']))
    },
  }
}
type Site = Awaited<ReturnType<typeof guessed>>

function withDatabase<T>(data: string, work: (database: Database) => T): T {
  const database = openDatabase(join(data, 'dateline.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

describe('a stranger who guesses at a code', () => {
  for (const rateLimits of ['off', 'on']) {
    it(`shuts out that client alone, with rate limits ${rateLimits}`, async (t) => {
      const site = await guessed(t, { rateLimits })
      const code = await site.codeFor(EMAIL)
      await site.guess(code, '198.51.100.7', 20)
      assert.equal((await site.tryCode(EMAIL, code, '198.51.100.7')).status, 400, 'the right digits')
      assert.equal((await site.tryCode(EMAIL, code, OWNER)).status, 200)
    })
  }

  it('has five tries however many are sent at once: others may still make nine', async (t) => {
    const site = await guessed(t)
    const code = await site.codeFor(EMAIL)
    await Promise.all([site.guess(code, '198.51.100.1', 15), site.guess(code, '198.51.100.2', 15)])
    await site.guess(code, '198.51.100.3', 4, { first: 60 })
    assert.equal((await site.tryCode(EMAIL, code, '198.51.100.3')).status, 200)
  })

  it('voids it with fifteen tries of three addresses, but for the client that requested it', async (t) => {
    const site = await guessed(t)
    const code = await site.codeFor(EMAIL)
    for (const client of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) await site.guess(code, client, TRIES)
    assert.equal((await site.tryCode(EMAIL, code, OWNER)).status, 400)
    assert.equal((await site.tryCode(EMAIL, code, '127.0.0.1')).status, 200)
    const next = await site.codeFor(EMAIL)
    assert.equal((await site.tryCode(EMAIL, next, OWNER)).status, 200, 'the next code is a new one')
  })
})

describe('a campaign over many addresses', () => {
  for (const [rateLimits, rows] of [['on', 60], ['off', 0]] as const) {
    it(`leaves ${rows} rows, with rate limits ${rateLimits}`, async (t) => {
      const site = await guessed(t, { rateLimits })
      const tries = Array.from({ length: 120 }, (_, i) => site.tryCode(`r${i}@example.org`, '123456', '198.51.100.1'))
      await Promise.all(tries)
      assert.deepEqual([site.rows('client_try'), site.rows('code'), site.rows('code_try')], [rows, 0, 0])
    })
  }
})

describe('the code that the operator makes works', () => {
  const attacks: readonly (readonly [string, (site: Site) => Promise<void>, TestSettings?])[] = [
    [
      'where the address has used up its wrong codes of a day',
      async (site) => {
        await site.guess(await site.codeFor(ADMIN_EMAIL), '198.51.100.1', 2, { email: ADMIN_EMAIL })
        assert.equal((await site.tryCode(ADMIN_EMAIL, '123456', OWNER)).status, 429)
      },
      { wrongCodesPerEmail: '2' },
    ],
    [
      'where the client has used up its tries at the code before',
      async (site) => site.guess(await site.codeFor(ADMIN_EMAIL), OWNER, 6, { email: ADMIN_EMAIL }),
    ],
    [
      'where the client has used up its wrong codes of an hour',
      async (site) => {
        for (let i = 0; i < 60; i++) await site.tryCode(`reader-${i}@example.org`, '123456', OWNER)
        assert.equal((await site.tryCode(ADMIN_EMAIL, '123456', OWNER)).status, 429)
      },
    ],
    [
      'where the outbox is full',
      async (site) => {
        fillOutbox(site)
        assert.equal((await site.requestCode({ email: ADMIN_EMAIL })).status, 503)
      },
    ],
    [
      'where the address has used up its codes by mail',
      async (site) => {
        while ((await site.requestCode({ email: ADMIN_EMAIL })).status === 202);
      },
    ],
  ]
  for (const [name, attack, settings] of attacks) {
    it(name, async (t) => {
      const site = await guessed(t, { rateLimits: 'on', ...settings })
      await attack(site)
      const code = await site.revealed(ADMIN_EMAIL)
      assert.equal((await site.tryCode(ADMIN_EMAIL, code, OWNER)).status, 200)
      assert.equal((await site.tryCode(ADMIN_EMAIL, code, '198.51.100.9')).status, 400, 'once')
    })
  }

  it('although a stranger requests another one meanwhile, and may try codes', async (t) => {
    const site = await guessed(t, { rateLimits: 'on' })
    const code = await site.revealed(ADMIN_EMAIL)
    const mailed = await site.codeFor(ADMIN_EMAIL)
    await site.guess(code, '198.51.100.1', 20, { email: ADMIN_EMAIL })
    assert.equal((await site.tryCode(ADMIN_EMAIL, code, OWNER)).status, 200)
    assert.equal((await site.tryCode(ADMIN_EMAIL, mailed, OWNER)).status, 200, 'the mailed code is another one')
  })
})

it('attack: ten strangers, limited already, do not void the code that the operator makes', async (t) => {
  const site = await guessed(t, { rateLimits: 'on', wrongCodesPerAddress: '2' })
  const strangers = Array.from({ length: 10 }, (_, i) => `198.51.${i}.1`)
  for (const client of strangers) for (let i = 0; i < 3; i++) await site.tryCode(`reader-${i}@example.org`, '123456', client)
  const code = await site.revealed(ADMIN_EMAIL)
  for (const client of strangers) for (let i = 0; i < 5; i++) assert.equal((await site.tryCode(ADMIN_EMAIL, otherCode(code, i + 1), client)).status, 429)
  assert.equal((await site.tryCode(ADMIN_EMAIL, code, OWNER)).status, 200)
})

describe('a stranger who uses up the wrong codes of an address', () => {
  const WRONG_MAX = 15
  const STRANGERS = ['198.51.100.1', '198.51.100.2', '198.51.100.3']
  const request = (site: Site, client: string): Promise<ApiResponse> =>
    site.requestCode({ email: EMAIL }, { headers: { 'x-forwarded-for': client } })
  /** The newest code that was mailed to the owner. */
  const mailed = async (site: Site): Promise<string> => {
    await site.app.idle()
    const text = (await site.mails(EMAIL)).at(-1) ?? ''
    return /\b(\d{6})\b/.exec(text)?.[1] ?? assert.fail(text)
  }
  /** As many wrong codes as the address may have in a day, from three clients, which also request them. */
  async function usedUp(t: TestContext): Promise<Site> {
    const site = await guessed(t, { rateLimits: 'on', codesPerEmail: '0', wrongCodesPerEmail: String(WRONG_MAX) })
    let wrong = 0
    while (wrong < WRONG_MAX) {
      assert.equal((await request(site, STRANGERS[0] ?? '')).status, 202)
      const code = await mailed(site)
      for (const client of STRANGERS) {
        const count = Math.min(TRIES, WRONG_MAX - wrong)
        await site.guess(code, client, count, { first: wrong + 1 })
        wrong += count
      }
      site.advance(HOUR_MS)
    }
    return site
  }

  it('does not lock the owner out: the right code opens the account where it was requested, and 429 elsewhere', async (t) => {
    const site = await usedUp(t)
    assert.equal((await request(site, OWNER)).status, 202)
    const code = await mailed(site)
    for (const client of STRANGERS.slice(1)) {
      // Right or wrong, the response is the same.
      for (const sent of [code, otherCode(code)]) assert.equal((await site.tryCode(EMAIL, sent, client)).status, 429)
    }
    assert.equal((await site.tryCode(EMAIL, code, OWNER)).status, 200)
  })

  it('gets one try at each code that it requests, five a day, and none at those of others', async (t) => {
    const site = await usedUp(t)
    const stranger = STRANGERS[1] ?? ''
    for (let i = 0; i < 7; i++) {
      await request(site, stranger)
      const code = await mailed(site)
      // The sixth code of the day is not compared, although it is right.
      if (i < 5) assert.equal((await site.tryCode(EMAIL, otherCode(code), stranger)).status, 429)
      assert.equal((await site.tryCode(EMAIL, code, stranger)).status, 429, `code ${i}`)
    }
    await request(site, OWNER)
    const code = await mailed(site)
    assert.equal((await site.tryCode(EMAIL, code, '203.0.113.1')).status, 429)
    assert.equal((await site.tryCode(EMAIL, code, OWNER)).status, 200)
  })

  it('does not use up the codes of an address: a network that has requested none gets one more', async (t) => {
    const site = await guessed(t, { rateLimits: 'on' })
    const stranger = STRANGERS[0] ?? ''
    for (let i = 0; i < 5; i++) assert.equal((await request(site, stranger)).status, 202)
    assert.equal((await request(site, stranger)).status, 429)
    // The last mail of the stranger does not follow that of the owner.
    await site.app.idle()
    assert.equal((await request(site, OWNER)).status, 202)
    assert.equal((await site.tryCode(EMAIL, await mailed(site), OWNER)).status, 200)
    // No more than twice the limit, from however many addresses.
    for (let i = 1; i <= 4; i++) assert.equal((await request(site, `203.0.${i}.1`)).status, 202)
    assert.equal((await request(site, '203.0.9.1')).status, 429)
  })
})
