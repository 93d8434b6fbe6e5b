/**
 * Keeps the pictures of items: each is fetched by the rules of feeds, cleaned and kept as one that is sent, and then the headlines
 * that name it elsewhere get our address. A headline whose picture a person has changed does not. What cannot be fetched is tried
 * again some times, and the headline keeps the address that it has.
 */
import { isoDate } from '../../base/dates.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import { Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Metrics } from '../../base/metrics.ts'
import { PICTURE_BYTES_MAX } from '../../media/read-picture.ts'
import { headline } from '../../models/headline.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { OutboundClient } from '../../outbound/outbound-client.ts'
import { OutboundError, type OutboundErrorKind } from '../../outbound/outbound-error.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { ItemPicture, WantingItem } from '../../store/feeds/item-pictures.ts'
import { fileNameOf, parseFileName } from '../../store/media/picture-files.ts'
import type { PictureName } from '../../store/media/picture-table.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writable } from '../../store/writes/writer.ts'
import { MEDIA_PATH, picturePath, type Pictures } from '../kept-pictures.ts'
import { changeAnywhere } from '../reads/incomplete-drafts.ts'
import { feedOf } from './feed-document.ts'
import { abortable, type IngestPace } from './ingest-pace.ts'

const ACCEPT = 'image/webp, image/jpeg, image/png, image/gif, image/avif;q=0.5'
/** Behind each attempt that failed but the last. */
const RETRIES_MS = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]
/** How long the other pictures of a feed wait behind one whose server was slow, busy or not there. */
const OTHERS_WAIT_MS = 10 * MINUTE_MS
const COSTLY: ReadonlySet<OutboundErrorKind> = new Set(['dns', 'connect', 'proxy', 'tls', 'timeout', 'truncated', 'too-large'])
const BUSY = [429, 503]
/** Headlines of one transaction. */
const NAMED_PER_STEP = 20

export interface ItemPictureParts {
  readonly store: Pick<ReadStore, 'feeds' | 'documents' | 'pictures'> & Writable
  readonly client: Pick<OutboundClient, 'get'>
  readonly pictures: Pick<Pictures, 'add' | 'requireRoom'>
  readonly pace: IngestPace
  /** What the addresses of pictures begin with, and a slash; undefined where it is not known, and none can be kept. */
  readonly siteAddress: () => string | undefined
  readonly metrics: Metrics
  readonly now: () => number
}

/** A response without a picture in it. */
class StatusError extends Error {
  readonly status: number
  constructor(status: number) {
    super(`The server responded with ${status}, expected 200`)
    this.status = status
  }
}

export type KeptItemPictures = ReturnType<typeof createKeptItemPictures>

