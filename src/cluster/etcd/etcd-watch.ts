/**
 * A watch: the changes of a range of keys from a revision on, each once and in order, over reconnects and from server
 * to server (https://etcd.io/docs/v3.4/learning/api/#watch-api). A stream carries one watch, so its end ends nothing
 * else.
 *
 * A new stream begins behind the last revision that was delivered whole. Where nothing changes, etcd reports its
 * revision every ten minutes, so that the beginning does not fall behind what is compacted meanwhile.
 */
import { pause } from '../../base/pause.ts'
import type { EtcdChannel } from './etcd-channel.ts'
import { watchRequest, watchResponse, type KeyRange, type WatchEvent, type WatchResponse } from './etcd-messages.ts'
import type { GrpcStream } from './grpc-call.ts'
import { GrpcError } from './grpc-status.ts'
import { readProto } from './protobuf.ts'

const PAUSE_FIRST_MS = 10
const PAUSE_MAX_MS = 1_000
const DOUBLINGS_MAX = 8

export interface Watcher {
  /** Called in order; the next event waits for a promise, and flow control then holds back the server. */
  event(event: WatchEvent): void | Promise<void>
  /** The history before a revision is gone. Returns the revision to go on with; undefined ends the watch. */
  compacted(revision: number): Promise<number | undefined>
  /** A stream has ended with an error, and another one will be opened; undefined when one works again. */
  trouble(error: unknown): void
}

export interface Watch {
  stop(): void
}

/** Delivers the events of revisions from `start` on, until stop(). */
export function watchRange(channel: EtcdChannel, range: KeyRange, start: number, watcher: Watcher): Watch {
  let stream: GrpcStream | undefined
  const stopping = new AbortController()
  const { signal } = stopping
  let next = start
  let failures = 0

  /** False where the watch is over. */
  async function take(response: WatchResponse): Promise<boolean> {
    if (response.compactRevision > 0) {
      const resumed = await watcher.compacted(response.compactRevision)
      if (resumed === undefined) return false
      next = resumed
    }
    if (response.isCanceled) {
      // Of this watch only: the server is as good as before.
      throw new GrpcError('aborted', `the watch was canceled: ${response.cancelReason || 'its history was compacted'}`)
    }
    if (failures > 0) watcher.trouble(undefined)
    failures = 0
    for (const event of response.events) {
      if (signal.aborted) return false
      await watcher.event(event)
      next = Math.max(next, event.pair.modRevision)
    }
    // A fragment may end in the middle of a revision, which then comes once more after a reconnect.
    if (response.events.length > 0 && !response.isFragment) next++
    // Without events, and not the confirmation of the watch: everything up to this revision was sent.
    if (response.events.length === 0 && !response.isCreated) next = Math.max(next, response.revision + 1)
    return true
  }

  async function read(opened: GrpcStream): Promise<void> {
    stream = opened
    if (signal.aborted) return opened.stop()
    try {
      for await (const message of opened.messages()) {
        if (await take(watchResponse(readProto(message)))) continue
        stopping.abort()
        return opened.stop()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await channel.stream({ path: '/etcdserverpb.Watch/Watch', message: watchRequest(range, next) }, read)
      } catch (error) {
        if (signal.aborted) return
        if (failures++ === 0) watcher.trouble(error)
      }
      const rest = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(failures, DOUBLINGS_MAX))
      await pause(rest, signal)
    }
  }
  void run()
  return {
    stop() {
      stopping.abort()
      stream?.stop()
    },
  }
}
