// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { REMOTE_CONFIG, REMOTE_CONFIG_ID, withAt } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse, type Call, type TestService } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin } = await startSite()
const MODEL = { model: 'remote_config' }

const put = (body: unknown): Promise<ApiResponse> =>
  service.data('PUT', `/${REMOTE_CONFIG_ID}`, MODEL, { token: admin.token, body })
const read = (site: TestService = service, call: Call = { token: admin.token }): Promise<ApiResponse> =>
  site.data('GET', `/${REMOTE_CONFIG_ID}`, MODEL, call)

describe('the remote configuration', () => {
  it('is there from the first start, under the id that the apps know', async () => {
    const response = await read()
    assert.deepEqual([response.status, response.at('data.id')], [200, REMOTE_CONFIG_ID], response.text)
    assert.deepEqual([response.at('data.createdAt'), response.at('data.adConfig.enabled')], [response.at('data.updatedAt'), false])
  })

  it('is replaced as a whole, by the dashboard that sends what it read', async () => {
    const stored = (await read()).at('data') as JsonObject
    service.advance(60_000)
    const sent = withAt(withAt(stored, 'appStatus.isUnderMaintenance', true), 'feedDecoratorConfig', {})
    const response = await put({ ...sent, updatedAt: '2025-10-20T14:34:56.789', createdAt: '1970-01-01T00:00:00.000' })
    assert.equal(response.status, 200, response.text)
    const updatedAt = new Date(service.now()).toISOString()
    assert.deepEqual(response.at('data'), { ...sent, updatedAt })
    assert.deepEqual((await read()).at('data'), { ...sent, updatedAt })
  })

  it('is created only when it is gone, with its id whatever the body says', async () => {
    const create = (body: unknown): Promise<ApiResponse> => service.data('POST', '', MODEL, { token: admin.token, body })
    const conflict = await create(REMOTE_CONFIG)
    assert.deepEqual([conflict.status, conflict.at('error.code')], [409, 'conflict'])
    assert.equal((await service.data('DELETE', `/${REMOTE_CONFIG_ID}`, MODEL, { token: admin.token })).status, 204)
    assert.equal((await read()).status, 404)
    assert.equal((await put(REMOTE_CONFIG)).status, 404)
    assert.equal((await create({ ...REMOTE_CONFIG, adConfig: null })).status, 400)
    const { id: _, ...withoutId } = REMOTE_CONFIG
    const made = await Promise.all([create({ ...REMOTE_CONFIG, id: 'another' }), create(withoutId)])
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, 409])
    const one = made.find(({ status }) => status === 201)
    assert.equal(one?.at('data.id'), REMOTE_CONFIG_ID)
    const now = new Date(service.now()).toISOString()
    assert.deepEqual((await read()).at('data'), { ...REMOTE_CONFIG, createdAt: now, updatedAt: now })
  })
})

describe('a configuration that the apps could not decode is refused', () => {
  const limits = ['guest', 'authenticated', 'premium'].flatMap((who) =>
    ['FollowedItems', 'SavedHeadlines', 'SavedFilters'].map((what) => `userPreferenceConfig.${who}${what}Limit`),
  )
  const [ads, feed] = ['adConfig', 'feedDecoratorConfig']
  const table: readonly (readonly [path: string, ...wrong: (Json | undefined)[]])[] = [
    ...limits.map((path) => [path, -1, undefined] as const),
    [`${ads}.enabled`, 'true', undefined],
    [`${ads}.primaryAdPlatform`, 'AdMob', null],
    [`${ads}.platformAdIdentifiers.facebook`, {}],
    [`${ads}.platformAdIdentifiers.admob.feedNativeAdId`, 7],
    [`${ads}.feedAdConfiguration`, []],
    [`${ads}.feedAdConfiguration.adType`, 'popup', undefined],
    [`${ads}.feedAdConfiguration.visibleTo.guestUser.adFrequency`, 1.5, undefined],
    [`${ads}.articleAdConfiguration.bannerAdShape`, 'round', null],
    [`${ads}.interstitialAdConfiguration.visibleTo.guestUser.transitionsBeforeShowingInterstitialAds`, '5'],
    [`${feed}.banner`, { category: 'callToAction', enabled: false, visibleTo: {}, itemsToDisplay: null }],
    [`${feed}.rateApp.category`, 'other', undefined],
    [`${feed}.rateApp.visibleTo.guestUser.daysBetweenViews`, null],
    [`${feed}.rateApp.itemsToDisplay`, '5', -1],
    ['appStatus.isUnderMaintenance', 0],
    ['appStatus.latestAppVersion', 7, undefined],
    // Of a collection that is enabled.
    [`${feed}.suggestedTopics.itemsToDisplay`, null],
  ]
  for (const [path, ...wrong] of table) {
    it(path, async () => {
      assert.equal((await put(REMOTE_CONFIG)).status, 200)
      // An unknown key is named by the map that does not know it.
      const holder = path.slice(0, path.lastIndexOf('.'))
      for (const value of wrong) {
        const response = await put(withAt(REMOTE_CONFIG, path, value))
        assert.equal(response.status, 400, `${JSON.stringify(value)}: ${response.text}`)
        const names = [`invalidInput: ${path}`, `invalidInput: ${holder}: expected no keys but `]
        assert.ok(names.some((name) => response.error.startsWith(name)), response.error)
      }
      assert.equal((await read()).at('data.appStatus.latestAppVersion'), '1.1.0')
    })
  }

  for (const [name, version, isOnly, status] of [
    ['a newest version that is none, while only it may run, is refused', 'newest', true, 400],
    ['"1.2" is no version of the apps', '1.2', true, 400],
    ['a version with a build is taken', '1.2.0-beta.1+42', true, 200],
    ['no version is needed while any may run', 'newest', false, 200],
  ] as const) {
    it(name, async () => {
      const body = withAt(withAt(REMOTE_CONFIG, 'appStatus.isLatestVersionOnly', isOnly), 'appStatus.latestAppVersion', version)
      const response = await put(body)
      assert.equal(response.status, status, response.text)
      if (status === 400) assert.ok(response.error.startsWith('invalidInput: appStatus.latestAppVersion: expected '), response.error)
    })
  }
})

