/** What the checks need of RxDB, as far as they use it: it is fetched when they run, and so are its types. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../../../src/base/json.ts'

export interface RxDocument {
  toJSON(): JsonObject
  incrementalPatch(change: object): Promise<unknown>
  remove(): Promise<unknown>
}

export interface RxCollection {
  readonly schema: { readonly version: number }
  find(query?: object): { exec(): Promise<readonly RxDocument[]> }
  findOne(id: string): { exec(): Promise<RxDocument | null> }
  insert(document: object): Promise<RxDocument>
  count(): { exec(): Promise<number> }
}

interface Observable<T> {
  subscribe(listener: (value: T) => void): void
}

export interface Replication {
  readonly error$: Observable<Error & { readonly code?: string }>
  readonly forbidden$: Observable<void>
  readonly unauthorized$: Observable<void>
  readonly outdatedClient$: Observable<void>
  awaitInitialReplication(): Promise<void>
  awaitInSync(): Promise<unknown>
  reSync(): void
  setHeaders(headers: Readonly<Record<string, string>>): void
  cancel(): Promise<unknown>
  isStopped(): boolean
}

export interface RxDatabase {
  addCollections(collections: object): Promise<Readonly<Record<string, RxCollection>>>
  close(): Promise<unknown>
}

export interface Rxdb {
  createRxDatabase(options: object): Promise<RxDatabase>
  /** A storage that keeps its documents while the program runs, also of databases that were closed. */
  memory(): object
  replicateServer(options: object): Replication | Promise<Replication>
}

/** Loads RxDB from the directory in which npm has installed it. */
export async function loadRxdb(directory: string): Promise<Rxdb> {
  const { resolve } = createRequire(join(directory, 'package.json'))
  const load = async (name: string): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(resolve(name)).href)) as Record<string, unknown>
  const [core, storage, replication] = await Promise.all(
    ['rxdb/plugins/core', 'rxdb/plugins/storage-memory', 'rxdb-server/plugins/replication-server'].map(load),
  )
  return {
    createRxDatabase: core?.['createRxDatabase'],
    memory: storage?.['getRxStorageMemory'],
    replicateServer: replication?.['replicateServer'],
  } as Rxdb
}
