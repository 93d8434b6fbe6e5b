/** The rows of the audit trail: with their write or not at all, bounded, removed when they are old, and anonymous. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { newAccount } from '../../src/auth/new-account.ts'
import { isoDate } from '../../src/base/dates.ts'
import { audit, type AuditRecord } from '../../src/models/audit.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { matchAll } from '../../src/query/ast.ts'
import { anyCaller, SYSTEM, type CallerActor, type Visitor } from '../../src/store/actor.ts'
import { createAuditBounds } from '../../src/store/audit/audit-bounds.ts'
import { recordOf, sourceOf, type AuditEntry, type AuditOutside } from '../../src/store/audit/audit-trail.ts'
import { removeOldRecords } from '../../src/store/audit/audit-retention.ts'
import { insertRecord } from '../../src/store/audit/audit-trail.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { openForTest } from '../../scripts/tools/stores.ts'
import { openStore } from '../../src/store/open-store.ts'
import { QUERY_READER } from '../support/query/query-reader.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import type { Store } from '../../src/store/store.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.UTC(2026, 2, 1, 12)
const EMAIL = 'ann@example.org'

interface Site {
  readonly store: Store
  readonly dir: DataDir
  /** Records that the listener got after their commit. */
  readonly told: AuditRecord[]
  readonly suppressed: string[]
  /** Beside the store. */
  readonly database: Database
  all(): Promise<readonly AuditRecord[]>
}

function open(t: Cleanup, dir = prepareDataDir(join(temporaryDirectory(t), 'data')), now = () => NOW): Site {
  const [told, suppressed] = [[] as AuditRecord[], [] as string[]]
  const outside: AuditOutside = {
    recorded: (record) => told.push(record),
    suppressed: (event) => suppressed.push(event),
    emailHashes: (email) => [`new hash of ${email}`, `old hash of ${email}`],
  }
  const store = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now, audit: outside })
  t.after(() => store.close())
  const database = openForTest(t, dir.database)
  const all = async (): Promise<readonly AuditRecord[]> => {
    const sort = [{ path: ['time'], descending: false }]
    const { items } = await store.documents.find(audit, { filter: matchAll, sort, limit: undefined, after: undefined }, QUERY_READER)
    return items.map((item) => JSON.parse(item) as AuditRecord)
  }
  return { store, dir, told, suppressed, database, all }
}

async function addUser({ store }: Site, id: string, email: string, dashboardRole: 'none' | 'admin'): Promise<void> {
  const user = { id, email, appRole: 'standardUser', dashboardRole, now: NOW, language: {} } as const
  assert.equal(await store.as(SYSTEM).createAccount(newAccount(user)), 'inserted')
}

function callerOf(userId: string): CallerActor {
  const claim = { userId, jti: `session of ${userId}`, iat: NOW / 1000, expiresAt: NOW + DAY_MS }
  return { kind: 'caller', claim, authorize: anyCaller, origin: { clientAddress: '192.0.2.77', requestId: 'a request' } }
}

function visitor(clientAddress: string): Visitor {
  return { kind: 'visitor', origin: { clientAddress, requestId: 'a request' } }
}

const FAILED: AuditEntry = { event: 'sign-in.failed' }
const document = (id: string) => ({ id, value: { id, name: 'A topic', status: 'active' } })

/** Writes rows as they were left by an earlier time. */
function addRecords({ database }: Site, entries: readonly (AuditEntry & { readonly at?: number })[]): void {
  database.exec('BEGIN')
  for (const [i, { at = NOW, ...entry }] of entries.entries()) {
    insertRecord({ database }, recordOf(entry, sourceOf(SYSTEM, undefined), { id: `r${i}`, now: at }))
  }
  database.exec('COMMIT')
}

