/**
 * schemathesis before a running service with sample content, as an administrator: examples, values at limits, random ones
 * and sequences, each response compared with the description.
 *
 * It does not judge whether a request that fits the schemas is accepted: no schema can say that a cursor or a code was
 * issued by this service, that an address is free, or that a document exists.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../tools/program.ts'
import type { CheckRun } from '../conformance.ts'
import { temporaryDirectory } from '../../tools/temporary-directory.ts'

/** They end the session of the run, replace its data, or never end. */
const LEFT_OUT = [
  ...['signOut', 'deleteAccount', 'endOtherSessions', 'endOwnSession', 'endSessions', 'endSession', 'refreshToken'],
  ...['restoreBackup', 'changeStream', 'syncStream'],
]
/** Requests are refused by these too: the version of an offline client is looked at before its body. */
const REFUSALS = ['400', '401', '403', '404', '405', '409', '410', '412', '413', '415', '422', '426', '429', '5xx']
/**
 * A long poll of 30 seconds would take most of the run, or its time-out. A user whose passkeys were deleted still has a list
 * of them, an empty one: DELETE empties this collection.
 */
const OF_OPERATIONS = `[[operations]]
include-operation-id = "changes"
parameters = { wait = 1 }

[[operations]]
include-operation-id = "passkeys"
checks = { use_after_free = { enabled = false } }
`
const START_SECONDS_MAX = 120

interface Run {
  /** Of the programs of Python's packages. */
  readonly bin: string
  readonly seconds: number
}

/** Throws where it finds a violation. */
export async function runSchemathesis({ bin, seconds }: Run, { cleanup, say }: CheckRun): Promise<void> {
  const directory = temporaryDirectory(cleanup)
  const tokenFile = join(directory, 'token')
  const words = ['--data-dir', join(directory, 'data'), '--token-file', tokenFile, '--rate-limits', 'off', '--log-level', 'error']
  const { url } = await serve(cleanup, words)
  const headers = { Authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }
  const sample = await fetch(`${url}/api/v1/admin/sample`, { method: 'POST', headers })
  if (sample.status !== 200) throw new Error(`Cannot add sample content: ${await sample.text()}`)
  const statuses = JSON.stringify(REFUSALS)
  const checks = `[checks.negative_data_rejection]\nexpected-statuses = ${statuses}\n`
  writeFileSync(join(directory, 'schemathesis.toml'), checks + OF_OPERATIONS)
  const args = [
    ...['run', `${url}/api/v1/openapi.json`, '--header', `Authorization: ${headers.Authorization}`, '--no-color'],
    ...['--max-time', String(seconds), '--seed', '20261124', '--request-timeout', '30', '--continue-on-failure'],
    ...['--exclude-checks', 'positive_data_acceptance', '--warnings', 'off'],
    ...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]),
  ]
  const timeout = (seconds + START_SECONDS_MAX) * 1000
  const child = spawn(join(bin, 'schemathesis'), args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'], timeout })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  const counted = /(\d+) generated.*/.exec(output)?.[0]
  if (code !== 0) throw new Error(`schemathesis finds what the description does not say:\n${output}`)
  if (counted === undefined) throw new Error(`schemathesis has sent nothing:\n${output}`)
  const alive = await fetch(`${url}/api/v1/auth/me`, { headers })
  if (alive.status !== 200) throw new Error('the session ended within the run of schemathesis: most requests were not served')
  say(`schemathesis finds no violation in ${seconds} s: ${counted}`)
}
