/** A store on a real file in a temporary directory, for tests below the services. */
import { join } from 'node:path'
import type { Model } from '../../src/models/schema.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { prepareDataDir, type DataDir } from '../../src/store/data-dir.ts'
import { openStore } from '../../src/store/sqlite-store.ts'
import type { OutboxMessage, Store } from '../../src/store/store.ts'
import { temporaryDirectory, type Cleanup } from './service.ts'

export interface TestStore {
  readonly store: Store
  readonly dir: DataDir
}

export function testStore(t: Cleanup, models: readonly Model[] = STORED_MODELS): TestStore {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  const store = openStore({
    dir,
    models,
    version: '1.2.3',
    now: () => 0,
    owner: { pid: process.pid, startedAt: 'now' },
  })
  t.after(() => store.close())
  return { store, dir }
}

/** Takes every message that is due. */
export async function takeAll(store: Store, now: number, leaseMs = 90_000): Promise<readonly OutboxMessage[]> {
  return (await store.takeMessages({ now, leaseMs, take: 1000, onlyAsked: false, pauseMsMax: 60_000, inHand: [] }))
    .messages
}