describe('a record and its write', () => {
  it('are both there or neither: a record that cannot be stored refuses the write', async (t) => {
    const site = open(t)
    await addUser(site, 'ann', EMAIL, 'admin')
    const ann = site.store.as(callerOf('ann'))
    assert.equal(await ann.insert(topic, document('kept')), 'inserted')
    const before = (await site.all()).length
    site.told.length = 0
    site.database.exec(`CREATE TRIGGER "audit/refuse" BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END`)
    const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['insert', () => ann.insert(topic, document('new'))],
      ['update', () => ann.update(topic, 'kept', (stored) => ({ ...stored, name: 'Changed' }))],
      ['remove', () => ann.remove(topic, 'kept')],
      ['updateUser', () => ann.updateUser('ann', (stored) => ({ ...stored, appRole: 'premiumUser' }))],
      ['deleteAccount', () => ann.deleteAccount({ id: 'ann', now: NOW, keepLastAdmin: false })],
      ['endSessions', () => ann.endSessions('ann', NOW)],
    ]
    for (const [name, write] of writes) await assert.rejects(write(), name)
    assert.deepEqual(site.told, [], 'nothing is told that was not committed')
    site.database.exec('DROP TRIGGER "audit/refuse"')
    assert.equal((await site.all()).length, before)
    assert.equal(site.store.documents.get(topic, 'new'), undefined)
    assert.match(site.store.documents.get(topic, 'kept') ?? '', /"name":"A topic"/)
    assert.equal(site.store.accounts.userByEmail(EMAIL)?.['appRole'], 'standardUser')
    assert.ok(site.store.accounts.caller(callerOf('ann').claim), 'the session holds')
  })

  it('are rolled back together: what a change throws leaves no record', async (t) => {
    const site = open(t)
    await addUser(site, 'ann', EMAIL, 'admin')
    const ann = site.store.as(callerOf('ann'))
    await ann.insert(topic, document('a'))
    const before = await site.all()
    const refuse = (): never => {
      throw new Error('another version')
    }
    // In one transaction with another that is kept.
    const outcomes = await Promise.allSettled([
      ann.update(topic, 'a', refuse),
      ann.remove(topic, 'a', refuse),
      ann.remove(topic, 'nowhere'),
      ann.insert(topic, document('b')),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status), ['rejected', 'rejected', 'fulfilled', 'fulfilled'])
    const after = await site.all()
    assert.deepEqual(after.slice(before.length).map(({ event, documentId }) => [event, documentId]), [['document.created', 'b']])
  })
})

const stranger = (clientAddress: string) => ({ role: 'stranger', actor: '', clientAddress }) as const

