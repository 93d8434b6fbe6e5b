/** The one control of an editor: what its button does in each state, and what the menu offers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { publishPlan, statusOf, type PublishState } from '../../src/dashboard/screens/editor/publish-plan.ts'

const [SOON, LATER] = ['2026-03-02T08:00:00.000Z', '2026-03-03T08:00:00.000Z']

const stateOf = (given: Partial<PublishState> = {}): PublishState => ({
  ...{ status: undefined, storedAt: undefined, plannedAt: undefined, isScheduled: true, maySet: () => true },
  ...given,
})

/** `main | beside | more` */
const planned = (given: Partial<PublishState>): string => {
  const { main, beside, more } = publishPlan(stateOf(given))
  return [main ?? '', beside ?? '', more.join(' ')].join(' | ')
}

describe('the publish control', () => {
  const cases: readonly (readonly [name: string, given: Partial<PublishState>, plan: string])[] = [
    ['a new document', {}, 'publish | saveDraft | schedule'],
    ['a new document of a model without times', { isScheduled: false }, 'publish | saveDraft | '],
    ['a new document with a time', { plannedAt: SOON }, 'publishAt |  | publishNow changeTime'],
    ['a draft', { status: 'draft' }, 'publish | saveDraft | schedule archive'],
    ['a draft with a time that is typed', { status: 'draft', plannedAt: SOON }, 'publishAt |  | publishNow changeTime archive'],
    ['a draft whose time is stored', { status: 'draft', storedAt: SOON, plannedAt: SOON }, 'update |  | publishNow changeTime unschedule archive'],
    ['a scheduled draft with another time', { status: 'draft', storedAt: SOON, plannedAt: LATER }, 'publishAt |  | publishNow changeTime unschedule archive'],
    ['a scheduled draft whose time was taken away', { status: 'draft', storedAt: SOON }, 'publish | saveDraft | schedule archive'],
    ['what is published', { status: 'active' }, 'update |  | unpublish archive'],
    ['what is archived', { status: 'archived' }, 'publish | saveDraft | toDraft'],
  ]
  for (const [name, given, plan] of cases) it(`offers for ${name}: ${plan}`, () => assert.equal(planned(given), plan))

  it('offers a publisher under review drafts alone, and nothing for what is published', () => {
    const maySet = (from: string | undefined) => (to: string) => from !== 'active' && to === 'draft'
    assert.equal(planned({ maySet: maySet(undefined) }), 'saveDraft |  | ')
    assert.equal(planned({ status: 'draft', maySet: maySet('draft') }), 'saveDraft |  | ')
    assert.equal(planned({ status: 'draft', storedAt: SOON, plannedAt: SOON, maySet: maySet('draft') }), 'update |  | unschedule')
    assert.equal(planned({ status: 'active', maySet: maySet('active') }), ' |  | ')
  })

  it('stores an archived document as it is where it is only saved', () => {
    assert.equal(statusOf('saveDraft', 'archived'), 'archived')
    assert.equal(statusOf('saveDraft', undefined), 'draft')
    assert.equal(statusOf('changeTime', 'draft'), undefined)
  })
})
