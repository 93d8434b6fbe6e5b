/** POST /api/v1/auth/request-code: which clients get a code, and the responses to all others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { authCalls } from '../../support/service/auth-calls.ts'
import { badTokens } from '../../support/service/bad-tokens.ts'
import { decodeError } from '../../support/service/client-codec.ts'
import { fillOutbox } from '../../support/service/full-outbox.ts'
import { openDatabase } from '../../../src/store/sqlite/database.ts'
import { ADMIN_EMAIL, databaseOf, startService } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'

const { service, standard, publisher, guest } = await startSite()
const { requestCode, verify, anonymous } = authCalls(service)

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
      assert.equal(decodeError(response.body).code, 'invalidInput')
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
      if (code !== undefined) assert.equal(decodeError(response.body).code, code)
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
