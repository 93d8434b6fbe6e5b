/**
 * Patterns that once held the service up.
 *
 * V8 compiles some patterns of fewer than 1,000 characters for hours, which ends with neither its thread nor SIGTERM:
 * `a?` × 300 + `aaaa`, `(?:\b|a)` × 120 + `aaaa`. It matches others in exponential time, and the one document of
 * dashboard_summary is matched beside all other requests. So it sees no pattern from outside, and each of these is an
 * ordinary query now: it gets a response, other requests do not wait for it, and no thread stays behind.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Signed } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const PARALLEL = longRun(2, 16)

const ATTACKS: Readonly<Record<string, string>> = {
  'a? × 300 + aaaa': `${'a?'.repeat(300)}aaaa`,
  '(?:\\b|a) × 120 + aaaa': `${'(?:\\b|a)'.repeat(120)}aaaa`,
  '(?:^|a) × 120 + aaaa': `${'(?:^|a)'.repeat(120)}aaaa`,
  'nested repetition': '^((([a-z0-9_]+)+)+)+!$',
  'nested repetition of anything': '^(((.+)+)+)+\\n$',
  'overlapping alternatives': '^(?:\\w|\\w\\w|[a-z]+)*!$',
  'many properties': `^(?:${['L', 'Lu', 'Ll', 'N', 'Alphabetic', 'sc=Latn'].map((name) => `\\p{${name}}`).join('|')})*!$`,
  'almost ten thousand states': '^(?:[a-z_]{0,50}!){98}$',
  'repetition of repetition': '(?:(?:a{0,9}){0,9}){0,9}!$',
}

const { service, publisher, admin } = await startSite()
let guest: Signed

before(async () => {
  guest = await service.guest()
  for (const title of ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'dashboard_summary_of_the_day', 'words and more words']) {
    const body = { ...bodyOf('headline'), title, excerpt: title.repeat(20) }
    const created = await service.data('POST', '', { model: 'headline' }, { token: publisher.token, body })
    assert.equal(created.status, 201, created.text)
  }
})

function list(model: string, filter: JsonObject, { token }: Pick<Signed, 'token'>): Promise<ApiResponse> {
  return service.data('POST', '/query', { model }, { token, body: { filter } })
}

/** The statuses of the same query sent several times at once, beside a request of another user. */
async function attack(model: string, filter: JsonObject, by: Pick<Signed, 'token'>): Promise<number[]> {
  const responses = Promise.all(Array.from({ length: PARALLEL }, () => list(model, filter, by)))
  assert.equal((await service.call('GET', '/api/v1/auth/me', { token: admin.token })).status, 200)
  return [...new Set((await responses).map(({ status }) => status))]
}

describe('a pattern that V8 compiles or matches for hours gets its response, of headlines, users and the summary:', () => {
  for (const [name, pattern] of Object.entries(ATTACKS)) {
    it(name, async () => {
      const filter = { $or: [{ title: { $regex: pattern } }, { excerpt: { $regex: pattern, $options: 'i' } }] }
      assert.deepEqual(await attack('headline', filter, guest), [200])
      assert.deepEqual(await attack('user', { email: { $regex: pattern } }, guest), [403])
      assert.deepEqual(await attack('user', { email: { $regex: pattern } }, admin), [200])
      assert.deepEqual(await attack('dashboard_summary', { id: { $regex: pattern } }, publisher), [200])
    })
  }

  it('a thousand at once: 400 that names the limit', async () => {
    const heavy = { id: { $not: { $regex: '^[0-9a-z_]{90}!$' } } }
    const response = await list('dashboard_summary', { $and: Array.from({ length: 999 }, () => heavy) }, publisher)
    assert.equal(response.status, 200)
    const heavier = { id: { $not: { $regex: '^(?:[0-9a-z_]?){48}!$' } } }
    const refused = await list('dashboard_summary', { $and: Array.from({ length: 999 }, () => heavier) }, publisher)
    assert.equal(refused.status, 400)
    assert.match(refused.error, /expected a filter that takes at most \d+ steps/)
  })
})

it('no thread is left with any of them', async () => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const running = [...metrics.matchAll(/^dateline_queries_running\b[^\n]* (\d+)$/gm)].map(([, count]) => Number(count))
  assert.ok(running.length > 0, metrics)
  assert.ok(running.every((count) => count === 0), running.join())
})
