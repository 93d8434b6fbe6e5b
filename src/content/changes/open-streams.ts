/**
 * The open streams of this thread. Those that see the same and stand at the same place get the same bytes.
 *
 * The session of a stream is looked up before each page, so that nothing follows a sign-out or a change of roles. A client
 * that reads too slowly is cut, and goes on from its last event on another connection.
 */
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { COMMENT, eventText, retryText } from '../../http/event-stream.ts'
import type { StreamSink } from '../../http/exchange.ts'
import { hasDashboard } from '../../models/caller.ts'
import { writeChangeCursor } from './change-cursor.ts'
import type { ChangePages } from './change-pages.ts'
import { followRights, turnOf, type Following } from './following.ts'
import type { EventFormat, PageMemo } from './page-memo.ts'
import type { Presence } from './presence.ts'
import type { Job } from './rounds.ts'

/** Shorter than the 30 s to 60 s after which proxies end an idle response. */
export const HEARTBEAT_TICKS = 15
/** Between two looks at who else edits the documents of a stream. */
export const PRESENCE_TICKS = 2
/** How long a client waits before it connects again. */
const RETRY_MS = 2_000
/** What a client may have unread when there is more for it. */
const UNREAD_BYTES_MAX = 1024 * 1024
/** Of all streams of this thread; past it, those with most are cut until half of it is left. */
const UNREAD_IN_ALL_BYTES_MAX = 256 * 1024 * 1024
/** With more unread, a stream that is behind gets its next page when it has read all. */
export const CATCH_UP_BYTES = 128 * 1024

const HEARTBEAT = Buffer.from(COMMENT)
const RETRY = Buffer.from(retryText(RETRY_MS))

interface Stream extends Following {
  readonly editing: readonly EditedDocument[]
  readonly format: EventFormat
  readonly sink: StreamSink
  /** The number of the tick at which something was written last. */
  wroteAt: number
  /** There is more for it than the latest page. */
  isBehind: boolean
  /** Undefined when it has caught up: what others write then is no work of its own. */
  backlog: Backlog | undefined
  /** Of its present page. */
  steps: number
  /** Its caller has no requests left: it goes on at a later tick. */
  isHeld: boolean
  /** Names it for others; undefined for a stream that edits nothing. */
  readonly name: string | undefined
  /** What was told last of who edits its documents. */
  present: string
}

/** A document that the reader of a stream has open in an editor. */
export interface EditedDocument {
  readonly model: string
  readonly id: string
}

/** What was in the log before a stream opened. */
export interface Backlog {
  readonly upTo: number
  /** Counts the steps that reading it took; throws tooManyRequests, and counts them at the next call then. */
  readonly weigh: (steps: number) => void
}

export interface OpenedStream extends Pick<Stream, 'format' | 'sink'> {
  /** The client cannot go on from where it was. */
  readonly mustStartOver: boolean
  readonly backlog?: Backlog | undefined
  /** None for most streams. */
  readonly editing?: readonly EditedDocument[]
}

type Outcome = ReturnType<Job['run']>

interface OpenStreamsOptions {
  readonly pages: ChangePages
  readonly log: Log
  /** Called when one is added or has left. */
  readonly onChange: () => void
  /** Asks for a round. */
  readonly wake: () => void
  readonly presence: Presence
}

export function createOpenStreams({ pages, log, onChange, wake, presence }: OpenStreamsOptions) {
  const streams = new Set<Stream>()
  let [tick, cuts, opened] = [0, 0, 0]

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
  /** Sends what there is for a stream. */
  function deliver(stream: Stream, memo: PageMemo, mayGoOn: () => boolean): Outcome {
    // What it could not see before has not changed since: the client has to read its lists again.
    if (followRights(pages, stream)) startOver(stream)
    if (!streams.has(stream)) return 'done'
    if (stream.sink.unread > UNREAD_BYTES_MAX) {
      cut(stream, 'unread')
      return 'done'
    }
    if (stream.isHeld || (stream.isBehind && stream.sink.unread >= CATCH_UP_BYTES)) return 'done'
    const { page, steps } = memo(stream.view, stream.seq, stream.format, mayGoOn)
    stream.steps += steps
    if (page === undefined) return 'unfinished'
    weigh(stream, stream.steps)
    stream.steps = 0
    if (page.bytes.length > 0) send(stream, page.bytes)
    stream.seq = page.next
    stream.isBehind = page.hasMore
    if (stream.seq >= (stream.backlog?.upTo ?? 0)) stream.backlog = undefined
    if (!page.hasMore || stream.sink.unread < CATCH_UP_BYTES) return page.hasMore ? 'again' : 'done'
    stream.sink.whenDrained(wake)
    return 'done'
  }
  function deliverOrEnd(stream: Stream, memo: PageMemo, mayGoOn: () => boolean): Outcome {
    if (!streams.has(stream)) return 'done'
    try {
      return deliver(stream, memo, mayGoOn)
    } catch (error) {
      if (!(error instanceof Failure)) log.error('stream.failed', { error })
      end(stream)
      return 'done'
    }
  }
  /** A client is not told of its limit: most would give up for good, and the stream goes on by itself. */
  function weigh(stream: Stream, steps: number): void {
    stream.isHeld = false
    try {
      stream.backlog?.weigh(steps)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      stream.isHeld = true
    }
  }

  /** Says what the stream edits, and tells its reader who else edits that, where it is news. */
  async function present(stream: Stream, name: string): Promise<void> {
    const { editing, reader, view } = stream
    try {
      const isEditor = hasDashboard(reader())
      const documents = editing.map(({ model, id }) => `${model}/${id}`)
      const people = isEditor ? await presence.beat({ stream: name, user: view.callerId, documents }) : []
      // It may have ended meanwhile, or its reader lost the role.
      if (!streams.has(stream) || !isEditor) return presence.leave(name)
      const data = JSON.stringify({ items: editing.map((one, i) => ({ ...one, people: people[i] ?? [] })) })
      if (data === stream.present || stream.sink.unread > CATCH_UP_BYTES) return
      stream.present = data
      const id = writeChangeCursor(stream.seq, view.rights, pages.range().history)
      send(stream, Buffer.from(eventText({ id, event: 'presence', data })))
    } catch (error) {
      presence.leave(name)
      // What follows the session ends the stream.
      if (!(error instanceof Failure)) log.error('stream.failed', { error })
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
    /** A job for each. */
    jobs: (memo: PageMemo): Job[] =>
      [...streams].map((stream) => ({ ...turnOf(stream), run: (mayGoOn) => deliverOrEnd(stream, memo, mayGoOn) })),
    /** Adds a stream, whose header was sent; returns what removes it. */
    add(reading: Following, { format, sink, mustStartOver, backlog, editing = [] }: OpenedStream): () => void {
      const name = editing.length === 0 ? undefined : String(++opened)
      const stream: Stream = { ...reading, format, sink, wroteAt: tick, isBehind: false, backlog, steps: 0, isHeld: false, editing, name, present: '' }
      streams.add(stream)
      send(stream, RETRY)
      if (mustStartOver) startOver(stream)
      if (name !== undefined) void present(stream, name)
      onChange()
      return () => {
        streams.delete(stream)
        if (name !== undefined) presence.leave(name)
        onChange()
      }
    },
    /** To be called every second: writes comments, and bounds what is unread. */
    tick(): void {
      tick++
      let unread = 0
      for (const stream of streams) {
        if (stream.isHeld) {
          weigh(stream, 0)
          if (!stream.isHeld) wake()
        }
        if (stream.name !== undefined && tick % PRESENCE_TICKS === 0) void present(stream, stream.name)
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
