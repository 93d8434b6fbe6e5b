// also: executable threads
/** Passkeys: added behind a fresh code, used in place of one, and the attacks on both. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makePasskey, usePasskey, type Deviation, type MadePasskey } from '../../support/service/software-authenticator.ts'
import { newPerson, type Person } from '../../support/cast.ts'
import type { ApiResponse } from '../../support/service/service.ts'
import { startSite } from '../../support/service/site.ts'

const PASSKEYS = '/api/v1/auth/passkeys'
const ORIGIN = 'http://localhost:8080'
const MINUTE_MS = 60_000
const { service, admin, publisher, standard, guest } = await startSite()

async function begin({ token }: Pick<Person, 'token'>): Promise<{ readonly challenge: string; readonly user: string; readonly known: readonly string[] }> {
  const response = await service.call('POST', `${PASSKEYS}/creation`, { token })
  assert.equal(response.status, 200, response.text)
  const known = response.at('data.excludeCredentials') as { readonly id: string }[]
  return { challenge: String(response.at('data.challenge')), user: String(response.at('data.user.id')), known: known.map(({ id }) => id) }
}

interface Addition extends Deviation {
  readonly code?: string
  readonly challenge?: string
  readonly name?: string
  readonly page?: string
  readonly id?: Buffer<ArrayBuffer>
}

/** Adds a passkey of a person, by all steps that it takes. */
async function add(person: Person, { code, challenge, name = 'Laptop', page, id, ...deviation }: Addition = {}): Promise<{ readonly response: ApiResponse; readonly passkey: MadePasskey }> {
  const started = await begin(person)
  const made = makePasskey(challenge ?? started.challenge, started.user, { origin: ORIGIN, ...deviation }, id)
  const body = { code: code ?? (await service.codeFor(person.email)), name, ...made.response }
  const headers = page === undefined ? {} : { headers: { Origin: page } }
  return { response: await service.call('POST', PASSKEYS, { token: person.token, body, ...headers }), passkey: made.passkey }
}

async function added(person: Person, options: Addition = {}): Promise<MadePasskey> {
  const { response, passkey } = await add(person, options)
  assert.equal(response.status, 201, response.text)
  return passkey
}

async function challengeToSignIn(): Promise<string> {
  return String((await service.call('POST', `${PASSKEYS}/request`)).at('data.challenge'))
}

async function signIn(passkey: MadePasskey, deviation: Deviation & { readonly challenge?: string; readonly body?: object } = {}): Promise<ApiResponse> {
  const { challenge = await challengeToSignIn(), body, ...rest } = deviation
  return service.call('POST', `${PASSKEYS}/sign-in`, { body: { ...usePasskey(passkey, challenge, rest), ...body } })
}

/** What all failures of a sign-in have in common: nothing tells which check it was. */
function assertRefused(response: ApiResponse): void {
  assert.deepEqual([response.status, response.at('error.code')], [401, 'unauthorized'], response.text)
  assert.equal(response.at('error.message'), 'This passkey is not accepted: sign in with a code, and add a new passkey')
}

async function trail(event: string, value = { $ne: '' } as unknown): Promise<unknown> {
  const path = `/api/v1/admin/audit?limit=1&filter=${encodeURIComponent(JSON.stringify({ event, 'details.value': value }))}`
  return (await service.call('GET', path, { token: admin.token })).at('data.items[0].details')
}

