/** Attacks with files that pose as backups: what `restore` refuses, what it removes from the copy, and that `check` says the same. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { headline } from '../../src/models/headline.ts'
import { topic } from '../../src/models/topic.ts'
import { user } from '../../src/models/user.ts'
import { copyForRestore } from '../../src/store/backup/restore.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { contentFaults } from '../../src/store/documents/stored-documents.ts'
import { HEADLINE, PUBLICATION, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const DATE = '2026-03-01T12:00:00.000Z'
const USER = { id: 'admin', email: 'admin@example.org', appRole: 'standardUser', dashboardRole: 'admin', createdAt: DATE, feedDecoratorStatus: {}, updatedAt: DATE }

/** A site with a headline, a topic and an administrator who has a token of the API and a passkey; its store is closed. */
async function site(t: Cleanup) {
  const { store, dir } = testStore(t)
  await store.insert(topic, { id: TOPIC.id, value: TOPIC })
  await store.insert(headline, { id: HEADLINE.id, value: HEADLINE })
  await store.insert(user, { id: 'admin', value: USER })
  await store.close()
  const database = openForTest(t, dir.database)
  database.exec(`INSERT INTO api_token VALUES ('t', 'admin', 'hash', 'script', '{"role":"admin","models":null,"methods":null}', 0, 9, NULL);
    INSERT INTO passkey VALUES ('p', 'admin', 'http://localhost', 'key', 0, 0, 'laptop', 0, NULL)`)
  return { dir, database }
}

/** What is found in the file while the SQL holds. */
function faultsAfter(database: Database, sql: string): readonly string[] {
  database.exec(`BEGIN; ${sql}`)
  try {
    const faults = faultsOf(database)
    return faults.length > 0 ? faults : contentFaults(database, STORED_MODELS)
  } finally {
    database.exec('ROLLBACK')
  }
}

/** Another table of that name, with the same rows. */
const remade = (name: string, from: RegExp | string, to: string) => (database: Database): string => {
  const sql = String(database.get('SELECT sql FROM sqlite_schema WHERE name = ?', name)?.['sql'])
  assert.notEqual(sql.replace(from, to), sql)
  return `CREATE TABLE kept AS SELECT * FROM "${name}"; DROP TABLE "${name}"; ${sql.replace(from, to)}; DROP TABLE kept`
}

/** What the constraints of the tables forbid. */
const unchecked = (sql: string): string => `PRAGMA ignore_check_constraints = ON; ${sql}; PRAGMA ignore_check_constraints = OFF`

const otherwise = (name: string): string => `the table "${name}" is not as dateline makes it`

