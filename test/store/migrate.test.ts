import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { openForTest } from '../../scripts/tools/stores.ts'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import {
  FIRST_SCHEMA,
  migrate,
  MIGRATIONS,
  SCHEMA,
  SchemaError,
  schemaVersion,
  type Migration,
  type MigrationOptions,
} from '../../src/store/schema/migrate.ts'
import { schemaFaults } from '../../src/store/schema/schema-check.ts'
import { schemaDigest } from '../../src/store/schema/whole-schema.ts'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

/** A file of this schema with a topic. */
function filled(t: Cleanup): { database: Database; options: MigrationOptions; file: string } {
  const file = join(temporaryDirectory(t), 'a.db')
  const database = openForTest(t, file)
  const options = { models: STORED_MODELS, version: '1.0.0', backup: `${file}.before` }
  migrate(database, options)
  database.run('INSERT INTO topic (id, doc) VALUES (?, ?)', TOPIC.id, JSON.stringify(TOPIC))
  return { database, options, file }
}

/** An invented next schema: a column, a changed document, and another index of topics. */
function next(database: Database): { migrations: readonly Migration[]; models: MigrationOptions['models'] } {
  const raise = "ALTER TABLE session ADD COLUMN place TEXT; UPDATE topic SET doc = json_set(doc, '$.name', 'Raised')"
  const models = STORED_MODELS.map((model) => (model === topic ? { ...topic, indexes: [...topic.indexes, ['iconUrl']] } : model))
  return { migrations: [...MIGRATIONS, { from: schemaDigest(database), raise }], models }
}

const nameIn = (database: Database): unknown => database.get("SELECT doc ->> '$.name' AS name FROM topic")?.['name']

it('a new file gets the whole schema', (t) => {
  const { database, options } = filled(t)
  assert.equal(schemaVersion(database, options), SCHEMA)
  assert.deepEqual(faultsOf(database), [])
})

it('a file of the schema before is raised, with its indexes, after a private copy, which a restore takes unless it was forged', (t) => {
  const { database, options, file } = filled(t)
  const { migrations, models } = next(database)
  migrate(database, { ...options, migrations, models })
  assert.equal(schemaVersion(database, { ...options, migrations }), SCHEMA + 1)
  assert.equal(nameIn(database), 'Raised')
  assert.ok(database.get("SELECT 1 FROM sqlite_schema WHERE name = 'topic/iconUrl'"))
  const kept = `${file}.before-${SCHEMA}`
  assert.equal((statSync(kept).mode & 0o777).toString(8), '600')
  const copy = openDatabase(kept, { readOnly: true })
  assert.equal(nameIn(copy), TOPIC.name)
  assert.deepEqual(schemaFaults(copy, models, migrations), [])
  copy.close()
  const forger = openDatabase(kept)
  forger.exec('CREATE TRIGGER "topic/evil" AFTER INSERT ON topic BEGIN DELETE FROM user; END')
  assert.deepEqual(schemaFaults(forger, models, migrations), [`its tables are not those of schema ${SCHEMA}`])
  forger.close()
  const fewer = [...migrations, { from: schemaDigest(database), raise: '' }]
  migrate(database, { ...options, migrations: fewer, models: STORED_MODELS })
  assert.equal(database.get("SELECT 1 FROM sqlite_schema WHERE name = 'topic/iconUrl'"), undefined, 'what is declared no more goes')
})

it('a migration that fails leaves the file as it was', (t) => {
  const { database, options } = filled(t)
  const { migrations, models } = next(database)
  const before = schemaDigest(database)
  const broken = [...migrations, { from: '', raise: 'CREATE TABLE half (a); CREATE TABLE nonsense (' }]
  assert.throws(() => migrate(database, { ...options, models, migrations: broken }), /incomplete input/)
  assert.equal(schemaVersion(database, options), SCHEMA)
  assert.deepEqual([schemaDigest(database), nameIn(database)], [before, TOPIC.name])
})

/** A process that raises the file, and says so ahead of its commit. */
const RAISING = `
  import { writeSync } from 'node:fs'
  import { migrate } from '${join(import.meta.dirname, '../../src/store/schema/migrate.ts')}'
  import { openDatabase } from '${join(import.meta.dirname, '../../src/store/db/database.ts')}'
  const { file, raise } = JSON.parse(process.argv[1])
  const finish = () => { writeSync(1, 'raised'); for (;;) {} }
  migrate(openDatabase(file), { models: [], version: '2.0.0', migrations: [{ from: '', raise }], backup: file + '.before', finish })
`

it('a process that is killed in the middle of a migration leaves the file as it was', async (t) => {
  const { database, options, file } = filled(t)
  const { migrations, models } = next(database)
  const before = schemaDigest(database)
  database.close()
  const words = ['--input-type=module', '--eval', RAISING, JSON.stringify({ file, raise: migrations.at(-1)?.raise })]
  const raising = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(raising.stdout, 'data')
  raising.kill('SIGKILL')
  await once(raising, 'close')
  const after = openForTest(t, file)
  assert.equal(schemaVersion(after, options), SCHEMA)
  assert.deepEqual([schemaDigest(after), nameIn(after), faultsOf(after)], [before, TOPIC.name, []])
  migrate(after, { ...options, migrations, models })
  assert.equal(nameIn(after), 'Raised')
})

it('a file of a newer program is refused with the version to install, and left as it is', (t) => {
  const { database, options } = filled(t)
  migrate(database, { ...options, ...next(database), version: '9.8.7' })
  assert.throws(() => migrate(database, options), (error: Error) => {
    assert.ok(error instanceof SchemaError)
    assert.match(error.message, /has schema \d+, written by dateline 9\.8\.7; .*install that version or a newer one/)
    return true
  })
  assert.equal(nameIn(database), 'Raised')
})

it('a file of a development state before the first release is refused, with the way by export and import', (t) => {
  const { database, options } = filled(t)
  database.exec(`PRAGMA user_version = ${FIRST_SCHEMA - 1}`)
  assert.throws(() => migrate(database, { ...options, version: '2.0.0' }), {
    name: 'SchemaError',
    message:
      `The database has schema ${FIRST_SCHEMA - 1}, written by dateline 1.0.0 before its first release; this is dateline 2.0.0, ` +
      `which reads schema ${FIRST_SCHEMA} and later: run "dateline export" of that program for each model, and ` +
      '"dateline import" of this one into a new data directory',
  })
  assert.equal(nameIn(database), TOPIC.name)
})

it("another program's database is refused", (t) => {
  const database = openForTest(t, join(temporaryDirectory(t), 'a.db'))
  database.exec('CREATE TABLE other (a)')
  assert.throws(() => migrate(database, { models: STORED_MODELS, version: '1.0.0', backup: '' }), /was not written by dateline/)
})
