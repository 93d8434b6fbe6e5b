/**
 * `npm run drill -- mail [CODES] [KILLS]`: the service as a process that is killed again and again while it works, and
 * what must hold all the same. The seed is printed; `SEED=` takes the same decisions again.
 */
import { seedOfRun } from '../test/support/random.ts'
import { drillMail } from './drill-mail.ts'

const [name, codes = '500', kills = '8'] = process.argv.slice(2)
if (name !== 'mail' || !/^[1-9]\d{0,4}$/.test(codes) || !/^\d{1,3}$/.test(kills)) {
  console.error('Usage: npm run drill -- mail [CODES] [KILLS]')
  process.exitCode = 2
} else {
  const seed = seedOfRun()
  console.log(`SEED=${seed} ${codes} codes, ${kills} times kill -9`)
  try {
    console.log(await drillMail({ codes: Number(codes), kills: Number(kills), seed }))
  } catch (error) {
    console.error(`SEED=${seed} ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