const FORGED: readonly (readonly [what: string, forge: string | ((database: Database) => string), wanted: string])[] = [
  ['a foreign table', 'CREATE TABLE loot (a)', 'the table "loot" was not made by dateline'],
  ['a virtual table', 'CREATE VIRTUAL TABLE loot USING fts5(a)', 'the table "loot" was not made by dateline'],
  ['a foreign index', 'CREATE UNIQUE INDEX jam ON session (label)', 'the index "jam" was not made by dateline'],
  ['a foreign trigger', 'CREATE TRIGGER evil AFTER INSERT ON user BEGIN DELETE FROM headline; END', 'the trigger "evil" was not made by dateline'],
  ['a foreign view', 'CREATE VIEW shadow AS SELECT * FROM user', 'the view "shadow" was not made by dateline'],
  ['a table that poses as one of SQLite', remade('setting', 'WITHOUT ROWID, ', ''), otherwise('setting')],
  ['an added column', 'ALTER TABLE headline ADD COLUMN extra TEXT', otherwise('headline')],
  ['a generated column', "ALTER TABLE session ADD COLUMN admin TEXT AS ('admin')", otherwise('session')],
  ['a CHECK constraint', remade('rate_hit', 'key BLOB NOT NULL', "key BLOB NOT NULL CHECK (key IS NULL)"), otherwise('rate_hit')],
  ['another collation', remade('meta', 'name TEXT', 'name TEXT COLLATE NOCASE'), otherwise('meta')],
  ['another default', remade('outbox', "DEFAULT 'code'", "DEFAULT 'x'"), otherwise('outbox')],
  ['a reference that does not cascade', remade('api_token', 'ON DELETE CASCADE', ''), otherwise('api_token')],
  ['an index over another column', 'DROP INDEX session_user; CREATE INDEX session_user ON session (label)', 'the index "session_user" is not as dateline makes it'],
  ['an index of some rows only', 'DROP INDEX outbox_due; CREATE INDEX outbox_due ON outbox (state, due_at) WHERE false', 'the index "outbox_due" is not as dateline makes it'],
  ['a table whose columns take values of any type', remade('session', ', STRICT', ''), otherwise('session')],
  ['a trigger under a name of ours', 'DROP TRIGGER "topic/version INSERT"; CREATE TRIGGER "topic/version INSERT" AFTER INSERT ON topic BEGIN DELETE FROM user; END', 'the trigger "topic/version INSERT" is not as dateline makes it'],
  ['a trigger under a name like ours', 'CREATE TRIGGER "headline/evil" AFTER INSERT ON headline BEGIN DELETE FROM user; END', 'the trigger "headline/evil" was not made by dateline'],
  ['a dropped trigger', 'DROP TRIGGER "headline/count UPDATE"', 'the trigger "headline/count UPDATE" is missing'],
  ['a dropped index', 'DROP INDEX api_token_user', 'the index "api_token_user" is missing'],
  ['a dropped table', 'DROP TABLE revoked_token', 'the table "revoked_token" is missing'],
  ['a dropped table of a model', 'DROP TABLE headline', 'the table "headline" is missing'],
  ['a dropped audit trail', 'DROP TABLE audit', 'the table "audit" is missing'],
  ['a dropped table of incomplete drafts', 'DROP TABLE headline_incomplete', 'the table "headline_incomplete" is missing'],
  ['a search index with settings of its own', "INSERT INTO headline_search (headline_search, rank) VALUES ('automerge', 0)", 'the search index "headline_search" has settings'],
  ['a document that is not JSON', "INSERT INTO remote_config (id, doc) VALUES ('x', '{')", 'the remote_config "x" is not JSON'],
  ['a document that is a list', "INSERT INTO remote_config (id, doc) VALUES ('x', '[]')", 'the remote_config "x" is not an object'],
  ['a document with the id of another', "UPDATE topic SET doc = json_set(doc, '$.id', 'other')", `the topic "${TOPIC.id}" has the id "other"`],
  ['an unknown role', "UPDATE user SET doc = json_set(doc, '$.dashboardRole', 'root')", 'the user "admin" has a value in "dashboardRole"'],
  ['an unknown status', "UPDATE topic SET doc = json_set(doc, '$.status', 'hidden')", `the topic "${TOPIC.id}" has a value in "status"`],
  ['a member of another kind', "UPDATE headline SET doc = json_set(doc, '$.title', 7)", `the headline "${HEADLINE.id}" has a value in "title"`],
  ['a copy that is no document', "UPDATE headline SET doc = json_set(doc, '$.source.headquarters', 'x')", `the headline "${HEADLINE.id}" has a value in "source.headquarters"`],
  ['a missing member', "UPDATE topic SET doc = json_remove(doc, '$.description')", `the topic "${TOPIC.id}" has a value in "description"`],
  ['an integer that overflows', 'UPDATE passkey SET sign_count = 9223372036854775807', 'a row of the table "passkey" has a value that is too large'],
  ['a sequence at its end', 'UPDATE headline SET seq = 9223372036854775807', 'a row of the table "headline" has a value that is too large'],
  ['a huge row', "INSERT INTO setting VALUES ('mail', cast(zeroblob(67108865) AS TEXT), 0)", 'a row of the table "setting" has a value that is too large'],
  ['limits of a token that are no object', unchecked("UPDATE api_token SET limits = '[1]'"), 'CHECK constraint failed in api_token'],
  ['a note that is not JSON', unchecked("INSERT INTO meta VALUES ('note:last-restore', '{')"), 'CHECK constraint failed in meta'],
  ['no row where one is needed', 'DELETE FROM change_log', 'change_log has 0 rows in place of one'],
  ['a search index that says draft of an active one', "UPDATE headline_search_pending SET kept = replace(kept, 'active', 'draft')", 'the search index of headline differs from its documents'],
  ['a row of a search index without a document', "INSERT INTO topic_search (rowid, text) VALUES (99, 'x')", 'the search index of topic differs from its documents'],
  ['a session of a user who is not there', "PRAGMA defer_foreign_keys = ON; INSERT INTO session VALUES ('j', 'ghost', '', 0, 0, 0)", 'a row of session belongs to a user that is not there'],
]

