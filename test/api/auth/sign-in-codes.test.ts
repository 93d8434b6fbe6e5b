// also: threads
/** Codes by mail: who gets one, and what it is good for, for how long, and how often. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/base/json.ts'
import { authCalls, otherCode } from '../../support/service/auth-calls.ts'
import { badTokens } from '../../support/service/bad-tokens.ts'
import { fillOutbox } from '../../support/service/full-outbox.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { ADMIN_EMAIL, type ApiResponse, databaseOf, startService } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'
import { SETTINGS } from '../../../scripts/tools/data-bodies.ts'

const { service, standard, publisher, guest, admin } = await startSite()
const { requestCode, verify, anonymous, me } = authCalls(service)

const a = (count: number): string => 'a'.repeat(count)

describe('an accepted request for a code', () => {
  it('gets 202, an empty body and no content type, and the code is in the mail', async () => {
    const response = await requestCode({ email: 'new@example.org', isDashboardLogin: false })
    assert.deepEqual([response.status, response.text], [202, ''])
    assert.equal(response.headers.get('content-type'), null)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{24}$/)
    const mails = await service.mails('new@example.org')
    assert.equal(mails.length, 1)
    assert.match(mails[0] ?? '', /\b\d{6}\b/)
    assert.match(mails[0] ?? '', /\b15 minutes\b/)
  })

  it('gets the same response whether or not the email has a user', async () => {
    const shown = async (email: string): Promise<unknown> => {
      const { status, text, headers } = await requestCode({ email })
      return [status, text, [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))]
    }
    assert.deepEqual(await shown('unknown@example.org'), await shown(standard.email))
  })
})

const REFUSED_EMAILS: readonly (readonly [string, unknown])[] = [
  ['no address', undefined],
  ['a number', 7],
  ['a line break and a header', 'a@example.org\r\nBcc: b@example.org'],
  ['the stand-in of a guest', guest.email],
  ['the stand-in of a guest in capitals', guest.email.toUpperCase()],
]
const REFUSED_BODIES: readonly (readonly [string, unknown])[] = [
  ...REFUSED_EMAILS.map(([name, email]) => [name, { email, isDashboardLogin: false }] as const),
  ['isDashboardLogin as a text', { email: 'reader@example.org', isDashboardLogin: 'true' }],
  ['an empty object', {}],
  ['null', 'null'],
]
describe('a malformed request for a code is 400:', () => {
  for (const [name, body] of REFUSED_BODIES) {
    it(name, async () => {
      const response = await requestCode(body)
      assert.equal(response.status, 400, response.text)
      assert.equal(response.at('error.code'), 'invalidInput')
    })
  }
})

const DASHBOARD: readonly (readonly [string, string, number, string | undefined])[] = [
  ['an administrator', ADMIN_EMAIL, 202, undefined],
  ['a publisher', publisher.email, 202, undefined],
  ['a standard user', standard.email, 403, 'forbidden'],
  ['no user', 'stranger@example.org', 401, 'unauthorized'],
  ['a guest, whose address is none', guest.email, 400, 'invalidInput'],
]
describe('a code for the dashboard', () => {
  for (const [name, email, status, code] of DASHBOARD) {
    it(`requested by ${name} gets ${status}`, async () => {
      const before = await service.mails(email.trim())
      const response = await requestCode({ email, isDashboardLogin: true })
      assert.equal(response.status, status, response.text)
      if (code !== undefined) assert.equal(response.at('error.code'), code)
      const sent = (await service.mails(email.trim())).length - before.length
      assert.equal(sent, status === 202 ? 1 : 0)
    })
  }

  it('that is refused leaves the pending code of the app as it is', async () => {
    const code = await service.codeFor(standard.email)
    assert.equal((await requestCode({ email: standard.email, isDashboardLogin: true })).status, 403)
    assert.equal((await verify({ email: standard.email, code })).status, 200)
  })
})
it('request-code responds with 503 and Retry-After while the outbox is full, and with 202 afterwards', async (t) => {
  const site = await startService(t)
  const { requestCode: request, verify: tryCode } = authCalls(site)
  const { user } = await site.signIn('reader@example.org')
  const code = await site.codeFor('reader@example.org')
  fillOutbox(site)
  const texts = new Set<string>()
  for (const email of ['reader@example.org', 'unknown@example.org']) {
    const response = await request({ email })
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '60'])
    assert.match(response.error, /^networkError: No code can be sent now, too many messages wait for the mail server: try again later/)
    texts.add(response.text)
  }
  assert.equal(texts.size, 1, 'it does not tell whether there is an account')
  assert.equal((await tryCode({ email: user['email'], code })).status, 200, 'the code before is good')
  const database = openDatabase(databaseOf(site))
  database.run("DELETE FROM outbox WHERE id = '000000000000000000000001'")
  database.close()
  assert.equal((await request({ email: 'unknown@example.org' })).status, 202)
})

const CODE_TTL_MS = 15 * 60_000
const ATTEMPTS_MAX = 5

let addresses = 0
const newEmail = (): string => `reader-${++addresses}@example.org`

function assertRefused(response: ApiResponse): void {
  assert.equal(response.status, 400, response.text)
  assert.equal(response.at('error.code'), 'invalidInput')
}

async function usersNamed(email: string): Promise<number> {
  const found = await service.data('GET', '', { model: 'user', filter: { email } }, { token: admin.token })
  return (found.at('data.items') as unknown[]).length
}

describe('the right code', () => {
  it('creates a user with settings and preferences that the clients can decode', async () => {
    const email = newEmail()
    const code = await service.codeFor(email)
    const response = await verify({ email, code, isDashboardLogin: false })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const { user, token } = response.at('data') as { user: JsonObject; token: string }
    const id = String(user['id'])
    const now = new Date(service.now()).toISOString()
    const [card, roles] = [{ isCompleted: false, lastShownAt: null }, { appRole: 'standardUser', dashboardRole: 'none' }]
    const kinds = ['linkAccount', 'upgrade', 'rateApp', 'enableNotifications', 'suggestedTopics', 'suggestedSources']
    const feedDecoratorStatus = Object.fromEntries(kinds.map((kind) => [kind, card]))
    const dates = { createdAt: now, updatedAt: now }
    assert.deepEqual(user, { id, email, ...roles, ...dates, feedDecoratorStatus })
    assert.match(id, /^[0-9a-f]{24}$/)
    const read = async (model: string) => (await service.data('GET', `/${id}`, { model }, { token })).at('data') as JsonObject
    assert.deepEqual(await read('user'), user)
    const { language, ...settings } = await read('user_app_settings')
    const { displaySettings, feedPreferences } = SETTINGS
    assert.deepEqual(settings, { id, displaySettings, feedPreferences, ...dates })
    const english = await service.data('GET', '', { model: 'language', filter: { code: 'en' } }, { token })
    assert.deepEqual(language, english.at('data.items[0]'))
    const lists = { followedCountries: [], followedSources: [], followedTopics: [], savedHeadlines: [], savedFilters: [] }
    assert.deepEqual(await read('user_content_preferences'), { id: user.id, ...lists, ...dates })
  })

  it('brings back settings and preferences that were deleted, and leaves those that are there', async () => {
    const { id, token } = await service.signIn(standard.email)
    const settings = await service.data('GET', `/${id}`, { model: 'user_app_settings' }, { token })
    const changed = {
      ...(settings.at('data') as object),
      displaySettings: { ...(settings.at('data.displaySettings') as object), baseTheme: 'dark' },
    }
    assert.equal((await service.data('PUT', `/${id}`, { model: 'user_app_settings' }, { token, body: changed })).status, 200)
    assert.equal((await service.data('DELETE', `/${id}`, { model: 'user_content_preferences' }, { token })).status, 204)
    assert.equal((await service.data('GET', `/${id}`, { model: 'user_content_preferences' }, { token })).status, 404)
    await service.signIn(standard.email)
    assert.equal((await service.data('GET', `/${id}`, { model: 'user_content_preferences' }, { token })).status, 200)
    const after = await service.data('GET', `/${id}`, { model: 'user_app_settings' }, { token })
    assert.equal(after.at('data.displaySettings.baseTheme'), 'dark')
    assert.equal((await service.data('DELETE', `/${id}`, { model: 'user_app_settings' }, { token })).status, 204)
    await service.signIn(standard.email)
    assert.equal((await service.data('GET', `/${id}`, { model: 'user_app_settings' }, { token })).status, 200)
  })
})

describe('a code is refused', () => {
  it('with the same response, byte for byte, however it fails', async () => {
    const email = newEmail()
    const texts: string[] = []
    const refuse = async (body: { email: string; code: string }): Promise<void> => {
      const response = await verify(body)
      assertRefused(response)
      const kept = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
      texts.push(JSON.stringify([kept, response.text]))
    }
    await refuse({ email: newEmail(), code: '123456' }) // never requested
    const wrong = await service.codeFor(email)
    await refuse({ email, code: otherCode(wrong) })
    const replaced = wrong
    const used = await service.codeFor(email)
    if (replaced !== used) await refuse({ email, code: replaced })
    assert.equal((await verify({ email, code: used })).status, 200)
    await refuse({ email, code: used })
    const spoiled = await service.codeFor(email)
    for (let i = 1; i <= ATTEMPTS_MAX; i++) await refuse({ email, code: otherCode(spoiled, i) })
    await refuse({ email, code: spoiled })
    const expired = await service.codeFor(email)
    service.advance(CODE_TTL_MS)
    await refuse({ email, code: expired })
    assert.ok(texts.length >= 9)
    assert.deepEqual([...new Set(texts)].length, 1, texts.join('\n'))
  })
})

describe('the time of a code', () => {
  it('is what the setting says, in the mail, too', async (t) => {
    const brief = await startService(t, { codeMinutes: '2' })
    const code = await brief.codeFor('reader@example.org')
    assert.match((await brief.mails('reader@example.org'))[0] ?? '', /\b2 minutes\b/)
    brief.advance(2 * 60_000)
    assertRefused(await authCalls(brief).verify({ email: 'reader@example.org', code }))
  })
})

describe('wrong tries', () => {
  for (const [wrong, status] of [[ATTEMPTS_MAX - 1, 200], [ATTEMPTS_MAX, 400]] as const) {
    it(`of ${wrong} leave the right code with ${status}, although rate limits are off`, async () => {
      const email = newEmail()
      const code = await service.codeFor(email)
      for (let i = 1; i <= wrong; i++) assertRefused(await verify({ email, code: otherCode(code, i) }))
      assert.equal((await verify({ email, code })).status, status)
    })
  }
})

const MALFORMED: readonly (readonly [string, (code: string) => unknown])[] = [
  ['a code that is null', () => ({ code: null })],
  ['a code that is a number', (code) => ({ code: Number(code) })],
  ['a line break after', (code) => ({ code: `${code}\n` })],
  ['digits of another script', (code) => ({ code: code.replace(/./g, (digit) => String.fromCodePoint(0x660 + Number(digit))) })],
  ['no address', (code) => ({ email: undefined, code })],
  ['isDashboardLogin as a text', (code) => ({ code, isDashboardLogin: 'false' })],
]
describe('a malformed verification is 400 and leaves the code good:', () => {
  for (const [name, make] of MALFORMED) {
    it(name, async () => {
      const email = newEmail()
      const code = await service.codeFor(email)
      assertRefused(await verify({ email, ...(make(code) as object) }))
      assert.equal((await verify({ email, code })).status, 200)
    })
  }
})

describe('the door of the dashboard', () => {
  const DOOR: readonly (readonly [string, () => Promise<string>, number, string | undefined])[] = [
    ['an administrator', async () => ADMIN_EMAIL, 200, undefined],
    ['a publisher', async () => publisher.email, 200, undefined],
    ['a standard user', async () => standard.email, 403, 'forbidden'],
    ['no user', async () => newEmail(), 401, 'unauthorized'],
  ]
  for (const [name, find, status, error] of DOOR) {
    for (const asGuest of [false, true]) {
      it(`responds to ${name}${asGuest ? ' with the token of a guest' : ''} with ${status}`, async () => {
        const [email, guest] = [await find(), await service.guest()]
        const code = await service.codeFor(email) // A code of the app: it says nothing about the dashboard.
        const response = await verify({ email, code, isDashboardLogin: true }, asGuest ? { token: guest.token } : {})
        assert.equal(response.status, status, response.text)
        if (error !== undefined) {
          assert.equal(response.at('error.code'), error)
          assert.equal((await me(guest.token)).at('data.appRole'), 'guestUser')
          assert.equal(await usersNamed(email), status === 401 ? 0 : 1)
        }
      })
    }
  }

  it('reveals nothing without the code', async () => {
    for (const email of [ADMIN_EMAIL, publisher.email, standard.email, newEmail()]) {
      const code = await service.codeFor(email)
      assertRefused(await verify({ email, code: otherCode(code), isDashboardLogin: true }))
    }
  })
})

describe('where no token is needed, one', () => {
  it('that does not hold is ignored', async () => {
    const tokens = await badTokens(service)
    for (const [i, { name, token }] of tokens.entries()) {
      const email = `ignored-${i}@example.org`
      assert.equal((await requestCode({ email }, { token })).status, 202, `request-code with a token ${name}`)
      const code = await service.codeFor(email)
      const verified = await verify({ email, code }, { token })
      assert.equal(verified.status, 200, `verify-code with a token ${name}`)
      assert.equal(verified.at('data.user.appRole'), 'standardUser')
      assert.equal((await anonymous({ token, body: {} })).status, 200, `anonymous with a token ${name}`)
    }
  })

  it('in a header of another form is ignored, too', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic YTpi', `Bearer ${a(5000)}`, 'Bearer a b c', '\u00ff']) {
      const response = await requestCode({ email: 'reader@example.org' }, { headers: { authorization } })
      assert.equal(response.status, 202, JSON.stringify(authorization))
    }
  })
})
