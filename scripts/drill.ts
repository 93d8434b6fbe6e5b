/**
 * `npm run drill -- NAME`: processes that are killed, services under attack and clusters under faults, and what must hold
 * all the same. The seed is printed; `SEED=` takes the same decisions again.
 */
import { seededRandom, seedOfRun } from './tools/random.ts'
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
import type { Drill } from './killed/killed-site.ts'
import { drillSchedule } from './killed/scheduled-changes.ts'
import { withCleanup } from './with-cleanup.ts'

interface Entry {
  /** What may follow its name. */
  readonly usage: string
  /** Returns undefined where it cannot read the words. */
  read(words: readonly string[]): (() => Promise<string | readonly string[]>) | undefined
}

const seed = seedOfRun()

function withDrill<T>(run: (drill: Drill) => Promise<T>): Promise<T> {
  return withCleanup((cleanup) => run({ cleanup, random: seededRandom(seed) }))
}

/** A drill whose words are whole numbers, each with its default. */
function ofNumbers(usage: string, defaults: readonly number[], run: (drill: Drill, ...numbers: [number, number]) => Promise<string | readonly string[]>): Entry {
  return {
    usage,
    read(words) {
      const numbers = words.map(Number)
      const isRead = numbers.length <= defaults.length && numbers.every((one) => Number.isInteger(one) && one >= 0 && one <= 100_000)
      const [first = 0, second = 0] = defaults.map((initial, i) => numbers[i] ?? initial)
      if (!isRead || numbers[0] === 0) return undefined
      return () => withDrill((drill) => run(drill, first, second))
    },
  }
}

/** A drill that reads its words itself. */
function ofOptions<Options>(
  usage: string,
  read: (words: readonly string[]) => Options | undefined,
  run: (drill: Drill, options: Options) => Promise<string | readonly string[]>,
): Entry {
  return {
    usage,
    read(words) {
      const options = read(words)
      return options === undefined ? undefined : () => withDrill((drill) => run(drill, options))
    },
  }
}

const DRILLS: Readonly<Record<string, Entry>> = {
  mail: ofNumbers('[CODES] [KILLS]', [500, 8], drillMail),
  data: ofNumbers('[SECONDS]', [18], drillData),
  import: ofNumbers('[KILLS]', [8], (drill, kills) => drillImport(drill, kills)),
  changes: ofNumbers('[WRITES] [KILLS]', [3_000, 8], drillChanges),
  references: ofNumbers('[COPIES] [KILLS]', [4_000, 6], drillReferences),
  schedule: ofNumbers('[HEADLINES] [KILLS]', [400, 6], drillSchedule),
  pictures: ofNumbers('[KILLS]', [8], drillPictures),
  offsite: ofNumbers('[SECONDS] [KILLS]', [150, 4], drillOffsite),
  log: ofNumbers('[SECONDS]', [20], drillLog),
  attacks: ofOptions('[--quick] [NAME…]', readAttackWords, drillAttacks),
  cluster: ofOptions('[--minutes N]', readClusterWords, (_, options) => drillCluster({ ...options, seed })),
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
    // What was going on when a signal ended the run may still hold the process.
    process.exit(1)
  }
}
