// also: threads
/**
 * A request that stops in the middle of its body, while its sender is demoted, signed out or deleted.
 *
 * An administrator who sent half of an invitation, and lost the account meanwhile, could once make a new administrator
 * with the rest. So each endpoint with a body is sent one in two halves, over a socket, and between them the sender
 * loses what the request needs. `Expect: 100-continue` tells when the first checks have passed.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { user } from '../../src/models/user.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { authCalls } from '../support/service/auth-calls.ts'
import { newPerson, type Person, type Role } from '../support/cast.ts'
import { bodyOf, copies, HEADLINE, PREFERENCES, REMOTE_CONFIG_ID, USER } from '../../scripts/tools/data-bodies.ts'
import { RawConnection } from '../support/service/http-client.ts'
import { databaseOf } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin } = await startSite()
const auth = authCalls(service)

/** Sends half of a body, does something, sends the rest, and gives the status of the response. */
async function sendInHalves(
  { method, path, body, token }: { method: string; path: string; body: unknown; token: string },
  between: () => Promise<void>,
): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body))
  const half = Math.floor(bytes.length / 2)
  const connection = await RawConnection.open(Number(new URL(service.url).port))
  try {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${bytes.length}`,
      'Expect: 100-continue',
    ]
    connection.write(`${lines.join('\r\n')}\r\n\r\n`)
    const { status } = await connection.response()
    if (status !== 100) return status
    connection.write(bytes.subarray(0, half))
    await between()
    connection.write(bytes.subarray(half))
    return (await connection.response()).status
  } finally {
    connection.destroy()
  }
}

/** Changes with every commit of another connection that changes anything (sqlite.org/pragma.html#pragma_data_version). */
const witness = openDatabase(databaseOf(service), { readOnly: true })
after(() => witness.close())
const commits = (): unknown => witness.get('PRAGMA data_version')?.['data_version']

/** Ways to lose a right, each with the status of the next request of that person. */
const LOSSES = {
  'is demoted': [403, (person) => setRole(person, 'none')],
  'signs out': [401, ({ token }) => done(auth.signOut(token))],
  'is signed out everywhere': [
    401,
    ({ id }) => done(service.call('DELETE', `/api/v1/admin/users/${id}/sessions`, { token: admin.token })),
  ],
  'is deleted': [401, ({ id }) => done(service.data('DELETE', `/${id}`, { model: 'user' }, { token: admin.token }))],
  'deletes the own account': [401, ({ token }) => done(auth.deleteAccount(token))],
} as const satisfies Readonly<Record<string, readonly [status: number, lose: (person: Person) => Promise<void>]>>
type Loss = keyof typeof LOSSES
const ENDINGS = ['signs out', 'is signed out everywhere', 'is deleted', 'deletes the own account'] as const
const ALL_LOSSES = ['is demoted', ...ENDINGS] as const

async function done(call: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await call
  assert.ok(status === 200 || status === 204, text)
}

async function setRole({ id }: Person, dashboardRole: string): Promise<void> {
  const { text } = await service.data('GET', `/${id}`, { model: 'user' }, { token: admin.token })
  const stored = (JSON.parse(text) as { readonly data: object }).data
  const body = { ...stored, dashboardRole }
  await done(service.data('PUT', `/${id}`, { model: 'user' }, { token: admin.token, body }))
}

interface Sending {
  readonly name: string
  readonly as: Role
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly path: (person: Person) => string
  readonly body: (person: Person) => unknown
  readonly losses: readonly Loss[]
}

/** Another user, whose documents the cases write. */
const victim = await newPerson(service, 'standard', admin.token)
const data = (model: string, id = ''): string => `/api/v1/data${id === '' ? '' : `/${id}`}?model=${model}`
const stored = async (model: string): Promise<string> => {
  const response = await service.data('POST', '', { model }, { token: admin.token, body: bodyOf(model) })
  return String(response.at('data.id'))
}
const [topic, headline] = [await stored('topic'), await stored('headline')]

let cronies = 0
function bodyFor(model: string): JsonObject {
  const { id: _, ...body } = model === 'user' ? { ...USER, email: `crony-${++cronies}@example.org`, dashboardRole: 'admin' } : bodyOf(model)
  return body
}

/** A document that is sent by each method, and every way to lose the right to one of them: see test/store/authority.test.ts. */
function sent(model: string, id: string, by: Pick<Sending, 'as' | 'losses'>): readonly Sending[] {
  return (['POST', 'PUT', 'PATCH'] as const).map((method) => ({
    ...{ ...by, name: `sends a ${model} by ${method}`, method, losses: method === 'POST' ? by.losses : ['is demoted'] },
    path: () => data(model, method === 'POST' ? '' : id),
    // Settings are created for the user that the body names.
    body: () => ({ ...bodyFor(model), ...(model === 'user_app_settings' ? { id } : {}) }),
  }))
}

const cases: readonly Sending[] = [
  // What a request needs is checked in one place for all models.
  ...sent('topic', topic, { as: 'admin', losses: ALL_LOSSES }),
  ...sent('user', victim.id, { as: 'admin', losses: ALL_LOSSES }),
  ...sent('user_app_settings', victim.id, { as: 'admin', losses: ['is demoted'] }),
  ...sent('remote_config', REMOTE_CONFIG_ID, { as: 'admin', losses: ['is demoted'] }),
  ...sent('headline', headline, { as: 'publisher', losses: ALL_LOSSES }),
  ...['user', 'user_app_settings', 'user_content_preferences'].map((model): Sending => ({
    ...{ name: `replaces the own ${model}`, as: 'standard', method: 'PUT', losses: ENDINGS },
    path: ({ id }) => data(model, id),
    body: ({ id }) => ({ ...bodyFor(model), id }),
  })),
  {
    ...{ name: 'sends a test mail', as: 'admin', method: 'POST', losses: ALL_LOSSES },
    path: () => '/api/v1/admin/outbox/test',
    body: () => ({ to: 'stranger@example.org' }),
  },
  {
    ...{ name: 'lists users by a query in the body', as: 'admin', method: 'POST', losses: ALL_LOSSES },
    path: () => '/api/v1/data/query?model=user',
    body: () => ({ filter: { email: 'admin@example.org' }, limit: 1 }),
  },
  {
    ...{ name: 'explains a query', as: 'publisher', method: 'POST', losses: ALL_LOSSES },
    path: () => '/api/v1/data/explain?model=headline',
    body: () => ({ filter: { title: 'anything' }, limit: 1 }),
  },
  {
    ...{ name: 'checks a user', as: 'admin', method: 'POST', losses: ALL_LOSSES },
    path: () => `/api/v1/data/check?model=user&id=${victim.id}`,
    body: () => bodyFor('user'),
  },
]

for (const { name, as, method, path, body, losses } of cases) {
  describe(`a ${as} who ${name}`, () => {
    it('may do that in two halves', async () => {
      const person = await newPerson(service, as, admin.token)
      const sent = { method, path: path(person), body: body(person), token: person.token }
      const status = await sendInHalves(sent, () => Promise.resolve())
      // Some documents are there already.
      assert.ok([200, 201, 409].includes(status), String(status))
    })

    for (const loss of losses) {
      it(`and ${loss} before the body is there is refused, and nothing is written`, async () => {
        const person = await newPerson(service, as, admin.token)
        const [wanted, lose] = LOSSES[loss]
        let before: unknown
        const sent = { method, path: path(person), body: body(person), token: person.token }
        const status = await sendInHalves(sent, async () => {
          await lose(person)
          before = commits()
        })
        // A thread that forwards the request does so when it is complete: then it is that of a reader, whose settings there are.
        const isForwarded = Number(process.env['DATELINE_THREADS'] ?? 1) > 1
        const isTheirs = isForwarded && loss === 'is demoted' && name === 'sends a user_app_settings by POST'
        assert.ok(status === wanted || (isTheirs && status === 409), String(status))
        assert.equal(commits(), before)
      })
    }
  })
}

describe('what a body in two halves may still do', () => {
  it('a publisher who becomes a reader keeps the own preferences, and a reader who becomes one may go on', async () => {
    const person = await newPerson(service, 'publisher', admin.token)
    const body = { ...PREFERENCES, id: person.id }
    const path = `/api/v1/data/${person.id}?model=user_content_preferences`
    const sent = { method: 'PUT', path, body, token: person.token }
    assert.equal(await sendInHalves(sent, () => setRole(person, 'none')), 200)
    assert.equal(await sendInHalves(sent, () => setRole(person, 'publisher')), 200)
  })

  it('an administrator who becomes a reader keeps no role that the rest of the body requests', async () => {
    const person = await newPerson(service, 'admin', admin.token)
    const body = { ...USER, id: person.id, dashboardRole: 'admin' }
    const sent = { method: 'PUT', path: `/api/v1/data/${person.id}?model=user`, body, token: person.token }
    assert.equal(await sendInHalves(sent, () => setRole(person, 'none')), 200)
    assert.match((await service.app.services.store.documents.get(user, person.id)) ?? '', /"dashboardRole":"none"/)
  })

  it('preferences are checked by the role of the moment in which they are written', async () => {
    const person = await newPerson(service, 'premium', admin.token)
    const body = { ...PREFERENCES, savedHeadlines: copies(HEADLINE, 31), id: person.id }
    const sent = { method: 'PUT', path: data('user_content_preferences', person.id), body, token: person.token }
    const demoted = { token: admin.token, body: { ...USER, appRole: 'standardUser' } }
    const status = await sendInHalves(sent, () => done(service.data('PUT', `/${person.id}`, { model: 'user' }, demoted)))
    assert.equal(status, 403)
  })

  it('a guest who signs out while the code arrives joins no account', async () => {
    const guest = await service.guest()
    const email = 'late-guest@example.org'
    const code = await service.codeFor(email)
    const sent = { method: 'POST', path: '/api/v1/auth/verify-code', body: { email, code }, token: guest.token }
    assert.equal(await sendInHalves(sent, () => done(auth.signOut(guest.token))), 200)
    const { store } = service.app.services
    assert.match((await store.documents.get(user, guest.id)) ?? '', /"appRole":"guestUser"/)
    assert.notEqual((await store.accounts.userByEmail(email))?.['id'], guest.id)
  })

  it('a dashboard sign-in is refused to an administrator who lost the role while the code arrived', async () => {
    const person = await newPerson(service, 'admin', admin.token)
    const code = await service.codeFor(person.email, { dashboard: true })
    const body = { email: person.email, code, isDashboardLogin: true }
    const sent = { method: 'POST', path: '/api/v1/auth/verify-code', body, token: 'none' }
    assert.equal(await sendInHalves(sent, () => setRole(person, 'none')), 403)
    assert.equal((await auth.verify({ email: person.email, code })).status, 400, 'the code is consumed')
  })
})
