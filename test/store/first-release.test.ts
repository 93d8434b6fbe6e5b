/**
 * A database that version 0.1.0 wrote gives the same answers to the same tokens, byte for byte.
 *
 * cases/first-release.db.gz is its file after an administrator, a reader and a guest had used it;
 * cases/first-release.json has its secret, their tokens, the requests, and the hashes of their responses.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startService, temporaryDirectory } from '../support/service/service.ts'

const CASES = join(import.meta.dirname, '../cases')

interface Recorded {
  readonly now: number
  readonly secrets: string
  readonly tokens: Readonly<Record<string, string>>
  readonly answers: readonly {
    readonly as: string
    readonly target: string
    readonly query: Readonly<Record<string, unknown>>
    readonly status: number
    readonly items?: number
    readonly sha256: string
  }[]
}

it('a database of the first release answers as it did, and is kept as it was', async (t) => {
  const recorded = JSON.parse(readFileSync(join(CASES, 'first-release.json'), 'utf8')) as Recorded
  const file = gunzipSync(readFileSync(join(CASES, 'first-release.db.gz')))
  const directory = temporaryDirectory(t)
  mkdirSync(join(directory, 'data'))
  writeFileSync(join(directory, 'data', 'dateline.db'), file)
  writeFileSync(join(directory, 'data', 'secrets'), recorded.secrets, { mode: 0o600 })
  const service = await startService(t, {}, { directory, start: recorded.now })
  assert.ok(recorded.answers.length > 15)
  for (const { as, target, query, status, items, sha256 } of recorded.answers) {
    const name = `${as} GET ${target} ${JSON.stringify(query)}`
    const answer = await service.data('GET', target, query, { token: recorded.tokens[as] })
    assert.equal(answer.status, status, name)
    const found = answer.at('data.items')
    assert.equal(Array.isArray(found) ? found.length : undefined, items, name)
    const text = JSON.stringify(answer.at('data'))
    assert.equal(
      createHash('sha256')
        .update(text ?? '')
        .digest('hex'),
      sha256,
      name,
    )
  }
  assert.ok(existsSync(join(directory, 'data', 'dateline.db.before-schema-1')))
})