it('a configuration may leave out what the apps can do without, and hold what they do not know', async () => {
  const unset = { feedNativeAdId: null, feedToArticleInterstitialAdId: null, inArticleNativeAdId: null, inArticleBannerAdId: null }
  const rows: readonly (readonly [path: string, value: Json | undefined, stored: Json])[] = [
    ['adConfig.articleAdConfiguration.visibleTo.guestUser', { belowArticleContinueReadingButton: false }, { belowArticleContinueReadingButton: false }],
    ['adConfig.interstitialAdConfiguration.adType', undefined, 'interstitial'],
    ['adConfig.platformAdIdentifiers.admob', { feedBannerAdId: 'x' }, { ...unset, feedBannerAdId: 'x' }],
    ['feedDecoratorConfig.rateApp.itemsToDisplay', undefined, null],
    ['adConfig.guestAdFrequency', 5, 5],
    ['appStatus.motto', { any: ['thing'] }, { any: ['thing'] }],
  ]
  for (const [path, value, stored] of rows) {
    const response = await put(withAt(REMOTE_CONFIG, path, value))
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.at(`data.${path}`), stored, path)
  }
  const disabled = withAt(withAt(REMOTE_CONFIG, 'feedDecoratorConfig.suggestedTopics.enabled', false), 'feedDecoratorConfig.suggestedTopics.itemsToDisplay', null)
  assert.equal((await put(disabled)).status, 200, 'a disabled collection needs no number')
})

describe('reading the configuration without a session', () => {
  const expired = 'x.y.z'

  it('is 401 as it stands', async () => {
    assert.equal((await read(service, {})).status, 401)
    assert.equal((await read(service, { token: expired })).status, 401)
  })

  it('works where the operator opened it, without a token, with a bad one and with a good one', async (t) => {
    const open = await startService(t, { publicRemoteConfig: 'on' })
    const { token } = await open.guest()
    for (const call of [{}, { token: expired }, { headers: { authorization: 'Basic YTpi' } }, { token }]) {
      const response = await read(open, call)
      assert.deepEqual([response.status, response.at('data.id')], [200, REMOTE_CONFIG_ID], response.text)
    }
  })

  it('is limited by client address', async (t) => {
    const open = await startService(t, { publicRemoteConfig: 'on', rateLimits: 'on', dataPerUser: '3' })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await read(open, i % 2 === 0 ? {} : { token: expired })).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    open.advance(60_000)
    assert.equal((await read(open, {})).status, 200)
  })

  it('opens that one GET and nothing else', async (t) => {
    const open = await startService(t, { publicRemoteConfig: 'on' })
    const id = `/${REMOTE_CONFIG_ID}`
    for (const [method, target, parameters] of [
      ...[['GET', '', MODEL], ['POST', '', MODEL], ['PUT', id, MODEL], ['DELETE', id, MODEL], ['GET', '/x', MODEL]] as const,
      ...[['GET', id, {}], ['GET', id, { model: 'topic' }], ['GET', id, { model: 'Remote_config' }]] as const,
      ['GET', '/6643b1b7a4a4e6e1a8e7b1c2', { model: 'dashboard_summary' }],
    ] as const) {
      const body = method === 'POST' || method === 'PUT' ? { body: REMOTE_CONFIG } : {}
      const response = await open.data(method, target, parameters, body)
      assert.equal(response.status, 401, `${method} ${target} ${JSON.stringify(parameters)}`)
    }
    const twice = await open.call('GET', `/api/v1/data${id}?model=remote_config&model=topic`)
    assert.equal(twice.status, 400)
  })
})
