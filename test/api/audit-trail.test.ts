/** The audit trail: what is recorded of each event, in the database and in the log, and how it is read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditRecord } from '../../src/models/audit.ts'
import { REMOTE_CONFIG_ID, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { ADMIN_EMAIL, startService, type ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin } = await startSite()
const ETAG = /^"[\w-]{22}"$/

function read(query: Readonly<Record<string, unknown>> = {}): Promise<ApiResponse> {
  const values = Object.entries(query).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)])
  return service.call('GET', `/api/v1/admin/audit?${new URLSearchParams(values).toString()}`, { token: admin.token })
}

async function records(query: Readonly<Record<string, unknown>> = {}): Promise<readonly AuditRecord[]> {
  const response = await read(query)
  assert.equal(response.status, 200, response.text)
  return response.at('data.items') as AuditRecord[]
}

/** The newest record of an event. */
async function newest(event: string, more: Readonly<Record<string, unknown>> = {}): Promise<AuditRecord> {
  service.advance(1_000)
  const [record] = await records({ filter: { event, ...more }, limit: 1 })
  assert.ok(record, `there is a record of ${event}`)
  return record
}

function told({ details }: AuditRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(details.map(({ name, value }) => [name, value]))
}

const topic = { model: 'topic' }

describe('the audit trail records', () => {
  it('what publishers and administrators create, replace and delete, with both versions', async () => {
    const made = await service.data('POST', '', topic, { token: admin.token, body: TOPIC })
    const id = String(made.at('data.id'))
    const created = await newest('document.created')
    const { time, clientAddress, requestId, sessionId } = created
    assert.deepEqual(
      { ...created, time, clientAddress, requestId, sessionId, id: '' },
      {
        ...{ id: '', time, event: 'document.created', actor: admin.id, role: 'admin' },
        ...{ clientAddress, sessionId, requestId, emailHash: '', model: 'topic', documentId: id, before: '' },
        ...{ after: made.headers.get('etag'), changes: [], details: [] },
      },
    )
    assert.equal(requestId, made.headers.get('x-request-id'))
    assert.match(clientAddress, /^(127\.0\.0\.1|::1)$/)
    assert.match(time, /^2026-03-01T12:.*Z$/)
    assert.match(sessionId, /^[0-9a-f]{24}$/)

    const changed = await service.data('PUT', `/${id}`, topic, { token: admin.token, body: { ...TOPIC, id, name: 'B' } })
    assert.equal(changed.status, 200, changed.text)
    const replaced = await newest('document.replaced')
    assert.deepEqual(
      [replaced.documentId, replaced.before, replaced.after],
      [id, made.headers.get('etag'), changed.headers.get('etag')],
    )
    assert.equal((await service.data('DELETE', `/${id}`, topic, { token: admin.token })).status, 204)
    const deleted = await newest('document.deleted')
    assert.deepEqual([deleted.documentId, deleted.before, deleted.after], [id, changed.headers.get('etag'), ''])
    assert.deepEqual(
      (await records({ filter: { documentId: id, model: 'topic' } })).map(({ event }) => event),
      ['document.deleted', 'document.replaced', 'document.created'],
    )
  })

  it('sign-ins, requests for codes and sessions that end, with a hash of the address', async () => {
    const email = 'ann@example.org'
    const code = await service.codeFor(email)
    const requested = await newest('code.requested')
    assert.deepEqual([requested.actor, requested.role, told(requested)['outcome']], ['', 'stranger', 'issued'])
    assert.match(requested.emailHash, /^[\w-]{22}$/)
    const verify = (given: string, more = {}) =>
      service.call('POST', '/api/v1/auth/verify-code', { body: { email, code: given, ...more } })
    const wrong = code === '000000' ? '111111' : '000000'
    assert.equal((await verify(wrong)).status, 400)
    const failed = await newest('sign-in.failed')
    assert.deepEqual([failed.actor, failed.role, failed.emailHash], ['', 'stranger', requested.emailHash])
    assert.equal(told(failed)['reason'], 'code wrong')
    const signedIn = await verify(code)
    const user = signedIn.at('data.user') as { readonly id: string }
    const succeeded = await newest('sign-in.succeeded')
    assert.deepEqual(
      [succeeded.actor, succeeded.role, succeeded.emailHash, told(succeeded)],
      [user.id, 'standardUser', requested.emailHash, { how: 'created' }],
    )
    const token = String(signedIn.at('data.token'))
    await service.call('POST', '/api/v1/auth/sign-out', { token })
    const ended = await newest('session.ended')
    assert.deepEqual([ended.actor, ended.documentId], [user.id, user.id])
    assert.deepEqual([ended.sessionId, told(ended)['session']], [succeeded.sessionId, succeeded.sessionId])
    assert.deepEqual(
      (await records({ email: ' Ann@EXAMPLE.org ' })).map(({ event }) => event),
      ['sign-in.succeeded', 'sign-in.failed', 'code.requested'],
    )
    assert.deepEqual(await records({ email: 'absent@example.org' }), [])
  })

  it('guests, and what becomes of them', async () => {
    const guest = await service.guest()
    const first = await newest('sign-in.succeeded')
    assert.deepEqual([first.actor, first.role, told(first)], [guest.id, 'guestUser', { how: 'guest' }])
    await service.signIn('was-a-guest@example.org', { token: guest.token })
    const converted = await newest('sign-in.succeeded')
    assert.deepEqual([converted.actor, told(converted)['how']], [guest.id, 'converted'])
    const other = await service.guest()
    await service.signIn('was-a-guest@example.org', { token: other.token })
    assert.equal(told(await newest('sign-in.succeeded'))['how'], 'merged')
    assert.deepEqual(await records({ filter: { actor: other.id } }), [], 'the guest is deleted with the merge')
  })

  it('invitations and roles, from and to', async () => {
    const body = { email: 'new@example.org', dashboardRole: 'publisher' }
    const invited = await service.data('POST', '', { model: 'user' }, { token: admin.token, body })
    const id = String(invited.at('data.id'))
    const invitation = await newest('user.invited')
    assert.deepEqual([invitation.actor, invitation.documentId], [admin.id, id])
    assert.deepEqual(told(invitation), { appRole: 'standardUser', dashboardRole: 'publisher' })
    assert.match(invitation.emailHash, /^[\w-]{22}$/)
    assert.deepEqual(await records({ email: ' New@example.ORG' }), [invitation])
    const next = { ...(invited.at('data') as object), dashboardRole: 'admin', appRole: 'premiumUser' }
    await service.data('PUT', `/${id}`, { model: 'user' }, { token: admin.token, body: next })
    const changed = await newest('user.role-changed')
    assert.deepEqual(changed.changes, [
      { path: 'appRole', from: 'standardUser', to: 'premiumUser' },
      { path: 'dashboardRole', from: 'publisher', to: 'admin' },
    ])
    assert.match(changed.before, ETAG)
    assert.match(changed.after, ETAG)
    assert.deepEqual([changed.actor, changed.model, changed.documentId], [admin.id, 'user', id])
    await service.data('PUT', `/${id}`, { model: 'user' }, { token: admin.token, body: next })
    assert.equal((await newest('document.replaced')).documentId, id, 'a change that leaves the roles as they are')
  })

  it('the paths of the configuration that have changed, with their values', async () => {
    const item = `/${REMOTE_CONFIG_ID}`
    const model = { model: 'remote_config' }
    const config = (await service.data('GET', item, model, { token: admin.token })).at('data') as {
      readonly appStatus: object
    }
    const body = { ...config, appStatus: { ...config.appStatus, isUnderMaintenance: true } }
    const changed = await service.data('PUT', item, model, { token: admin.token, body })
    assert.equal(changed.status, 200, changed.text)
    const record = await newest('config.changed')
    assert.deepEqual(record.changes, [{ path: 'appStatus.isUnderMaintenance', from: 'false', to: 'true' }])
    assert.equal(record.after, changed.headers.get('etag'))
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`m${i}`, 'x'.repeat(2_000)]))
    await service.data('PUT', item, model, { token: admin.token, body: { ...body, adConfig: { ...(config as never)['adConfig'] as object, ...many } } })
    const bounded = await newest('config.changed')
    assert.ok(bounded.changes.length <= 101 && JSON.stringify(bounded).length < 60_000, 'a record is bounded')
    await service.data('PUT', item, model, { token: admin.token, body: config })
  })
})