export function createKeptItemPictures({ store, client, pictures, pace, siteAddress, metrics, now }: ItemPictureParts) {
  const count = metrics.counter('dateline_feed_pictures_total', 'Pictures of items of feeds by how fetching them ended.')

  /** Fetches a picture and keeps it. */
  const fetchPicture = async (address: string, feedId: string, signal: AbortSignal): Promise<PictureName> => {
    pictures.requireRoom()
    const { status, body } = await client.get({ address, accept: ACCEPT, bodyBytesMax: PICTURE_BYTES_MAX, signal })
    if (body === undefined) throw new StatusError(status)
    const { picture } = await abortable(pace, signal).run((begin) => {
      begin()
      return pictures.add(body, { kind: 'feed', id: feedId })
    })
    return picture
  }
  /** What we have of a picture: it was fetched before, or its address is one of ours. */
  const known = (address: string, file: string | undefined): PictureName | undefined => {
    const ours = `${siteAddress()}${MEDIA_PATH}`
    const picture = parseFileName(file ?? (address.startsWith(ours) ? address.slice(ours.length) : ''))
    return picture === undefined || store.pictures.pictureFile(picture.hash) === undefined ? undefined : picture
  }
  /**
   * Gives the picture to some headlines of one feed, or, without one, notes for them that they want none any more. Returns
   * whether there may be more.
   */
  const nameIn = async (address: string, picture: PictureName | undefined, { feed, signal }: { readonly feed: string; readonly signal: AbortSignal }): Promise<boolean> => {
    const base = siteAddress()
    return abortable(pace, signal).run((begin) =>
      store.as({ kind: 'feed', id: feed }).together((view, steps) => {
        begin()
        if (picture !== undefined) steps.feeds.notePictureFile(address, fileNameOf(picture), now())
        const items = steps.feeds.itemsThatWant(address, NAMED_PER_STEP)
        const own = items.filter((item) => item.feed === feed)
        for (const item of own) {
          if (base !== undefined && picture !== undefined && stillWants(view, item, address)) {
            const change = (stored: JsonObject): JsonObject => ({ ...stored, imageUrl: base + picturePath(picture), updatedAt: isoDate(now()) })
            changeAnywhere(view, steps, { model: headline, id: item.headline, change })
          }
          steps.feeds.ceaseToWant(item)
        }
        const isLast = own.length === items.length && items.length < NAMED_PER_STEP
        if (isLast) steps.feeds.settlePicture(address)
        return !isLast
      }),
    )
  }
  const fail = async ({ address, tries }: ItemPicture, feedId: string, error: unknown): Promise<void> => {
    const isStatus = error instanceof StatusError
    if (!isStatus && !(error instanceof OutboundError) && !(error instanceof Failure)) throw error
    // The same bytes would come again.
    const isFinal = error instanceof Failure && error.code === 'invalidInput'
    const retryMs = isFinal ? undefined : RETRIES_MS[tries]
    const isCostly = isStatus ? BUSY.includes(error.status) : error instanceof OutboundError && COSTLY.has(error.kind)
    const nextAt = retryMs === undefined ? undefined : now() + retryMs
    count({ outcome: 'failed' })
    await store.as({ kind: 'feed', id: feedId }).notePictureFailure(feedId, { address, problem: sentenceOf(error), now: now(), nextAt }, isCostly ? now() + OTHERS_WAIT_MS : undefined)
  }
  /** As it is now; a transaction looks again. */
  const view = { textOf: store.documents.get }

  return {
    isAddressKnown: (): boolean => siteAddress() !== undefined,
    /**
     * Keeps the picture of an address that is due, for all headlines that want it. Resolves when what became of it is stored; where the
     * signal aborts it, it stays due. Rejects where the store cannot be written.
     */
    async keep(address: string, signal: AbortSignal): Promise<void> {
      const due = store.feeds.duePicture(address, now())
      if (due === undefined) return
      let picture = known(address, due.file)
      for (let hasMore = true; hasMore; ) {
        signal.throwIfAborted()
        const items = store.feeds.itemsThatWant(address, NAMED_PER_STEP)
        const wanting = items.find((item) => stillWants(view, item, address))
        const feed = (wanting ?? items[0])?.feed ?? ''
        if (wanting !== undefined && picture === undefined) {
          try {
            picture = await fetchPicture(address, feed, signal)
            count({ outcome: 'kept' })
          } catch (error) {
            if (signal.aborted) throw signal.reason
            return fail(due, feed, error)
          }
        }
        hasMore = await nameIn(address, picture, { feed, signal })
      }
    },
  }
}

/** Whether the feed of an item keeps pictures, and its headline has the address elsewhere still. */
function stillWants({ textOf }: Pick<TransactionView, 'textOf'>, { feed: feedId, headline: id }: WantingItem, address: string): boolean {
  if (feedOf({ textOf }, feedId)?.keepsPictures !== true) return false
  const texts = placesOf(headline, true).flatMap((place) => textOf(place, id) ?? [])
  return texts.some((text) => (parseJson(text) as JsonObject)['imageUrl'] === address)
}

/** Without a full stop. */
function sentenceOf(error: OutboundError | Failure | StatusError): string {
  if (error instanceof OutboundError && error.kind === 'too-large') return `It is longer than ${PICTURE_BYTES_MAX / 1024 ** 2} MiB`
  return error.message
}
