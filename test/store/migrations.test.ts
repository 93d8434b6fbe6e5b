import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { createdAt, id, model, text, updatedAt } from '../../src/models/schema.ts'
import { status } from '../../src/models/status.ts'
import { issueCode, takeCode } from '../../src/store/tables/code-table.ts'
import { removeExpired } from '../../src/store/tables/expired-rows.ts'
import { countRates, TRY_SCHEMA } from '../../src/store/tables/rate-table.ts'
import { openDatabase, type Database } from '../../src/store/sqlite/database.ts'
import {
  migrate,
  MIGRATIONS,
  needsMigration,
  schemaVersion,
  SchemaError,
  type MigrationOptions,
} from '../../src/store/sqlite/migrations.ts'
import { addPublicationDates } from '../../src/store/sqlite/publication-dates.ts'
import { requireSchedules } from '../../src/store/sqlite/schedule-schema.ts'
import { countHandedIn, dueDocuments, handedIn } from '../../src/store/tables/document-tables.ts'
import { requireReview, REVIEW_NOTE_SCHEMA } from '../../src/store/tables/review-notes.ts'
import { HEADLINE } from '../support/service/data-bodies.ts'
import { temporaryDirectory, type Cleanup } from '../support/service/temporary-directory.ts'

const thing = model({
  name: 'thing',
  description: '',
  fields: { id: id(), name: text(), createdAt: createdAt(), updatedAt: updatedAt(), status: status() },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: [],
  indexes: [['name'], ['status', 'updatedAt:desc']],
  counted: true,
})

function fresh(t: Cleanup): { database: Database; options: MigrationOptions; directory: string } {
  const directory = temporaryDirectory(t)
  const database = openDatabase(join(directory, 'a.db'))
  t.after(() => database.close())
  return { database, directory, options: { models: [thing], version: '1.0.0', backup: join(directory, 'copy') } }
}

function names(database: Database, type: string): string[] {
  return database
    .all('SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL ORDER BY name', type)
    .map((row) => String(row['name']))
}

it('a new file gets the whole schema, and a second start changes nothing', (t) => {
  const { database, options } = fresh(t)
  assert.ok(needsMigration(database, options))
  migrate(database, options)
  assert.equal(schemaVersion(database, options), MIGRATIONS.length)
  assert.ok(names(database, 'table').includes('thing'))
  assert.ok(!needsMigration(database, options))
})

it('indexes follow the declarations: new ones are created, others dropped', (t) => {
  const { database, options } = fresh(t)
  migrate(database, options)
  const changed = { ...options, models: [{ ...thing, indexes: [['updatedAt']] }] }
  assert.ok(needsMigration(database, changed))
  migrate(database, changed)
  assert.deepEqual(
    names(database, 'index').filter((name) => name.startsWith('thing/')),
    ['thing/updatedAt'],
  )
})

it('counts that are declared later start with the existing documents', (t) => {
  const { database, options } = fresh(t)
  const { counted: _, ...uncounted } = thing
  migrate(database, { ...options, models: [uncounted] })
  for (const [key, state] of ['active', 'draft', 'active'].entries()) {
    database.run('INSERT INTO thing (id, doc) VALUES (?, ?)', String(key), JSON.stringify({ status: state }))
  }
  migrate(database, options)
  database.run(`UPDATE thing SET doc = '{"status":"draft"}' WHERE id = '0'`)
  database.run(`DELETE FROM thing WHERE id = '1'`)
  database.run(`INSERT INTO thing (id, doc) VALUES ('3', '{"status":"archived"}')`)
  const counts = database.all('SELECT status, n FROM status_count WHERE n > 0 ORDER BY status')
  assert.deepEqual(
    counts.map((row) => [row['status'], row['n']]),
    [
      ['active', 1],
      ['archived', 1],
      ['draft', 1],
    ],
  )
})

it('a file of a newer program is refused with the version to install, and left as it is', (t) => {
  const { database, options } = fresh(t)
  const newer = [...MIGRATIONS, 'CREATE TABLE later (a)']
  migrate(database, { ...options, version: '9.8.7', migrations: newer })
  assert.throws(
    () => migrate(database, options),
    (error: Error) => {
      assert.ok(error instanceof SchemaError)
      assert.match(error.message, /dateline 9\.8\.7.*install that version or a newer one/)
      return true
    },
  )
  assert.ok(names(database, 'table').includes('later'))
})

