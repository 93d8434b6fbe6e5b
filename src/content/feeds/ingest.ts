/**
 * From the items of a feed to headlines, each story once.
 *
 * An item is known by its id within the feed, and by the page that it leads to, over all feeds and headlines, those that were
 * typed by hand, are in the trash or were deleted for good. Items are taken in pieces, each one transaction that notes with each
 * headline the item that it is of: whenever the process ends, the same feed again goes on where it has come. What was found
 * out by fetching is noted with the last piece.
 */
import { hash } from 'node:crypto'
import { DAY_MS } from '../../base/duration.ts'
import type { NewId } from '../../base/ids.ts'
import { isoDate } from '../../base/dates.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { pageKey } from '../../base/page-address.ts'
import type { ItemReasonCode } from '../../base/feed-note.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import { feedRules, type FeedDocument, type FeedRule } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import { placeFor, placesOf } from '../../models/incomplete.ts'
import type { FeedItemRow, RetentionQuery } from '../../store/feeds/feed-items.ts'
import type { FeedState } from '../../store/feeds/feed-state.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { PlacedDocument } from '../../store/writes/group-inserts.ts'
import type { Steps } from '../../store/writes/document-writes.ts'
import type { FeedReadCounts } from '../../store/writes/feed-writes.ts'
import type { Writable } from '../../store/writes/writer.ts'
import { changeAnywhere } from '../reads/incomplete-drafts.ts'
import { sameAddress } from '../reads/same-address.ts'
import { withDates } from '../rules/publication.ts'
import { feedOf } from './feed-document.ts'
import type { IngestPace } from './ingest-pace.ts'
import { changedTexts, headlineMaker } from './item-headline.ts'
import { readReasons, writeReasons, type ItemReason } from './item-reasons.ts'

/** Of one transaction, which takes about ten milliseconds: 25 new items, 20 headlines that are changed, or 100 items that stay as they are. */
const PIECE_COST = 100
const COST_OF = { unchanged: 1, changed: 5, other: 4 }
/** That an item is still there is noted this often. */
const SEEN_MS = DAY_MS
const KEY_CHARS_MAX = 2_000
/** Of texts of an item, and of its addresses: longer ones are no addresses for a headline. */
const TEXT_CHARS_MAX = 2_000
const ADDRESS_CHARS_MAX = 9_000
const CATEGORIES_MAX = 50
const CATEGORY_CHARS_MAX = 200

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

