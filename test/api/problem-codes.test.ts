/** Every code of a problem, with its parameters, in a check and in the error of the request itself. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { PROBLEM_CODES, type Problem, type ProblemCode } from '../../src/base/problem.ts'
import {
  copies,
  COUNTRY,
  FEED,
  HEADLINE,
  LANGUAGE,
  PREFERENCES,
  PUBLICATION,
  REMOTE_CONFIG,
  REMOTE_CONFIG_ID,
  TOPIC,
  USER,
  withAt,
} from '../../scripts/tools/data-bodies.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest, publisher, standard } = await startSite({ review: 'on' })
const FREE_ID = '000000000000000000000000'
const STATUSES = 'active, draft, archived'

/** A topic that a few references make larger than a body may be. */
const long = { token: admin.token, body: { ...TOPIC, description: 'x'.repeat(500_000) } }
const longTopic = { id: String((await service.data('POST', '', { model: 'topic' }, long)).at('data.id')) }
const demoted = await service.data('GET', `/${admin.id}`, { model: 'user' }, { token: admin.token })

const nested = (levels: number): JsonObject => (levels === 1 ? {} : { deeper: nested(levels - 1) })
const topic = (path: string, value: JsonObject[string] | undefined): JsonObject => withAt(TOPIC, path, value)
const CONFIG = { model: 'remote_config', id: REMOTE_CONFIG_ID } as const
const config = (path: string, value: JsonObject[string]): Pick<Row, 'path' | 'body' | 'model' | 'id'> => {
  const body = withAt(withAt(REMOTE_CONFIG, 'appStatus.isLatestVersionOnly', true), path, value)
  return { path, body, ...CONFIG }
}
/** Preferences of the standard user, written by themselves, or by an administrator, who has no limits. */
const preferences = (changes: JsonObject, { token } = standard): Pick<Row, 'body' | 'model' | 'id' | 'token'> => ({
  ...{ model: 'user_content_preferences', id: standard.id, token },
  body: { ...PREFERENCES, id: standard.id, ...changes },
})
const headline = (path: string, value: JsonObject[string] | undefined): Pick<Row, 'path' | 'body' | 'model'> => ({
  ...{ path, model: 'headline' },
  body: withAt(HEADLINE, path, value),
})

interface Row {
  readonly code: ProblemCode
  readonly params?: Problem['params']
  readonly path: string
  readonly model?: string
  readonly body: JsonObject
  /** Of the document that the body would replace. */
  readonly id?: string
  readonly token?: string
  /** What the request itself fails with. */
  readonly failure?: 'forbidden' | 'conflict'
}

