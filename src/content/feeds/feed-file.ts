/**
 * A file that brings items to a feed: a document of RSS, Atom or JSON Feed, or JSON lines. Each item is taken once, as one that was
 * fetched, so that a file that is taken again brings nothing twice.
 */
import { describe } from '../../base/failure.ts'
import type { ReadNote } from '../../base/feed-note.ts'
import type { FeedFile, FileReading } from '../../feeds/reading/read-feed-file.ts'
import { feed, type FeedDocument } from '../../models/feed-model.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { sameAddress } from '../reads/same-address.ts'
import { storedFeed } from './feed-document.ts'
import { reasonText } from './item-reasons.ts'
import { ingestItems, type IngestCounts, type IngestParts } from './ingest.ts'
import type { TakenItem } from './item-job.ts'

/** As much as a feed may have that is fetched, when it is unpacked. */
export const FEED_FILE_BYTES_MAX = 20 * 1024 * 1024

export interface FeedFileParts extends IngestParts {
  readonly store: IngestParts['store'] & Pick<ReadStore, 'documents'>
  /** Reads it here or in a thread. */
  readonly read: (file: FeedFile) => FileReading | Promise<FileReading>
  readonly now: () => number
}

export interface FileRow extends Pick<TakenItem, 'outcome' | 'headline'> {
  /** Of the item in the feed, counted from 1; the number of a line. */
  readonly place: number
  readonly title: string
  /** Why it is so, in English; undefined for a whole headline. */
  readonly reason: string | undefined
}

export type FileOutcome =
  | {
      readonly kind: 'taken'
      readonly feed: FeedDocument
      readonly isLines: boolean
      readonly counts: IngestCounts
      /** By their places. */
      readonly rows: readonly FileRow[]
      readonly leftOut: number
      readonly problems: readonly ReadNote[]
    }
  | {
      /** The file does not say which feed it is of, or names one that is not there. */
      readonly kind: 'of-no-feed'
      readonly reason: string
    }
  | {
      readonly kind: 'refused'
      /** One sentence without a full stop. */
      readonly reason: string
    }

/**
 * Takes what a file has: for the feed with an id, or the one whose address the file gives as its own. Rejects where the store
 * cannot be written now: the same call again goes on.
 */
export async function takeFeedFile({ store, newId, pace, read, now }: FeedFileParts, bytes: Uint8Array, feedId: string | undefined): Promise<FileOutcome> {
  const named = feedId === undefined ? undefined : storedFeed(store, feedId)
  if (feedId !== undefined && named === undefined) return { kind: 'of-no-feed', reason: `No feed has the id ${describe(feedId)}` }
  const first = await read({ bytes, address: named?.address, now: now() })
  if (first.kind === 'none') return refused(first.reason)
  const found = named ?? feedAt(store, first.self)
  if (found === undefined) {
    const reason = first.self === undefined ? 'The file does not say which feed it is of' : `No feed has the address ${describe(first.self)}, which the file gives as its own`
    return { kind: 'of-no-feed', reason }
  }
  // What is relative is relative to the feed, which is known only now.
  const reading = named === undefined ? await read({ bytes, address: found.address, now: now() }) : first
  if (reading.kind === 'none') return refused(reading.reason)
  const { items, rejected, leftOut, problems } = reading
  const rows: FileRow[] = rejected.map(({ place, message }) => ({ place, title: '', outcome: 'rejected', reason: message }))
  let taken = 0
  const onTaken = (some: readonly TakenItem[]): void => {
    // The oldest first: the last of the file.
    for (const { item, reasons, outcome, headline } of some) rows.push({ place: items.at(-++taken)?.place ?? 0, title: item.title ?? '', outcome, headline, reason: reasonText(reasons) })
  }
  const ingested = await ingestItems({ store, newId, pace }, { feedId: found.id, address: found.address, items: items.map(({ item }) => item), now: now(), state: undefined, onTaken })
  if (ingested === 'gone') return refused(`The feed ${describe(found.title)} was changed or deleted meanwhile: take the file again`)
  const counts = { ...ingested, rejected: ingested.rejected + rejected.length }
  return { kind: 'taken', feed: found, isLines: reading.format === 'lines', counts, rows: rows.sort((one, other) => one.place - other.place), leftOut, problems }
}

function refused(reason: string): FileOutcome {
  return { kind: 'refused', reason }
}

function feedAt({ documents }: FeedFileParts['store'], address: string | undefined): FeedDocument | undefined {
  const [found] = address === undefined ? [] : sameAddress(documents, { model: feed, url: address, except: undefined }, [feed])
  return found as unknown as FeedDocument | undefined
}
