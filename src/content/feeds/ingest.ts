/**
 * From the items of a feed to headlines, each story once.
 *
 * An item is known by its id within the feed, and by the page that it leads to, over all feeds and headlines, those that were
 * typed by hand, are in the trash or were deleted for good. Items are taken in pieces, each one transaction that notes with each
 * headline the item that it is of: whenever the process ends, the same feed again goes on where it has come. What was found
 * out by fetching is noted with the last piece.
 */
import { DAY_MS } from '../../base/duration.ts'
import type { NewId } from '../../base/ids.ts'
import { isoDate } from '../../base/dates.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import type { FeedDocument } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import type { RetentionQuery } from '../../store/feeds/feed-items.ts'
import type { FeedState } from '../../store/feeds/feed-state.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { Steps } from '../../store/writes/document-writes.ts'
import type { FeedReadCounts } from '../../store/writes/feed-writes.ts'
import type { Writable } from '../../store/writes/writer.ts'
import { withDates } from '../rules/publication.ts'
import { feedOf } from './feed-document.ts'
import type { IngestPace } from './ingest-pace.ts'
import { keyOf, openItemJob, shortened, type ItemJob, type TakenItem } from './item-job.ts'

/** Of one transaction, which takes about ten milliseconds: 25 new items, 20 headlines that are changed, or 100 items that stay as they are. */
const PIECE_COST = 100
const COST_OF = { unchanged: 1, changed: 5, other: 4 }

export interface IngestParts {
  readonly store: Writable
  readonly newId: NewId
  /** Shared by all that takes items at the same time. */
  readonly pace: IngestPace
}

export interface ReadItems {
  readonly feedId: string
  /** The address that was fetched: a feed that has another one meanwhile gets nothing of this. */
  readonly address: string
  /** Newest first, as a feed orders them. Their reader bounds how many there are. */
  readonly items: readonly FeedItem[]
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Gives what is noted with the last piece; undefined for items of a file. */
  readonly state: ((counts: IngestCounts) => Omit<FeedState, 'feed'>) | undefined
  /** Told what became of the items of each transaction, the oldest first, once it is stored. */
  readonly onTaken?: ((taken: readonly TakenItem[]) => void) | undefined
}

export interface IngestCounts extends FeedReadCounts {
  readonly known: number
  readonly dropped: number
  readonly rejected: number
}

const NOTHING: IngestCounts = { created: 0, changed: 0, archived: 0, known: 0, dropped: 0, rejected: 0 }

/**
 * Returns what became of the items; 'gone' where the feed was deleted or has another address, and nothing more of it is
 * written. Throws networkError where nothing can be written now: the same call again goes on.
 */
export function ingestItems({ newId, ...parts }: IngestParts, { feedId, address, items, now, state, onTaken }: ReadItems): Promise<IngestCounts | 'gone'> {
  // The oldest first, so that the order of insertion is that of the feed.
  const kept = items.map(shortened).reverse()
  const present = new Set(kept.flatMap((item) => keyOf(item) ?? []))
  return inSteps(parts, feedId, async (tally) => {
    for (let from = 0; ; ) {
      const before = tally.counts
      // What this one brings is not known yet: a first one that is the last, and brings something, is followed by one that is synced.
      const isSynced = hasChanges(before) && (kept.length - from) * COST_OF.other <= PIECE_COST
      const step = await tally.run((view, steps) => {
        const job = openItemJob({ view, steps, newId, feedId, address, now, present })
        if (job === undefined) return undefined
        const { taken, cost } = takePiece(job, kept, from)
        const counts = countOf(taken)
        const mayEnd = from + taken.length === kept.length && (isSynced || !hasChanges(added(before, counts)))
        const { archived, isLast } = mayEnd ? archivePiece(view, steps, { feedId, now, cost }) : { archived: 0, isLast: false }
        const all = { ...counts, archived }
        if (isLast) {
          steps.feeds.trim(feedId)
          if (state !== undefined) steps.feeds.putState({ feed: feedId, ...state(added(before, all)) }, address)
        }
        return { taken, counts: all, isLast }
      }, isSynced)
      if (step === undefined) return 'gone'
      if (step.taken.length > 0) onTaken?.(step.taken)
      if (step.isLast) return tally.counts
      from += step.taken.length
    }
  })
}

/** The items from a place on that fit into one transaction, and what they cost. */
function takePiece({ take, store }: ItemJob, items: readonly FeedItem[], from: number): { readonly taken: readonly TakenItem[]; readonly cost: number } {
  const taken: TakenItem[] = []
  let cost = 0
  while (cost < PIECE_COST && from + taken.length < items.length) {
    const one = take(items[from + taken.length] as FeedItem)
    cost += one.outcome === 'unchanged' || one.outcome === 'changed' ? COST_OF[one.outcome] : COST_OF.other
    taken.push(one)
  }
  store()
  return { taken, cost }
}