it('attack: every forged schema and row is found, and named', async (t) => {
  const { database } = await site(t)
  assert.deepEqual(faultsAfter(database, ''), [])
  for (const [what, forge, wanted] of FORGED) {
    const faults = faultsAfter(database, typeof forge === 'string' ? forge : forge(database))
    assert.ok(faults.some((fault) => fault.startsWith(wanted)), `${what}: ${faults.join('; ')}`)
  }
  assert.deepEqual(faultsAfter(database, ''), [], 'and nothing is left of them')
})

it('attack: values of another type than that of their column, which SQLite took while the file said otherwise, are found', async (t) => {
  const { database, dir } = await site(t)
  database.close()
  for (const [table, sql, wanted] of [
    ['topic', 'UPDATE topic SET doc = jsonb(doc)', 'non-TEXT value in topic.doc'],
    ['api_token', "UPDATE api_token SET created_at = 'never'", 'non-INTEGER value in api_token.created_at'],
  ] as const) {
    const file = `${dir.database}.${table}`
    copyFileSync(dir.database, file)
    const forger = new DatabaseSync(file, { defensive: false })
    forger.exec(`PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT name, sql FROM sqlite_schema WHERE name = '${table}';
      UPDATE sqlite_schema SET sql = replace(replace(sql, ', STRICT', ''), 'STRICT', '') WHERE name = '${table}'; PRAGMA writable_schema = RESET;
      ${sql}; PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = kept.sql FROM kept WHERE sqlite_schema.name = kept.name; PRAGMA writable_schema = RESET`)
    forger.close()
    const forged = openDatabase(file)
    assert.deepEqual(faultsOf(forged), [wanted])
    forged.close()
  }
})

it('attack: a restore refuses what was forged, in words that say what to do', async (t) => {
  const { database } = await site(t)
  const { dir } = testStore(t)
  const from = join(temporaryDirectory(t), 'forged.db')
  const request = { dir, from, models: STORED_MODELS, version: '1.2.3', now: () => 0 }
  for (const [sql, wanted] of [
    ['CREATE TABLE loot (a)', 'the table "loot" was not made by dateline'],
    ['DROP TABLE loot; DELETE FROM reference_progress', 'reference_progress has 0 rows in place of one'],
  ] as const) {
    database.exec(sql)
    rmSync(from, { force: true })
    database.run('VACUUM INTO ?', from)
    const message = `Cannot restore "${from}": the copy did not pass its check (${wanted}): choose another copy`
    await assert.rejects(copyForRestore(request, `${dir.database}.copy`), { name: 'DatabaseFileError', message })
    assert.ok(!existsSync(`${dir.database}.copy`))
  }
})

