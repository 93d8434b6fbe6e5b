/**
 * `npm run fuzz -- query|parse|pattern|log|changeset|codecs|http2|replica|feed|picture [CASES]`: the random tests of `npm test`, for as
 * long as one likes. The seed is printed; `SEED=` repeats a run.
 *
 *   query   filters, sorts and pages in the store against brute force, with and without indexes
 *   parse   any JSON and any bytes as the parameter `filter`: a filter or a refusal
 *   pattern patterns on texts against V8, and which texts are patterns
 *   log     nodes that write to one commit log while their connections fail: what was acknowledged is there once, in order
 *   changeset any bytes as a changeset of SQLite: changes or a rejection; a real one leads from rows to rows
 *   codecs  messages of etcd, frames of gRPC and sealed entries: read as they were written, and refused where damaged
 *   http2   damaged frames of HTTP/2 below the client of etcd: a response or an error, and the client goes on
 *   replica writes of every kind on three stores over a log that fails: none lost, none twice, all stores alike
 *   picture damaged pictures: read and cleaned to bytes that stay so, or a failure that says why
 *   feed    damaged feeds and pages: read as far as they make sense, or a failure that says why; no script, no other address
 */
import assert from 'node:assert/strict'
import { systemClock } from '../src/base/clock.ts'
import { LogUnavailable, NO_ENTRY, type LogRecord } from '../src/store/cluster/commit-log.ts'
import { fuzzCodecs } from './tools/cluster/codec-fuzz.ts'
import { startHttp2Fuzz } from './tools/cluster/http2-fuzz.ts'
import { createMemoryLog } from './tools/cluster/memory-log.ts'
import { changedRows, damaged, outcomeOfBytes, randomChangeset, textOf } from './tools/cluster/changeset-bytes.ts'
import { createPlainSealer } from './tools/cluster/plain-sealer.ts'
import { runSchedule, SCHEDULE_CLIENTS } from './tools/cluster/write-schedule.ts'
import { fuzzFeed } from './tools/feeds/feed-fuzz.ts'
import { fuzzPicture } from './tools/media/picture-fuzz.ts'
import { outcomeOfQueryText, randomQueryText } from './tools/query/filter-bytes.ts'
import { compareWithV8, newPatternTally } from './tools/query/pattern-comparison.ts'
import { randomPatternCase, randomSyntaxCase } from './tools/query/pattern-generator.ts'
import { startPatternOracle } from './tools/query/pattern-oracle.ts'
import {
  createWorld,
  differenceOrError,
  newTally,
  randomQueryCase,
  report,
} from './tools/query/query-comparison.ts'
import { seededRandom, seedOfRun, type Random } from './tools/random.ts'
import { withCleanup } from './with-cleanup.ts'

const CASES_DEFAULT = 100_000
const CASES_OF_A_WORLD = 500
const CHANGES = 60
const PATTERNS_AT_ONCE = 2_000
const OPERATIONS_OF_A_SCHEDULE = 40
/** Connections that are damaged at the same time, as some wait for a deadline. */
const HTTP2_CASES_AT_ONCE = 20
const REPORT_EVERY_MS = 5_000

const FUZZERS: Readonly<Record<string, (random: Random, cases: number) => Promise<string>>> = {
  query: fuzzQuery,
  parse: fuzzParse,
  pattern: fuzzPattern,
  log: fuzzLog,
  codecs: fuzzClusterCodecs,
  http2: fuzzHttp2,
  changeset: fuzzChangeset,
  replica: fuzzReplica,
  feed: fuzzFeeds,
  picture: fuzzPictures,
}

