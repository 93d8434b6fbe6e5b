import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { NO_ARRIVALS, type Arrivals } from '../../src/base/arrivals.ts'
import { Failure } from '../../src/base/failure.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { openForTest } from '../../scripts/tools/stores.ts'
import { createGroupInserts } from '../../src/store/writes/group-inserts.ts'
import { createSearchChanges } from '../../src/store/search/search-changes.ts'
import { clearUnsyncedMark, readUnsyncedMark, unsyncedMark } from '../../src/store/db/unsynced-mark.ts'
import { createWaitingWriters, type WaitingWriters } from '../../src/store/db/waiting-writers.ts'
import { createWriteQueue, type TransactionRecorder, type WriteQueue } from '../../src/store/db/write-queue.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const NO_RECORDER: TransactionRecorder = { begin: () => {}, keep: () => {}, end: () => {} }
/** What looks at transactions; `onRollback` is called while none is open. */
interface Observed {
  readonly recorder: (database: Database) => TransactionRecorder
  readonly onRollback: (file: string) => void
}

const START = { name: 'this', is: (name: string) => name === 'this' }

function queueOn(
  t: Cleanup,
  arrivals: Pick<Arrivals, 'areMany'> = NO_ARRIVALS,
  more: Partial<WaitingWriters> = {},
  { recorder = () => NO_RECORDER, onRollback = () => {} }: Partial<Observed> = {},
): WriteQueue & { database: Database; file: string; commits: () => number } {
  const file = join(temporaryDirectory(t), 'a.db')
  const database = openForTest(t, file)
  database.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT')
  database.exec('CREATE TABLE unsynced_since (one INTEGER PRIMARY KEY, machine_start TEXT NOT NULL) STRICT')
  let commits = 0
  const search = createSearchChanges(database)
  const capture = { gatherCause: () => {}, forgetGathered: () => {} }
  const queue = createWriteQueue(database, {
    before: () => void commits++,
    after: () => {},
    search: {
      ...search,
      discard() {
        search.discard()
        onRollback(file)
      },
    },
    inserts: createGroupInserts(database, { search, capture }),
    recorder: recorder(database),
    unsynced: unsyncedMark(database, START, true),
    arrivals,
    waiting: { ...createWaitingWriters(database, file), ...more },
  })
  return { ...queue, database, file, commits: () => commits }
}

it('write() commits all work of one turn together, and settles only after that', async (t) => {
  const { database, file, write, commits } = queueOn(t)
  const other = openForTest(t, file, { readOnly: true })
  const count = (): unknown => other.get('SELECT count(*) AS n FROM t')?.['n']
  const seen = await Promise.all(
    [1, 2, 3].map(async (a) => {
      await write(() => database.run('INSERT INTO t (a) VALUES (?)', a))
      return count()
    }),
  )
  assert.deepEqual(seen, [3, 3, 3])
  assert.equal(commits(), 1)
})

it('write() rolls back work that throws and nothing else', async (t) => {
  const { database, write } = queueOn(t)
  const outcomes = await Promise.allSettled([
    write(() => database.run('INSERT INTO t (a) VALUES (1)')),
    write(() => {
      database.run('INSERT INTO t (a) VALUES (2)')
      throw new Error('changed my mind')
    }),
    write(() => database.run('INSERT INTO t (a) VALUES (3)')),
    write(() => database.run('INSERT INTO t (a) VALUES (3)')),
  ])
  assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  assert.deepEqual(database.all('SELECT a FROM t').map((row) => row['a']), [1, 3])
})

it('write() runs work again, in its order, only where some has failed behind changes of its own', async (t) => {
  const { database, write, commits } = queueOn(t)
  const runs: string[] = []
  const run = (name: string, work: () => void): Promise<string> =>
    write(() => {
      runs.push(name)
      work()
      return `${name} ${runs.length}`
    })
  const insert = (a: number): void => void database.run('INSERT INTO t (a) VALUES (?)', a)
  const refuse = (): never => {
    throw new Error('not allowed')
  }
  const unchanged = await Promise.allSettled([run('a', () => insert(1)), run('b', refuse), run('c', () => insert(3))])
  assert.deepEqual(runs.splice(0), ['a', 'b', 'c'])
  assert.deepEqual(unchanged.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])

  const changed = await Promise.allSettled([
    run('a', () => insert(11)),
    run('b', () => {
      insert(12)
      refuse()
    }),
    run('c', () => insert(13)),
  ])
  assert.deepEqual(runs, ['a', 'b', 'a', 'b', 'c'])
  assert.deepEqual(changed.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : '')), ['a 3', '', 'c 5'], 'the last run counts')
  assert.deepEqual(database.all('SELECT a FROM t').map(({ a }) => a), [1, 3, 11, 13])
  assert.equal(commits(), 2)
})

