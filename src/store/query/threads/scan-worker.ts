/**
 * The program of the threads for long queries, with a read-only connection of its own.
 *
 * It knows no deadline: it checks between two rows whether it is to stop. Rows are pulled one by one, so that no single
 * step of SQLite takes long: no plan sorts in SQLite (test/store/plans.test.ts asserts that). The longest steps pass over what
 * an index decides, and look for common trigrams: `npm run bench -- scale` prints both at a million rows.
 */
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../../base/clock.ts'
import { Failure } from '../../../base/failure.ts'
import { runTasks } from '../../../base/thread.ts'
import { storedModelNamed } from '../../../models/registry.ts'
import { asStoreFailure, openDatabase } from '../../db/database.ts'
import { execute, noEffort } from '../executor.ts'
import { explainQuery } from '../explain.ts'
import { planQuery } from '../planner.ts'
import { readQuery, writeAnswer, type ScanResultMessage, type ScanTaskMessage, type ThreadData } from './query-message.ts'

const { file, stopped } = workerData as ThreadData
const database = openDatabase(file, { readOnly: true })

runTasks((task: ScanTaskMessage): ScanResultMessage => {
  try {
    return run(task)
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', message: error.message }
    const failure = asStoreFailure(error)
    if (failure instanceof Failure) return { kind: 'unavailable', message: failure.message, cause: String(error) }
    throw error
  }
})

function run(task: ScanTaskMessage): ScanResultMessage {
  const mayGoOn = (): boolean => Atomics.load(stopped, 0) !== task.number
  if (!mayGoOn()) return { kind: 'stopped' }
  const model = storedModelNamed(task.query.model)
  if (model === undefined) throw new Error(`There is no model ${task.query.model}`)
  const query = readQuery(task.query)
  database.exec('BEGIN')
  try {
    if (task.kind === 'explain') {
      const plan = explainQuery(database, model, { query, now: systemClock, msMax: task.msMax, mayGoOn })
      return { kind: 'explained', plan }
    }
    const plan = planQuery(database, model, query, { mayTakeLong: true })
    const found = execute(database, model, { plan, query, effort: noEffort(), mayGoOn })
    return found === undefined ? { kind: 'stopped' } : writeAnswer(found)
  } finally {
    database.exec('COMMIT')
  }
}
