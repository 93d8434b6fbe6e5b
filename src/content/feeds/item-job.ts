/**
 * The items of a feed that one transaction takes: each is looked up by its key and its page, and becomes a headline, changes the one
 * that it has, or is noted with the reason why it does neither.
 */
import { hash } from 'node:crypto'
import { isoDate } from '../../base/dates.ts'
import { DAY_MS } from '../../base/duration.ts'
import type { ItemReasonCode } from '../../base/feed-note.ts'
import type { NewId } from '../../base/ids.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { pageKey } from '../../base/page-address.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import { feedRules, type FeedDocument, type FeedRule } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import { placeFor, placesOf } from '../../models/incomplete.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { FeedItemRow } from '../../store/feeds/feed-items.ts'
import type { Steps } from '../../store/writes/document-writes.ts'
import type { PlacedDocument } from '../../store/writes/group-inserts.ts'
import { changeAnywhere } from '../reads/incomplete-drafts.ts'
import { sameAddress } from '../reads/same-address.ts'
import { feedOf } from './feed-document.ts'
import { changedTexts, headlineMaker } from './item-headline.ts'
import { readReasons, writeReasons, type ItemReason } from './item-reasons.ts'

/** That an item is still there is noted this often. */
const SEEN_MS = DAY_MS
const KEY_CHARS_MAX = 2_000
/** Of texts of an item, and of its addresses: longer ones are no addresses for a headline. */
const TEXT_CHARS_MAX = 2_000
const ADDRESS_CHARS_MAX = 9_000
const CATEGORIES_MAX = 50
const CATEGORY_CHARS_MAX = 200

export interface TakenItem {
  readonly item: FeedItem
  /** `unchanged` has been taken before. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'known' | 'dropped' | 'rejected'
  /** The id of its headline, or of the one that has its page. */
  readonly headline?: string | undefined
  /** Why it is so, or what the headline lacks; none for a whole headline. */
  readonly reasons: readonly ItemReason[]
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

interface JobParts {
  readonly newId: NewId
  readonly feedId: string
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly view: TransactionView
  readonly steps: Steps
  /** The keys of all items that the feed has now. */
  readonly present: ReadonlySet<string>
}

export type ItemJob = ReturnType<typeof createJob>

/** What takes items in one transaction; undefined where the feed is not there with the address. */
export function openItemJob({ address, ...parts }: JobParts & { readonly address: string }): ItemJob | undefined {
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

function hashOf(texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url').slice(0, 22)
}
