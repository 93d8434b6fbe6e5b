// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { newCast } from '../support/cast.ts'
import { decodeEnvelope, decodeRemoteConfig } from '../support/service/client-codec.ts'
import { REMOTE_CONFIG, REMOTE_CONFIG_ID, withAt } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse, type Call, type TestService } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { admin } = await newCast(service)
const MODEL = { model: 'remote_config' }

const put = (body: unknown): Promise<ApiResponse> =>
  service.data('PUT', `/${REMOTE_CONFIG_ID}`, MODEL, { token: admin.token, body })
const read = (site: TestService = service, call: Call = { token: admin.token }): Promise<ApiResponse> =>
  site.data('GET', `/${REMOTE_CONFIG_ID}`, MODEL, call)

describe('the remote configuration', () => {
  it('is there from the first start, under the id that the apps know', async () => {
    const response = await read()
    assert.equal(response.status, 200, response.text)
    const { createdAt, updatedAt, adConfig } = decodeEnvelope(response.body, decodeRemoteConfig).data
    assert.deepEqual([createdAt, adConfig.enabled], [updatedAt, false])
  })

  it('is replaced as a whole, by the dashboard that sends what it read', async () => {
    const stored = (await read()).at('data') as JsonObject
    service.advance(60_000)
    const sent = withAt(withAt(stored, 'appStatus.isUnderMaintenance', true), 'feedDecoratorConfig', {})
    const response = await put({ ...sent, updatedAt: '2025-10-20T14:34:56.789', createdAt: '1970-01-01T00:00:00.000' })
    assert.equal(response.status, 200, response.text)
    const updatedAt = new Date(service.now()).toISOString()
    assert.deepEqual(decodeEnvelope(response.body, decodeRemoteConfig).data, { ...sent, updatedAt })
    assert.deepEqual((await read()).at('data'), { ...sent, updatedAt })
  })

  it('exists under no other id', async () => {
    for (const id of ['6643b1b7a4a4e6e1a8e7b1c3', 'remote_config', 'x']) {
      assert.equal((await service.data('GET', `/${id}`, MODEL, { token: admin.token })).status, 404)
      assert.equal((await service.data('PUT', `/${id}`, MODEL, { token: admin.token, body: REMOTE_CONFIG })).status, 404)
    }
    assert.equal((await put({ ...REMOTE_CONFIG, id: '6643b1b7a4a4e6e1a8e7b1c3' })).status, 400)
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
    assert.equal(decodeEnvelope(one?.body, decodeRemoteConfig).data.id, REMOTE_CONFIG_ID)
    const now = new Date(service.now()).toISOString()
    assert.deepEqual((await read()).at('data'), { ...REMOTE_CONFIG, createdAt: now, updatedAt: now })
  })
})

describe('a configuration that the apps could not decode is refused', () => {
  const WHOLE = [undefined, null, -1, 1.5, '5', true, {}, [], 9007199254740992] as const
  const FLAG = [undefined, null, 0, 1, 'true', {}] as const
  const TEXT = [undefined, null, 7, true, {}, []] as const
  const OBJECT = [undefined, null, 7, 'x', [], true] as const
  const limits = ['guest', 'authenticated', 'premium'].flatMap((who) =>
    ['FollowedItems', 'SavedHeadlines', 'SavedFilters'].map((what) => `userPreferenceConfig.${who}${what}Limit`),
  )
  const table: readonly (readonly [path: string, wrong: readonly (Json | undefined)[]])[] = [
    ...limits.map((path) => [path, WHOLE] as const),
    ['adConfig.enabled', FLAG],
    ['adConfig.primaryAdPlatform', [undefined, null, 'AdMob', 'adMob', '', 7]],
    ['adConfig.platformAdIdentifiers.facebook', [{}]],
    ...['feedNativeAdId', 'feedBannerAdId', 'feedToArticleInterstitialAdId', 'inArticleNativeAdId', 'inArticleBannerAdId'].map(
      (id) => [`adConfig.platformAdIdentifiers.admob.${id}`, [7, true, {}, []]] as const,
    ),
    ['adConfig.feedAdConfiguration', OBJECT],
    ['adConfig.feedAdConfiguration.adType', [undefined, null, 'popup', 7]],
    ['adConfig.feedAdConfiguration.visibleTo.guestUser.adFrequency', WHOLE],
    ['adConfig.articleAdConfiguration.bannerAdShape', [undefined, null, 'round', 7]],
    ['adConfig.interstitialAdConfiguration.visibleTo.guestUser.transitionsBeforeShowingInterstitialAds', WHOLE],
    ['feedDecoratorConfig.banner', [{ category: 'callToAction', enabled: false, visibleTo: {}, itemsToDisplay: null }]],
    ['feedDecoratorConfig.rateApp.category', [undefined, null, 'other', 7]],
    ['feedDecoratorConfig.rateApp.visibleTo.guestUser.daysBetweenViews', WHOLE],
    ['feedDecoratorConfig.rateApp.itemsToDisplay', ['5', -1, 1.5, {}]],
    ['appStatus.isUnderMaintenance', FLAG],
    ['appStatus.latestAppVersion', TEXT],
  ]
  for (const [path, wrong] of table) {
    it(path, async () => {
      assert.equal((await put(REMOTE_CONFIG)).status, 200)
      for (const value of wrong) {
        const response = await put(withAt(REMOTE_CONFIG, path, value))
        assert.equal(response.status, 400, `${JSON.stringify(value)}: ${response.text}`)
        // An unknown key is named by the map that does not know it.
        const [, holder = '', key = ''] = /^(?:(.*)\.)?([^.]+)$/.exec(path) ?? []
        const names = [`invalidInput: ${path}`, `invalidInput: ${holder}: expected no keys but `]
        assert.ok(
          names.some((name) => response.error.startsWith(name)),
          `${key}: ${response.error}`,
        )
      }
      assert.equal((await read()).at('data.appStatus.latestAppVersion'), '1.1.0')
    })
  }

  const effects: readonly (readonly [name: string, changes: Readonly<Record<string, Json>>, status: number, message?: string])[] =
    [
      [
        'an enabled collection without a number of items',
        { 'feedDecoratorConfig.suggestedTopics.itemsToDisplay': null },
        400,
        'feedDecoratorConfig.suggestedTopics.itemsToDisplay',
      ],
      [
        'a disabled collection without one is fine',
        { 'feedDecoratorConfig.suggestedTopics.itemsToDisplay': null, 'feedDecoratorConfig.suggestedTopics.enabled': false },
        200,
      ],
      [
        'a newest version that is none, while only it may run',
        { 'appStatus.isLatestVersionOnly': true, 'appStatus.latestAppVersion': 'newest' },
        400,
        'appStatus.latestAppVersion',
      ],
      [
        '"1.2" is no version of the apps',
        { 'appStatus.isLatestVersionOnly': true, 'appStatus.latestAppVersion': '1.2' },
        400,
        'appStatus.latestAppVersion',
      ],
      ['a version with a build', { 'appStatus.isLatestVersionOnly': true, 'appStatus.latestAppVersion': '1.2.0-beta.1+42' }, 200],
      ['no version is needed while any may run', { 'appStatus.latestAppVersion': 'newest' }, 200],
    ]
  for (const [name, changes, status, member] of effects) {
    it(name, async () => {
      const body = Object.entries(changes).reduce<JsonObject>((made, [path, value]) => withAt(made, path, value), REMOTE_CONFIG)
      const response = await put(body)
      assert.equal(response.status, status, response.text)
      if (member !== undefined) assert.ok(response.error.startsWith(`invalidInput: ${member}: expected `), response.error)
    })
  }
})