/** Archives what is past the retention of a feed, in several transactions. */
export async function archiveOld(parts: Omit<IngestParts, 'newId'>, { feedId, now }: Pick<ReadItems, 'feedId' | 'now'>): Promise<void> {
  await inSteps(parts, feedId, async (tally) => {
    for (let isLast = false; !isLast; ) {
      const step = await tally.run((view, steps) => {
        const piece = archivePiece(view, steps, { feedId, now, cost: 0 })
        return { counts: { ...NOTHING, archived: piece.archived }, isLast: piece.isLast }
      }, hasChanges(tally.counts))
      isLast = step?.isLast !== false
    }
  })
}

/** Archives what fits into a transaction beside items of that cost, one at least. Returns how many, and whether these were the last. */
function archivePiece(view: TransactionView, steps: Steps, { feedId, now, cost }: Pick<ReadItems, 'feedId' | 'now'> & { readonly cost: number }) {
  const document = feedOf(view, feedId)
  const past = document === undefined ? undefined : pastOf(document, now)
  const limit = Math.max(1, Math.floor((PIECE_COST - cost) / COST_OF.changed))
  const ids = past === undefined ? [] : steps.feeds.pastRetention({ feed: feedId, ...past, limit })
  for (const id of ids) {
    const dates = { publishAt: null, unpublishAt: null, handedInAt: null }
    steps.update(headline, id, (stored) => withDates({ ...stored, status: 'archived', updatedAt: isoDate(now) }, dates))
    steps.feeds.noteArchived(id)
  }
  return { archived: ids.length, isLast: ids.length < limit }
}

/** What a feed does not keep: headlines from before a time, and those beyond a number. Undefined for one that keeps all. */
function pastOf({ retentionDays: days, retentionItems: items }: FeedDocument, now: number): Pick<RetentionQuery, 'before' | 'items'> | undefined {
  if (days === null && items === null) return undefined
  return { before: days === null ? undefined : now - days * DAY_MS, items: items ?? undefined }
}

interface Step {
  /** Of this transaction. */
  readonly counts: IngestCounts
  readonly isLast: boolean
}

interface Tally {
  /** Of the transactions so far. */
  readonly counts: IngestCounts
  /** Runs one transaction. The last one adds the record. */
  readonly run: <S extends Step>(work: (view: TransactionView, steps: Steps) => S | undefined, isSynced: boolean) => Promise<S | undefined>
}

/**
 * Runs the transactions of a feed, and adds one record to the audit trail for all of them, whose actor is the feed. It comes with
 * the last of them, and behind them where one fails; what a process stored that was killed before is in the history alone.
 *
 * The last one is synced, and with it those before it, since the WAL is synced as a whole: of one that is not there after a power
 * cut, the same feed brings the items again. Where nothing was made or changed, not even the last one need be.
 */
async function inSteps<T>({ store, pace }: Omit<IngestParts, 'newId'>, feedId: string, work: (tally: Tally) => Promise<T>): Promise<T> {
  const writer = store.as({ kind: 'feed', id: feedId })
  let [counts, isRecorded] = [NOTHING, false]
  const tally: Tally = {
    get counts() {
      return counts
    },
    async run(transaction, isSynced) {
      const step = await pace.run((begin) =>
        writer.together((view, steps) => {
          begin()
          const found = transaction(view, steps)
          if (found?.isLast === true) steps.feeds.recordRead(feedId, changedOf(added(counts, found.counts)))
          return found
        }, isSynced),
      )
      if (step !== undefined) counts = added(counts, step.counts)
      isRecorded = step?.isLast === true
      return step
    },
  }
  try {
    return await work(tally)
  } finally {
    // Where nothing can be written, neither can this.
    if (!isRecorded) await writer.together((_, steps) => steps.feeds.recordRead(feedId, changedOf(counts))).catch(() => {})
  }
}

function countOf(taken: readonly TakenItem[]): IngestCounts {
  const count = (wanted: TakenItem['outcome']): number => taken.filter(({ outcome }) => outcome === wanted).length
  const known = count('known') + count('unchanged')
  return { created: count('created'), changed: count('changed'), archived: 0, known, dropped: count('dropped'), rejected: count('rejected') }
}

function added(one: IngestCounts, other: IngestCounts): IngestCounts {
  return Object.fromEntries(Object.entries(one).map(([name, count]) => [name, count + other[name as keyof IngestCounts]])) as unknown as IngestCounts
}

/** What the audit trail tells of them. */
function changedOf({ created, changed, archived }: IngestCounts): FeedReadCounts {
  return { created, changed, archived }
}

function hasChanges(counts: IngestCounts): boolean {
  return Object.values(changedOf(counts)).some((count) => count > 0)
}
