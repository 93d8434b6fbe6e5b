/**
 * `npm run bench -- writes [ROUNDS] [GROUP]`: CPU time of a write in the store, in this process, by what is kept beside the
 * document: with everything, without the index of words, without any search index, and without the change log. The stores
 * take turns in each round (default 12). GROUP writes (default 32) share a transaction, as under load.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { isoDate } from '../../src/base/dates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { prepareDataDir } from '../../src/store/sqlite/data-dir.ts'
import { openStore } from '../../src/store/sqlite/sqlite-store.ts'
import { median } from './load-rounds.ts'
import { worldContent } from './world.ts'

const [ROUNDS_DEFAULT, GROUP_DEFAULT] = [12, 32]
const STORED = 4_000
const BATCH = 400
const WRITES = 512
const UNMEASURED = 2

const { words: _words, ...wordless } = headline
const { trigrams: _trigrams, ...unsearched } = wordless
const VARIANTS: readonly { readonly name: string; readonly model: Model; readonly isLogged: boolean }[] = [
  { name: 'with all', model: headline, isLogged: true },
  { name: 'no index of words', model: wordless, isLogged: true },
  { name: 'no search index', model: unsearched, isLogged: true },
  { name: 'no change log', model: headline, isLogged: false },
]

type Kind = 'create' | 'title' | 'status'
type Subject = Awaited<ReturnType<typeof openSubject>>

export async function benchWrites([rounds = String(ROUNDS_DEFAULT), group = String(GROUP_DEFAULT)]: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  const subjects: Subject[] = []
  try {
    for (const variant of VARIANTS) subjects.push(await openSubject(directory, variant))
    for (const kind of ['create', 'title', 'status'] as const) {
      const costs = subjects.map((): number[] => [])
      for (let round = -UNMEASURED; round < Number(rounds); round++) {
        for (const [i, subject] of subjects.entries()) {
          const micros = await subject.measure(kind, Number(group))
          if (round >= 0) costs[i]?.push(micros)
        }
      }
      const all = median(costs[0] ?? [])
      const cells = costs.map((some, i) => `${subjects[i]?.name} ${median(some).toFixed(0)} µs${i === 0 ? '' : ` (all: +${((all / median(some) - 1) * 100).toFixed(0)} %)`}`)
      console.log(`${kind.padEnd(8)}${cells.join(', ')}`)
    }
  } finally {
    for (const { close } of subjects) await close()
    rmSync(directory, { recursive: true })
  }
}

async function openSubject(directory: string, { name, model, isLogged }: (typeof VARIANTS)[number]) {
  const dir = prepareDataDir(join(directory, name))
  const models = STORED_MODELS.map((one) => (one === headline ? model : one))
  const open = () => openStore({ dir, models, version: '0', now: systemClock, owner: { pid: process.pid, startedAt: 'now' } })
  const store = isLogged ? open() : withoutTriggers(open)
  const writer = store.as(SYSTEM)
  const { template } = worldContent(STORED)
  let made = 0
  const next = (): { id: string; value: JsonObject } => {
    const id = `h${made++}`
    const value = template(made)
    return { id, value: { ...value, id, title: `${String(value['title'])} ${made}` } }
  }
  while (made < STORED) await writer.insertMissing(model, Array.from({ length: BATCH }, next))
  let changed = 0
  const change = (kind: Kind) => {
    const updatedAt = isoDate(systemClock() + ++changed)
    return (value: JsonObject): JsonObject => {
      if (kind === 'status') return { ...value, updatedAt, status: value['status'] === 'active' ? 'archived' : 'active' }
      return { ...value, updatedAt, title: `${String(value['title']).split(' ').slice(1).join(' ')} ${changed}` }
    }
  }
  return {
    name,
    /** CPU µs of one write; documents are made before. */
    async measure(kind: Kind, group: number): Promise<number> {
      const documents = kind === 'create' ? Array.from({ length: WRITES }, next) : []
      const write = (i: number): Promise<unknown> => {
        const document = documents[i]
        return document === undefined ? writer.update(model, `h${(changed * 7919) % STORED}`, change(kind)) : writer.insert(model, document)
      }
      const from = process.cpuUsage()
      for (let i = 0; i < WRITES; i += group) await Promise.all(Array.from({ length: Math.min(group, WRITES - i) }, (_, at) => write(i + at)))
      const { user, system } = process.cpuUsage(from)
      return (user + system) / WRITES
    },
    close: (): Promise<void> => store.close(),
  }
}

/** Opens a store without the TEMP triggers that write the change log. */
function withoutTriggers<T>(open: () => T): T {
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    if (!sql.startsWith('CREATE TEMP TRIGGER')) exec.call(this, sql)
  }
  try {
    return open()
  } finally {
    DatabaseSync.prototype.exec = exec
  }
}
