/** A store on a real file in a temporary directory, for tests below the services. */
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newAccount } from '../../src/auth/new-account.ts'
import type { Model } from '../../src/models/schema.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { prepareDataDir, type DataDir } from '../../src/store/db/data-dir.ts'
import { SYSTEM, type Visitor } from '../../src/store/actor.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { blankUnused } from '../../src/store/db/wal/move-wal.ts'
import { copyMade, madeOnce } from './made-once.ts'
import { temporaryDirectory, type Cleanup } from './temporary-directory.ts'
import type { CodeClaim } from '../../src/store/accounts/code-table.ts'
import type { OutboxMessage } from '../../src/store/outbox/outbox-table.ts'
import type { SignInOutcome } from '../../src/store/accounts/account-tables.ts'
import type { Store } from '../../src/store/store.ts'
import type { Writer } from '../../src/store/writes/writer.ts'

/** A store whose writes happen in the name of the service. */
export type SystemStore = Store & Writer

export function systemStore(store: Store): SystemStore {
  return Object.setPrototypeOf({ ...store }, store.as(SYSTEM)) as SystemStore
}

/** The names of all writes. A writer has them from its prototype. */
export function writeNames(writer: Writer): readonly (keyof Writer)[] {
  return Object.keys(Object.getPrototypeOf(writer) as object) as (keyof Writer)[]
}

/** A writer with other members in place of some of its own. */
export function writerWith(writer: object, own: { readonly [Name in keyof Writer]?: unknown }): Writer {
  return Object.create(writer, Object.getOwnPropertyDescriptors(own)) as Writer
}

export interface TestStore {
  readonly store: SystemStore
  readonly dir: DataDir
}

export function testStore(
  t: Cleanup,
  models: readonly Model[] = STORED_MODELS,
  { queryDeadlineMs, trash = true }: { readonly queryDeadlineMs?: number; readonly trash?: boolean } = {},
): TestStore {
  const dir = madeDataDir(t, models)
  const owner = { pid: process.pid, startedAt: 'now' }
  const more = queryDeadlineMs === undefined ? {} : { queryDeadlineMs }
  const store = openStore({ dir, models, version: '1.2.3', now: () => 0, trash, ...more, owner })
  t.after(() => store.close())
  return { store: systemStore(store), dir }
}

/** A connection of its own to a database, which ends with the test. */
export function openForTest(t: Cleanup, file: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): Database {
  const database = openDatabase(file, { readOnly })
  t.after(() => database.close())
  return database
}

/** A data directory with an empty database, a copy of the first one of these models in this process. */
export function madeDataDir(t: Cleanup, models: readonly Model[] = STORED_MODELS): DataDir {
  const dir = prepareDataDir(join(temporaryDirectory(t), 'data'))
  copyMade(
    madeOnce(models, (directory) => emptyDatabase(directory, models)),
    dir.database,
  )
  return dir
}

function emptyDatabase(directory: string, models: readonly Model[]): string {
  const { database: file } = prepareDataDir(join(directory, 'data'))
  const database = openDatabase(file)
  migrate(database, { models, version: '1.2.3', backup: `${file}.before-schema` })
  const pageBytes = Number(database.get('PRAGMA page_size')?.['page_size'])
  // It is the only connection, so that its end moves the WAL into the file; a store also blanks what is left in its pages.
  database.close()
  const descriptor = openSync(file, 'r+')
  blankUnused({ descriptor, pageBytes }, Array.from({ length: statSync(file).size / pageBytes }, (_, i) => i + 1))
  closeSync(descriptor)
  return file
}

/** A request without an access token. */
export const VISITOR: Visitor = { kind: 'visitor', origin: { clientAddress: '192.0.2.1', requestId: 'a request' } }

/** Signs in with a code, creating a user with defaults where there is none. */
export function signInWith(store: Pick<Writer, 'signIn'>, code: CodeClaim): Promise<SignInOutcome> {
  const { email, now } = code
  const account = { id: `user of ${email}`, email, appRole: 'standardUser', dashboardRole: 'none', now } as const
  return store.signIn({
    code,
    dashboard: false,
    by: undefined,
    session: { jti: `session of ${email}`, label: '', createdAt: now, expiresAt: now + 60_000 },
    newAccount: newAccount({ ...account, language: {} }),
    now,
    merge: ({ account }) => account,
  })
}

/** Takes every message that is due. */
export async function takeAll(store: Pick<Writer, 'takeMessages'>, now: number, leaseMs = 90_000): Promise<readonly OutboxMessage[]> {
  return (await store.takeMessages({ now, leaseMs, take: 1000, onlyRequested: false, pauseMsMax: 60_000, inHand: [] })).messages
}
