/**
 * `npm run drill -- log [SECONDS]`: the contract of a commit log over three etcd servers; then three nodes append to one log
 * while its servers are killed and paused, one at a time. What must hold: each acknowledged entry is in the log once, no
 * entry is there twice, each node is told the same entries in the same order and can open them, while servers rewrite
 * their databases, and never are two nodes the keeper. Without etcd it says so and passes.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { clusterKeysOf } from '../src/cluster/cluster-keys.ts'
import { checkEtcd } from '../src/cluster/etcd/etcd-check.ts'
import { connectEtcd } from '../src/cluster/etcd/etcd-client.ts'
import { EtcdError } from '../src/cluster/etcd/etcd-error.ts'
import { createEtcdLog } from '../src/cluster/log/etcd-log.ts'
import { createRecordSealer } from '../src/cluster/log/record-sealer.ts'
import { LogUnavailable, type CommitLog, NO_ENTRY } from '../src/store/cluster/commit-log.ts'
import { startKeeperRace } from './cluster/keeper-race.ts'
import { noEtcd, startEtcd, type EtcdServers } from './tools/cluster/etcd-server.ts'
import type { Drill } from './killed/killed-site.ts'
import type { Random } from './tools/random.ts'
import { recordingLog } from './tools/recording-log.ts'

const SERVERS = 3
const NODES = 3
const CALM_MS = 1_500
/** A node that is told nothing for this long has lost its watch. */
const CATCH_UP_MS = 120_000

export async function drillLog({ cleanup, random }: Drill, seconds: number): Promise<readonly string[]> {
  if (noEtcd !== false) return [`skipped: ${noEtcd}`]
  const contract = spawnSync(process.execPath, ['--test', 'test/etcd/etcd-log.test.ts'], { env: { ...process.env, ETCD_SERVERS: String(SERVERS) } })
  assert.equal(contract.status, 0, String(contract.stdout))
  const servers = await startEtcd(cleanup, { servers: SERVERS })
  const nodes = Array.from({ length: NODES }, (_, i) => startNode(servers.endpoints, { number: i, random }))
  for (const node of nodes) cleanup.after(node.close)
  await checkEtcd(nodes[0]?.etcd ?? assert.fail())
  const keepers = startKeeperRace(nodes.map(({ etcd }) => etcd))
  // Also where something else fails: what goes on would keep the process from ending.
  cleanup.after(async () => void (await keepers.finish().catch(() => {})))
  const end = performance.now() + seconds * 1_000
  const faults: string[] = []
  while (performance.now() < end) {
    const fault = disturb(servers, random)
    // One that is killed or paused does not do it.
    await random.pick(nodes).etcd.defragmentAt(random.pick(servers.endpoints)).catch((error: unknown) => assert.ok(error instanceof EtcdError))
    faults.push(await fault)
  }
  const { terms, endedEarly } = await keepers.finish()
  // A leader that stood still may end the leases that were renewed at the next one (etcd issue 15247).
  assert.ok(endedEarly === 0 || faults.some((fault) => fault.startsWith('pause')), 'etcd ended a lease before its time')
  assert.ok(terms > 1, `expected keepers to take turns, found ${terms} terms`)
  const written = await Promise.all(nodes.map((node) => node.finish()))
  await Promise.all(nodes.map((node) => caughtUp(node, Math.max(...written.map(({ last }) => last)))))
  const [first, ...others] = nodes.map((node) => node.delivered)
  for (const other of others) assert.deepEqual(other, first)
  const texts = (first ?? []).map(({ text }) => text)
  assert.equal(new Set(texts).size, texts.length, 'expected every entry once')
  const lost = written.flatMap(({ acknowledged }) => acknowledged).filter((text) => !texts.includes(text))
  assert.deepEqual(lost, [], 'expected every acknowledged entry in the log')
  const longest = Math.max(...written.map(({ longestMs }) => longestMs))
  return [
    'The contract holds over three servers',
    `${texts.length} entries, the same for ${NODES} nodes; ${faults.length} faults: ${faults.join(', ')}`,
    `One keeper at a time, in ${terms} terms, and ${endedEarly} leases that etcd ended early`,
    `A node waited ${Math.round(longest)} ms for an append at most; ${written.reduce((sum, { unknown }) => sum + unknown, 0)} appends had no response`,
  ]
}

