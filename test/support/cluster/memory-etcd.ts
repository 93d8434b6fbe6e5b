/**
 * What a commit log uses of etcd, in memory: one order of revisions for several clients. Requests, responses and events
 * take some turns of the event loop, as many for each client as it says, so that what happens is the same each time.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { EtcdLogOptions } from '../../../src/cluster/log/etcd-log.ts'
import type { Comparison, KeyRange, KeyValue, Operation, WatchEvent } from '../../../src/cluster/etcd/etcd-messages.ts'
import type { Watcher } from '../../../src/cluster/etcd/etcd-watch.ts'

type MemoryEtcd = EtcdLogOptions['etcd']

export async function pass(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await turn()
}

export function createMemoryEtcd() {
  /** All of them, oldest first: of a revision as many as it changed keys. */
  const events: WatchEvent[] = []
  let revision = 1
  let compacted = 0
  let changed = Promise.withResolvers<void>()

  const isIn = ({ key, end }: KeyRange, name: string): boolean => (end === undefined ? name === key : name >= key && name < end)
  const valuesIn = (range: KeyRange, at = revision): KeyValue[] => {
    const found = new Map<string, KeyValue>()
    for (const { kind, pair } of events) {
      const name = pair.key.toString()
      if (pair.modRevision > at || !isIn(range, name)) continue
      if (kind === 'put') found.set(name, pair)
      else found.delete(name)
    }
    return [...found.values()]
  }
  const holds = (one: Comparison): boolean => {
    const [pair] = valuesIn({ key: one.key })
    return 'modRevision' in one ? (pair?.modRevision ?? 0) === one.modRevision : (pair?.createRevision ?? 0) === one.createRevision
  }
  /** Returns the events of an operation, which is part of the next revision. */
  const eventsOf = (operation: Operation): WatchEvent[] => {
    const modRevision = revision + 1
    if (operation.kind === 'put') {
      const { key, value } = operation.put
      const [before] = valuesIn({ key })
      const place = { createRevision: before?.createRevision ?? modRevision, modRevision, version: (before?.version ?? 0) + 1 }
      return [{ kind: 'put', pair: { key: Buffer.from(key), value: Buffer.from(value), ...place } }]
    }
    const gone = operation.kind === 'delete' ? valuesIn(operation.range) : []
    return gone.map(({ key }) => ({ kind: 'delete', pair: { key, value: Buffer.alloc(0), createRevision: 0, modRevision, version: 0 } }))
  }
  async function deliver(range: KeyRange, from: number, turns: number, watcher: Watcher, state: { isStopped: boolean }): Promise<void> {
    const start = from < compacted ? await watcher.compacted(compacted) : from
    if (start === undefined) return
    for (let i = 0; ; i++) {
      while (i === events.length) await changed.promise
      const event = events[i]
      if (event === undefined || event.pair.modRevision < start || !isIn(range, event.pair.key.toString())) continue
      if (event.pair.modRevision !== events[i - 1]?.pair.modRevision) await pass(turns)
      if (state.isStopped) return
      await watcher.event(event)
    }
  }
  /** `turns` is how long a message takes. */
  const connect = (turns: number): MemoryEtcd => ({
    async transact({ compare, success, failure = [] }) {
      await pass(turns)
      const hasSucceeded = compare.every(holds)
      const made = (hasSucceeded ? success : failure).flatMap(eventsOf)
      if (made.length > 0) revision++
      events.push(...made)
      const answer = { hasSucceeded, revision, ranges: [] }
      changed.resolve()
      changed = Promise.withResolvers()
      await pass(turns)
      return answer
    },
    async range(range, { revision: at } = {}) {
      await pass(turns)
      return { revision, pairs: valuesIn(range, at) }
    },
    watch(range, start, watcher) {
      const state = { isStopped: false }
      void deliver(range, start, turns, watcher, state)
      return { stop: () => void (state.isStopped = true) }
    },
    compact(before) {
      compacted = Math.max(compacted, before)
      return Promise.resolve()
    },
  })
  return { connect }
}
