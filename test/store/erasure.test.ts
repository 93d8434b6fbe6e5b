/**
 * What is deleted is gone from the files, not only from the answers.
 *
 * SQLite's secure_delete overwrites a deleted cell where it stands, but not the copies of it that stay behind in the
 * unallocated part of a page when cells move to a neighbour: of a few hundred deleted accounts, some were still
 * readable. These tests fill pages in random order, split, rebalance and delete, and look for every account that is
 * gone in the bytes of every file.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newAccount } from '../../src/auth/new-account.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { openStore } from '../../src/store/open-store.ts'
import { LANGUAGE } from '../../scripts/tools/data-bodies.ts'
import { seededRandom, seedOfTest, type Random } from '../../scripts/tools/random.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { openForTest, systemStore, testStore, type SystemStore } from '../../scripts/tools/stores.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

interface Account {
  readonly id: string
  readonly email: string
  /** Text that is in the preferences, the code's row and the outbox of this account only. */
  readonly mark: string
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const word = (random: Random, length: number): string => Array.from({ length }, () => random.pick(LETTERS)).join('')

function newPerson(random: Random, number: number): Account {
  const mark = `mark${number}x${word(random, 8)}`
  const email = `${word(random, 6)}.${mark}${'y'.repeat(random.below(30))}@${'long-label.'.repeat(random.below(12))}example.org`
  return { id: (random.below(2 ** 31) * 1000 + number).toString(16).padStart(24, '0'), email, mark }
}

async function create(store: SystemStore, { id, email }: Account): Promise<void> {
  const account = newAccount({ id, email, appRole: 'standardUser', dashboardRole: 'none', now: 0, language: LANGUAGE })
  assert.equal(await store.createAccount(account), 'inserted')
}

/** Saved filters with the account's mark in them: a few hundred bytes, some pages, or nothing. */
function save(store: SystemStore, random: Random, { id, mark }: Account): Promise<unknown> {
  const text = (): string => `${mark} ${word(random, random.oneIn(5) ? 3000 : random.below(300))} ${mark}`
  const savedFilters = random.list(3, () => ({ id: word(random, 4), name: text(), topics: [], sources: [], countries: [] }))
  return store.update(userContentPreferences, id, (stored) => ({ ...stored, savedFilters }))
}

function askForCode(store: SystemStore, random: Random, { email, mark }: Account): Promise<unknown> {
  const message = { id: word(random, 24), sealed: Buffer.from(`${mark} sealed`) }
  return store.issueCode({ email, mac: Buffer.alloc(32, random.below(256)), now: 0, expiresAt: 1e12, message })
}

/** The marks that can be found in any file below the directory, in however many bytes. */
function tracesOf(people: readonly Account[], directory: string): string[] {
  const names = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  assert.ok(names.some(({ name }) => name === 'dateline.db'))
  const files = names.map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name), 'latin1') }))
  // One pass over each file: marks are found by their form.
  const wanted = new Set(people.map(({ mark }) => mark))
  return files.flatMap(({ name, text }) => {
    const found = new Set(text.match(/mark\d+x[a-z0-9]{8}/g))
    return [...found].filter((mark) => wanted.has(mark)).map((mark) => `${mark} in ${name}`)
  })
}

const PEOPLE = longRun(200, 400)
const GONE = longRun(80, 150)

interface Site {
  readonly store: SystemStore
  readonly dir: DataDir
  readonly random: Random
  readonly people: Account[]
}

/** A site on which every account has done something, in random order, in batches as requests come. */
async function busySite(t: TestContext): Promise<Site> {
  const random = seededRandom(seedOfTest())
  t.diagnostic(`SEED=${random.seed}`)
  const { store, dir } = testStore(t)
  const people: Account[] = []
  while (people.length < PEOPLE) {
    const batch = Array.from({ length: 25 }, (_, i) => newPerson(random, people.length + i))
    await Promise.all(batch.map((person) => create(store, person)))
    people.push(...batch)
    await Promise.all(Array.from({ length: 40 }, () => save(store, random, random.pick(people))))
    await Promise.all(Array.from({ length: 10 }, () => askForCode(store, random, random.pick(people))))
  }
  return { store, dir, random, people }
}