it("another program's database is refused", (t) => {
  const { database, options } = fresh(t)
  database.exec('CREATE TABLE other (a)')
  assert.throws(() => migrate(database, options), /was not written by dateline/)
  assert.deepEqual(names(database, 'table'), ['other'])
})

it('a migration keeps a private copy of the database as it was', (t) => {
  const { database, options, directory } = fresh(t)
  migrate(database, options)
  database.run(`INSERT INTO thing (id, doc) VALUES ('1', '{"status":"active"}')`)
  migrate(database, { ...options, migrations: [...MIGRATIONS, 'DELETE FROM thing'] })
  assert.equal(database.get('SELECT count(*) AS n FROM thing')?.['n'], 0)
  const file = join(directory, `copy-${MIGRATIONS.length}`)
  assert.equal((statSync(file).mode & 0o777).toString(8), '600')
  const copy = openDatabase(file, { readOnly: true })
  assert.equal(copy.get('SELECT count(*) AS n FROM thing')?.['n'], 1)
  copy.close()
})

it('a migration that fails leaves the file as it was', (t) => {
  const { database, options, directory } = fresh(t)
  migrate(database, options)
  const broken = [...MIGRATIONS, 'CREATE TABLE half (a)', 'CREATE TABLE nonsense (']
  assert.throws(() => migrate(database, { ...options, migrations: broken }))
  assert.equal(schemaVersion(database, options), MIGRATIONS.length)
  assert.ok(!names(database, 'table').includes('half'))
  assert.ok(existsSync(join(directory, `copy-${MIGRATIONS.length}`)))
})

it('codes that were live before schema 6 stay live, with their wrong attempts', (t) => {
  const { database, options } = fresh(t)
  migrate(database, { ...options, migrations: MIGRATIONS.slice(0, 5) })
  database.run("INSERT INTO code (email, mac, attempts, expires_at) VALUES ('a@example.org', x'0a', 2, 1000)")
  migrate(database, options)
  assert.deepEqual(
    database.all('SELECT * FROM code').map((row) => ({ ...row })),
    [{ email: 'a@example.org', maker: 'mail', mac: new Uint8Array([10]), wrong: 2, expires_at: 1000 }],
  )
  const claim = {
    ...{ email: 'a@example.org', mac: Buffer.from([10]), client: Buffer.alloc(16), now: 999 },
    ...{ attempts: { perClient: 5, inAll: 15 }, rates: { perClient: undefined, perEmail: undefined } },
  }
  assert.equal(takeCode(database, claim), undefined)
})

it('a node whose cluster is not upgraded yet signs in, limits wrong codes and removes what expired', (t) => {
  // The program asked for columns and tables of the next schema: no node gave a code until "dateline cluster upgrade".
  const { database, options: own } = fresh(t)
  const options = { ...own, models: STORED_MODELS }
  migrate(database, { ...options, migrations: MIGRATIONS.slice(0, MIGRATIONS.indexOf(TRY_SCHEMA)) })
  const [email, client, now] = ['a@example.org', Buffer.from('client'), 0]
  const right = Buffer.from('right')
  assert.equal(issueCode(database, { email, mac: right, now, expiresAt: 9, message: { id: 'm', sealed: Buffer.alloc(1) }, requester: client }), 'issued')
  const claim = (mac: Buffer) => ({
    ...{ email, mac, client, now, attempts: { perClient: 5, inAll: 15 } },
    rates: { perClient: { ring: 'client_try' as const, key: client, max: 1, windowMs: 9 } },
  })
  assert.equal(takeCode(database, claim(Buffer.from('wrong')))?.kind, 'rejected')
  assert.equal(takeCode(database, claim(right))?.kind, 'limited')
  assert.equal(removeExpired(database, 8), false)
  migrate(database, options)
  assert.equal(takeCode(database, claim(right)), undefined, 'the code stays, and the counters of wrong ones start from nothing')
})