describe('a passkey', () => {
  it('is added with a fresh code, listed, used to sign in, and removed', async () => {
    const passkey = await added(publisher, { name: '  Laptop ' })
    assert.deepEqual((await begin(publisher)).known, [passkey.id])
    const response = await signIn(passkey)
    assert.equal(response.status, 200, response.text)
    assert.equal(response.at('data.user.id'), publisher.id)
    const token = String(response.at('data.token'))
    assert.deepEqual(await trail('sign-in.succeeded', 'passkey'), [{ name: 'how', value: 'passkey' }])
    const items = (await service.call('GET', PASSKEYS, { token })).at('data.items') as { createdAt: string; lastUsedAt: string }[]
    const [listed] = items
    const times = { createdAt: listed?.createdAt, lastUsedAt: listed?.lastUsedAt }
    assert.deepEqual(items, [{ id: passkey.id, name: 'Laptop', origin: ORIGIN, backedUp: false, ...times }])
    assert.ok(times.createdAt !== undefined && times.createdAt <= String(times.lastUsedAt))
    const asAdmin = await service.call('GET', `/api/v1/admin/users/${publisher.id}/passkeys`, { token: admin.token })
    assert.deepEqual(asAdmin.at('data.items'), [listed])
    assert.equal((await service.call('DELETE', `${PASSKEYS}/${passkey.id}`, { token })).status, 204)
    assert.equal((await service.call('DELETE', `${PASSKEYS}/${passkey.id}`, { token })).status, 404)
    assert.deepEqual(await trail('passkey.removed'), [{ name: 'name', value: 'Laptop' }])
    assertRefused(await signIn(passkey))
  })

  it('is counted, and one whose counter goes back is refused', async () => {
    const passkey = await added(publisher)
    service.advance(MINUTE_MS)
    assert.equal((await signIn(passkey, { signCount: 5 })).status, 200)
    assertRefused(await signIn(passkey, { signCount: 5 }))
    assertRefused(await signIn(passkey, { signCount: 4 }))
    assert.deepEqual(await trail('sign-in.failed'), [{ name: 'reason', value: 'passkey counter' }, { name: 'name', value: 'Laptop' }])
    assert.equal((await signIn(passkey, { signCount: 6 })).status, 200)
  })

  it('of a user is removed by an administrator, with all others', async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const passkeys = [await added(person), await added(person)]
    const path = `/api/v1/admin/users/${person.id}/passkeys`
    assert.equal((await service.call('DELETE', path, { token: publisher.token })).status, 403)
    assert.equal((await service.call('DELETE', path, { token: admin.token })).at('data.removed'), 2)
    assert.equal((await service.call('DELETE', path, { token: admin.token })).at('data.removed'), 0)
    for (const one of passkeys) assertRefused(await signIn(one))
    assert.equal((await service.call('GET', '/api/v1/admin/users/none/passkeys', { token: admin.token })).status, 404)
  })

  it('ends with its user, and needs a role in the dashboard', async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const passkey = await added(person)
    const user = (await service.data('GET', `/${person.id}`, { model: 'user' }, { token: admin.token })).at('data') as object
    const set = (dashboardRole: string) =>
      service.data('PUT', `/${person.id}`, { model: 'user' }, { token: admin.token, body: { ...user, dashboardRole } })
    assert.equal((await set('none')).status, 200)
    assert.equal((await signIn(passkey)).status, 403)
    assert.equal((await service.call('DELETE', '/api/v1/auth/delete-account', { token: person.token })).status, 204)
    assertRefused(await signIn(passkey))
  })

  it('is one of at most twenty', async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const { codes } = service.app.services
    const code = () => codes.reveal(person.email, service.now())
    for (let n = 0; n < 20; n++) await added(person, { code: await code() })
    const { response } = await add(person, { code: await code() })
    assert.deepEqual([response.status, response.at('error.code')], [409, 'conflict'])
  })
})