describe('the audit trail is read', () => {
  it('the newest first, page by page, each record once', async () => {
    const whole = await records({ limit: 100 })
    assert.ok(whole.length > 15)
    const times = whole.map(({ time, id }) => `${time} ${id}`)
    assert.deepEqual(times, times.toSorted().reverse())
    const paged: AuditRecord[] = []
    for (let cursor: unknown = undefined; paged.length < whole.length;) {
      const page = await read({ limit: 7, ...(cursor === undefined ? {} : { cursor }) })
      paged.push(...(page.at('data.items') as AuditRecord[]))
      if (page.at('data.hasMore') === false) break
      cursor = page.at('data.cursor')
    }
    assert.deepEqual(paged.map(({ id }) => id), whole.map(({ id }) => id))
    const oldest = await records({ sort: 'time:asc', limit: 1 })
    assert.ok(times.at(-1)?.startsWith(oldest[0]?.time ?? '?'))
  })

  it('and is read-only: no method but GET, and nothing through the data endpoint', async () => {
    const { token } = admin
    const [record] = await records({ limit: 1 })
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      for (const path of ['/api/v1/admin/audit', `/api/v1/admin/audit/${record?.id ?? ''}`]) {
        const { status } = await service.call(method, path, { token, isUndescribed: true })
        assert.ok(status === 405 || status === 404, `${method} ${path}: ${status}`)
      }
    }
    for (const [method, path] of [['GET', ''], ['POST', ''], ['DELETE', `/${record?.id ?? ''}`]] as const) {
      const response = await service.data(method, path, { model: 'audit' }, { token, ...(method === 'POST' && { body: { event: 'settings' } }) })
      assert.match(`${response.status} ${response.error}`, /^400 badRequest: .*"model"/)
      assert.ok(!response.text.includes('audit,'), 'it is not among the models that are offered')
    }
  })
})

it('records of 181 days ago are gone with --audit-days 180', { skip: ONLY_HERE }, async (t) => {
  const site = await startService(t, { auditDays: '180' })
  const { token } = await site.admin()
  const { store, sessions } = site.app.services
  const starts = async (as: string): Promise<number> => {
    const filter = encodeURIComponent(JSON.stringify({ event: 'settings' }))
    const response = await site.call('GET', `/api/v1/admin/audit?filter=${filter}`, { token: as })
    assert.equal(response.status, 200, response.text)
    return (response.at('data.items') as unknown[]).length
  }
  assert.equal(await starts(token), 1)
  site.advance(181 * 24 * 3_600_000)
  await site.app.housekeeping.run()
  const id = String((await store.accounts.userByEmail(ADMIN_EMAIL))?.['id'])
  assert.equal(await starts(await sessions.issue(id, { label: 'a test', now: site.now() })), 0)
})
