/**
 * Attack: everybody else asks for what only administrators may have. The cases come from the table of routes, so that a
 * new route cannot be forgotten, and the refusal comes before anything of the request is looked at.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ROUTE_DOCS } from '../../src/api/route-docs.ts'
import { adminRoutes } from '../../src/api/routes.ts'
import { newCast, type Role } from '../support/cast.ts'
import { startSuiteService } from '../support/service/suite-service.ts'
import { SYSTEM } from '../../src/store/actor.ts'

const service = await startSuiteService()
const cast = await newCast(service)
/** The table as it stands; nothing of it is called here. */
const anything = new Proxy({}, { get: () => () => {} }) as never
const TABLE = adminRoutes(anything, anything).map(({ method, path }) => ({ method, path }))

const OTHERS: readonly Exclude<Role, 'admin'>[] = ['guest', 'standard', 'premium', 'publisher']
const HOSTILE = ['x', cast.admin.id, '%00', '..%2f..%2fsecrets', "'%20OR%201=1--", '%F0%9F', 'a'.repeat(2_000)]

describe('what is for administrators', () => {
  it('is all that stands below their path', () => {
    assert.ok(TABLE.length >= 8)
    assert.deepEqual(
      TABLE.map(({ method, path }) => `${method} ${path}`).sort(),
      Object.keys(ROUTE_DOCS)
        .filter((key) => key.includes(' /api/v1/admin/'))
        .sort(),
    )
  })

  for (const { method, path } of TABLE) {
    const places = path.includes(':') ? HOSTILE.map((id) => path.replaceAll(/:\w+/g, () => id)) : [path]
    it(`${method} ${path} is refused to everybody else, whatever else is wrong`, async () => {
      for (const place of places) {
        const body = method === 'POST' ? { body: '{"broken' } : {}
        const target = `${place}?limit=-1&level=nonsense&state=nonsense`
        const unsigned = await service.call(method, target, body)
        assert.deepEqual([unsigned.status, unsigned.at('error.code')], [401, 'unauthorized'], place)
        for (const role of OTHERS) {
          const answer = await service.call(method, target, { ...body, token: cast[role].token })
          assert.deepEqual([answer.status, answer.at('error.code')], [403, 'forbidden'], `${role}: ${place}`)
          assert.equal(answer.at('error.message'), 'This is for administrators')
        }
      }
    })
  }

  it('is refused to a former administrator', async () => {
    const { id, token } = cast.publisher
    const path = '/api/v1/admin/settings'
    const roleOf = (dashboardRole: string) => (stored: object) => ({ ...stored, dashboardRole })
    const { store } = service.app.services
    await store.as(SYSTEM).updateUser(id, roleOf('admin'))
    assert.equal((await service.call('GET', path, { token })).status, 200)
    await store.as(SYSTEM).updateUser(id, roleOf('publisher'))
    assert.equal((await service.call('GET', path, { token })).status, 403)
  })

  it('is answered to administrators by 404 where an id names nothing, however hostile', async () => {
    const withIds = TABLE.filter(({ path }) => path.includes(':'))
    for (const { method, path } of withIds) {
      for (const id of HOSTILE.filter((one) => one !== cast.admin.id)) {
        const answer = await service.call(
          method,
          path.replaceAll(/:\w+/g, () => id),
          { token: cast.admin.token },
        )
        assert.equal(answer.status, 404, `${method} ${path} with ${id}: ${answer.text}`)
      }
    }
  })
})