describe('a configuration may', () => {
  const rows: readonly (readonly [name: string, path: string, value: Json | undefined, stored: Json])[] = [
    [
      'leave one of two buttons out',
      'adConfig.articleAdConfiguration.visibleTo.guestUser',
      { belowArticleContinueReadingButton: false },
      { belowArticleContinueReadingButton: false },
    ],
    ['leave the type of interstitials out', 'adConfig.interstitialAdConfiguration.adType', undefined, 'interstitial'],
    [
      'leave identifiers out',
      'adConfig.platformAdIdentifiers.admob',
      { feedBannerAdId: 'x' },
      {
        feedNativeAdId: null,
        feedBannerAdId: 'x',
        feedToArticleInterstitialAdId: null,
        inArticleNativeAdId: null,
        inArticleBannerAdId: null,
      },
    ],
    ['leave itemsToDisplay out of a call to action', 'feedDecoratorConfig.rateApp.itemsToDisplay', undefined, null],
    ['hold what older apps read in adConfig', 'adConfig.guestAdFrequency', 5, 5],
    ['hold further members in a fixed record', 'appStatus.motto', { any: ['thing'] }, { any: ['thing'] }],
  ]
  for (const [name, path, value, stored] of rows) {
    it(name, async () => {
      const response = await put(withAt(REMOTE_CONFIG, path, value))
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(decodeEnvelope<unknown>(response.body, decodeRemoteConfig) && response.at(`data.${path}`), stored)
    })
  }
})

describe('reading the configuration without a session', () => {
  const REMOTE = { query: MODEL, id: REMOTE_CONFIG_ID }
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
      assert.equal(response.status, 200, response.text)
      decodeEnvelope(response.body, decodeRemoteConfig)
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
    const { id, query } = REMOTE
    for (const [method, target, parameters] of [
      ['GET', '', query],
      ['POST', '', query],
      ['PUT', `/${id}`, query],
      ['DELETE', `/${id}`, query],
      ['GET', `/${id}`, {}],
      ['GET', `/${id}`, { model: 'topic' }],
      ['GET', `/${id}`, { model: 'Remote_config' }],
      ['GET', '/6643b1b7a4a4e6e1a8e7b1c3', query],
      ['GET', '/x', query],
      ['GET', '/6643b1b7a4a4e6e1a8e7b1c3', { model: 'dashboard_summary' }],
    ] as const) {
      const body = method === 'POST' || method === 'PUT' ? { body: REMOTE_CONFIG } : {}
      const response = await open.data(method, target, parameters, body)
      assert.equal(response.status, 401, `${method} ${target} ${JSON.stringify(parameters)}`)
    }
    const twice = await open.call('GET', `/api/v1/data/${id}?model=remote_config&model=topic`)
    assert.equal(twice.status, 400)
  })
})
