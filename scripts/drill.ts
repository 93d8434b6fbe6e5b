/**
 * `npm run drill -- mail [CODES] [KILLS]`, `npm run drill -- data [SECONDS]` and `npm run drill -- import [KILLS]`: the
 * program as a process that is killed again and again while it works, and what must hold all the same.
 * `npm run drill -- changes [WRITES] [KILLS]` kills it while readers follow changes.
 * `npm run drill -- references [COPIES] [KILLS]` kills it while copies follow a renamed topic.
 * `npm run drill -- schedule [DOCUMENTS] [KILLS]` kills it while headlines are published and archived at their times.
 * `npm run drill -- log [SECONDS]` does the same to the etcd servers below a commit log, and `npm run drill -- cluster`
 * to three nodes over etcd: see drill-cluster.ts; `cluster-suites` runs the suites of the API there: see
 * drill-suites.ts; `cluster-examples` runs examples/cluster: see drill-examples.ts.
 * `npm run drill -- attacks` attacks a running service instead: see drill-attacks.ts for its options. The seed is
 * printed; `SEED=` takes the same decisions again.
 */
import { seedOfRun } from '../test/support/random.ts'
import { drillAttacks, readAttackWords } from './drill-attacks.ts'
import { drillChanges } from './drill-changes.ts'
import { drillCluster, readClusterWords } from './drill-cluster.ts'
import { drillData } from './drill-data.ts'
import { drillExamples } from './drill-examples.ts'
import { drillImport } from './drill-import.ts'
import { drillLog } from './drill-log.ts'
import { drillMail } from './drill-mail.ts'
import { drillReferences } from './drill-references.ts'
import { drillSchedule } from './drill-schedule.ts'
import { drillSuites } from './drill-suites.ts'

const [name, ...words] = process.argv.slice(2)
const numbers = words.map(Number)
const isWhole = numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 100_000)
const attackOptions = name === 'attacks' ? readAttackWords(words) : undefined
const clusterOptions = name === 'cluster' ? readClusterWords(words) : undefined
const seed = seedOfRun()

/** Runs a drill and prints what it tells. */
async function drill(what: string, work: () => Promise<string | readonly string[]>): Promise<void> {
  console.log(`SEED=${seed} ${what}`)
  try {
    for (const line of [await work()].flat()) console.log(line)
  } catch (error) {
    console.error(`SEED=${seed} ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  }
}

if (name === 'mail' && isWhole && numbers.length <= 2 && numbers[0] !== 0) {
  const [codes = 500, kills = 8] = numbers
  await drill(`${codes} codes, ${kills} times kill -9`, () => drillMail({ codes, kills, seed }))
} else if (name === 'data' && isWhole && numbers.length <= 1) {
  const [seconds = 18] = numbers
  await drill(`${seconds} seconds of each kind of kill`, () => drillData({ seconds, seed }))
} else if (name === 'import' && isWhole && numbers.length <= 1 && numbers[0] !== 0) {
  const [kills = 8] = numbers
  await drill(`${kills} times kill -9`, () => drillImport({ rows: 6_000, kills, seed }))
} else if (name === 'changes' && isWhole && numbers.length <= 2 && numbers[0] !== 0) {
  const [writes = 3_000, kills = 8] = numbers
  await drill(`${writes} writes, ${kills} times kill -9`, () => drillChanges({ writes, kills, seed }))
} else if (name === 'references' && isWhole && numbers.length <= 2 && numbers[0] !== 0) {
  const [copies = 4_000, kills = 6] = numbers
  await drill(`${copies} copies, ${kills} times kill -9`, () => drillReferences({ copies, kills, seed }))
} else if (name === 'schedule' && isWhole && numbers.length <= 2 && numbers[0] !== 0) {
  const [documents = 400, kills = 6] = numbers
  await drill(`${documents} headlines, ${kills} times kill -9`, () => drillSchedule({ documents, kills, seed }))
} else if (name === 'log' && isWhole && numbers.length <= 1 && numbers[0] !== 0) {
  const [seconds = 20] = numbers
  await drill(`${seconds} seconds of kills and pauses`, () => drillLog({ seconds, seed }))
} else if (attackOptions !== undefined) {
  await drill('attacks', () => drillAttacks({ ...attackOptions, seed }))
} else if (name === 'cluster-suites') {
  await drill(['cluster-suites', ...words].join(' '), () => drillSuites(words))
} else if (name === 'cluster-examples' && (words.length === 0 || (words[0] === '--etcd' && words.length === 2))) {
  await drill('cluster-examples', () => drillExamples({ etcd: words[1] ?? 'etcd', seed }))
} else if (clusterOptions !== undefined) {
  await drill('cluster', () => drillCluster({ ...clusterOptions, seed }))
} else {
  console.error(
    [
      'Usage: npm run drill -- mail [CODES] [KILLS]',
      'npm run drill -- data [SECONDS]',
      'npm run drill -- import [KILLS]',
      'npm run drill -- changes [WRITES] [KILLS]',
      'npm run drill -- references [COPIES] [KILLS]',
      'npm run drill -- schedule [DOCUMENTS] [KILLS]',
      'npm run drill -- log [SECONDS]',
      'npm run drill -- attacks [--quick] [--size HEADLINES] [--executable PATH] [NAME…]',
      'npm run drill -- cluster [--minutes N] [--etcd PATH] [--no-bugs]',
      'npm run drill -- cluster-suites [WORD…] [--OPTION…]',
      'npm run drill -- cluster-examples [--etcd PATH]',
    ].join('\n       '),
  )
  process.exitCode = 2
}
