/**
 * The open streams of this thread. Those that see the same and stand at the same place get the same bytes.
 *
 * The session of a stream is looked up before each page, so that nothing follows a sign-out or a change of roles. A client
 * that reads too slowly is cut, and goes on from its last event on another connection.
 */
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { COMMENT, retryText } from '../../http/server/event-stream.ts'
import type { StreamSink } from '../../http/request/exchange.ts'
import type { ChangePages } from './change-pages.ts'
import { followRights, type Following } from './following.ts'
import type { EventFormat, PageMemo } from './page-memo.ts'

/** Shorter than the 30 s to 60 s after which proxies end an idle response. */
export const HEARTBEAT_TICKS = 15
/** How long a client waits before it connects again. */
const RETRY_MS = 2_000
/** What a client may have unread when there is more for it. */
const UNREAD_BYTES_MAX = 1024 * 1024
/** Of all streams of this thread; past it, those with most are cut until half of it is left. */
const UNREAD_IN_ALL_BYTES_MAX = 256 * 1024 * 1024
/** With more unread, a stream that is behind gets its next page when it has read all. */
const CATCH_UP_BYTES = 128 * 1024

const HEARTBEAT = Buffer.from(COMMENT)
const RETRY = Buffer.from(retryText(RETRY_MS))

interface Stream extends Following {
  readonly format: EventFormat
  readonly sink: StreamSink
  /** The number of the tick at which something was written last. */
  wroteAt: number
  /** There is more for it than the latest page. */
  isBehind: boolean
}

export interface OpenedStream extends Pick<Stream, 'format' | 'sink'> {
  /** The client cannot go on from where it was. */
  readonly mustStartOver: boolean
}

interface OpenStreamsOptions {
  readonly pages: ChangePages
  readonly log: Log
  /** Called when one is added or has left. */
  readonly onChange: () => void
  /** Asks for a round. */
  readonly wake: () => void
}

export function createOpenStreams({ pages, log, onChange, wake }: OpenStreamsOptions) {
  const streams = new Set<Stream>()
  let [tick, cuts] = [0, 0]

  const send = (stream: Stream, bytes: Uint8Array): void => {
    stream.wroteAt = tick
    stream.sink.write(bytes)
  }
  const cut = (stream: Stream, reason: string): void => {
    streams.delete(stream)
    cuts++
    log.info('stream.cut', { user: stream.view.callerId, reason })
    stream.sink.cut()
  }
  const end = (stream: Stream): void => {
    streams.delete(stream)
    stream.sink.end()
  }
  const startOver = (stream: Stream): void => {
    const { newest, history } = pages.range()
    stream.seq = newest
    const text = stream.format.resync(newest, stream.view, history)
    if (text === undefined) end(stream)
    else send(stream, Buffer.from(text))
  }
  /** Sends what there is for a stream; returns whether more follows at once. */
  function deliver(stream: Stream, memo: PageMemo): boolean {
    // What it could not see before has not changed since: the client has to read its lists again.
    if (followRights(pages, stream)) startOver(stream)
    if (!streams.has(stream)) return false
    if (stream.sink.unread > UNREAD_BYTES_MAX) {
      cut(stream, 'unread')
      return false
    }
    if (stream.isBehind && stream.sink.unread >= CATCH_UP_BYTES) return false
    const page = memo(stream.view, stream.seq, stream.format)
    if (page.bytes.length > 0) send(stream, page.bytes)
    stream.seq = page.next
    stream.isBehind = page.hasMore
    if (!page.hasMore || stream.sink.unread < CATCH_UP_BYTES) return page.hasMore
    stream.sink.whenDrained(wake)
    return false
  }
  function deliverOrEnd(stream: Stream, memo: PageMemo): boolean {
    if (!streams.has(stream)) return false
    try {
      return deliver(stream, memo)
    } catch (error) {
      if (!(error instanceof Failure)) log.error('stream.failed', { error })
      end(stream)
      return false
    }
  }

  /** The token of an idle stream expires without any commit. */
  function beat(stream: Stream): void {
    try {
      stream.reader()
    } catch (error) {
      if (error instanceof Failure && error.code === 'unauthorized') return end(stream)
    }
    send(stream, HEARTBEAT)
  }

  return {
    size: () => streams.size,
    cuts: () => cuts,
    /** A job for each: returns whether there is more to do for it. */
    jobs: (memo: PageMemo) => [...streams].map((stream) => () => deliverOrEnd(stream, memo)),
    /** Adds a stream, whose header was sent; returns what removes it. */
    add(reading: Following, { format, sink, mustStartOver }: OpenedStream): () => void {
      const stream: Stream = { ...reading, format, sink, wroteAt: tick, isBehind: false }
      streams.add(stream)
      send(stream, RETRY)
      if (mustStartOver) startOver(stream)
      onChange()
      return () => {
        streams.delete(stream)
        onChange()
      }
    },
    /** To be called every second: writes comments, and bounds what is unread. */
    tick(): void {
      tick++
      let unread = 0
      for (const stream of streams) {
        unread += stream.sink.unread
        if (tick - stream.wroteAt >= HEARTBEAT_TICKS) beat(stream)
      }
      if (unread <= UNREAD_IN_ALL_BYTES_MAX) return
      for (const stream of [...streams].sort((a, b) => b.sink.unread - a.sink.unread)) {
        if (unread <= UNREAD_IN_ALL_BYTES_MAX / 2) return
        unread -= stream.sink.unread
        cut(stream, 'unread in all')
      }
    },
    /** Ends all, whose clients connect again after a moment. */
    close(): void {
      for (const stream of [...streams]) {
        stream.sink.write(RETRY)
        end(stream)
      }
    },
  }
}
