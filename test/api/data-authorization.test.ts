// also: cache-off cluster
/**
 * Who may do what: every model, operation and role, as the API promises it. The statuses are written by hand, so that
 * a slip in a model's declaration cannot move the expectation with it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newPerson, ROLES, type Person } from '../support/cast.ts'
import { bodyOf, REMOTE_CONFIG, REMOTE_CONFIG_ID, SUMMARY_ID } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, cast } = await startSite()
const FREE_ID = '000000000000000000000000'

type Operation = 'list' | 'read' | 'create' | 'replace' | 'remove'
type Statuses = readonly [guest: number, standard: number, premium: number, publisher: number, admin: number]

const METHOD = { list: 'GET', read: 'GET', create: 'POST', replace: 'PUT', remove: 'DELETE' } as const

function request(operation: Operation, model: string, caller: Person, { id = '', body }: { id?: string; body?: object }) {
  const target = operation === 'list' || operation === 'create' ? '' : `/${id}`
  return service.data(METHOD[operation], target, { model }, { token: caller.token, ...(body === undefined ? {} : { body }) })
}

function assertStatus(response: ApiResponse, status: number, who: string): void {
  assert.equal(response.status, status, `${who}: ${response.text}`)
  if (status < 400) return
  const wanted = { 403: 'forbidden', 404: 'notFound', 405: 'methodNotAllowed', 409: 'conflict' }[status]
  assert.equal(response.at('error.code'), wanted, who)
}

describe('models whose documents have no owner', () => {
  const everybody: Statuses = [200, 200, 200, 200, 200]
  const table: readonly (readonly [model: string, operation: Operation, statuses: Statuses])[] = [
    ['headline', 'list', everybody],
    ['headline', 'read', everybody],
    ['headline', 'create', [403, 403, 403, 201, 201]],
    ['headline', 'replace', [403, 403, 403, 200, 200]],
    ['headline', 'remove', [403, 403, 403, 204, 204]],
    ...['topic', 'source', 'country', 'language'].flatMap((model) => [
      [model, 'list', everybody] as const,
      [model, 'read', everybody] as const,
      [model, 'create', [403, 403, 403, 403, 201]] as const,
      [model, 'replace', [403, 403, 403, 403, 200]] as const,
      [model, 'remove', [403, 403, 403, 403, 204]] as const,
    ]),
  ]
  for (const [model, operation, statuses] of table) {
    it(`${operation} ${model}: ${statuses.join(' ')}`, async () => {
      for (const [i, role] of ROLES.entries()) {
        const made = await request('create', model, cast.admin, { body: bodyOf(model) })
        assert.equal(made.status, 201, made.text)
        const id = String(made.at('data.id'))
        const body = operation === 'create' || operation === 'replace' ? { body: { ...bodyOf(model), id } } : {}
        assertStatus(await request(operation, model, cast[role], { id, ...body }), statuses[i] ?? 0, role)
        const isGone = operation === 'remove' && statuses[i] === 204
        assert.equal((await request('read', model, cast.guest, { id })).status, isGone ? 404 : 200)
      }
    })
  }
})

describe('documents with an owner', () => {
  const owned: readonly (readonly [model: string, operation: Operation, own: Statuses, strange: Statuses])[] = [
    ['user', 'read', [200, 200, 200, 200, 200], [403, 403, 403, 403, 200]],
    ['user', 'replace', [200, 200, 200, 200, 200], [403, 403, 403, 403, 200]],
    ['user', 'remove', [204, 204, 204, 204, 204], [403, 403, 403, 403, 204]],
    ...['user_app_settings', 'user_content_preferences'].flatMap((model) => [
      [model, 'read', [200, 200, 200, 200, 200], [403, 403, 403, 403, 200]] as const,
      [model, 'replace', [200, 200, 200, 200, 200], [403, 403, 403, 403, 200]] as const,
      [model, 'remove', [204, 204, 204, 204, 204], [403, 403, 403, 403, 204]] as const,
    ]),
  ]
  for (const [model, operation, own, strange] of owned) {
    it(`${operation} ${model}: the own ${own.join(' ')}, a stranger's ${strange.join(' ')}, a free id 404`, async () => {
      for (const [i, role] of ROLES.entries()) {
        const person = await newPerson(service, role, cast.admin.token)
        const stranger = await newPerson(service, 'standard', cast.admin.token)
        const act = (id: string): Promise<ApiResponse> => {
          const { id: _, ...body } = bodyOf(model)
          return request(operation, model, person, { id, ...(operation === 'replace' ? { body } : {}) })
        }
        assertStatus(await act(FREE_ID), 404, `${role}, free id`)
        assertStatus(await act(stranger.id), strange[i] ?? 0, `${role}, stranger's`)
        assertStatus(await act(person.id), own[i] ?? 0, `${role}, own`)
      }
    })
  }

  const collections: readonly (readonly [model: string, operation: Operation, statuses: Statuses])[] = [
    ['user', 'list', [403, 403, 403, 403, 200]],
    ['user', 'create', [403, 403, 403, 403, 201]],
    ['user_app_settings', 'list', [403, 403, 403, 403, 200]],
    ['user_app_settings', 'create', [409, 409, 409, 409, 409]],
    ['user_content_preferences', 'list', [403, 403, 403, 403, 200]],
    ['user_content_preferences', 'create', [409, 409, 409, 409, 409]],
  ]
  for (const [model, operation, statuses] of collections) {
    it(`${operation} ${model}: ${statuses.join(' ')}${statuses[0] === 409 ? ' while the own exists' : ''}`, async () => {
      for (const [i, role] of ROLES.entries()) {
        // An administrator may create for the user that the body names; here that is the administrator.
        const body = { ...bodyOf(model), ...(model === 'user' ? { email: `new-${role}@example.org` } : {}), id: undefined }
        const response = await request(operation, model, cast[role], operation === 'create' ? { body } : {})
        assertStatus(response, statuses[i] ?? 0, role)
      }
    })
  }
})

describe('documents of which there is one', () => {
  const SINGLE = { remote_config: REMOTE_CONFIG_ID, dashboard_summary: SUMMARY_ID } as const
  const table: readonly (readonly [model: keyof typeof SINGLE, operation: Operation, statuses: Statuses])[] = [
    ['remote_config', 'list', [200, 200, 200, 200, 200]],
    ['remote_config', 'read', [200, 200, 200, 200, 200]],
    ['remote_config', 'create', [403, 403, 403, 403, 409]],
    ['remote_config', 'replace', [403, 403, 403, 403, 200]],
    ['remote_config', 'remove', [403, 403, 403, 403, 204]],
    ['dashboard_summary', 'list', [403, 403, 403, 200, 200]],
    ['dashboard_summary', 'read', [403, 403, 403, 200, 200]],
    ['dashboard_summary', 'create', [405, 405, 405, 405, 405]],
    ['dashboard_summary', 'replace', [405, 405, 405, 405, 405]],
    ['dashboard_summary', 'remove', [405, 405, 405, 405, 405]],
  ]
  for (const [model, operation, statuses] of table) {
    it(`${operation} ${model}: ${statuses.join(' ')}`, async () => {
      for (const [i, role] of ROLES.entries()) {
        const body = model === 'remote_config' && (operation === 'create' || operation === 'replace') ? { body: REMOTE_CONFIG } : {}
        const response = await request(operation, model, cast[role], { id: SINGLE[model], ...body })
        assertStatus(response, statuses[i] ?? 0, role)
        if (statuses[i] === 405) assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
      }
    })
  }
})

it('an item id that is none is 404 in every operation', async () => {
  for (const id of ['x', `${FREE_ID}0`, '%00', '%F0%9F%92%A5', '%2e%2e%2ftopic', '*', '9'.repeat(5000)]) {
    for (const model of ['topic', 'user', 'user_app_settings', 'remote_config', 'dashboard_summary']) {
      for (const operation of ['read', 'replace', 'remove'] as const) {
        if (model === 'dashboard_summary' && operation !== 'read') continue
        const body = operation === 'replace' ? { body: {} } : {}
        assertStatus(await request(operation, model, cast.admin, { id, ...body }), 404, `${operation} ${model} ${id.slice(0, 24)}`)
      }
    }
  }
})
