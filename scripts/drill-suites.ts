/**
 * `npm run drill -- cluster-suites [WORD…] [--OPTION…]`: the test files that say `also: cluster` against clusters, once against
 * one node of three, once spread over the three by a proxy. Each service of a test is a site of its own with three processes,
 * over three etcd servers for all of them.
 *
 * Words choose files whose names have one of them; options go to node's test runner. Tests that move the clock run with
 * libfaketime, as in check-executable.ts; where that or etcd is missing, it says so. Skipped are tests that look into the
 * process of the service.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiSuites, CLOCK } from './api-suites.ts'
import { SERVER_COUNT } from './cluster/running-cluster.ts'
import type { Drill } from './killed/killed-site.ts'
import { noEtcd, startEtcd } from './tools/cluster/etcd-server.ts'
import { temporaryDirectory } from './tools/temporary-directory.ts'
import { WITH_PARENT } from './tools/with-parent.ts'
import { testsAlso } from './test-files.ts'
import { runTests } from './test-runs.ts'

const ROOT = join(import.meta.dirname, '..')
/** A site has four processes to start. */
const TEST_TIMEOUT_MS = 240_000
const FILES_AT_ONCE = 2
const MODES = ['one', 'spread'] as const

type Mode = (typeof MODES)[number]

/** Throws where a file has failed. */
export async function drillSuites({ cleanup }: Drill, words: readonly string[]): Promise<string> {
  if (noEtcd !== false) return `skipped: ${noEtcd}`
  const directory = temporaryDirectory(cleanup)
  const etcd = (await startEtcd(cleanup, { servers: SERVER_COUNT, isQuick: false })).endpoints.join()
  const [options, names] = [words.filter((word) => word.startsWith('--')), words.filter((word) => !word.startsWith('--'))]
  const chosen = testsAlso('cluster').filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  const { withClock, withoutClock } = apiSuites(chosen)
  if (CLOCK === undefined) console.log(`leaves out what moves the clock, as there is no libfaketime: ${withClock.join(', ')}`)
  const failed: string[] = []
  for (const mode of MODES) {
    const variables = { TEST_PROGRAM: programOf(mode, directory, etcd), TEST_CLUSTER: etcd }
    const suites = [[withoutClock, variables], ...(CLOCK === undefined ? [] : [[withClock, { ...variables, TEST_CLOCK: CLOCK }] as const])] as const
    for (const [files, settings] of suites) {
      console.log(`${mode}: ${files.join(', ')}`)
      const run = { files, root: ROOT, concurrency: FILES_AT_ONCE, reporter: 'spec', variables: settings, isolated: true } as const
      if (files.length > 0 && runTests({ ...run, options: [`--test-timeout=${TEST_TIMEOUT_MS}`, ...options] }) !== 0) failed.push(mode)
    }
  }
  assert.deepEqual(failed, [], 'expected all files to pass')
  return 'all passed'
}

/** An executable that takes the words of `dateline serve`. */
function programOf(mode: Mode, directory: string, etcd: string): string {
  const script = join(directory, `${mode}.sh`)
  const program = join(import.meta.dirname, 'cluster/serve-cluster.ts')
  const words = [...WITH_PARENT, process.execPath, program, etcd, mode].map((word) => `'${word}'`)
  writeFileSync(script, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return script
}