describe('a flood of failures', () => {
  it('of one client adds 20 records a minute, and one that counts the rest', async (t) => {
    let now = NOW
    const site = open(t, undefined, () => now)
    const flood = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 500 }, () => site.store.as(visitor('192.0.2.1')).record(FAILED)))
    }
    await flood()
    assert.equal((await site.all()).length, 20)
    assert.equal(site.suppressed.length, 480)
    await site.store.as(visitor('192.0.2.2')).record(FAILED)
    assert.equal((await site.all()).length, 21, 'another client is not concerned')
    now += 60_000
    await flood()
    const counted = (await site.all()).filter(({ event }) => event === 'audit.suppressed')
    assert.deepEqual(counted.map(({ role, details }) => [role, details]), [['service', [{ name: 'sign-in.failed', value: '480' }]]])
    await site.store.close()
    const again = open(t, site.dir)
    const last = (await again.all()).filter(({ event }) => event === 'audit.suppressed')
    assert.equal(last.length, 2, 'the end of the service records the rest')
  })

  it('of ten thousand clients adds 300 records a minute', () => {
    const bounds = createAuditBounds(() => {})
    let admitted = 0
    for (let i = 0; i < 10_000; i++) {
      const address = i % 2 === 0 ? `10.${i >> 8}.${i & 255}.1` : `2001:db8:${i.toString(16)}::1`
      if (bounds.admits('sign-in.failed', stranger(address), NOW)) admitted++
    }
    assert.equal(admitted, 300)
    assert.deepEqual([...bounds.take()], [['sign-in.failed', 9_700]])
    assert.equal(bounds.take().size, 0)
    assert.ok(bounds.admits('sign-in.failed', stranger('10.0.0.1'), NOW + 60_000))
  })

  it('from the addresses of one /64 counts as one client', () => {
    const bounds = createAuditBounds(() => {})
    const admitted = Array.from({ length: 100 }, (_, i) => bounds.admits('code.requested', stranger(`2001:db8::${i}`), NOW))
    assert.equal(admitted.filter(Boolean).length, 20)
  })

  it('of guests adds 5,000 records a day, whatever addresses they have, and leaves strangers theirs', () => {
    const bounds = createAuditBounds(() => {})
    const DAY_MS = 86_400_000
    const start = NOW - (NOW % DAY_MS)
    let admitted = 0
    for (let i = 0; i < 6_000; i++) {
      const guest = { role: 'guestUser', actor: `guest ${i}`, clientAddress: `10.0.${i >> 8}.${i & 255}` } as const
      if (bounds.admits('sign-in.succeeded', guest, start + i * 10_000)) admitted++
    }
    assert.equal(admitted, 5_000)
    assert.ok(bounds.admits('sign-in.failed', stranger('10.0.0.1'), start + DAY_MS - 1))
    assert.ok(!bounds.admits('session.ended', { role: 'guestUser', actor: 'guest', clientAddress: '10.0.0.1' }, start + DAY_MS - 1))
    assert.ok(bounds.admits('session.ended', { role: 'guestUser', actor: 'guest', clientAddress: '10.0.0.1' }, start + DAY_MS))
  })

  it('attack: a reader who renews its token all day adds 200 records, and leaves other readers theirs', async (t) => {
    let now = NOW - (NOW % DAY_MS)
    const site = open(t, undefined, () => now)
    for (const id of ['ann', 'bob']) await addUser(site, id, `${id}@example.org`, 'none')
    const renew = (id: string) => site.store.as(callerOf(id)).record({ event: 'sign-in.succeeded' })
    const renewed = async (id: string) => (await site.all()).filter(({ event, actor }) => event === 'sign-in.succeeded' && actor === id).length
    for (let n = 0; n < 250; n++, now += 30_000) await renew('ann')
    await renew('bob')
    assert.deepEqual([await renewed('ann'), await renewed('bob')], [200, 1])
    now = NOW - (NOW % DAY_MS) + DAY_MS
    await renew('ann')
    assert.equal(await renewed('ann'), 201)
    const left = (await site.all()).flatMap(({ event, details }) => (event === 'audit.suppressed' ? details.map(({ value }) => Number(value)) : []))
    assert.equal(left.reduce((sum, count) => sum + count, 0), 50, 'the others are counted')
  })

  it('does not limit publishers and administrators', async (t) => {
    const site = open(t)
    await addUser(site, 'ann', EMAIL, 'admin')
    const ann = site.store.as(callerOf('ann'))
    await Promise.all(Array.from({ length: 400 }, (_, i) => ann.insert(topic, document(`t${i}`))))
    assert.equal((await site.all()).filter(({ event }) => event === 'document.created').length, 400)
    assert.deepEqual(site.suppressed, [])
  })

  it('of many days leaves the newest records up to the maximum', async (t) => {
    const site = open(t)
    addRecords(site, Array.from({ length: 700 }, (_, i) => ({ ...FAILED, at: NOW + i })))
    let steps = 0
    while (removeOldRecords(site.database, undefined, 100)) steps++
    assert.ok(steps >= 3, 'in steps')
    const left = await site.all()
    assert.deepEqual([left.length, left[0]?.time], [100, isoDate(NOW + 600)])
  })
})

it('records that are too old are removed in steps, and those at the limit stay', async (t) => {
  const site = open(t)
  const old: AuditEntry = { event: 'document.created', details: [{ name: 'text', value: 'gone-from-the-file' }] }
  addRecords(site, [
    ...Array.from({ length: 450 }, (_, i) => ({ ...old, at: NOW - 181 * DAY_MS + i })),
    { event: 'document.created', at: NOW - 180 * DAY_MS },
    { event: 'settings', at: NOW },
  ])
  const own = site.store.as(SYSTEM)
  assert.equal(await own.removeOldRecords(undefined), false)
  assert.equal((await site.all()).length, 452, 'without a limit all stay')
  let steps = 1
  while (await own.removeOldRecords(NOW - 180 * DAY_MS)) steps++
  assert.equal(steps, 3)
  assert.deepEqual((await site.all()).map(({ event }) => event), ['document.created', 'settings'])
})

