/**
 * A check tells all that is wrong, and a stranger decides how much that is.
 *
 * The attacks: a body with a hundred thousand faults, each of which would be a sentence; names of members as long as a body may
 * be, which stand in the path of every fault below them, so that fifty faults would make a response of a hundred megabytes;
 * thousands of references that lead nowhere; bodies as deep as they may be.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Problem } from '../../src/base/problem.ts'
import { PREFERENCES, TOPIC } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, standard } = await startSite()
const PROBLEMS_MAX = 50
/** Fifty problems with a path of a thousand characters and a sentence each. */
const REPLY_BYTES_MAX = 100_000
const LONG = 'n'.repeat(1_900_000)

async function check(model: string, body: unknown): Promise<readonly Problem[]> {
  const id = model === 'topic' ? {} : { id: standard.id }
  const token = model === 'topic' ? admin.token : standard.token
  const response = await service.data('POST', '/check', { model, ...id }, { token, body })
  assert.equal(response.status, 200, response.text.slice(0, 300))
  assert.ok(response.text.length < REPLY_BYTES_MAX, `${response.text.length} bytes`)
  return response.at('data.problems') as Problem[]
}

const many = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`$${i}`, i]))

describe('a check of', () => {
  it('a hundred thousand faults tells the first fifty', async () => {
    const zeros = `[${Array(99_000).fill('0').join()}]`
    const body = JSON.stringify({ ...PREFERENCES, id: standard.id, followedTopics: [] })
    const problems = await check('user_content_preferences', body.replace('"followedTopics":[]', `"followedTopics":${zeros}`))
    assert.equal(problems.length, PROBLEMS_MAX)
    assert.deepEqual(problems[0], {
      path: 'followedTopics',
      code: 'tooMany',
      params: { max: '1000' },
      message: 'expected at most 1000 entries, found 99000',
    })
    assert.equal(problems.at(-1)?.path, `followedTopics[${PROBLEMS_MAX - 2}]`)
  })

  it('a body of more names and values than it may have is refused', async () => {
    const call = (zeros: number): Promise<ApiResponse> =>
      service.data('POST', '/check', { model: 'topic' }, { token: admin.token, body: { x: Array(zeros).fill(0) } })
    // The object, the name, the array and its zeros.
    assert.equal((await call(100_000 - 3)).status, 200)
    const refused = await call(100_000 - 2)
    assert.deepEqual(
      [refused.status, refused.error],
      [400, 'invalidInput: Cannot read the request body as JSON: more than 100000 names and values'],
    )
  })

  it('names as long as a body may be repeats none of them whole', async () => {
    const problems = await check('topic', { ...TOPIC, [LONG]: many(1_000) })
    assert.equal(problems.length, PROBLEMS_MAX)
    assert.match(problems[0]?.path ?? '', /^n{1000}…$/)
    const response = await service.data(
      'POST',
      '',
      { model: 'topic' },
      { token: admin.token, body: { ...TOPIC, [LONG]: many(1) } },
    )
    assert.equal(response.error, `invalidInput: ${problems[0]?.path}: ${problems[0]?.message}`)
  })
})