it('write() records the transaction that is committed: another program may write behind one that was rolled back', async (t) => {
  let session: ReturnType<Database['recordChanges']> | undefined
  let changeset = new Uint8Array()
  const { database, write } = queueOn(t, NO_ARRIVALS, {}, {
    recorder: (own) => ({
      begin: () => void (session = own.recordChanges('t')),
      keep: () => void (changeset = session?.changeset() ?? changeset),
      end: () => session?.close(),
    }),
    onRollback(file) {
      const program = openDatabase(file)
      program.run("UPDATE t SET b = 'by the program'")
      program.close()
    },
  })
  database.run("INSERT INTO t VALUES (1, 'first')")
  const copy = openForTest(t, join(temporaryDirectory(t), 'copy.db'))
  copy.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT; INSERT INTO t VALUES (1, 'by the program')")
  const change = (b: string): void => void database.run('UPDATE t SET b = ?', b)
  const failing = write(() => {
    change('never')
    throw new Error('changed my mind')
  })
  await Promise.allSettled([write(() => change('last')), failing])
  assert.equal(copy.applyChangeset(changeset), undefined)
  assert.deepEqual(copy.all('SELECT b FROM t').map(({ b }) => b), ['last'])
})

it('write() keeps what work has changed by triggers and cascades out where it fails', async (t) => {
  const { database, write } = queueOn(t)
  database.exec(`CREATE TABLE seen (a INTEGER PRIMARY KEY REFERENCES t (a) ON DELETE CASCADE) STRICT;
    CREATE TRIGGER see AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (new.a); END`)
  await write(() => database.run('INSERT INTO t (a) VALUES (1)'))
  const outcomes = await Promise.allSettled([
    write(() => database.run('INSERT INTO t (a) VALUES (2)')),
    write(() => {
      database.get('DELETE FROM t WHERE a = 1 RETURNING a')
      throw new Error('changed my mind')
    }),
    write(() => {
      database.exec('DELETE FROM seen WHERE a = 2')
      throw new Error('changed my mind')
    }),
  ])
  assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'rejected'])
  assert.deepEqual(database.all('SELECT a FROM seen').map(({ a }) => a), [1, 2])
})

it('write() refuses work that awaits inside the transaction', async (t) => {
  const { database, write } = queueOn(t)
  await assert.rejects(write(async () => database.run('INSERT INTO t (a) VALUES (1)')), /must not be asynchronous/)
  assert.equal(database.get('SELECT count(*) AS n FROM t')?.['n'], 0)
})

it('a full disk is a 503 for every write of the turn, keeps what was there, and passes', async (t) => {
  const { database, write } = queueOn(t)
  await write(() => database.run("INSERT INTO t VALUES (1, 'kept')"))
  database.exec('PRAGMA max_page_count = 4')
  const outcomes = await Promise.allSettled([
    write(() => database.run("INSERT INTO t VALUES (2, 'small')")),
    write(() => database.run('INSERT INTO t VALUES (3, ?)', 'x'.repeat(100_000))),
  ])
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.ok(failed.length > 0)
  for (const { reason } of failed) {
    assert.ok(reason instanceof Failure)
    assert.equal(reason.status, 503)
    assert.match(reason.message, /the disk is full/)
  }
  database.exec('PRAGMA max_page_count = 1000000')
  await write(() => database.run("INSERT INTO t VALUES (4, 'after')"))
  const rows = database.all('SELECT a FROM t').map((row) => row['a'])
  assert.ok(rows.includes(1) && rows.includes(4) && !rows.includes(3))
  assert.equal(rows.includes(2), outcomes[0]?.status === 'fulfilled')
})

it('only transactions of work that says so are left unsynced, behind a mark that is synced', async (t) => {
  const { database, write, writeUnsynced } = queueOn(t)
  const level = (): number => Number(database.get('PRAGMA synchronous')?.['synchronous'])
  const [NORMAL, FULL] = [1, 2]
  assert.equal(await write(level), FULL)
  assert.equal(readUnsyncedMark(database), undefined)
  assert.equal(await writeUnsynced(level), FULL)
  assert.equal(readUnsyncedMark(database), 'this')
  assert.equal(await writeUnsynced(level), NORMAL)
  assert.equal(level(), FULL)
  clearUnsyncedMark(database)
  assert.equal(await writeUnsynced(level), FULL)
  assert.deepEqual(await Promise.all([writeUnsynced(level), write(level)]), [FULL, FULL])
  const failing = writeUnsynced(() => {
    database.exec('ROLLBACK')
    throw new Error('the disk is full')
  })
  await assert.rejects(failing)
  assert.equal(level(), FULL, 'also after a transaction that failed')
})

it('write() fails with what holds it up when it has waited for too long, and takes nothing with it', async (t) => {
  const { database, file, write } = queueOn(t, NO_ARRIVALS, { attempt: (attempt) => void attempt(true) })
  const other = openForTest(t, file)
  other.exec('BEGIN IMMEDIATE')
  await assert.rejects(
    write(() => database.run('INSERT INTO t (a) VALUES (1)')),
    { code: 'networkError', message: 'The database cannot be used now: it is busy' },
  )
  other.exec('COMMIT')
  await write(() => database.run('INSERT INTO t (a) VALUES (2)'))
  assert.deepEqual(database.all('SELECT a FROM t').map((row) => row['a']), [2])
})