describe('attack: adding a passkey to an account', () => {
  it('as a stranger, a guest, a reader, and with a token of the API', async () => {
    const made = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: { name: 'a', role: 'admin' } })
    for (const [token, status] of [[undefined, 401], [guest.token, 403], [standard.token, 403], [String(made.at('data.token')), 403]] as const) {
      const as = token === undefined ? {} : { token }
      assert.equal((await service.call('POST', `${PASSKEYS}/creation`, as)).status, status)
      assert.equal((await service.call('POST', PASSKEYS, { ...as, body: {} })).status, status)
    }
  })

  it('with an open session, and without a code, with a wrong one, one of another, and one that was used', async () => {
    const wrong = await service.codeFor(publisher.email)
    for (const code of ['', '12345', wrong === '000000' ? '000001' : '000000', await service.codeFor(admin.email)]) {
      assert.equal((await add(publisher, { code })).response.status, 400, code)
    }
    const code = await service.codeFor(publisher.email)
    await added(publisher, { code })
    assert.equal((await add(publisher, { code })).response.status, 400)
    assert.deepEqual(await trail('passkey.refused'), [{ name: 'reason', value: 'code none' }])
  })

  it('with a challenge of another user, of a sign-in, a forged one, an old one, and one that was used', async () => {
    const own = await begin(publisher)
    const forged = Buffer.from(own.challenge, 'base64url')
    forged[0] = (forged[0] ?? 0) ^ 1
    const others = [(await begin(admin)).challenge, await challengeToSignIn(), forged.toString('base64url'), 'AAAA', '']
    for (const challenge of others) assert.equal((await add(publisher, { challenge })).response.status, 400)
    await added(publisher, { challenge: own.challenge })
    assert.equal((await add(publisher, { challenge: own.challenge, id: Buffer.from('another') })).response.status, 400)
  })

  it('from a page of another site, and one whose browser gives no passkeys', async () => {
    assert.equal((await add(publisher, { page: 'http://localhost:8080' })).response.status, 201)
    for (const [deviation, reason] of [
      [{ rpId: 'evil.example' }, 'site'],
      [{ page: 'https://evil.example' }, 'origin'],
    ] as const) {
      const { status } = (await add(publisher, deviation)).response
      assert.ok(status === 400 || ('page' in deviation && status === 403), JSON.stringify(deviation))
      if (status === 400) assert.deepEqual(await trail('passkey.refused'), [{ name: 'reason', value: reason }])
    }
  })

  it('by removing that of another', async () => {
    const { id } = await added(admin)
    assert.equal((await service.call('DELETE', `${PASSKEYS}/${id}`, { token: publisher.token })).status, 404)
  })
})

describe('attack: signing in with a passkey', () => {
  it('with a challenge that was used, twice at once too, forged, of a registration, and too old', async () => {
    const passkey = await added(publisher)
    const challenge = await challengeToSignIn()
    const both = await Promise.all([signIn(passkey, { challenge }), signIn(passkey, { challenge })])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
    assertRefused(await signIn(passkey, { challenge }))
    const { challenge: registration } = await begin(publisher)
    for (const other of [registration, `${challenge.slice(0, -2)}AA`, 'x', challenge.repeat(2)]) {
      assertRefused(await signIn(passkey, { challenge: other }))
    }
    const old = await challengeToSignIn()
    service.advance(5 * MINUTE_MS)
    assertRefused(await signIn(passkey, { challenge: old }))
  })

  it('with the signature or the handle of another, an unknown passkey, and bodies of every kind', async () => {
    const [mine, other] = [await added(publisher), await added(admin)]
    assertRefused(await signIn({ ...mine, id: other.id }))
    assertRefused(await signIn(mine, { body: { userHandle: other.userHandle } }))
    assertRefused(await signIn({ ...mine, id: 'AAAA' }))
    assert.equal((await signIn(mine, { body: { userHandle: null } })).status, 200)
    for (const body of [{}, { id: 1 }, { id: '' }, { id: 'A', clientDataJSON: 'é' }, { id: 'A', clientDataJSON: 'A'.repeat(20_000) }]) {
      const { status } = await service.call('POST', `${PASSKEYS}/sign-in`, { body })
      assert.ok(status === 400 || status === 413, `${status} for ${JSON.stringify(body).slice(0, 60)}`)
    }
    for (const clientDataJSON of ['bnVsbA', 'W10', '_w', 'AAAA']) assertRefused(await signIn(mine, { body: { clientDataJSON } }))
  })

  it('with the signature of another, told with the name of the passkey; and a flood of such attempts, which is counted', async () => {
    const [mine, other] = [await added(publisher), await added(admin)]
    service.advance(MINUTE_MS)
    assertRefused(await signIn({ ...mine, privateKey: other.privateKey }))
    assert.deepEqual(await trail('sign-in.failed'), [{ name: 'reason', value: 'passkey signature' }, { name: 'name', value: 'Laptop' }])
    for (let n = 0; n < 30; n++) assertRefused(await signIn(mine, { challenge: 'x' }))
    service.advance(MINUTE_MS)
    assertRefused(await signIn(mine, { challenge: 'x' }))
    assert.deepEqual(await trail('sign-in.failed'), [{ name: 'reason', value: 'passkey challenge' }, { name: 'name', value: 'Laptop' }])
    assert.deepEqual(await trail('audit.suppressed'), [{ name: 'sign-in.failed', value: '11' }])
    assert.doesNotMatch((await service.logged()).join('\n'), new RegExp(RegExp.escape(mine.id)))
  })
})