describe('a deleted account', () => {
  const HASHES = [`new hash of ${EMAIL}`, `old hash of ${EMAIL}`]

  /** Texts of the account that stand in any file of the data directory. */
  function traces({ dir }: Site): readonly string[] {
    const files = readdirSync(dir.path).map((name) => readFileSync(join(dir.path, name)))
    return ['the-id-of-ann', '203.0.113.99', 'the-session-of-ann', 'the-request-of-ann', ...HASHES].filter((text) =>
      files.some((bytes) => bytes.includes(text)),
    )
  }

  async function siteWith(t: Cleanup, count: number): Promise<Site> {
    const site = open(t)
    await addUser(site, 'boss', 'boss@example.org', 'admin')
    await addUser(site, 'the-id-of-ann', EMAIL, 'admin')
    const own = {
      ...{ actor: 'the-id-of-ann', clientAddress: '203.0.113.99', sessionId: 'the-session-of-ann' },
      requestId: 'the-request-of-ann',
    }
    addRecords(site, [
      ...Array.from({ length: count }, (_, i): AuditEntry => ({ event: 'document.created', ...own, documentId: `d${i}` })),
      { event: 'user.role-changed', actor: 'boss', model: 'user', documentId: 'the-id-of-ann', before: '"a"', after: '"b"' },
      {
        ...{ event: 'user.invited', actor: 'boss', clientAddress: '192.0.2.1', emailHash: `hash of a lost key of ${EMAIL}` },
        ...{ model: 'user', documentId: 'the-id-of-ann' },
      },
      { event: 'document.replaced', actor: 'boss', model: 'user_app_settings', documentId: 'the-id-of-ann' },
      { event: 'session.ended', model: 'user', documentId: 'the-id-of-ann', details: [{ name: 'session', value: 'the-session-of-ann' }] },
      ...HASHES.map((emailHash): AuditEntry => ({ event: 'sign-in.failed', emailHash, clientAddress: '203.0.113.99' })),
      { event: 'document.created', actor: 'boss', model: 'headline', documentId: 'another-id' },
    ])
    return site
  }

  const forget = ({ store }: Site): Promise<unknown> =>
    store.as(callerOf('boss')).deleteAccount({ id: 'the-id-of-ann', now: NOW, keepLastAdmin: true })

  it('leaves records with one pseudonym, and no text of it in any file', async (t) => {
    const site = await siteWith(t, 30)
    assert.equal(await forget(site), 'deleted')
    const all = await site.all()
    const own = all.filter(({ event, model }) => event === 'document.created' && model === '')
    const pseudonyms = new Set(own.map(({ actor }) => actor))
    const [pseudonym = ''] = pseudonyms
    assert.equal(own.length, 30)
    assert.equal(pseudonyms.size, 1)
    assert.match(pseudonym, /^deleted-[0-9a-f]{24}$/)
    assert.ok(own.every(({ clientAddress, sessionId, requestId }) => `${clientAddress}${sessionId}${requestId}` === ''))
    assert.ok(own.every(({ documentId }) => documentId.startsWith('d')), 'what was done stays')
    const about = all.filter(({ documentId }) => documentId === pseudonym)
    assert.deepEqual(
      about
        .map(({ event, actor, before, after, details }) => [event, actor, before, after, details.length])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      [
        ['document.replaced', 'boss', '', '', 0],
        ['session.ended', '', '', '', 0],
        ['user.created', '', '', '', 2],
        ['user.deleted', 'boss', '', '', 0],
        ['user.invited', 'boss', '', '', 0],
        ['user.role-changed', 'boss', '', '', 0],
      ],
    )
    const invitations = all.filter(({ event, documentId }) => ['user.created', 'user.invited'].includes(event) && documentId === pseudonym)
    assert.deepEqual(
      invitations.map(({ emailHash, clientAddress }) => [emailHash, clientAddress]).toSorted(),
      [['', ''], ['', '192.0.2.1']],
      'the inviting user keeps the address of the client',
    )
    const failed = all.filter(({ event }) => event === 'sign-in.failed')
    assert.deepEqual(failed.map(({ emailHash, clientAddress }) => emailHash + clientAddress), ['', ''])
    assert.ok(all.some(({ documentId }) => documentId === 'another-id'), 'others keep their names')
    assert.deepEqual(traces(site), [])
  })

  it('that a crash left half anonymous is finished by housekeeping', async (t) => {
    const site = await siteWith(t, 1_700)
    // The first step is the transaction of the deletion; the process ends before the next.
    const deletion = forget(site)
    await new Promise((resolve) => setImmediate(resolve))
    await site.store.close()
    await deletion.catch(() => {})
    const left = openDatabase(site.dir.database)
    assert.equal(left.all("SELECT name FROM meta WHERE name LIKE 'erase audit%'").length, 1)
    left.close()
    const next = open(t, site.dir)
    assert.ok((await next.all()).some(({ actor }) => actor === 'the-id-of-ann'))
    while (await next.store.as(SYSTEM).removeOldRecords(undefined));
    assert.deepEqual((await next.all()).filter(({ actor }) => actor === 'the-id-of-ann'), [])
    const pseudonyms = new Set((await next.all()).map(({ actor }) => actor).filter((actor) => actor.startsWith('deleted-')))
    assert.equal(pseudonyms.size, 1)
    assert.deepEqual(traces(next), [])
  })
})

