/**
 * Attack: everybody else requests what only administrators may have. The cases come from the endpoints, so that a
 * new one cannot be forgotten, and the refusal comes before anything of the request is looked at.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { type Role } from '../support/cast.ts'
import { startSite } from '../support/service/site.ts'

const { service, cast } = await startSite()
const TABLE = ENDPOINTS.filter(({ access }) => access === 'administrator')

const OTHERS: readonly Exclude<Role, 'admin'>[] = ['guest', 'standard', 'premium', 'publisher']
const HOSTILE = ['x', cast.admin.id, '%00', '..%2f..%2fsecrets', "'%20OR%201=1--", '%F0%9F', 'a'.repeat(2_000)]

describe('what is for administrators', () => {
  it('is all that stands below their path, and what they alone do with a document', () => {
    assert.ok(TABLE.length >= 8)
    assert.deepEqual(
      TABLE.map(({ id }) => id).filter((id) => id !== 'giveBack'),
      ENDPOINTS.filter(({ path }) => path.startsWith('/api/v1/admin/')).map(({ id }) => id),
    )
    assert.ok(TABLE.some(({ id }) => id === 'giveBack'))
  })

  for (const { method, path } of TABLE) {
    const places = path.includes(':') ? ['x', cast.admin.id].map((id) => path.replaceAll(/:\w+/g, () => id)) : [path]
    it(`${method} ${path} is refused to everybody else, whatever else is wrong`, async () => {
      for (const place of places) {
        const body = method === 'POST' ? { body: '{"broken' } : {}
        const target = `${place}?limit=-1&level=nonsense&state=nonsense`
        const unsigned = await service.call(method, target, body)
        assert.deepEqual([unsigned.status, unsigned.at('error.code')], [401, 'unauthorized'], place)
        for (const role of OTHERS) {
          const response = await service.call(method, target, { ...body, token: cast[role].token })
          assert.deepEqual([response.status, response.at('error.code')], [403, 'forbidden'], `${role}: ${place}`)
          assert.equal(response.at('error.message'), 'This is for administrators')
        }
      }
    })
  }

  it('gives administrators 404 where an id names nothing, however hostile', async () => {
    const withIds = TABLE.filter(({ path }) => path.includes(':'))
    for (const { id: endpoint, method, path } of withIds) {
      const given = endpoint === 'giveBack' ? { query: '?model=headline', body: { note: 'Later' } } : { query: '' }
      for (const id of HOSTILE.filter((one) => one !== cast.admin.id)) {
        const target = path.replaceAll(/:\w+/g, () => id) + given.query
        const response = await service.call(method, target, { token: cast.admin.token, ...('body' in given ? { body: given.body } : {}) })
        assert.equal(response.status, 404, `${method} ${path} with ${id}: ${response.text}`)
      }
    }
  })
})
