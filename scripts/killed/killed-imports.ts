/**
 * `npm run drill -- import [KILLS]`: an import of rows with and without ids is killed with SIGKILL again and again, at
 * random moments, and goes on with --resume. What must hold after each kill: the database is sound, it has exactly the
 * first rows of the file, as many as the note of the import says; and in the end every row is there once.
 */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import type { Random } from '../tools/random.ts'
import { temporaryDirectory } from '../tools/temporary-directory.ts'
import { runAndKill, type CommandEnd, type Drill } from './killed-site.ts'

/** So small that there are many of them. */
const ROWS_OF_BATCH = 20
const ROW_CHARS = 300
const ROWS = 6_000

/** Gives what happened. Throws what should not have. */
export async function drillImport({ cleanup, random }: Drill, kills: number, rows = ROWS): Promise<string> {
  const directory = temporaryDirectory(cleanup)
  const file = join(directory, 'topics.ndjson')
  writeFileSync(file, Array.from({ length: rows }, (_, i) => `${rowOf(i, random)}\n`).join(''))
  // How long one takes that is left alone.
  const whole = await importOnce({ file, data: join(directory, 'whole') })
  assert.equal(whole.code, 0, whole.stderr)
  const empty = join(directory, 'empty.ndjson')
  writeFileSync(empty, '')
  const boot = await importOnce({ file: empty, data: join(directory, 'whole') })
  // Each run but the last writes a part, so that the kills meet the import all along its way.
  const partMs = Math.max(10, Math.ceil(((whole.ms - boot.ms) * 2) / kills))
  const data = join(directory, 'data')
  const stops: number[] = []
  // The machine may be busier or calmer now than when these runs were measured.
  let [runs, earlyKills, firstKillMs] = [0, 0, boot.ms * 0.9]
  for (let state: State = NOTHING; state.done < rows || state.isNoted;) {
    const killMs = stops.length < kills ? firstKillMs + random.below(partMs) : undefined
    const { code, stderr } = await importOnce({ file, data, resumes: state.isNoted, killMs })
    runs++
    if (killMs === undefined) assert.equal(code, 0, stderr)
    state = stateOf(data)
    if (code === null && state.done > 0) stops.push(state.done)
    else if (code === null) {
      earlyKills++
      firstKillMs *= 1.2
    }
    if (killMs !== undefined && code === 0) assert.equal(state.done, rows)
    assert.ok(earlyKills < 20 * kills, 'the import never begins')
    if (state.done === rows && stops.length < kills && runs < 20 * kills) {
      // It was faster than the kill: another round on a fresh directory.
      firstKillMs *= 0.9
      rmSync(data, { recursive: true })
      state = NOTHING
    }
  }
  assert.ok(stops.length > 0, 'no import was killed while it wrote')
  assert.equal(stateOf(data).isNoted, false, 'an import that ended left its note')
  return `import: killed ${stops.length} times, after ${stops.join(', ')} of ${rows} rows, then whole`
}

/** Every third row has no id of its own. */
function rowOf(i: number, random: Random): string {
  const text = String.fromCharCode(97 + random.below(26)).repeat(ROW_CHARS)
  return JSON.stringify({ ...(i % 3 === 0 ? {} : { id: `row-${i}` }), name: nameOf(i), description: text, iconUrl: '' })
}

const nameOf = (i: number): string => `Topic ${i}`

interface State {
  /** Rows of the file that are there. */
  readonly done: number
  readonly isNoted: boolean
}
const NOTHING: State = { done: 0, isNoted: false }

/** Looks as the next process would, and makes sure that everything fits together. */
function stateOf(data: string): State {
  let database: Database
  try {
    database = openDatabase(join(data, 'dateline.db'), { readOnly: true })
  } catch {
    return NOTHING // Killed before there was a database.
  }
  try {
    if (database.get("SELECT 1 FROM sqlite_schema WHERE name = 'topic'") === undefined) return NOTHING
    assert.deepEqual(faultsOf(database), [])
    const names = database
      .all("SELECT doc ->> '$.name' AS name FROM topic ORDER BY seq")
      .map(({ name }) => String(name))
    assert.deepEqual(
      names,
      names.map((_, i) => nameOf(i)),
    )
    const count = (sql: string): number => Number(database.get(sql)?.['n'] ?? 0)
    const searched = 'SELECT count(*) AS n FROM (SELECT rowid FROM topic_search UNION SELECT seq FROM topic_search_pending)'
    assert.equal(count(searched), names.length)
    assert.equal(count("SELECT n FROM status_count WHERE model = 'topic' AND status = 'active'"), names.length)
    const note = database.get("SELECT value FROM meta WHERE name LIKE 'import %'")?.['value']
    if (note === undefined) return { done: names.length, isNoted: false }
    assert.equal((JSON.parse(String(note)) as { inserted: number }).inserted, names.length)
    return { done: names.length, isNoted: true }
  } finally {
    database.close()
  }
}

interface ImportRun {
  readonly file: string
  readonly data: string
  readonly resumes?: boolean
  readonly killMs?: number | undefined
}

function importOnce({ file, data, resumes = false, killMs }: ImportRun): Promise<CommandEnd> {
  const words = ['import', '--data-dir', data, '--model', 'topic', '--batch', String(ROWS_OF_BATCH), file]
  return runAndKill([...words, ...(resumes ? ['--resume'] : [])], killMs)
}
