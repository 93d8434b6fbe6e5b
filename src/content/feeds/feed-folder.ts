/**
 * The watched folder: files of feeds that other programs put there, for a site that cannot fetch them. Each is taken as
 * `dateline feed import` takes it, and stands in `done/` or `rejected/` then; see base/inbox.ts.
 */
import { SECOND_MS } from '../../base/duration.ts'
import { createInbox, type Taken } from '../../base/inbox.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { repeat } from '../../base/repeating.ts'
import { systemReason } from '../../base/system-error.ts'
import type { FeedReader } from '../../feeds/reading/feed-reader.ts'
import { feed } from '../../models/feed-model.ts'
import { abortable } from './ingest-pace.ts'
import { FEED_FILE_BYTES_MAX, takeFeedFile, type FeedFileParts, type FileOutcome } from './feed-file.ts'

/** Between two looks; a file that is the same in both is taken. */
const LOOK_MS = 5 * SECOND_MS
/** Rows of a file that its notes tell. */
const NOTES_MAX = 1_000
/** Ids as the service makes them, at the beginning of a name. */
const ID = /^[0-9a-f]{24}(?![0-9a-z])/i

export interface FeedFolderOptions extends Omit<FeedFileParts, 'read'> {
  readonly directory: string
  readonly reader: Pick<FeedReader, 'readFile'>
  readonly metrics: Metrics
  readonly log: Log
}

export type FeedFolder = ReturnType<typeof startFeedFolder>

/** `look` looks at once. A folder that cannot be used is logged, and looked at again. */
export function startFeedFolder({ directory, store, newId, pace, reader, metrics, now, log }: FeedFolderOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  const countFile = metrics.counter('dateline_feed_files_total', 'Files of the folder of feeds by what became of them.')
  const parts: FeedFileParts = {
    ...{ store, newId, now, pace: abortable(pace, signal) },
    read: (file) => reader.readFile(file, signal),
  }
  let problem: string | undefined
  metrics.gauge('dateline_feeds_folder_failing', 'Whether the folder of feeds could not be used at the last look.', () => [[{}, problem === undefined ? 0 : 1]])

  const onRefused = (file: string, reason: string): void => {
    countFile({ outcome: 'rejected' })
    log.warn('feed.file-rejected', { file, reason })
  }
  const take = async (bytes: Uint8Array, name: string): Promise<Taken> => {
    const id = ID.exec(name)?.[0].toLowerCase()
    const isFeed = id !== undefined && store.documents.get(feed, id) !== undefined
    const outcome = await takeFeedFile(parts, bytes, isFeed ? id : undefined)
    // What was ended by the stop is no fault of the file.
    signal.throwIfAborted()
    if (outcome.kind === 'taken') {
      countFile({ outcome: 'taken' })
      log.info('feed.file-taken', { file: name, feed: outcome.feed.id, ...outcome.counts })
    } else onRefused(name, outcome.reason)
    return { isRejected: outcome.kind !== 'taken', notes: notesOf(outcome) }
  }
  const onStuck = (file: string, reason: string): void => {
    if (!signal.aborted) log.error('feed.file-stuck', { file, reason })
  }
  const inbox = createInbox({ directory, bytesMax: FEED_FILE_BYTES_MAX, take, onRefused, onStuck, now })
  const look = async (): Promise<number> => {
    await inbox.takeFiles(() => signal.aborted)
    if (problem !== undefined) log.info('feed-folder.recovered', { folder: directory })
    problem = undefined
    return LOOK_MS
  }
  const onError = (error: unknown): number => {
    const reason = systemReason(error)
    if (reason !== problem) log.error('feed-folder.failed', { folder: directory, reason })
    problem = reason
    return LOOK_MS
  }
  const work = repeat(look, { onError })
  return {
    look: work.wake,
    /** Which folder could not be used at the last look, and why; undefined where it could. */
    concern: (): string | undefined => (problem === undefined ? undefined : `${JSON.stringify(directory)}: ${problem}`),
    /** Ends what is read. What is stored of a file stays; the rest of it is taken by the next start. */
    async stop(): Promise<void> {
      stopping.abort()
      await work.stop()
    },
  }
}

/** What a person has to know of a file: why it was rejected, or which of its rows were. */
function notesOf(outcome: FileOutcome): readonly string[] {
  if (outcome.kind === 'refused') return [outcome.reason]
  if (outcome.kind === 'of-no-feed') return [`${outcome.reason}: begin the name of the file with the id of its feed, as in 66f000000000000000000701-news.xml`]
  const { isLines, rows, leftOut, problems } = outcome
  const place = isLines ? 'Line' : 'Item'
  const rejected = rows.filter((row) => row.outcome === 'rejected').slice(0, NOTES_MAX)
  const rest = leftOut === 0 ? [] : [`${leftOut} more were left out: split the file`]
  return [...rejected.map((row) => `${place} ${row.place}: rejected: ${row.reason ?? ''}`), ...rest, ...problems.map(({ message }) => message)]
}
