/**
 * A database that version 0.1.0 wrote gives the same answers to the same tokens, byte for byte, but for the member that
 * sources have got since then.
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
import { STORED_MODELS } from '../../src/models/registry.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { faultsOf } from '../../src/store/sqlite/database-check.ts'
import { contentFaults } from '../../src/store/tables/stored-documents.ts'
import { wordFaults } from '../../src/store/tables/word-index.ts'
import { SOURCE } from '../support/service/data-bodies.ts'
import { startService } from '../support/service/service.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const LOGO = ',"logoUrl":""'
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

/** A member that headlines have got since. */
const PUBLISHED_AT = /,"publishedAt":"[^"]+"/g

it('a database of the first release answers as it did, and is kept as it was', async (t) => {
  const recorded = JSON.parse(readFileSync(join(CASES, 'first-release.json'), 'utf8')) as Recorded
  const file = gunzipSync(readFileSync(join(CASES, 'first-release.db.gz')))
  const directory = temporaryDirectory(t)
  mkdirSync(join(directory, 'data'))
  writeFileSync(join(directory, 'data', 'dateline.db'), file)
  writeFileSync(join(directory, 'data', 'secrets'), recorded.secrets, { mode: 0o600 })
  const backup = openDatabase(join(directory, 'data', 'dateline.db'))
  assert.deepEqual([...faultsOf(backup), ...contentFaults(backup, STORED_MODELS)], [], 'a restore takes it')
  backup.close()
  const service = await startService(t, {}, { directory, start: recorded.now })
  assert.ok(recorded.answers.length > 15)
  let logos = 0
  let dates = 0
  for (const { as, target, query, status, items, sha256 } of recorded.answers) {
    const name = `${as} GET ${target} ${JSON.stringify(query)}`
    const answer = await service.data('GET', target, query, { token: recorded.tokens[as] })
    assert.equal(answer.status, status, name)
    const found = answer.at('data.items')
    assert.equal(Array.isArray(found) ? found.length : undefined, items, name)
    const text = JSON.stringify(answer.at('data'))
    dates += (text ?? '').match(PUBLISHED_AT)?.length ?? 0
    logos += (text ?? '').split(LOGO).length - 1
    assert.equal(
      createHash('sha256')
        .update(text?.replaceAll(LOGO, '').replaceAll(PUBLISHED_AT, '') ?? '')
        .digest('hex'),
      sha256,
      name,
    )
  }
  // Its index of names lacks a column that has been declared since.
  const made = await service.data('POST', '', { model: 'source' }, { token: recorded.tokens['admin'], body: SOURCE })
  assert.equal(made.status, 201, made.text)
  const { newest, wholeBehind } = service.app.services.store.changeRange()
  assert.ok(wholeBehind === 1 && newest >= 1, 'readers of the change log begin with the lists')
  assert.ok(dates > 10, `${dates} dates of publishing`)
  assert.ok(logos > 50, `${logos} sources and copies of sources`)
  assert.ok(existsSync(join(directory, 'data', 'dateline.db.before-schema-1')))
  const database = openDatabase(join(directory, 'data', 'dateline.db'), { readOnly: true })
  t.after(() => database.close())
  assert.deepEqual(wordFaults(database, STORED_MODELS), [], 'the index of words is filled from the documents')
  assert.deepEqual([...faultsOf(database), ...contentFaults(database, STORED_MODELS)], [])
})
