/**
 * A node in a process of its own, which kills itself (SIGKILL) at a statement that its test chose: the nth one that has a
 * text. It gets its entries from its parent, who has the log.
 */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { prepareDataDir } from '../../../src/store/sqlite/data-dir.ts'
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { CommitLog, LogEntry, LogReader } from '../../../src/store/replica/commit-log.ts'
import { createPlainSealer } from './plain-sealer.ts'

const ENTRIES_AT_ONCE = 8

const [directory = '', site = '', text = '', nth = '0'] = process.argv.slice(2)
let left = Number(nth)

/** Ends the process where the statement is the one. */
function met(sql: string): void {
  if (left > 0 && sql.includes(text) && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const { exec, applyChangeset } = DatabaseSync.prototype
const { run } = StatementSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  met(sql)
  return exec.call(this, sql)
}
StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
  met(this.sourceSQL)
  return Reflect.apply(run, this, values) as ReturnType<typeof run>
}
DatabaseSync.prototype.applyChangeset = function (...values) {
  met('applyChangeset')
  return applyChangeset.apply(this, values)
}

const unused = (): Promise<never> => Promise.reject(new Error('this node only follows'))
let reader: LogReader | undefined
const log: CommitLog = {
  ...{ append: unused, last: unused, trim: unused, turn: async () => {}, pass() {}, close: async () => {} },
  follow(after, given) {
    reader = given
    process.send?.({ after })
    return { stop: () => void (reader = undefined) }
  },
}
process.on('message', ({ entries }: { readonly entries: readonly { position: number; body: string }[] }) => {
  const all = entries.map(({ position, body }): LogEntry => ({ position, body: Buffer.from(body, 'base64') }))
  void applyAll(all).then(() => store.close()).then(() => process.disconnect?.())
})

/** Each few entries wait for the ones before them, so that they take several transactions on a machine of any speed. */
async function applyAll(entries: readonly LogEntry[]): Promise<void> {
  for (let i = 0; i < entries.length; i += ENTRIES_AT_ONCE) {
    const some = entries.slice(i, i + ENTRIES_AT_ONCE)
    for (const entry of some) reader?.entry(entry)
    await store.replication?.reached(some.at(-1)?.position ?? 0)
  }
}

const store = openStore({
  ...{ dir: prepareDataDir(directory), models: STORED_MODELS, version: '1.2.3', now: () => 0 },
  owner: { pid: process.pid, startedAt: 'now' },
  cluster: { log, sealer: createPlainSealer(), node: 'c'.repeat(16), site },
})
