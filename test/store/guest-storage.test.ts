/** What all guests keep is counted as it changes, by whatever path, and the idle ones make room in their order. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newAccount } from '../../src/auth/new-account.ts'
import { guestEmail } from '../../src/models/guest.ts'
import { user } from '../../src/models/user.ts'
import { userAppSettings } from '../../src/models/user-app-settings.ts'
import { userContentPreferences } from '../../src/models/user-content-preferences.ts'
import type { Database } from '../../src/store/db/database.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'
import { openForTest, testStore, type SystemStore } from '../../scripts/tools/stores.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 2, 1, 12, 30)

const accountOf = (id: string, email = guestEmail(id)) =>
  newAccount({ id, email, appRole: email === guestEmail(id) ? 'guestUser' : 'standardUser', dashboardRole: 'none', now: NOW, language: {} })
const sessionAt = (id: string, createdAt: number) => ({ jti: `s-${id}`, label: '', createdAt, expiresAt: NOW + 365 * DAY_MS })
const addGuest = (store: SystemStore, id: string, at = NOW): Promise<string> => store.createAccount(accountOf(id), sessionAt(id, at))
const grow = (store: SystemStore, id: string, chars: number): Promise<unknown> =>
  store.update(userContentPreferences, id, (stored) => ({ ...stored, filler: 'ø'.repeat(chars) }))

/** From the documents themselves. */
function counted(database: Database): { guests: number; bytes: number } {
  const sizes = database.all(`
    SELECT 2048 + octet_length(doc)
      + coalesce((SELECT octet_length(doc) FROM user_app_settings WHERE id = user.id), 0)
      + coalesce((SELECT octet_length(doc) FROM user_content_preferences WHERE id = user.id), 0) AS bytes
    FROM user WHERE doc ->> 'email' = id || '@anonymous.invalid'`)
  return { guests: sizes.length, bytes: sizes.reduce((sum, { bytes }) => sum + Number(bytes), 0) }
}

it('the sum is that of the documents of all guests, whatever was written', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database)
  const random = seededRandom(seedOfTest())
  const ids = ['a', 'b', 'c', 'd', 'e']
  const writes: readonly ((id: string) => Promise<unknown>)[] = [
    (id) => addGuest(store, id),
    (id) => store.createAccount(accountOf(id, `${id}@example.org`)),
    (id) => grow(store, id, random.below(3_000)),
    (id) => store.update(userAppSettings, id, (stored) => ({ ...stored, filler: 'y'.repeat(random.below(3_000)) })),
    (id) => store.remove(userContentPreferences, id),
    (id) => store.insert(userContentPreferences, { id, value: { id, filler: 'again' } }),
    (id) => store.updateUser(id, (stored) => ({ ...stored, filler: 'z'.repeat(random.below(300)) })),
    (id) => store.updateUser(id, (stored) => ({ ...stored, email: `${id}@example.org`, appRole: 'standardUser' })),
    (id) => store.deleteAccount({ id, now: NOW, keepLastAdmin: false }),
  ]
  let most = 0
  for (let round = 0; round < longRun(40, 120); round++) {
    await Promise.allSettled(random.list(6, () => random.pick(writes)(random.pick(ids))))
    await turn()
    most = Math.max(most, counted(database).guests)
    assert.deepEqual(store.accounts.guestStorage(), counted(database), `round ${round}`)
  }
  assert.ok(most > 1, `${most} guests at once`)
  // A changeset of a cluster has what a user owns first, and deletes it first.
  const before = counted(database)
  const doc = JSON.stringify({ id: 'late', email: guestEmail('late') })
  database.exec('BEGIN')
  database.exec('PRAGMA defer_foreign_keys = ON')
  database.run("INSERT INTO user_app_settings (id, doc) VALUES ('late', '{}')")
  database.run("INSERT INTO user (id, doc) VALUES ('late', ?)", doc)
  database.exec('COMMIT')
  const total = (): unknown => ({ ...database.get('SELECT guests, bytes FROM guest_total') })
  assert.deepEqual(total(), { guests: before.guests + 1, bytes: before.bytes + 2_048 + doc.length + 2 })
  database.run("DELETE FROM user_app_settings WHERE id = 'late'")
  database.run("DELETE FROM user WHERE id = 'late'")
  assert.deepEqual(total(), { ...before })
})