/** Takes some people, anywhere in the order of creation, out of the list. */
function some({ random, people }: Site): Account[] {
  return Array.from({ length: GONE }, () => people.splice(random.below(people.length), 1)[0] as Account)
}

async function remove(store: SystemStore, { id }: Account): Promise<void> {
  assert.equal(await store.deleteAccount({ id, now: 0, keepLastAdmin: false }), 'deleted')
}

/** The others are whole, can be found by the same means, and the file is sound. */
async function assertIntact(store: SystemStore, { dir, people }: Site): Promise<void> {
  for (const { id, email } of people) {
    assert.equal(store.accounts.userByEmail(email)?.['id'], id)
    assert.notEqual(store.documents.get(userContentPreferences, id), undefined)
  }
  assert.equal(new Set(tracesOf(people, dir.path).map((trace) => trace.split(' ')[0])).size, people.length)
  await store.close()
  const database = new DatabaseSync(dir.database, { readOnly: true })
  try {
    assert.deepEqual(
      database
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => Object.values(row)),
      [['ok']],
    )
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), [])
  } finally {
    database.close()
  }
}

describe('a deleted account leaves no trace in any file', () => {
  it('at the moment of the response, one after another', async (t) => {
    const site = await busySite(t)
    const { store, dir, random, people } = site
    const gone = some(site)
    assert.equal(new Set(tracesOf(gone, dir.path).map((trace) => trace.split(' ')[0])).size, GONE)
    for (const [i, person] of gone.entries()) {
      await remove(store, person)
      if (i % 25 === 0) assert.deepEqual(tracesOf(gone.slice(0, i + 1), dir.path), [])
      if (i % 3 === 0) await save(store, random, random.pick(people))
    }
    assert.deepEqual(tracesOf(gone, dir.path), [])
    await assertIntact(store, site)
    assert.deepEqual(tracesOf(gone, dir.path), [])
  })

  it('when many go at once, and whatever the others do after it', async (t) => {
    const site = await busySite(t)
    const { store, dir, random, people } = site
    const gone = some(site)
    await Promise.all(gone.map((person) => remove(store, person)))
    assert.deepEqual(tracesOf(gone, dir.path), [])
    // What was in memory at the time must not come back with the next change of its page.
    for (let i = 0; i < people.length; i += 25) {
      const batch = people.slice(i, i + 25)
      await Promise.all(batch.map((person) => save(store, random, person)))
      await Promise.all(batch.map(({ id }) => store.updateUser(id, (stored) => ({ ...stored, feedDecoratorStatus: {} }))))
      await Promise.all(batch.map((person) => askForCode(store, random, person)))
      assert.deepEqual(tracesOf(gone, dir.path), [])
    }
    await assertIntact(store, site)
    assert.deepEqual(tracesOf(gone, dir.path), [])
  })

  it('once a process that was killed ahead of the response is started again', async (t) => {
    const site = await busySite(t)
    const gone = some(site)
    // As after the commit of a killed process: a reader of an earlier state holds the erasure up.
    const reader = openForTest(t, site.dir.database)
    reader.exec('BEGIN; SELECT 1 FROM user')
    await Promise.all(gone.map((person) => remove(site.store, person)))
    const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
    for (const suffix of ['', '-wal']) copyFileSync(site.dir.database + suffix, dir.database + suffix)
    assert.notDeepEqual(tracesOf(gone, dir.path), [])
    const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0, owner: { pid: 1, startedAt: 'now' } }))
    t.after(() => store.close())
    assert.deepEqual(tracesOf(gone, dir.path), [])
    await assertIntact(store, { ...site, dir })
  })

  it('after a crash, which leaves the WAL of the time before', async (t) => {
    const site = await busySite(t)
    const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
    for (const suffix of ['', '-wal']) copyFileSync(site.dir.database + suffix, dir.database + suffix)
    assert.ok(statSync(`${dir.database}-wal`).size > 0)
    const store = systemStore(openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0 }))
    t.after(() => store.close())
    const gone = some(site)
    await Promise.all(gone.map((person) => remove(store, person)))
    assert.deepEqual(tracesOf(gone, dir.path), [])
    await assertIntact(store, { ...site, dir })
  })
})
