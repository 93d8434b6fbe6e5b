/** Faults below a commit log, with real servers: what is reported as not done was not done, and no entry is missed. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, describe, it, type TestContext } from 'node:test'
import { createEtcdLog } from '../../src/cluster/log/etcd-log.ts'
import { ENTRY_BYTES_MAX, LogUnavailable, type CommitLog } from '../../src/store/cluster/commit-log.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { collect } from '../support/cluster/log-contract.ts'
import { startProxy } from '../support/cluster/tcp-proxy.ts'
import { portFor } from '../../scripts/tools/listening.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'

const { endpoints } = noEtcd === false ? await startEtcd({ after }) : { endpoints: [] }
const [direct = ''] = endpoints
let sites = 0
const newPrefix = (): string => `/faults-${sites++}/`

function openLog(t: TestContext, urls: readonly string[], prefix: string) {
  const recording = recordingLog()
  const etcd = connectTo(t, urls)
  const log = createEtcdLog({ etcd, prefix, log: recording.log })
  t.after(() => log.close())
  return Object.assign(log, { etcd, recording })
}

async function append(log: CommitLog, after: number, text: string): Promise<number> {
  const outcome = await log.append(after, Buffer.from(text))
  assert.equal(outcome.kind, 'appended')
  return outcome.kind === 'appended' ? outcome.position : 0
}

/** Tries until etcd is there again. An attempt without a response may take effect later: the next one is lost to it. */
async function appendAgain(log: CommitLog, after: number, text: string): Promise<number> {
  for (let wasSent = false; ; ) {
    try {
      const outcome = await log.append(after, Buffer.from(text))
      if (outcome.kind === 'appended') return outcome.position
      assert.equal(wasSent, true, 'lost to no other entry')
      return await log.last()
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      wasSent ||= error.sent
    }
  }
}

const isNotDone = (error: unknown): boolean => error instanceof LogUnavailable && !error.sent
const mayBeDone = (error: unknown): boolean => error instanceof LogUnavailable && error.sent

/** A follower that has the first entry, and whose connection is gone then. */
async function startAway(t: TestContext) {
  const proxy = await startProxy(t, direct)
  const prefix = newPrefix()
  const [writer, follower] = [openLog(t, [direct], prefix), openLog(t, [proxy.url], prefix)]
  const reader = collect(follower, 0)
  const first = await append(writer, 0, 'first')
  await reader.raw(1)
  proxy.goAway()
  return { proxy, writer, reader, first }
}

describe('faults below a commit log', { skip: noEtcd }, () => {
  it('a response that is lost after the append took effect: it may be done, and it is', async (t) => {
    const proxy = await startProxy(t, direct)
    const prefix = newPrefix()
    const log = openLog(t, [proxy.url], prefix)
    await log.last()
    const dropped = proxy.dropResponses()
    const outcome = assert.rejects(log.append(0, Buffer.from('entry')), mayBeDone)
    await dropped
    await outcome
    proxy.passResponses()
    const [entry] = await collect(log, 0).raw(1)
    assert.equal(String(entry?.body), 'entry')
    assert.deepEqual(await log.append(0, Buffer.from('entry')), { kind: 'lost' })
  })

  it('a server that takes connections and never answers: the next one is asked', async (t) => {
    const silent = await portFor(t, createServer())
    const log = openLog(t, [`http://127.0.0.1:${silent}`, direct], newPrefix())
    assert.equal(await log.last(), 0)
    await append(log, 0, 'entry')
  })

  it('a connection that is cut again and again: the watch misses no entry and repeats none', async (t) => {
    const proxy = await startProxy(t, direct)
    const prefix = newPrefix()
    const [writer, follower] = [openLog(t, [direct], prefix), openLog(t, [proxy.url], prefix)]
    const reader = collect(follower, 0)
    let position = 0
    for (let i = 0; i < 12; i++) {
      position = await append(writer, position, `entry ${i}`)
      if (i % 3 === 0) proxy.cut()
      if (i % 4 === 0) await reader.raw(i + 1)
    }
    const entries = await reader.raw(12)
    assert.deepEqual(entries.map(({ body }) => String(body)), Array.from({ length: 12 }, (_, i) => `entry ${i}`))
    assert.equal(follower.recording.entries.some(({ event }) => event === 'cluster.watch_failed'), true)
  })

  it('compaction while a follower is away: a gap, once', async (t) => {
    const { proxy, writer, reader, first } = await startAway(t)
    const second = await append(writer, first, 'second')
    const third = await append(writer, second, 'third')
    const fourth = await append(writer, third, 'fourth')
    await writer.trim(fourth)
    proxy.comeBack()
    assert.match(await reader.gap, /compacted at revision \d+, behind position \d+: entries up to \d+ are gone/)
    assert.equal(reader.seen.length, 1)
  })

  it('an entry that is longer than the server takes: not done, and the flag is named', async (t) => {
    const small = await startEtcd(t, { requestBytesMax: 1_000_000 })
    const log = openLog(t, small.endpoints, newPrefix())
    for (const bytes of [1_200_000, ENTRY_BYTES_MAX]) {
      await assert.rejects(log.append(0, Buffer.alloc(bytes)), (error) => {
        assert.ok(isNotDone(error), String(error))
        assert.match(String(error), /start etcd with --max-request-bytes 8388608/)
        return true
      })
    }
    assert.equal(await log.last(), 0)
  })

  it('a leader that is killed, and a quorum that is lost: not answered, and nothing lost', async (t) => {
    const servers = await startEtcd(t, { servers: 3 })
    const log = openLog(t, servers.endpoints, newPrefix())
    const reader = collect(log, 0)
    const first = await append(log, 0, 'first')
    // On a busy machine they are without one for moments.
    let leader: number | undefined
    while (leader === undefined) leader = await servers.leader()
    await servers.end(leader, 'SIGKILL')
    const second = await appendAgain(log, first, 'second')
    // One of three is no quorum.
    const other = (leader + 1) % 3
    await servers.signal(other, 'SIGSTOP')
    await assert.rejects(log.last(), LogUnavailable)
    await servers.signal(other, 'SIGCONT')
    await appendAgain(log, second, 'third')
    assert.deepEqual((await reader.raw(3)).map(({ body }) => String(body)), ['first', 'second', 'third'])
  })
})