it('the guests who have been idle longest make room, and no others', async (t) => {
  const { store, dir } = testStore(t)
  const database = openForTest(t, dir.database, { readOnly: true })
  // Six hours ago, five, … one.
  for (let hours = 6; hours >= 1; hours--) {
    await addGuest(store, `idle-${hours}`, NOW - hours * HOUR_MS)
    await grow(store, `idle-${hours}`, 10_000)
  }
  await store.seeGuest('idle-5', NOW)
  await store.updateUser('idle-4', (stored) => ({ ...stored, email: 'member@example.org', appRole: 'standardUser' }))
  const here = (): readonly unknown[] => database.all("SELECT id FROM user WHERE id LIKE 'idle-%' ORDER BY id").map(({ id }) => id)
  const { bytes } = store.accounts.guestStorage()
  assert.deepEqual(await store.makeGuestRoom(bytes, NOW - HOUR_MS, NOW), { removed: 0, isDone: true }, 'there is room')
  assert.deepEqual(await store.makeGuestRoom(bytes - 1, NOW - HOUR_MS, NOW), { removed: 1, isDone: true })
  assert.deepEqual(here(), ['idle-1', 'idle-2', 'idle-3', 'idle-4', 'idle-5'])
  const last = await store.makeGuestRoom(0, NOW - HOUR_MS, NOW)
  assert.equal(last.isDone, true)
  assert.deepEqual(here(), ['idle-1', 'idle-4', 'idle-5'], 'who was here within the hour stays, and so does a member')
  assert.equal(database.get("SELECT 1 FROM user_content_preferences WHERE id IN ('idle-6', 'idle-3', 'idle-2')"), undefined)
  assert.equal(database.get("SELECT 1 FROM change WHERE id IN ('idle-6', 'idle-3', 'idle-2')"), undefined)
})

it('attack: a stranger with few large guests makes room with these, idle or not, and not with readers', async (t) => {
  const { store } = testStore(t)
  const sizes: readonly (readonly [id: string, hoursIdle: number, chars: number])[] = [
    ['reader-idle', 9, 1_000],
    ['reader-here', 0, 1_000],
    ['large-here', 0, 100_000],
    ['larger-here', 0, 120_000],
    ['large-idle', 5, 20_000],
    // An administrator has made it more than a guest.
    ['large-premium', 9, 100_000],
  ]
  for (const [id, hours, chars] of sizes) {
    await addGuest(store, id, NOW - hours * HOUR_MS)
    await grow(store, id, chars)
  }
  await store.updateUser('large-premium', (stored) => ({ ...stored, appRole: 'premiumUser' }))
  const removedBy = async (bytes: number): Promise<unknown> => {
    const before = new Set(sizes.flatMap(([id]) => (store.documents.get(user, id) === undefined ? [] : [id])))
    await store.makeGuestRoom(bytes, NOW - HOUR_MS, NOW)
    return [...before].filter((id) => store.documents.get(user, id) === undefined)
  }
  const all = store.accounts.guestStorage().bytes
  assert.deepEqual(await removedBy(all - 1), ['large-idle'])
  assert.deepEqual(await removedBy(all - 200_000), ['larger-here'])
  assert.deepEqual(await removedBy(all - 300_000), ['large-here'])
  assert.deepEqual(await removedBy(0), ['reader-idle'])
  assert.deepEqual(await removedBy(0), [])
})

it('a step deletes a few guests, so that no transaction is long', async (t) => {
  const { store } = testStore(t)
  for (let i = 0; i < 50; i++) await addGuest(store, `g${i}`, NOW - 3 * HOUR_MS + i)
  const steps = [await store.makeGuestRoom(0, NOW, NOW), await store.makeGuestRoom(0, NOW, NOW), await store.makeGuestRoom(0, NOW, NOW)]
  assert.deepEqual(steps, [{ removed: 20, isDone: false }, { removed: 20, isDone: false }, { removed: 10, isDone: true }])
  assert.deepEqual(store.accounts.guestStorage(), { guests: 0, bytes: 0 })
})
