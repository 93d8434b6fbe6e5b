/** Nodes that all want to be the one keeper, by their heartbeats: what must hold is that never two believe to be it at a time. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.ts'
import type { Etcd } from '../../src/cluster/etcd/etcd-client.ts'
import { startHeartbeat, type Heartbeat } from '../../src/cluster/heartbeat.ts'
import { createMembership } from '../../src/cluster/membership.ts'
import { newNode } from '../../src/cluster/node-identity.ts'
import { recordingLog } from '../tools/recording-log.ts'

const PREFIX = '/drill/race/'
const LEASE_MS = 3_000
/** For how long a keeper stays it before it gives way. */
const TERM_MS = 1_500
const LOOK_MS = 50

/** A node that stands for keeper, again and again. */
interface Racer {
  heartbeat: Heartbeat | undefined
  /** When the last request was sent that renewed its lease, by the one who watches the race. */
  renewedAt: number
}

export function startKeeperRace(nodes: readonly Etcd[]) {
  const sealKey = randomBytes(32)
  const racers = nodes.map((): Racer => ({ heartbeat: undefined, renewedAt: 0 }))
  let [terms, endedEarly, isOver] = [0, 0, false]
  let fault: string | undefined
  const newest = Promise.resolve(0)

  /** A keeper begins while another one believes to be it: right only where etcd has ended the lease before its time. */
  const begins = (racer: Racer): void => {
    terms++
    for (const [i, other] of racers.entries()) {
      if (other === racer || other.heartbeat?.isKeeper() !== true) continue
      if (performance.now() < other.renewedAt + LEASE_MS) endedEarly++
      else fault ??= `node ${i} believed to be the keeper beyond its lease, while node ${racers.indexOf(racer)} was it`
    }
  }
  const stand = async (etcd: Etcd, racer: Racer): Promise<void> => {
    const watched: Etcd = {
      ...etcd,
      async keepLeaseAlive(lease) {
        const sentAt = performance.now()
        const isAlive = await etcd.keepLeaseAlive(lease)
        if (isAlive) racer.renewedAt = sentAt
        return isAlive
      },
      async grantLease(seconds) {
        const sentAt = performance.now()
        const lease = await etcd.grantLease(seconds)
        racer.renewedAt = sentAt
        return lease
      },
    }
    const node = newNode()
    const record = { node, url: undefined, version: '', position: 0, durable: 0, state: 'in-step', time: 0, startedAt: 0, snapshot: undefined }
    let hasBeen = false
    racer.heartbeat = startHeartbeat({
      ...{ etcd: watched, membership: createMembership({ etcd, prefix: PREFIX, sealKey }), prefix: PREFIX, node },
      ...{ replication: { newest: () => newest }, record: () => record, now: systemClock, log: recordingLog().log },
      onTaken: () => {},
    onKeeper(isKeeper) {
        if (!isKeeper) return
        hasBeen = true
        begins(racer)
      },
    })
    while (!isOver && !hasBeen) await pause(LOOK_MS)
    if (!isOver) await pause(TERM_MS)
    await racer.heartbeat.stop()
    await createMembership({ etcd, prefix: PREFIX, sealKey }).remove(node).catch(() => {})
  }
  const races = nodes.map(async (etcd, i) => {
    while (!isOver) await stand(etcd, racers[i] as Racer)
  })
  return {
    /** Returns how often a node became keeper, and how often etcd ended a lease early. Rejects where two were it at a time. */
    async finish(): Promise<{ readonly terms: number; readonly endedEarly: number }> {
      isOver = true
      await Promise.all(races)
      assert.equal(fault, undefined)
      return { terms, endedEarly }
    },
  }
}