const [name = '', count = String(CASES_DEFAULT)] = process.argv.slice(2)
const fuzzer = FUZZERS[name]
if (fuzzer === undefined || !/^[1-9]\d{0,11}$/.test(count)) {
  console.error(`Usage: npm run fuzz -- ${Object.keys(FUZZERS).join('|')} [CASES]`)
  process.exitCode = 2
} else {
  const seed = seedOfRun()
  console.log(`SEED=${seed} ${count} cases`)
  try {
    console.log(await fuzzer(seededRandom(seed), Number(count)))
  } catch (error) {
    console.error(`SEED=${seed} ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

async function fuzzQuery(random: Random, cases: number): Promise<string> {
  const tally = newTally()
  const tick = progress()
  await withCleanup(async (cleanup) => {
    const world = createWorld(cleanup)
    for (let i = 0; tally.cases < cases; i++) {
      if (i % CASES_OF_A_WORLD === 0) await world.change(random, CHANGES)
      const queryCase = randomQueryCase(random)
      for (const copy of [world.indexed, world.bare]) {
        const difference = differenceOrError(queryCase, { world, copy, random, tally })
        if (difference !== undefined) throw new Error(report(queryCase, copy, difference))
      }
      tick(tally.cases)
    }
  })
  const kinds = [...tally.kinds].map(([kind, met]) => `${kind} ${met}`).join(', ')
  const { cases: compared, pages, telling } = tally
  return `No difference in ${compared} cases, ${pages} pages; ${telling} told documents apart; met: ${kinds}`
}

async function fuzzParse(random: Random, cases: number): Promise<string> {
  const counts = { filter: 0, refused: 0, absent: 0 }
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    counts[outcomeOfQueryText(randomQueryText(random))]++
    tick(i)
  }
  return `Always a filter or a refusal: ${counts.filter} filters, ${counts.refused} refusals`
}

async function fuzzChangeset(random: Random, cases: number): Promise<string> {
  const counts = { read: 0, malformed: 0 }
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    const { bytes, before, after } = randomChangeset(random)
    for (const table of ['one', 'two']) {
      const found = changedRows(bytes, table, before[table] ?? []).map(textOf).sort()
      assert.deepEqual(found, (after[table] ?? []).map(textOf).sort())
    }
    counts[outcomeOfBytes(damaged(random, bytes))]++
    tick(i)
  }
  return `Always rows or a rejection: of the damaged, ${counts.read} were read, ${counts.malformed} rejected`
}

/** A case is an operation of a client. */
async function fuzzReplica(random: Random, cases: number): Promise<string> {
  const total = { made: 0, notMade: 0, unknown: 0, reads: 0, cuts: 0 }
  const tick = progress()
  for (let done = 0; done < cases; done += OPERATIONS_OF_A_SCHEDULE * SCHEDULE_CLIENTS) {
    const seed = 1 + random.below(1e9)
    const { faults, counts } = await withCleanup((cluster) => runSchedule(cluster, { seed, operations: OPERATIONS_OF_A_SCHEDULE }))
    if (faults.length > 0) throw new Error(`schedule ${seed}: ${faults.join('\n')}`)
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) total[name] += counts[name]
    tick(done)
  }
  return `Nothing lost, twice or stale, and all nodes alike: ${JSON.stringify(total)}`
}

/** A case is a pair of a pattern and a text. */
async function fuzzPattern(random: Random, cases: number): Promise<string> {
  const oracle = startPatternOracle()
  const tally = newPatternTally()
  const tick = progress()
  try {
    while (tally.pairs < cases) {
      const patterns = Array.from({ length: PATTERNS_AT_ONCE }, () => randomPatternCase(random))
      const syntax = Array.from({ length: PATTERNS_AT_ONCE }, () => randomSyntaxCase(random))
      const difference = await compareWithV8([...patterns, ...syntax], { oracle, tally })
      if (difference !== undefined) throw new Error(difference)
      tick(tally.pairs)
    }
  } finally {
    oracle.close()
  }
  const { pairs, patterns, noPatterns, matching, skipped } = tally
  return `No difference in ${pairs} pairs of ${patterns} patterns, ${matching} match; ${noPatterns} texts were no patterns; V8 took too long for ${skipped}`
}

/** A case is an append. A node whose response was lost looks for its own id behind the position, as the store does. */
async function fuzzLog(random: Random, cases: number): Promise<string> {
  const log = createMemoryLog()
  const nodes = Array.from({ length: 3 }, () => log.connect())
  const sealer = createPlainSealer()
  const delivered: { position: number; id: string }[] = []
  log.connect().follow(0, {
    entry: ({ position, body }) => void delivered.push({ position, id: sealer.open(body).id }),
    gap: (reason) => assert.fail(reason),
  })
  const acknowledged: { position: number; id: string }[] = []
  const unknown: string[] = []
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    const node = random.pick(nodes)
    const record: LogRecord = { schema: 1, node: '0'.repeat(16), id: i.toString(16).padStart(32, '0'), previous: NO_ENTRY, changeset: Buffer.alloc(random.below(50)) }
    if (random.oneIn(20)) node.loseResponse()
    if (random.oneIn(50)) node.cut()
    try {
      const after = random.oneIn(10) ? (delivered.at(-1)?.position ?? 0) : await node.last()
      const outcome = await node.append(after, sealer.seal(record))
      if (outcome.kind === 'appended') acknowledged.push({ position: outcome.position, id: record.id })
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      if (error.sent) unknown.push(record.id)
      node.restore()
    }
    tick(i)
  }
  const last = await log.connect().last()
  while ((delivered.at(-1)?.position ?? 0) < last) await new Promise((resolve) => void setImmediate(resolve))
  const isUnknown = new Set(unknown)
  const expected = delivered.filter(({ id }) => !isUnknown.has(id))
  assert.deepEqual(expected, acknowledged, 'expected what was acknowledged to be delivered once and in order')
  assert.equal(new Set(delivered.map(({ id }) => id)).size, delivered.length, 'expected every entry once')
  return `${acknowledged.length} entries acknowledged and delivered; ${unknown.length} appends without a response`
}

async function fuzzClusterCodecs(random: Random, cases: number): Promise<string> {
  const tick = progress()
  let refused = 0
  for (let i = 0; i < cases; i++) {
    refused += fuzzCodecs(random)
    tick(i)
  }
  return `Read as written ${3 * cases} times; ${refused} of as many damaged ones refused`
}

async function fuzzHttp2(random: Random, cases: number): Promise<string> {
  const total = { responses: 0, errors: 0 }
  const tick = progress()
  await withCleanup(async (cleanup) => {
    const runCase = await startHttp2Fuzz(cleanup)
    let begun = 0
    const work = async (): Promise<void> => {
      while (begun++ < cases) {
        const { responses, errors } = await runCase(1 + random.below(1e9))
        total.responses += responses
        total.errors += errors
        tick(begun)
      }
    }
    await Promise.all(Array.from({ length: HTTP2_CASES_AT_ONCE }, work))
  })
  return `Always a response or an error, and good ones afterwards: ${total.responses} responses, ${total.errors} errors`
}

/** Says now and then how far it has come. */
async function fuzzFeeds(random: Random, cases: number): Promise<string> {
  const counts = { read: 0, rejected: 0 }
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    counts[fuzzFeed(random)]++
    tick(i)
  }
  return `Nothing but text and addresses: ${counts.read} read, ${counts.rejected} rejected`
}

async function fuzzPictures(random: Random, cases: number): Promise<string> {
  const counts = { read: 0, rejected: 0 }
  const tick = progress()
  for (let i = 0; i < cases; i++) {
    counts[fuzzPicture(random)]++
    tick(i)
  }
  return `No fault: ${counts.read} read, ${counts.rejected} rejected`
}

function progress(): (done: number) => void {
  let said = systemClock()
  return (done) => {
    const now = systemClock()
    if (now - said < REPORT_EVERY_MS) return
    said = now
    console.log(`${done} cases`)
  }
}