it('inactive guests that are removed leave one record for each step, and none with their ids', async (t) => {
  const site = open(t)
  const ids = Array.from({ length: 45 }, (_, i) => `guest-number-${i}`)
  const own = site.store.as(SYSTEM)
  for (const [i, id] of ids.entries()) {
    const guest = { id, email: `${id}@anonymous.invalid`, appRole: 'guestUser', dashboardRole: 'none', now: NOW } as const
    const session = { jti: `session of ${id}`, label: '', createdAt: NOW, expiresAt: NOW + DAY_MS }
    const visitorStore = site.store.as(visitor(`192.0.2.${i}`))
    assert.equal(await visitorStore.createAccount(newAccount({ ...guest, language: {} }), session), 'inserted')
    await own.seeGuest(id, NOW)
  }
  assert.equal((await site.all()).filter(({ event, role }) => event === 'sign-in.succeeded' && role === 'guestUser').length, 45)
  while (!(await own.removeGuests(NOW + 2 * DAY_MS, NOW)).isDone);
  const all = await site.all()
  const removals = all.filter(({ event }) => event === 'user.deleted')
  const counts = removals.map(({ details }) => Number(details.find(({ name }) => name === 'count')?.value))
  assert.ok(removals.length <= 3, `${removals.length} records`)
  assert.equal(counts.reduce((sum, one) => sum + one, 0), 45)
  assert.ok(removals.every(({ role }) => role === 'service'))
  assert.ok(!JSON.stringify(all).includes('guest-number-'))
})

it('a record is bounded, whatever its entry holds', () => {
  const long = '\ud83d\ude00'.repeat(5_000)
  const entry: AuditEntry = {
    event: 'command',
    changes: Array.from({ length: 1_000 }, () => ({ path: long, from: long, to: long })),
    details: Array.from({ length: 1_000 }, () => ({ name: long, value: long })),
  }
  const record = recordOf(entry, sourceOf(SYSTEM, undefined), { id: 'r', now: NOW })
  assert.deepEqual([record.changes.length, record.details.length], [101, 101])
  assert.deepEqual(record.details.at(-1), { name: '…', value: '900 more' })
  assert.ok(JSON.stringify(record).length < 150_000)
  assert.ok(JSON.stringify(record).isWellFormed() && !JSON.stringify(record).includes('\\ud83d"'))
})
