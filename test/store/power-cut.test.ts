/** A machine that stops between a commit and its sync: followers of the change log and off-site places start over. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { machineStart, type MachineStart } from '../../src/base/machine-start.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { lookInto } from '../../src/store/db/database.ts'
import { openStore } from '../../src/store/open-store.ts'
import { newChainId, readChain } from '../../src/store/pending/pending-changes.ts'
import type { Store } from '../../src/store/store.ts'
import { openBulkWriter } from '../../src/store/writes/bulk-writer.ts'

const THIS_START = machineStart(() => 0)
const NEXT_START: MachineStart = { name: 'next', is: (name) => name === 'next' }

const aTopic = (id: string) => ({ id, value: { id, name: id, status: 'active' as const } })
const addUnsynced = (store: Pick<Store, 'as'>, id: string): Promise<unknown> =>
  store.as(SYSTEM).together((_, steps) => void steps.insert(topic, aTopic(id)), false)

/** The files as a process that was killed, or the machine, leaves them. */
function cutOff(t: Cleanup, { database }: DataDir): DataDir {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'cut'))
  for (const end of ['', '-wal']) if (existsSync(database + end)) copyFileSync(database + end, dir.database + end)
  return dir
}

async function opened<T>(dir: DataDir, start: MachineStart, work: (store: Store) => T | Promise<T>): Promise<T> {
  const store = openStore({ dir, models: STORED_MODELS, version: '1.2.3', now: () => 0, owner: { pid: process.pid, startedAt: 'now' }, start })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const stateOf = (store: Store) => ({ history: store.history.changeRange().history, hasStartedOver: store.hasStartedOver })

describe('behind transactions that were not synced', () => {
  it('another start of the machine gives the change log another identity, once', async (t) => {
    const { store, dir } = testStore(t)
    await addUnsynced(store, 'a')
    await addUnsynced(store, 'b')
    const { history } = store.history.changeRange()
    const cut = cutOff(t, dir)
    const first = await opened(cut, NEXT_START, stateOf)
    assert.equal(first.hasStartedOver, true)
    assert.notEqual(first.history, history)
    assert.deepEqual(await opened(cut, NEXT_START, stateOf), { history: first.history, hasStartedOver: false })
  })

  it('another start of the machine ends the chain of off-site changes', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    await addUnsynced(store, 'a')
    const cut = cutOff(t, dir)
    await opened(cut, NEXT_START, () => {})
    assert.equal(lookInto(cut.database, readChain)?.broken, 'the machine stopped while the service ran')
  })

  it('a process that was killed on the same start keeps the log, its followers and its chain', async (t) => {
    const { store, dir } = testStore(t)
    await store.continueChain(newChainId())
    await addUnsynced(store, 'a')
    const { history } = store.history.changeRange()
    const cut = cutOff(t, dir)
    assert.deepEqual(await opened(cut, THIS_START, stateOf), { history, hasStartedOver: false })
    assert.equal(lookInto(cut.database, readChain)?.broken, undefined)
  })

  it('a service that has ended keeps the log on each later start', async (t) => {
    const { dir } = testStore(t)
    const cut = cutOff(t, dir)
    const { history } = await opened(cut, THIS_START, async (store) => {
      await addUnsynced(store, 'a')
      return stateOf(store)
    })
    assert.deepEqual(await opened(cut, NEXT_START, stateOf), { history, hasStartedOver: false })
  })

  it('a command that runs first leaves the mark of the earlier start to the service', async (t) => {
    const { store, dir } = testStore(t)
    await addUnsynced(store, 'a')
    const cut = cutOff(t, dir)
    const command = openStore({ dir: cut, models: STORED_MODELS, version: '1.2.3', now: () => 0, start: NEXT_START })
    await addUnsynced(command, 'b')
    await command.close()
    assert.equal((await opened(cut, NEXT_START, stateOf)).hasStartedOver, true)
  })

  it('an import beside the service is one of them until it ends', async (t) => {
    const { store, dir } = testStore(t)
    const { history } = store.history.changeRange()
    const bulk = openBulkWriter({ file: dir.database, isAlone: false, accountOf: () => assert.fail(), now: () => 0 })
    const row = (id: string) => ({ id, doc: JSON.stringify(aTopic(id).value), search: undefined, basis: undefined })
    for (const id of ['a', 'b']) await bulk.transact((tables) => tables.write(topic, row(id)), true)
    const cut = cutOff(t, dir)
    await bulk.sync()
    await bulk.close()
    const after = await opened(cut, NEXT_START, stateOf)
    assert.equal(after.hasStartedOver, true)
    assert.notEqual(after.history, history)
  })
})

describe('the start of a machine', () => {
  it('has the identity that Linux gives it', () => {
    const [one, other] = ['a\n', 'b\n'].map((id) => machineStart(() => 0, () => id))
    assert.equal(one?.name, 'a')
    assert.deepEqual([one?.is('a'), one?.is('b'), other?.is('b')], [true, false, true])
  })

  it('is known by its time elsewhere, also where the clock is set by some seconds', () => {
    const none = (): string => {
      throw new Error('ENOENT')
    }
    const at = (seconds: number): MachineStart => machineStart(() => seconds * 1_000, none)
    const first = at(2_000_000_000)
    assert.equal(at(2_000_000_020).is(first.name), true)
    assert.equal(at(2_000_000_200).is(first.name), false)
    assert.equal(first.is(''), false)
  })
})
