/** A restore ends as a whole: a start whose last steps fail is undone, or says what is left, and restores nothing twice. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { lastRestore, openRestored } from '../../src/app/restore-outcome.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { requestRestore, restoreCopy } from '../../src/store/backup/pending-restore.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { openStore } from '../../src/store/open-store.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import type { Store } from '../../src/store/store.ts'

const WISH = { name: 'dateline-20260301T120000Z.db', actor: '66f000000000000000000601', removed: { apiTokens: 0, passkeys: 0 }, at: '2026-03-02T09:30:00.000Z' }
const now = (): number => Date.UTC(2026, 2, 2, 9, 30)

function site(t: Cleanup) {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  const { log, entries } = recordingLog()
  const owner = { pid: process.pid, startedAt: 'now' }
  const opened: Store[] = []
  let onOpen = (): void => {}
  t.after(async () => {
    for (const store of opened) await store.close()
  })
  const open = async (): Promise<{ readonly store: Store }> => {
    const store = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now, owner })
    opened.push(store)
    onOpen()
    return { store }
  }
  const start = async (): Promise<Store> => (await openRestored(dir, open, { now, log })).store
  return { dir, start, onOpen: (work: () => void) => void (onOpen = work), events: () => entries.filter(({ event }) => event.startsWith('restore.')).map(({ event }) => event) }
}

/** A site whose database says `new`, with a restore of the one that says `old` asked for. */
async function requested(t: Cleanup) {
  const { start, ...rest } = site(t)
  const { dir } = rest
  const [old, copy] = [join(dir.path, '..', 'old.db'), restoreCopy(dir, 'a1')]
  for (const name of ['old', 'new']) {
    const store = await start()
    await store.as(SYSTEM).writeMeta('name', name)
    await store.close()
    if (name === 'old') copyFileSync(dir.database, old)
  }
  copyFileSync(old, copy)
  requestRestore(dir, copy, WISH)
  return { ...rest, start }
}

const noteOf = ({ database }: DataDir): string => `${database}.restore-note`
const left = ({ path }: DataDir): readonly string[] => readdirSync(path).filter((name) => /restor/.test(name)).sort()

it('a restore whose note stays is undone before anything is served, and not done again at the next start', async (t) => {
  const { dir, start, events } = await requested(t)
  // A file cannot take its name, as on a disk that fails.
  mkdirSync(`${noteOf(dir)}.ended`)
  const first = await start()
  assert.equal(first.settings.readMeta('name'), 'new')
  const outcome = await lastRestore(first)
  assert.deepEqual([outcome?.outcome, outcome?.kept], ['failed', null])
  assert.match(String(outcome?.reason), /directory|EISDIR/)
  assert.deepEqual(events(), ['restore.undone', 'restore.files_kept', 'restore.files_kept', 'restore.failed'])
  await first.as(SYSTEM).writeMeta('name', 'newer')
  await first.close()
  rmSync(`${noteOf(dir)}.ended`, { recursive: true })
  const second = await start()
  assert.equal(second.settings.readMeta('name'), 'newer')
  assert.deepEqual(left(dir), [])
})

it('a start that can neither end a restore nor undo it opens nothing, and the next one undoes it', async (t) => {
  const { dir, start, events, onOpen } = await requested(t)
  const obstacles = ['ended', 'new'].map((end) => `${noteOf(dir)}.${end}`)
  onOpen(() => obstacles.forEach((path) => mkdirSync(path)))
  await assert.rejects(start)
  assert.deepEqual(events(), ['restore.not_undone'])
  onOpen(() => {})
  for (const path of obstacles) rmSync(path, { recursive: true })
  const next = await start()
  assert.equal(next.settings.readMeta('name'), 'new')
  assert.deepEqual([(await lastRestore(next))?.reason, left(dir)], ['the service ended before it was open', []])
})

it('a start removes the copies that killed restores and checks of backups have left', async (t) => {
  const { dir, start, events } = site(t)
  const names = ['dateline.db.to-restore-0a1b', 'dateline.db.to-restore-0a1b-journal', 'dateline.db.restoring-4242', 'offsite-restoring']
  for (const name of names.slice(0, 3)) writeFileSync(join(dir.path, name), '')
  mkdirSync(join(dir.path, 'offsite-restoring', 'media'), { recursive: true })
  assert.deepEqual(left(dir), names.toSorted())
  await start()
  assert.deepEqual([left(dir), events()], [[], []])
})
