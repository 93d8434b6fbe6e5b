/** `dateline explain` beside a running service, on the sample content. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { siteWithBoss, siteWithSamples } from '../support/service/made-site.ts'
import { type Finished } from '../../scripts/tools/program.ts'
import { suiteCleanup } from '../../scripts/tools/temporary-directory.ts'

const hooks = suiteCleanup(after)
let data = ''

before(async () => {
  data = await siteWithSamples(hooks)
  await serveCheaply(hooks, ['--data-dir', data])
})

const explain = (...words: readonly string[]): Promise<Finished> => runCheaply(['explain', '--data-dir', data, ...words])

async function explainJson(...words: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await explain(...words, '--json')
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim().split('\n').length, 1)
  return JSON.parse(stdout) as Record<string, unknown>
}

/** Thirty of these states wait at almost every character, for one that no text has. */
const MANY_STATES = Array.from({ length: 30 }, () => '[aeiou ].{300}[%&]').join('|')

const MODEL = ['--model', 'headline']
const LIST = [...MODEL, '--filter', '{"status":"active"}', '--sort', 'updatedAt:desc', '--limit', '10']

describe('explain', () => {
  it('prints a plan that a person can read', async () => {
    const { code, stdout } = await explain(...LIST)
    assert.equal(code, 0)
    assert.match(stdout, /^access {3}index headline\/status,updatedAt:desc/)
    assert.match(stdout, /^decides {2}exact: /m)
    assert.match(stdout, /^runs {5}inline: /m)
    assert.match(stdout, /^order {4}rows come in the order of the page; nothing is sorted$/m)
    assert.match(stdout, /^rows {5}11 read, \d+ expected, 10 returned, more follow$/m)
    assert.match(stdout, /^sql {6}SELECT .* INDEXED BY "headline\/status,updatedAt:desc.*" WHERE .* ORDER BY /m)
    assert.match(stdout, /^values {3}\["active"\]$/m)
  })

  it('says the same as JSON', async () => {
    const found = await explainJson(...LIST)
    const { access, exact, runs, order, ranges, rowsRead, rowsReturned, hasMore } = found
    const told = [access, exact, runs, order, ranges, rowsRead, rowsReturned, hasMore]
    assert.deepEqual(told, ['index', true, 'inline', 'total', 1, 11, 10, true])
    assert.ok((found['weighed'] as unknown[]).length >= 3)
  })

  const pattern = JSON.stringify({ excerpt: { $regex: MANY_STATES } })
  for (const [name, model, filter, wanted] of [
    ['a search', 'headline', '{"q":"ferry"}', { access: 'search', index: 'headline_search', order: 'none' }],
    ['a pattern of many states, in a thread', 'headline', pattern, { runs: 'thread', exact: false }],
    ['a filter that nothing can meet', 'topic', '{"name":7}', { access: 'nothing', sql: null, ranges: 0, rowsRead: 0 }],
  ] as const) {
    it(`explains ${name}`, async () => {
      const found = await explainJson('--model', model, '--filter', filter)
      assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((key) => [key, found[key]])), wanted)
    })
  }

  for (const [name, words, message] of [
    ['an unknown operator', [...MODEL, '--filter', '{"a":{"$near":1}}'], /^Cannot read filter at "\$\.a\.\$near": /],
    ['a bad sort', [...MODEL, '--sort', 'a:up'], /^Cannot read sort "a:up"/],
    ['a bad limit', [...MODEL, '--limit', '-1'], /^Cannot read limit "-1"/],
    ['a cursor of another query', [...MODEL, '--cursor', 'abc'], /^Cannot read cursor "abc"/],
    ['an unknown model', ['--model', 'ad'], /^Cannot read --model "ad": expected one of headline, /],
    ['no model', [], /^Cannot read --model: expected one of .*, found nothing$/m],
  ] as const) {
    it(`refuses ${name} with status 2 and the service's words`, async () => {
      const { code, stdout, stderr } = await explain(...words)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    })
  }

  it('works when no service runs', async (t) => {
    const alone = await siteWithBoss(t)
    const { code, stdout } = await runCheaply(['explain', '--model', 'user', '--data-dir', alone])
    assert.equal(code, 0)
    assert.match(stdout, /^rows {5}1 read/m)
  })

  it('narrows by who has changed a document, as export does', async () => {
    const user = '66f000000000000000000601'
    const database = openDatabase(join(data, 'dateline.db'))
    database.run("UPDATE change SET actor = ? WHERE seq IN (SELECT seq FROM change WHERE model = 'headline' ORDER BY seq LIMIT 2)", user)
    database.close()
    assert.equal((await explainJson(...MODEL, '--changed-by', user))['rowsReturned'], 2)
    const exported = await runCheaply(['export', '--data-dir', data, '--model', 'headline', '--changed-by', user])
    assert.deepEqual([exported.code, exported.stdout.trim().split('\n').length, exported.stderr], [0, 2, ''])
    const wrong = await explain('--model', 'headline', '--changed-by', ',')
    assert.match(wrong.stderr, /Cannot read changedBy ",": expected 1 to 20 ids of users, separated by commas/)
  })
})
