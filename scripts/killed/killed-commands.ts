/**
 * `npm run drill -- data [SECONDS]`: backup and restore are killed with SIGKILL again and again, for SECONDS
 * each: half of the times at a random moment, half of them as the directory changes, where the steps are. Then the
 * disk of a service is filled (full-disk.ts). What must hold:
 *
 * - a backup that was killed is not there, or is whole; the database goes on;
 * - after a restore that was killed, the directory has all of the old database or all of the new one.
 *
 * A migration is killed in test/store/migrate.test.ts.
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { language } from '../../src/models/language.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { countItems, faultsOf } from '../../src/store/schema/database-check.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { openStore } from '../../src/store/open-store.ts'
import { run } from '../tools/program.ts'
import type { Random } from '../tools/random.ts'
import { temporaryDirectory } from '../tools/temporary-directory.ts'
import { drillFullDisk } from './full-disk.ts'
import { killAfter, runAndKill, watchNames, type Drill } from './killed-site.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import type { Store } from '../../src/store/store.ts'

/** Large enough for a copy to take many steps. */
const FILLER_DOCUMENTS = 120
const FILLER_CHARS = 100_000
/** After so many runs that all came to their end before their kill, something is wrong with the drill. */
const UNHARMED_RUNS_MAX = 20
const RUN_MS_MAX = 120_000

/** `seconds` are for each kind of kill. Gives a line for each part. Throws what should not have happened. */
export async function drillData({ cleanup, random }: Drill, seconds: number): Promise<readonly string[]> {
  const directory = temporaryDirectory(cleanup)
  return [
    await drillBackup({ directory: join(directory, 'backup'), random, seconds }),
    await drillRestore({ directory: join(directory, 'restore'), random, seconds }),
    await drillFullDisk(cleanup),
  ]
}

interface Limits {
  readonly random: Random
  readonly seconds: number
}

interface Part extends Limits {
  readonly directory: string
}

async function drillBackup({ directory, ...limits }: Part): Promise<string> {
  const { store } = await filledStore(join(directory, 'data'), [])
  const target = join(directory, 'copies', 'copy.db')
  mkdirSync(join(directory, 'copies'))
  let [isOver, pairs] = [false, 0]
  const writing = (async () => {
    for (; !isOver; pairs++) {
      // Both stand in one transaction.
      await Promise.all([`a${pairs}`, `b${pairs}`].map((id) => store.as(SYSTEM).insert(topic, small(id))))
      await pause(1)
    }
  })()
  try {
    const words = ['backup', '--data-dir', join(directory, 'data'), '--to', target]
    const kills = await killRepeatedly({ words, watched: join(directory, 'copies'), ...limits }, () => {
      const isThere = existsSync(target)
      if (isThere) withSoundDatabase(target, (copy) => assert.equal(countItems(copy, [topic])['topic']! % 2, 0))
      for (const name of readdirSync(join(directory, 'copies'))) rmSync(join(directory, 'copies', name))
      return isThere
    })
    assert.ok(pairs > 10, 'nothing was written meanwhile')
    return `backup: ${kills}`
  } finally {
    isOver = true
    await writing
    await store.close()
    withSoundDatabase(join(directory, 'data', 'dateline.db'), () => {})
  }
}

async function drillRestore({ directory, ...limits }: Part): Promise<string> {
  const before = await filledStore(join(directory, 'old'), [])
  await before.store.close()
  // What is only in the log of a process that was killed.
  const again = await openPlain(join(directory, 'old'))
  await again.as(SYSTEM).insert(topic, small('old'))
  const template = join(directory, 'template')
  mkdirSync(template)
  for (const name of ['dateline.db', 'dateline.db-wal']) {
    copyFileSync(join(directory, 'old', name), join(template, name))
  }
  await again.close()
  const next = await filledStore(join(directory, 'new'), ['new'])
  await next.store.close()
  const copy = join(directory, 'copy.db')
  const made = await run(['backup', '--data-dir', join(directory, 'new'), '--to', copy])
  assert.equal(made.code, 0, made.stderr)
  const data = join(directory, 'data')
  const reset = (): void => {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data)
    for (const name of readdirSync(template)) copyFileSync(join(template, name), join(data, name))
  }
  reset()
  const kills = await killRepeatedly(
    { words: ['restore', copy, '--data-dir', data], watched: data, ...limits },
    () => {
      const topics = withSoundDatabase(join(data, 'dateline.db'), (database) =>
        database.all('SELECT id FROM topic').map((row) => String(row['id'])),
      )
      assert.ok(['old', 'new'].includes(topics.join()), `found the topics ${topics.join()}`)
      reset()
      return topics[0] === 'new'
    },
  )
  return `restore: ${kills}`
}

interface Killed extends Limits {
  readonly words: readonly string[]
  /** The directory in which the command works. */
  readonly watched: string
}

/** `isNewState` checks the state after a kill, and prepares the next run. */
async function killRepeatedly(
  { words, watched, random, seconds }: Killed,
  isNewState: () => boolean,
): Promise<string> {
  const begun = performance.now()
  let changesOfAll = 0
  const whole = await runAndKill(words, RUN_MS_MAX, () => watchNames(watched, () => changesOfAll++))
  assert.equal(whole.code, 0, whole.stderr)
  assert.ok(isNewState(), 'a run that is left alone makes the new state')
  let [runs, finished, found] = [0, 0, 0]
  // On a busy machine the first run may take all of the time; one kill at least is wanted.
  const mayGoOn = (): boolean =>
    performance.now() - begun < seconds * 1000 || (runs === finished && runs < UNHARMED_RUNS_MAX)
  while (mayGoOn()) {
    const changes = random.oneIn(2) ? 1 + random.below(changesOfAll) : 0
    const killMs = changes > 0 ? RUN_MS_MAX : Math.floor(whole.ms * (0.3 + random.below(80) / 100))
    const { code } = await runAndKill(words, killMs, (kill) => killAfter(watched, changes, kill))
    runs++
    if (code !== null) finished++
    if (isNewState()) found++
  }
  assert.ok(runs > finished, 'no run was killed')
  return `${runs - finished} runs killed, ${finished} finished before, the new state in ${found}, the old one in ${runs - found}`
}

/** Opens a file as the next process would, and makes sure that it is sound. */
function withSoundDatabase<T>(file: string, work: (database: Database) => T): T {
  const database = openDatabase(file)
  try {
    assert.deepEqual(faultsOf(database), [])
    return work(database)
  } finally {
    database.close()
  }
}

const DATE = '2026-03-01T12:00:00.000Z'
const WHOLE = { description: '', iconUrl: '', createdAt: DATE, updatedAt: DATE, status: 'active', type: 'topic' }
const small = (id: string) => ({ id, value: { id, name: id, ...WHOLE } })

async function openPlain(data: string): Promise<Store> {
  return openStore({ dir: prepareDataDir(data), models: STORED_MODELS, version: '1.0.0', now: () => 0 })
}

async function filledStore(data: string, topics: readonly string[]): Promise<{ store: Store }> {
  const store = await openPlain(data)
  const filler = Array.from({ length: FILLER_DOCUMENTS }, (_, i) => ({
    id: `f${i}`,
    value: {
      id: `f${i}`,
      code: `${i}`,
      name: `${i}`,
      nativeName: `${i}`,
      createdAt: DATE,
      updatedAt: DATE,
      status: 'active',
      text: String.fromCharCode(97 + (i % 26)).repeat(FILLER_CHARS),
    },
  }))
  await store.as(SYSTEM).insertMissing(language, filler)
  await store.as(SYSTEM).insertMissing(topic, topics.map(small))
  return { store }
}