const ROWS: readonly Row[] = [
  { code: 'required', path: 'description', body: topic('description', undefined) },
  { code: 'required', path: 'name', body: topic('name', null) },
  { code: 'tooEarly', path: 'publishAt', model: 'headline', body: { ...HEADLINE, status: 'draft', publishAt: '2026-01-01T00:00:00.000Z' } },
  { code: 'otherStatus', params: { choices: 'draft' }, ...headline('publishAt', '2030-01-01T00:00:00.000Z') },
  { code: 'needsReview', ...headline('status', 'active'), token: publisher.token, failure: 'forbidden' },
  { code: 'required', ...headline('source', undefined) },
  { code: 'blank', path: 'name', body: topic('name', ' \n') },
  { code: 'notText', path: 'name', body: topic('name', 7) },
  { code: 'notUnicode', path: 'name', body: topic('name', '\ud800') },
  { code: 'tooLong', params: { max: '10000' }, path: 'name', body: topic('name', 'n'.repeat(10_001)) },
  { code: 'notChoice', params: { choices: STATUSES }, path: 'status', body: topic('status', 'gone') },
  { code: 'notDate', ...headline('source.createdAt', 'today') },
  { code: 'notId', ...headline('source.id', '') },
  { code: 'notReference', params: { model: 'source' }, ...headline('source', 'the post') },
  { code: 'unknownReference', params: { model: 'source' }, ...headline('source', { id: FREE_ID }) },
  { code: 'reservedName', params: { name: '$set' }, path: '', body: { ...TOPIC, $set: 1 } },
  { code: 'tooDeep', params: { max: '200' }, path: '', body: { ...TOPIC, deep: nested(200) } },
  { code: 'notBoolean', ...config('adConfig.enabled', 'no') },
  { code: 'notWholeNumber', ...config('userPreferenceConfig.guestFollowedItemsLimit', -1) },
  { code: 'notVersion', ...config('appStatus.latestAppVersion', 'newest') },
  { code: 'notObject', ...CONFIG, path: 'appStatus', body: { ...REMOTE_CONFIG, appStatus: [] } },
  {
    ...{ code: 'unknownName', params: { name: 'king', choices: 'guestUser, standardUser, premiumUser' } },
    ...config('feedDecoratorConfig.rateApp.visibleTo', { king: { daysBetweenViews: 1 } }),
  },
  { code: 'notList', path: 'followedTopics', ...preferences({ followedTopics: 'all' }) },
  { code: 'tooMany', params: { max: '1000' }, path: 'followedTopics', ...preferences({ followedTopics: copies(TOPIC, 1_001) }, admin) },
  {
    ...{ code: 'tooManyReferences', params: { max: '1000' }, path: '' },
    ...preferences({ followedTopics: Array(600).fill(longTopic) as JsonObject[], followedSources: Array(401).fill({ id: FREE_ID }) as JsonObject[] }, admin),
  },
  {
    ...{ code: 'tooLarge', params: { max: '2097152' }, path: 'followedTopics[4]' },
    ...preferences({ followedTopics: Array(5).fill(longTopic) as JsonObject[] }, admin),
  },
  {
    ...{ code: 'overLimit', params: { max: '5' }, path: 'followedTopics', model: 'user_content_preferences', failure: 'forbidden' },
    ...{ id: guest.id, token: guest.token, body: { ...PREFERENCES, id: guest.id, followedTopics: copies(TOPIC, 6) } },
  },
  { code: 'otherId', path: 'id', ...preferences({ id: 'other' }) },
  { code: 'notEmail', path: 'email', model: 'user', body: { ...USER, email: 'reader' } },
  { code: 'notName', path: 'displayName', model: 'user', body: { ...USER, email: 'named@example.org', displayName: 'two\nlines' } },
  { code: 'duplicate', path: 'email', model: 'user', failure: 'conflict', body: { ...USER, email: standard.email } },
  { code: 'notHttpUrl', path: 'iconUrl', body: topic('iconUrl', 'javascript:alert(1)') },
  { code: 'notHttpUrl', ...headline('source.url', 'data:text/html,x') },
  { code: 'notCountryCode', path: 'isoCode', model: 'country', body: { ...COUNTRY, isoCode: 'ISL' } },
  { code: 'blank', path: 'isoCode', model: 'country', body: { ...COUNTRY, isoCode: '' } },
  { code: 'notLanguageCode', path: 'code', model: 'language', body: { ...LANGUAGE, code: 'IS' } },
  { code: 'duplicate', params: { name: 'Iceland' }, path: 'isoCode', model: 'country', failure: 'conflict', body: COUNTRY },
  { code: 'duplicate', params: { name: 'Icelandic' }, path: 'code', model: 'language', failure: 'conflict', body: LANGUAGE },
  { code: 'notFilter', path: 'rules[0].filter', model: 'feed', body: { ...FEED, rules: [{ filter: '{"topic":1}', topic: null, country: null, arrival: null, drop: true }] } },
  { code: 'notPublicationName', path: 'name', model: 'publication', body: { ...PUBLICATION, name: 'Harbour News' } },
  { code: 'notContact', path: 'contact', model: 'publication', body: { ...PUBLICATION, contact: 'the harbour office' } },
  { code: 'duplicate', path: '', model: 'remote_config', failure: 'conflict', body: REMOTE_CONFIG },
  {
    ...{ code: 'lastAdministrator', path: '', model: 'user', id: admin.id, failure: 'forbidden' },
    body: { ...(demoted.at('data') as JsonObject), dashboardRole: 'none' },
  },
]

/** A process has a time of its own, which goes on between two requests. */
function anyTime(problem: Problem): Problem {
  return { ...problem, message: problem.message.replace(/after \S+,/, 'after a time,') }
}

for (const row of ROWS) {
  const { code, path, body, id, params = {}, model = 'topic', token = admin.token, failure = 'invalidInput' } = row
  it(`${code} is told of ${path === '' ? `a ${model}` : path}`, async () => {
    const parameters = { model, ...(id === undefined ? {} : { id }) }
    const checked = await service.data('POST', '/check', parameters, { token, body })
    const [problem] = (checked.at('data.problems') ?? []) as Problem[]
    assert.ok(problem !== undefined, checked.text)
    assert.deepEqual([problem.code, problem.path, problem.params], [code, path, params], problem.message)
    const call = { token, body }
    const written = await service.data(id === undefined ? 'POST' : 'PUT', id === undefined ? '' : `/${id}`, { model }, call)
    assert.equal(written.at('error.code'), failure, written.text)
    assert.deepEqual((written.at('error.problems') as Problem[]).map(anyTime), [anyTime(problem)])
  })
}

/** No document has this problem, but the address that a feed is looked for at: feed-fetching.test.ts shows it. */
const OF_PREVIEWS = 'noFeed'

it('no code is left out here', () => {
  assert.deepEqual([...new Set([...ROWS.map(({ code }) => code), OF_PREVIEWS])].sort(), PROBLEM_CODES.toSorted())
})

it('a sign-in with a malformed e-mail address says so by code, and other errors have no problems', async () => {
  const malformed = await service.call('POST', '/api/v1/auth/request-code', { body: { email: 'reader' } })
  const [problem] = malformed.at('error.problems') as Problem[]
  assert.deepEqual([problem?.path, problem?.code], ['email', 'notEmail'])
  const missing = await service.data('GET', `/${FREE_ID}`, { model: 'topic' }, { token: admin.token })
  assert.deepEqual(Object.keys(missing.at('error') as object), ['code', 'message'])
})
