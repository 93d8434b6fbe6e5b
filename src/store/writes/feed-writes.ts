/** The writes about feeds: steps for a job that turns items into headlines, and those of the service. */
import type { AuditEntry } from '../audit/audit-trail.ts'
import type { Database } from '../db/database.ts'
import * as items from '../feeds/feed-items.ts'
import { putFeedSecret, type FeedSecret } from '../feeds/feed-secret.ts'
import { putFeedState, type FeedState } from '../feeds/feed-state.ts'
import * as pictures from '../feeds/item-pictures.ts'
import type { ActorTransactions } from './actor-transactions.ts'

/** What was read of a feed in one step, for the audit trail. */
export interface FeedReadCounts {
  readonly created: number
  readonly changed: number
  readonly archived: number
}

/** Steps of a job of a feed; each is there for the next, and what one throws undoes all. */
export function feedSteps(database: Database, record: (entry: AuditEntry) => void) {
  return {
    item: (feed: string, key: string) => items.feedItem(database, feed, key),
    itemOfPage: (page: string, feed: string) => items.itemOfPage(database, page, feed),
    isRemovedPage: (page: string, now: number) => items.isRemovedPage(database, page, now),
    /** `formerPicture` is the one that the item had before. */
    put(row: items.FeedItemRow, formerPicture?: string): void {
      items.putItem(database, row)
      if (formerPicture !== undefined && formerPicture !== row.picture) pictures.forgetPicture(database, formerPicture)
    },
    wantPicture: (address: string, now: number) => pictures.wantPicture(database, address, now),
    itemsThatWant: (address: string, limit: number) => pictures.itemsThatWant(database, address, limit),
    ceaseToWant: (item: pictures.WantingItem) => pictures.ceaseToWant(database, item),
    notePictureFile: (address: string, file: string, now: number) => pictures.notePictureFile(database, address, file, now),
    settlePicture: (address: string) => pictures.settlePicture(database, address),
    rename: (row: items.FeedItemRow, key: string) => items.renameItem(database, row, key),
    trim: (feed: string) => items.trimItems(database, feed),
    pastRetention: (query: items.RetentionQuery) => items.pastRetention(database, query),
    noteArchived: (headline: string) => items.noteArchived(database, headline),
    putState: (state: FeedState, address: string) => putFeedState(database, state, address),
    /** Adds a record where something has changed. */
    recordRead(feed: string, counts: FeedReadCounts): void {
      const details = Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => ({ name, value: String(count) }))
      if (details.length > 0) record({ event: 'feed.read', model: 'feed', documentId: feed, details })
    },
  }
}

export function feedWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    /** Keeps the state of a feed with this address. What a power cut takes is found out again. */
    putFeedState: (state: FeedState, address: string) => writeUnsynced(() => putFeedState(database, state, address)),
    /** Replaces the password of a feed, or removes it; false where there is no such feed. */
    putFeedSecret: (feed: string, secret: FeedSecret | undefined) =>
      write((_, record) => {
        const isPut = putFeedSecret(database, feed, secret)
        const details = [{ name: 'password', value: secret === undefined ? 'removed' : 'set' }]
        if (isPut) record({ event: 'feed.secret-set', model: 'feed', documentId: feed, details })
        return isPut
      }),
    /** Notes that a picture could not be kept, and makes the others that a feed waits for due later, where a time says when. */
    notePictureFailure: (feed: string, failure: pictures.PictureFailure, othersAt: number | undefined) =>
      write(() => {
        if (othersAt !== undefined) pictures.postponePictures(database, feed, othersAt)
        pictures.notePictureFailure(database, failure)
      }),
    /** Forgets some items that no feed had since a time. Returns whether there may be more. */
    forgetUnseenItems: (before: number, now: number) => write(() => items.forgetUnseen(database, before, now)),
  }
}