/** Kills or pauses a server for a while, and leaves time to recover. */
async function disturb(servers: EtcdServers, random: Random): Promise<string> {
  const server = random.below(SERVERS)
  const isKill = random.oneIn(2)
  if (isKill) await servers.end(server, 'SIGKILL')
  else await servers.signal(server, 'SIGSTOP')
  await pause(500 + random.below(2_500))
  if (isKill) servers.start(server)
  else await servers.signal(server, 'SIGCONT')
  if (isKill) await servers.ready(server)
  await pause(CALM_MS)
  return `${isKill ? 'kill' : 'pause'} ${server + 1}`
}

interface Entry {
  readonly position: number
  readonly text: string
}

/** A node that appends as fast as it can, as the store does: behind what it has seen, and again where that was lost. */
function startNode(endpoints: readonly string[], { number, random }: { number: number; random: Random }) {
  const [node, prefix] = [number.toString(16).padStart(16, '0'), '/drill/']
  const sealer = createRecordSealer({ keys: clusterKeysOf(['a secret of the drill']).entries, site: 'drill' })
  const nothing = { ca: undefined, cert: undefined, key: undefined, login: undefined }
  const etcd = connectEtcd({ endpoints, prefix, ...nothing }, { now: () => performance.now(), random: () => random.below(1_000) / 1_000 })
  const { log: notes } = recordingLog()
  const log = createEtcdLog({ etcd, prefix, log: notes })
  const delivered: Entry[] = []
  let wake = (): void => {}
  log.follow(0, {
    entry({ position, body }) {
      delivered.push({ position, text: Buffer.from(sealer.open(body).changeset).toString() })
      wake()
    },
    gap: (reason) => assert.fail(reason),
  })
  const result = { acknowledged: [] as string[], unknown: 0, longestMs: 0, last: 0 }
  const state = { isOver: false, isClosed: false }
  const next = (after: number): Promise<void> =>
    delivered.some(({ position }) => position > after) ? Promise.resolve() : new Promise((resolve) => (wake = resolve))

  async function appendOnce(text: string): Promise<void> {
    while (!state.isClosed) {
      const after = delivered.at(-1)?.position ?? 0
      if (delivered.some((entry) => entry.text === text)) return
      const body = sealer.seal({ schema: 1, node, id: randomBytes(16).toString('hex'), previous: NO_ENTRY, changeset: Buffer.from(text) })
      const outcome = await tryAppend(log, after, body)
      if (outcome === 'unknown') result.unknown++
      if (outcome === 'lost') await Promise.race([next(after), pause(20)])
      if (typeof outcome !== 'number') continue
      result.last = outcome
      await next(outcome - 1)
      return
    }
  }
  const writing = (async () => {
    for (let i = 0; !state.isOver && !state.isClosed; i++) {
      const text = `node ${number} entry ${i}`
      const start = performance.now()
      await appendOnce(text)
      result.acknowledged.push(text)
      result.longestMs = Math.max(result.longestMs, performance.now() - start)
    }
  })()
  return {
    etcd,
    delivered,
    finish: async () => {
      state.isOver = true
      await writing
      return result
    },
    close: async () => {
      state.isClosed = true
      await log.close()
      etcd.close()
    },
  }
}

async function tryAppend(log: CommitLog, after: number, body: Uint8Array): Promise<number | 'lost' | 'unknown' | 'not sent'> {
  try {
    const outcome = await log.append(after, body)
    return outcome.kind === 'lost' ? 'lost' : outcome.position
  } catch (error) {
    if (!(error instanceof LogUnavailable)) throw error
    await pause(20)
    return error.sent ? 'unknown' : 'not sent'
  }
}

async function caughtUp({ delivered }: { readonly delivered: readonly Entry[] }, position: number): Promise<void> {
  for (const start = performance.now(); (delivered.at(-1)?.position ?? 0) < position; await pause(20)) {
    assert.ok(performance.now() - start < CATCH_UP_MS, `a node stands at ${delivered.at(-1)?.position}, expected ${position}`)
  }
}
