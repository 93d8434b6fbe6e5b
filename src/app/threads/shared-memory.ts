/** The memory that all serving threads share, the main thread included, and its view of it. */
import { countsMemory, countsOfOneThread, createSharedCounts, type SharedCounts } from '../../base/shared-counts.ts'
import { windowsMemory } from '../../base/shared-windows.ts'
import { COUNTED_CLIENTS_MAX } from '../../http/server-limits.ts'
import { createWriterGate, gateMemory } from '../../store/db/reader-gate.ts'
import type { SharedMemory } from './thread-messages.ts'

/** Users and client addresses with streams: two of them fail beside each that is open. */
const streamKeys = (streamsMax: number): number => 4 * streamsMax + 128

/** The counts of streams where one thread serves. */
export function ownStreamCounts(streamsMax: number): SharedCounts {
  return countsOfOneThread(streamKeys(streamsMax))
}

export type MainView = ReturnType<typeof createMainView>

export function createMainView(threads: number, streamsMax: number) {
  const memory: SharedMemory = {
    windows: windowsMemory(),
    bodies: countsMemory(threads, COUNTED_CLIENTS_MAX),
    connections: countsMemory(threads, COUNTED_CLIENTS_MAX),
    streams: countsMemory(threads, streamKeys(streamsMax)),
    gate: gateMemory(threads),
  }
  const [bodies, connections] = [createSharedCounts(memory.bodies, 0), createSharedCounts(memory.connections, 0)]
  const streams = createSharedCounts(memory.streams, 0)
  const gate = createWriterGate(memory.gate)
  return {
    memory,
    gate,
    bodies,
    connections,
    streams,
    /** Takes off what a thread had that has ended. */
    forget(thread: number): void {
      bodies.forget(thread)
      connections.forget(thread)
      streams.forget(thread)
      gate.forget(thread)
    },
  }
}