it('events of rates from before schema 7 keep their order, and none counts twice', (t) => {
  const { database, options } = fresh(t)
  migrate(database, { ...options, migrations: MIGRATIONS.slice(0, 6) })
  for (const [rowid, at] of [
    [7, 10],
    [3, 20],
    [9, 30],
  ] as const) {
    database.run("INSERT INTO rate_hit (rowid, key, at, expires_at) VALUES (?, x'0a', ?, 2000)", rowid, at)
  }
  migrate(database, options)
  const rate = { key: Buffer.from([10]), max: 4, windowMs: 1000 }
  assert.equal(countRates(database, [rate], 40), undefined)
  assert.deepEqual(countRates(database, [rate], 41), { full: 0, retryAfterMs: 10 + 1000 - 41 })
  assert.deepEqual(
    database.all('SELECT seq, at FROM rate_hit ORDER BY seq').map(({ seq, at }) => [seq, at]),
    [
      [3, 20],
      [7, 10],
      [9, 30],
      [10, 40],
    ],
  )
})

it('a draft is handed in only where the schema has a queue, and what clients made up before waits in none', (t) => {
  const { database, options } = fresh(t)
  const models = [headline]
  migrate(database, { ...options, models, migrations: MIGRATIONS.slice(0, MIGRATIONS.indexOf(REVIEW_NOTE_SCHEMA)) })
  const [createdAt, handedInAt] = ['2025-01-01T00:00:00.000Z', '2025-01-02T00:00:00.000Z']
  for (const status of ['active', 'draft']) {
    const doc = { ...HEADLINE, id: status, createdAt, handedInAt, status }
    database.run('INSERT INTO headline (id, doc) VALUES (?, ?)', status, JSON.stringify(doc))
  }
  const stored = { status: 'draft', handedInAt }
  requireReview(database, headline, stored, { ...stored, title: 'The same time' })
  assert.throws(() => requireReview(database, headline, undefined, stored), /run "dateline cluster upgrade"/)
  assert.deepEqual([handedIn(database, headline, 10), countHandedIn(database, headline)], [[], 0])
  migrate(database, { ...options, models })
  requireReview(database, headline, undefined, stored)
  assert.deepEqual(handedIn(database, headline, 10).map(({ id }) => id), ['draft'])
  assert.equal(countHandedIn(database, headline), 1)
})

it('dates of publishing come from the documents, times that clients made up are no schedules', (t) => {
  const { database, options } = fresh(t)
  const before = MIGRATIONS.indexOf(addPublicationDates)
  const models = [headline]
  migrate(database, { ...options, models, migrations: MIGRATIONS.slice(0, before) })
  const given = { a: 'now', b: '12:00', c: 2460000, d: '2025-10-01T10:00:00+02:00', e: '2025-10-02', f: '2025-99-99 now', g: null }
  const createdAt = '2025-01-01T00:00:00.000Z'
  for (const [id, publishedAt] of Object.entries(given)) {
    const doc = { ...HEADLINE, id, createdAt, publishedAt, unpublishAt: '2020-01-01T00:00:00.000Z' }
    database.run('INSERT INTO headline (id, doc) VALUES (?, ?)', id, JSON.stringify(doc))
  }
  assert.deepEqual(dueDocuments(database, headline, undefined, 10), [])
  const stored = { status: 'draft', publishAt: '2030-01-01T00:00:00.000Z' }
  requireSchedules(database, headline, stored, { ...stored, title: 'The same time' })
  assert.throws(() => requireSchedules(database, headline, undefined, stored), /run "dateline cluster upgrade"/)
  migrate(database, { ...options, models })
  const docs = database.all('SELECT doc FROM headline ORDER BY id').map(({ doc }) => JSON.parse(String(doc)) as Record<string, unknown>)
  const [d, e] = ['2025-10-01T08:00:00.000Z', '2025-10-02T00:00:00.000Z']
  assert.deepEqual(docs.map(({ publishedAt }) => publishedAt), [createdAt, createdAt, createdAt, d, e, createdAt, createdAt])
  assert.ok(docs.every((doc) => !('unpublishAt' in doc)))
  requireSchedules(database, headline, undefined, stored)
})
