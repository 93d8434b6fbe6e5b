/**
 * `npm run drill -- NAME`: processes that are killed, services under attack and clusters under faults, and what must hold
 * all the same. The seed is printed; `SEED=` takes the same decisions again.
 */
import { seedOfRun } from './tools/random.ts'
import { drillAttacks, readAttackWords } from './drill-attacks.ts'
import { drillCluster, readClusterWords } from './drill-cluster.ts'
import { drillExamples } from './drill-examples.ts'
import { drillLog } from './drill-log.ts'
import { drillSuites } from './drill-suites.ts'
import { drillChanges } from './killed/followed-changes.ts'
import { drillReferences } from './killed/followed-references.ts'
import { drillData } from './killed/killed-commands.ts'
import { drillImport } from './killed/killed-imports.ts'
import { drillPictures } from './killed/killed-uploads.ts'
import { drillOffsite } from './killed/lost-machine.ts'
import { drillMail } from './killed/mail.ts'
import { drillSchedule } from './killed/scheduled-changes.ts'

interface Drill {
  /** What may follow its name. */
  readonly usage: string
  /** Returns undefined where it cannot read the words. */
  read(words: readonly string[]): (() => Promise<string | readonly string[]>) | undefined
}

const seed = seedOfRun()

/** A drill whose words are whole numbers, each with its default. */
function ofNumbers(
  usage: string,
  defaults: readonly number[],
  run: (...numbers: number[]) => Promise<string | readonly string[]>,
): Drill {
  return {
    usage,
    read(words) {
      const numbers = words.map(Number)
      const isRead = numbers.length <= defaults.length && numbers.every((one) => Number.isInteger(one) && one >= 0 && one <= 100_000)
      return isRead && numbers[0] !== 0 ? () => run(...defaults.map((initial, i) => numbers[i] ?? initial)) : undefined
    },
  }
}

/** A drill that reads its words itself. */
function ofOptions<Options>(
  usage: string,
  read: (words: readonly string[]) => Options | undefined,
  run: (options: Options) => Promise<string | readonly string[]>,
): Drill {
  return {
    usage,
    read(words) {
      const options = read(words)
      return options === undefined ? undefined : () => run(options)
    },
  }
}

const DRILLS: Readonly<Record<string, Drill>> = {
  mail: ofNumbers('[CODES] [KILLS]', [500, 8], (codes = 0, kills = 0) => drillMail(codes, kills, seed)),
  data: ofNumbers('[SECONDS]', [18], (seconds = 0) => drillData(seconds, seed)),
  import: ofNumbers('[KILLS]', [8], (kills = 0) => drillImport({ rows: 6_000, kills, seed })),
  changes: ofNumbers('[WRITES] [KILLS]', [3_000, 8], (writes = 0, kills = 0) => drillChanges(writes, kills, seed)),
  references: ofNumbers('[COPIES] [KILLS]', [4_000, 6], (copies = 0, kills = 0) => drillReferences(copies, kills, seed)),
  schedule: ofNumbers('[HEADLINES] [KILLS]', [400, 6], (documents = 0, kills = 0) => drillSchedule(documents, kills, seed)),
  pictures: ofNumbers('[KILLS]', [8], (kills = 0) => drillPictures(kills, seed)),
  offsite: ofNumbers('[SECONDS] [KILLS]', [150, 4], (seconds = 0, kills = 0) => drillOffsite(seconds, kills, seed)),
  log: ofNumbers('[SECONDS]', [20], (seconds = 0) => drillLog({ seconds, seed })),
  attacks: ofOptions('[--quick] [NAME…]', readAttackWords, (options) => drillAttacks({ ...options, seed })),
  cluster: ofOptions('[--minutes N]', readClusterWords, (options) => drillCluster({ ...options, seed })),
  'cluster-suites': ofOptions('[WORD…] [--OPTION…]', (words) => words, drillSuites),
  'cluster-examples': ofNumbers('', [], () => drillExamples(seed)),
}

const [name = '', ...words] = process.argv.slice(2)
const run = Object.hasOwn(DRILLS, name) ? DRILLS[name]?.read(words) : undefined
if (run === undefined) {
  const lines = Object.entries(DRILLS).map(([one, { usage }]) => `npm run drill -- ${one} ${usage}`)
  console.error(`Usage: ${lines.join('\n       ')}`)
  process.exitCode = 2
} else {
  console.log(`SEED=${seed} ${[name, ...words].join(' ')}`)
  try {
    for (const line of [await run()].flat()) console.log(line)
  } catch (error) {
    console.error(`SEED=${seed} ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  }
}
