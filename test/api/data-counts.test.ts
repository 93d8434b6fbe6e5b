/** How many documents a list has by status, in one request: what stands on the tabs of the dashboard. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, standard, guest } = await startSite()

interface By {
  readonly token: string
}
const call = (method: string, path: string, query: object, { token }: By, body?: object): Promise<ApiResponse> =>
  service.data(method, path, query as Record<string, string>, { token, ...(body && { body, isUndescribed: true as const }) })
const counts = async (query: object, by: By = admin): Promise<ApiResponse> => call('GET', '/counts', query, by)
const make = async (model: string, members: object): Promise<string> =>
  String((await call('POST', '', { model }, admin, { ...bodyOf(model), ...members })).at('data.id'))

const exactly = (total: number): object => ({ total, totalIsFloor: false })

describe('GET /api/v1/data/counts', () => {
  it('counts headlines by status, scheduled, handed in and in the trash, under a filter', async () => {
    const filter = { title: { $regex: '^Counted' } }
    const publishAt = new Date(service.now() + 3_600_000).toISOString()
    await make('headline', { title: 'Counted one', status: 'active' })
    await make('headline', { title: 'Counted two', status: 'archived' })
    await make('headline', { title: 'Counted three', status: 'draft', publishAt })
    await make('headline', { title: 'Counted four', status: 'draft', handedInAt: new Date(service.now()).toISOString() })
    await call('POST', '', { model: 'headline', incomplete: 'true' }, admin, { title: 'Counted five', status: 'draft' })
    const trash = await make('headline', { title: 'Counted six', status: 'active' })
    await call('DELETE', `/${trash}`, { model: 'headline' }, admin)
    const of = (all: number, draft: number): object => ({
      all: exactly(all),
      byStatus: { active: exactly(1), draft: exactly(draft), archived: exactly(1) },
      scheduled: exactly(1),
      handedIn: exactly(1),
      trash: exactly(1),
    })
    assert.deepEqual((await counts({ model: 'headline', filter })).at('data'), of(4, 2))
    assert.deepEqual((await counts({ model: 'headline', filter, incomplete: true })).at('data'), of(5, 3))
    const none = await call('GET', '/trash', { model: 'headline', limit: 0 }, admin)
    assert.deepEqual(none.at('data'), { items: [], cursor: null, hasMore: false }, 'no page is without a cursor that leads on')
    await call('POST', `/${trash}/restore`, { model: 'headline' }, admin, {})
    assert.deepEqual((await counts({ model: 'headline', filter })).at('data.trash'), exactly(0))
    const searched = await counts({ model: 'headline', search: 'counted four' }, publisher)
    assert.deepEqual([searched.at('data.all'), searched.at('data.byStatus.draft')], [exactly(1), exactly(1)])
  })

  it('has null for what a model does not have, and no status for one without', async () => {
    const { at } = await counts({ model: 'user' })
    assert.deepEqual([at('data.byStatus'), at('data.scheduled'), at('data.handedIn'), at('data.trash')], [{}, null, null, null])
  })

  it('as a stranger, a guest, a user and a publisher tells no more than the caller may list', async () => {
    for (const by of [standard, guest]) assert.equal((await counts({ model: 'headline' }, by)).status, 403)
    assert.equal((await service.call('GET', '/api/v1/data/counts?model=headline')).status, 401)
    assert.equal((await counts({ model: 'user' }, publisher)).status, 403)
    assert.equal((await counts({ model: 'topic' }, publisher)).at('data.trash'), null, 'only administrators delete topics')
    assert.equal((await counts({ model: 'headline' }, publisher)).status, 200)
  })

  it('gives 400 for a filter that is none, a model that is none, and changedBy without a user', async () => {
    for (const query of [{ model: 'headline', filter: { title: { $no: 1 } } }, { model: 'articles' }, { model: 'headline', changedBy: '' }]) {
      assert.equal((await counts(query)).status, 400, JSON.stringify(query))
    }
  })
})
