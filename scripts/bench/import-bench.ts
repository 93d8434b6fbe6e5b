/**
 * `npm run bench -- import [N]`: how fast `dateline import` takes N headlines (default 1,000,000), beside the bare
 * INSERTs of the same rows into the same tables with the same indexes and triggers, in transactions of the same size,
 * each of them synced, with nothing read, checked or put into the search index.
 *
 * Both run in processes of their own, in pieces that take turns, so that what else the machine does meets both alike.
 * Where that is much, the CPU time is what compares: of all threads of an import with its start, and of its thread that
 * writes, which is what an operator waits for where there are two cores.
 */
import { spawn } from 'node:child_process'
import { closeSync, createReadStream, mkdtempDisposableSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { systemClock } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { headline } from '../../src/models/headline.ts'
import { prepareDataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { tableOf } from '../../src/store/schema/names.ts'
import { openStore } from '../../src/store/open-store.ts'
import { finish } from '../tools/program.ts'
import { worldContent } from './world.ts'

const HEADLINES_DEFAULT = 1_000_000
/** As the command's own default. */
const ROWS_OF_BATCH = 2_000
const PIECES_MAX = 10
const ROWS_OF_PIECE = 50_000
const WRITE_CHARS = 1 << 20
/** What SQLite itself does: the log is moved when it has so many pages. */
const AUTOCHECKPOINT_PAGES = 1_000

export async function benchImport([
  count = String(HEADLINES_DEFAULT),
  bare,
  file = '',
]: readonly string[]): Promise<void> {
  if (bare === 'bare') return insertBare(count, file)
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'dateline-bench-'))
  const directory = temporary.path
  const [headlines, pieces] = [Number(count), Math.min(PIECES_MAX, Math.ceil(Number(count) / ROWS_OF_PIECE))]
  const files = writeHeadlines(directory, headlines, pieces)
  const [probe, cpuFile] = [join(directory, 'cpu.mjs'), join(directory, 'cpu.json')]
  writeFileSync(probe, cpuProbe(cpuFile))
  const sums = { bare: NO_TIMES, import: NO_TIMES }
  for (const [i, piece] of files.entries()) {
    const bare = await result(['scripts/bench.ts', 'import', join(directory, 'bare'), 'bare', piece])
    const { seconds } = await result([
      ...['--import', pathToFileURL(probe).href, 'src/main.ts', 'import', '--data-dir', join(directory, 'ours')],
      ...['--model', 'headline', '--keep', '--json', piece],
    ])
    const ours = { seconds, ...(JSON.parse(readFileSync(cpuFile, 'utf8')) as Omit<Times, 'seconds'>) }
    sums.bare = sum(sums.bare, bare)
    sums.import = sum(sums.import, ours)
    const each = Math.ceil(headlines / pieces)
    console.log(`${String((i + 1) * each).padStart(9)}: ${comparison(each, ours, bare)}`)
  }
  const megabytes = (size(directory, 'ours') / 1e6).toFixed(0)
  console.log(`${count} headlines: ${comparison(headlines, sums.import, sums.bare)}; database ${megabytes} MB`)
}

interface Times {
  readonly seconds: number
  /** CPU time in seconds: of all threads, and of the main thread. */
  readonly all: number
  readonly main: number
}

const NO_TIMES: Times = { seconds: 0, all: 0, main: 0 }

function sum(one: Times, other: Times): Times {
  return { seconds: one.seconds + other.seconds, all: one.all + other.all, main: one.main + other.main }
}

function comparison(rows: number, ours: Times, bare: Times): string {
  const ratio = (name: keyof Times): string => (bare[name] / ours[name]).toFixed(2)
  const cpu = `of CPU time ${ratio('all')}, of the writing thread's ${ratio('main')}`
  return `import ${rate(rows, ours.seconds)}, bare INSERTs ${rate(rows, bare.seconds)}, ratio ${ratio('seconds')}; ${cpu}`
}

/** A module that writes the CPU times of a process to a file when it ends. */
function cpuProbe(file: string): string {
  return `import { writeFileSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    const seconds = ({ user, system }) => (user + system) / 1e6
    const times = () => ({ all: seconds(process.cpuUsage()), main: seconds(process.threadCpuUsage()) })
    if (isMainThread) process.once('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(times())))`
}

const rate = (rows: number, seconds: number): string => `${Math.round(rows / seconds)}/s`
const size = (directory: string, name: string): number => statSync(join(directory, name, 'dateline.db')).size

/** What a process says it took. */
async function result(words: readonly string[]): Promise<Times> {
  const { code, stdout } = await finish(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] }))
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
  return JSON.parse(stdout) as Times
}

async function insertBare(directory: string, file: string): Promise<void> {
  const dir = prepareDataDir(directory)
  await openStore({ dir, models: STORED_MODELS, version: '0', now: systemClock }).close()
  const rows: [string, string][] = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    rows.push([(JSON.parse(line) as { readonly id: string }).id, line])
  }
  const database = openDatabase(dir.database)
  const [begun, cpuBefore] = [performance.now(), process.cpuUsage()]
  database.exec(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`)
  for (let at = 0; at < rows.length; at += ROWS_OF_BATCH) {
    database.exec('BEGIN IMMEDIATE')
    for (const [id, doc] of rows.slice(at, at + ROWS_OF_BATCH)) {
      database.run(`INSERT INTO ${tableOf(headline)} (id, doc) VALUES (?, ?)`, id, doc)
    }
    database.exec('COMMIT')
  }
  database.close()
  const { user, system } = process.cpuUsage(cpuBefore)
  // All work is that of one thread.
  const cpu = (user + system) / 1e6
  console.log(JSON.stringify({ seconds: (performance.now() - begun) / 1000, all: cpu, main: cpu }))
}

/** Files of headlines, the newest last. */
export function writeHeadlines(directory: string, count: number, pieces: number): readonly string[] {
  const { template } = worldContent(count)
  const newId = idGenerator(systemClock)
  const each = Math.ceil(count / pieces)
  return Array.from({ length: pieces }, (_, piece) => {
    const file = join(directory, `${piece}.ndjson`)
    const descriptor = openSync(file, 'w')
    let chunk = ''
    for (let i = piece * each; i < Math.min(count, (piece + 1) * each); i++) {
      const value = template(count - i)
      chunk += `${JSON.stringify({ ...value, id: newId(), createdAt: value['updatedAt'] })}\n`
      if (chunk.length < WRITE_CHARS) continue
      writeSync(descriptor, chunk)
      chunk = ''
    }
    writeSync(descriptor, chunk)
    closeSync(descriptor)
    return file
  })
}