it('attack: planted tokens and passkeys do not come with a restore, and what triggers count is counted again', async (t) => {
  const { database, dir: elsewhere } = await site(t)
  const { dir } = await site(t)
  const to = `${dir.database}.copy`
  database.exec(`UPDATE status_count SET n = 700; UPDATE hour_count SET n = 700; INSERT INTO listed_copy VALUES ('topic', 'x', 'user', 1);
    INSERT INTO guest_size VALUES ('ghost', 700); ANALYZE;
    INSERT INTO api_token VALUES ('planted', 'admin', 'known', 'script', '{"role":"admin","models":null,"methods":null}', 0, 9, NULL);
    INSERT INTO passkey SELECT 'planted', user_id, origin, public_key, 0, 0, name, 0, NULL FROM passkey;
    UPDATE passkey SET public_key = 'mine' WHERE id = 'p';
    UPDATE user SET doc = json_set(doc, '$.email', 'evil@example.org'); INSERT INTO setting VALUES ('mail', 'smtp://evil.example', 0)`)
  const request = { dir, from: elsewhere.database, models: STORED_MODELS, version: '1.2.3', now: () => 0 }
  const restored = await copyForRestore(request, to)
  assert.deepEqual(restored.removed, { apiTokens: 1, passkeys: 2 })
  assert.deepEqual(restored.differs, { administrators: ['evil@example.org'], settings: ['mail'] }, 'what is kept is told')
  const copy = openForTest(t, to)
  const ids = (table: string): readonly unknown[] => copy.all(`SELECT id FROM ${table}`).map(({ id }) => id)
  assert.deepEqual([ids('api_token'), ids('passkey')], [['t'], []], 'what the database in use has as well is kept')
  assert.deepEqual(copy.all("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'"), [])
  assert.equal(copy.get("SELECT n FROM status_count WHERE model = 'headline'")?.['n'], 1)
  assert.equal(copy.get("SELECT n FROM hour_count WHERE model = 'headline'")?.['n'], 1)
  for (const table of ['listed_copy', 'guest_size']) assert.deepEqual(copy.all(`SELECT * FROM ${table}`), [])
  assert.equal(copy.get('SELECT bytes FROM guest_total')?.['bytes'] ?? 0, 0)
  assert.deepEqual([...faultsOf(copy), ...contentFaults(copy, STORED_MODELS)], [])
  rmSync(to)
  const { removed } = await copyForRestore({ ...request, keepsCredentials: true }, to)
  assert.deepEqual(removed, { apiTokens: 0, passkeys: 0 })
})

it('attack: a restore brings back no secret address that was replaced since the backup, and the present one goes on', async (t) => {
  const [backup, present] = [await site(t), await site(t)]
  const add = ({ database }: typeof backup, id: string, hash: string): void => {
    const value = { ...PUBLICATION, id, name: id, visibility: 'secret', createdAt: DATE, updatedAt: DATE }
    database.run('INSERT INTO publication (id, doc) VALUES (?, ?)', id, JSON.stringify(value))
    database.run('INSERT INTO publication_secret VALUES (?, ?)', id, Buffer.from(hash))
  }
  add(backup, 'both', 'leaked')
  add(backup, 'deleted-since', 'former')
  add(present, 'both', 'present')
  add(present, 'made-since', 'later')
  const to = `${present.dir.database}.copy`
  const request = { dir: present.dir, from: backup.dir.database, models: STORED_MODELS, version: '1.2.3', now: () => 0 }
  const restored = async (more = {}): Promise<readonly unknown[]> => {
    rmSync(to, { force: true })
    await copyForRestore({ ...request, ...more }, to)
    const copy = openDatabase(to)
    try {
      return copy.all('SELECT publication, hash FROM publication_secret ORDER BY publication').map((row) => [row['publication'], String(Buffer.from(row['hash'] as Uint8Array))])
    } finally {
      copy.close()
    }
  }
  assert.deepEqual(await restored(), [['both', 'present'], ['deleted-since', 'former']])
  assert.deepEqual(await restored({ keepsCredentials: true }), [['both', 'present'], ['deleted-since', 'former']])
})

it('attack: a backup with sign-outs of a time to come, and with accounts that pose as guests', async (t) => {
  const { database, dir: elsewhere } = await site(t)
  const { dir } = await site(t)
  const now = Date.parse(DATE)
  database.exec(`INSERT INTO signed_out VALUES ('admin', 9999999999); UPDATE user SET doc = json_set(doc, '$.appRole', 'guestUser');
    INSERT INTO user (id, doc) SELECT 'g', json_set(doc, '$.id', 'g', '$.email', 'g@anonymous.invalid', '$.appRole', 'premiumUser') FROM user`)
  const to = `${dir.database}.copy`
  await copyForRestore({ dir, from: elsewhere.database, models: STORED_MODELS, version: '1.2.3', now: () => now }, to)
  const copy = openForTest(t, to)
  // The other account is one that the database in use does not have: its sessions are over.
  assert.deepEqual(copy.all('SELECT user_id, before FROM signed_out ORDER BY user_id').map((row) => Object.values(row)), [['admin', now / 1000], ['g', now / 1000 + 1]])
  const roles = copy.all("SELECT id, doc ->> '$.appRole' AS role FROM user ORDER BY id").map(({ id, role }) => [id, role])
  assert.deepEqual(roles, [['admin', 'standardUser'], ['g', 'premiumUser']])
  assert.deepEqual(contentFaults(copy, STORED_MODELS), [])
})
