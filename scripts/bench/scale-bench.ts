/**
 * `npm run bench -- scale [N…]`: what a request costs with many headlines (default 100,000 and 1,000,000), relative to
 * 10,000: CPU time of the service, and its rate. The services take turns in each round, and remember no page: one that
 * is remembered costs the same at any size. Loading a million headlines takes some minutes, the rounds take one.
 */
import { createBenchRoom } from './bench-processes.ts'
import { startGenerator, startTarget, type Target } from './bench-target.ts'
import { feedPath, httpScenarios, readRequests, type Scenario } from './http-scenarios.ts'
import { runRounds, type Summary } from './load-rounds.ts'
import { sendRaw } from './raw-request.ts'

const SMALLEST = 10_000
const LARGER = [100_000, 1_000_000]
const MEASURED = ['by id', 'list, cold', 'feed, 3 topics', 'search', 'create']
const BY_TITLE = '/api/v1/data?model=headline&sort=title:asc&limit=20'
const DEEP_PAGE = 100
const NAME_CHARS = 18
const COLUMN_CHARS = 24

export async function benchScale(words: readonly string[]): Promise<void> {
  const counts = [SMALLEST, ...(words.length === 0 ? LARGER : words.map(Number))]
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  const targets: Target[] = []
  for (const count of counts) {
    const since = performance.now()
    targets.push(await startTarget(room, { name: `data-${count}`, count, mailPort, more: ['--cache-mb', '0'] }))
    console.log(`${count} headlines loaded in ${((performance.now() - since) / 1000).toFixed(0)} s`)
  }
  console.log(`\n${' '.repeat(NAME_CHARS)}${counts.map((count) => String(count).padStart(COLUMN_CHARS)).join('')}`)
  const scenarios = await Promise.all(targets.map(scaleScenarios))
  for (const [i, { name }] of (scenarios[0] ?? []).entries()) {
    const jobs = targets.map(({ port, pid }, at) => ({ ...(scenarios[at]?.[i] as Scenario).job, port, pid }))
    console.log(lineOf(name, await runRounds(generator, jobs)))
  }
}

async function scaleScenarios(target: Target): Promise<readonly Scenario[]> {
  const all = await httpScenarios(target)
  return [...all.filter(({ name }) => MEASURED.includes(name)), await deepPage(target), reads(target, 'by title', BY_TITLE)]
}

function reads(target: Target, name: string, path: string): Scenario {
  return { name, job: { kind: 'requests', requests: readRequests(target, [path]), status: 200 } }
}

/** Follows the cursors of a feed. */
async function deepPage(target: Target): Promise<Scenario> {
  const first = feedPath(target)
  let path = first
  for (let page = 1; page < DEEP_PAGE; page++) {
    const { body } = await sendRaw(target.port, readRequests(target, [path])[0] ?? '')
    const { data } = JSON.parse(body.toString()) as { data: { readonly cursor: string | null; readonly hasMore: boolean } }
    if (!data.hasMore || data.cursor === null) break
    path = `${first}&cursor=${encodeURIComponent(data.cursor)}`
  }
  return reads(target, `feed, page ${DEEP_PAGE}`, path)
}

/** `list, hot   120 µs   124 µs (1.03)   131 µs (1.09)`, with the rates. */
function lineOf(name: string, summaries: readonly Summary[]): string {
  const cost = summaries[0]?.cpuMicros ?? 0
  const cells = summaries.map(({ cpuMicros, perSecond }, i) => {
    const ratio = i === 0 ? '' : ` ${(cpuMicros / cost).toFixed(2)}`
    return `${perSecond.toFixed(0)}/s ${cpuMicros.toFixed(0)} µs${ratio}`.padStart(COLUMN_CHARS)
  })
  return name.padEnd(NAME_CHARS) + cells.join('')
}