export interface TakenItem {
  readonly item: FeedItem
  /** `unchanged` has been taken before. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'known' | 'dropped' | 'rejected'
  /** The id of its headline, or of the one that has its page. */
  readonly headline?: string | undefined
  /** Why it is so, or what the headline lacks; none for a whole headline. */
  readonly reasons: readonly ItemReason[]
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
        const job = openJob({ view, steps, newId, feedId, address, now, present })
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
function takePiece({ take, store }: ReturnType<typeof createJob>, items: readonly FeedItem[], from: number): { readonly taken: readonly TakenItem[]; readonly cost: number } {
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

/** What identifies an item within its feed; undefined for one that says nothing by which it could be known again. */
export function keyOf({ id, link, title, published }: FeedItem): string | undefined {
  if (id !== undefined && id !== '') return `id:${id.slice(0, KEY_CHARS_MAX).toWellFormed()}`
  if (link !== undefined) return `link:${pageKey(link) ?? link}`
  return title === undefined || title === '' ? undefined : `title:${hashOf([title, published ?? ''])}`
}

/** The item with texts that rows of the store may have, whatever it was read from. */
export function shortened({ categories, ...item }: FeedItem): FeedItem {
  const cut = (text: string, max: number): string => text.slice(0, max).toWellFormed()
  const texts = Object.entries(item).map(([name, text]) => [name, cut(text, name === 'link' || name === 'picture' ? ADDRESS_CHARS_MAX : TEXT_CHARS_MAX)])
  return { ...(Object.fromEntries(texts) as typeof item), categories: categories.slice(0, CATEGORIES_MAX).map((one) => cut(one, CATEGORY_CHARS_MAX)) }
}

interface JobParts extends Pick<IngestParts, 'newId'>, Pick<ReadItems, 'feedId' | 'now'> {
  readonly view: TransactionView
  readonly steps: Steps
  /** The keys of all items that the feed has now. */
  readonly present: ReadonlySet<string>
}

/** What takes items in one transaction; undefined where the feed is not there with the address. */
function openJob({ address, ...parts }: JobParts & Pick<ReadItems, 'address'>) {
  const document = feedOf(parts.view, parts.feedId)
  return document?.address === address ? createJob(document, parts) : undefined
}

/** New items are stored together: one statement inserts many headlines. An item with the key or page of one is looked up behind that. */
function createJob(document: FeedDocument, { view, steps, newId, feedId, now, present }: JobParts) {
  const make = headlineMaker({ feed: document, rules: sharedRules(view), textOf: view.textOf, now })
  const { feeds } = steps
  let headlines: PlacedDocument[] = []
  let rows: FeedItemRow[] = []
  const known = new Set<string>()

  const store = (): void => {
    steps.insertAll(headlines)
    for (const row of rows) {
      feeds.put(row)
      if (row.picture !== undefined) feeds.wantPicture(row.picture, now)
    }
    ;[headlines, rows] = [[], []]
    known.clear()
  }
  const storeLater = (row: FeedItemRow): void => {
    rows.push(row)
    for (const name of namesOf(row)) known.add(name)
  }
  const take = (item: FeedItem): TakenItem => {
    const key = keyOf(item)
    if (key === undefined) return { item, outcome: 'rejected', reasons: [{ code: 'nothing', name: '' }] }
    const page = item.link === undefined ? undefined : pageKey(item.link)
    const content = hashOf([item.title ?? '', item.excerpt ?? '', item.picture ?? ''])
    if (namesOf({ key, page }).some((name) => known.has(name))) store()
    const ofKey = feeds.item(feedId, key)
    const ofPage = ofKey === undefined ? itemOf(page) : undefined
    const row = ofKey ?? renamed(ofPage, key)
    if (row === undefined) return add(item, { key, page, content }, ofPage)
    const isSame = row.content === content
    if (!isSame && row.outcome === 'rejected') return add(item, { key, page, content }, itemOf(page))
    const changed = isSame || row.outcome !== 'created' ? undefined : change(item, row)
    const picture = isSame ? row : pictureAfter(item, row, changed)
    // What it lacked may have come.
    const reason = changed !== undefined && placeFor(headline, changed) === headline ? undefined : row.reason
    if (!isSame || row.seenAt < now - SEEN_MS) {
      const { picture: address, isPictureWanted } = picture
      feeds.put({ ...row, reason, content, seenAt: now, item: isSame ? row.item : JSON.stringify(item), picture: address, isPictureWanted }, row.picture)
      if (!isSame && isPictureWanted && address !== undefined) feeds.wantPicture(address, now)
    }
    return { item, outcome: changed === undefined ? 'unchanged' : 'changed', headline: row.headline, reasons: readReasons(reason) }
  }
  const itemOf = (page: string | undefined): FeedItemRow | undefined => (page === undefined ? undefined : feeds.itemOfPage(page, feedId))
  /** The item of the same page, where the feed has changed its key: one whose former key the feed has no more. */
  const renamed = (ofPage: FeedItemRow | undefined, key: string): FeedItemRow | undefined => {
    if (ofPage === undefined || ofPage.feed !== feedId || present.has(ofPage.key)) return undefined
    feeds.rename(ofPage, key)
    return { ...ofPage, key }
  }
  /** `ofPage` is the item that led to the page before. */
  const add = (item: FeedItem, noted: Pick<FeedItemRow, 'key' | 'page' | 'content'>, ofPage: FeedItemRow | undefined): TakenItem => {
    const base = { feed: feedId, ...noted, at: now, seenAt: now, item: JSON.stringify(item), picture: undefined, isPictureWanted: false }
    const other = otherOf(item, noted.page, ofPage)
    if (other !== undefined) {
      const reasons: readonly ItemReason[] = [{ code: other.code, name: '' }]
      storeLater({ ...base, headline: other.headline, reason: writeReasons(reasons), outcome: 'known' })
      return { item, outcome: 'known', headline: other.headline, reasons }
    }
    const id = newId()
    const made = make(item, id)
    if (made.kind !== 'headline') {
      storeLater({ ...base, outcome: made.kind, headline: undefined, reason: writeReasons([made.reason]) })
      return { item, outcome: made.kind, reasons: [made.reason] }
    }
    headlines.push({ model: placeFor(headline, made.document), id, value: made.document })
    const picture = pictureToKeep(item, made.document)
    storeLater({ ...base, outcome: 'created', headline: id, reason: writeReasons(made.missing), picture, isPictureWanted: picture !== undefined })
    return { item, outcome: 'created', headline: id, reasons: made.missing }
  }
  /** The picture of an item that the service is to keep for its headline: that of the source, which the headline may have, is not one. */
  const pictureToKeep = ({ picture }: FeedItem, made: JsonObject): string | undefined =>
    document.keepsPictures && picture !== undefined && made['imageUrl'] === picture ? picture : undefined
  /** The picture of an item that has changed, and whether its headline does not have it yet. */
  const pictureAfter = (item: FeedItem, row: FeedItemRow, changed: JsonObject | undefined): Pick<FeedItemRow, 'picture' | 'isPictureWanted'> => {
    const wanted = changed === undefined ? undefined : pictureToKeep(item, changed)
    if (wanted !== undefined) return { picture: wanted, isPictureWanted: true }
    const isSame = item.picture === row.picture
    return { picture: isSame ? row.picture : undefined, isPictureWanted: isSame && row.isPictureWanted }
  }
  /** The headline that has, or had, the page of an item. */
  const otherOf = ({ link }: FeedItem, page: string | undefined, ofPage: FeedItemRow | undefined): { readonly headline: string | undefined; readonly code: ItemReasonCode } | undefined => {
    if (link === undefined || page === undefined) return undefined
    if (ofPage?.headline !== undefined) return { headline: ofPage.headline, code: 'item' }
    const [found] = sameAddress(view, { model: headline, url: link, except: undefined }, placesOf(headline, true))
    if (found !== undefined) return { headline: String(found['id']), code: 'headline' }
    return feeds.isRemovedPage(page, now) ? { headline: undefined, code: 'deleted' } : undefined
  }
  /** The headline as it is then; undefined where it is gone, or stays as it is. */
  const change = (item: FeedItem, { headline: id = '', picture: kept }: FeedItemRow): JsonObject | undefined => {
    const place = placesOf(headline, true).find((one) => view.textOf(one, id) !== undefined)
    if (place === undefined) return undefined
    const stored = parseJson(view.textOf(place, id) ?? '') as JsonObject
    const texts = changedTexts(item, stored, kept)
    if (Object.keys(texts).length === 0) return undefined
    const next: JsonObject = { ...stored, ...texts, updatedAt: isoDate(now) }
    changeAnywhere(view, steps, { model: headline, id, change: () => next })
    return next
  }
  return { take, store }
}

/** By what an item is looked up: no key of an item begins as a page does. */
function namesOf({ key, page }: Pick<FeedItemRow, 'key' | 'page'>): readonly string[] {
  return page === undefined ? [key] : [key, `page:${page}`]
}

/** The rules for all feeds. */
export function sharedRules({ textOf }: Pick<TransactionView, 'textOf'>): readonly FeedRule[] {
  const text = textOf(feedRules, feedRules.singleton ?? '')
  return text === undefined ? [] : ((parseJson(text) as JsonObject)['rules'] as unknown as readonly FeedRule[])
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

function hashOf(texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url').slice(0, 22)
}
