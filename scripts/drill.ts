/**
 * `npm run drill -- mail [CODES] [KILLS]`, `npm run drill -- data [SECONDS]` and `npm run drill -- import [KILLS]`: the
 * program as a process that is killed again and again while it works, and what must hold all the same.
 * `npm run drill -- attacks` attacks a running service instead: see drill-attacks.ts for its options. The seed is
 * printed; `SEED=` takes the same decisions again.
 */
import { seedOfRun } from '../test/support/random.ts'
import { drillAttacks, readAttackWords } from './drill-attacks.ts'
import { drillData } from './drill-data.ts'
import { drillImport } from './drill-import.ts'
import { drillMail } from './drill-mail.ts'

const [name, ...words] = process.argv.slice(2)
const numbers = words.map(Number)
const isWhole = numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 100_000)
const attackOptions = name === 'attacks' ? readAttackWords(words) : undefined
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
} else if (attackOptions !== undefined) {
  await drill('attacks', () => drillAttacks({ ...attackOptions, seed }))
} else {
  console.error(
    [
      'Usage: npm run drill -- mail [CODES] [KILLS]',
      'npm run drill -- data [SECONDS]',
      'npm run drill -- import [KILLS]',
      'npm run drill -- attacks [--quick] [--size HEADLINES] [--executable PATH] [NAME…]',
    ].join('\n       '),
  )
  process.exitCode = 2
}
