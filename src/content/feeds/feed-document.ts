/** The document of a feed, as it is stored now. */
import { describe, fail } from '../../base/failure.ts'
import { parseJson } from '../../base/json.ts'
import { feed, type FeedDocument } from '../../models/feed-model.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'
import type { ReadStore } from '../../store/read-store.ts'

type Documents = Pick<ReadStore, 'documents'>

/** Undefined where there is none; in a transaction, as that has it. */
export function feedOf({ textOf }: Pick<TransactionView, 'textOf'>, id: string): FeedDocument | undefined {
  const text = textOf(feed, id)
  return text === undefined ? undefined : (parseJson(text) as unknown as FeedDocument)
}

/** Undefined where there is none. */
export function storedFeed({ documents }: Documents, id: string): FeedDocument | undefined {
  return feedOf({ textOf: documents.get }, id)
}

/** Null where the feed was deleted. */
export function titleOfFeed(store: Documents, id: string): string | null {
  return storedFeed(store, id)?.title ?? null
}

/** Throws notFound. */
export function requireFeed(store: Documents, id: string): FeedDocument {
  const found = storedFeed(store, id)
  if (found === undefined) throw fail('notFound', `No feed has the id ${describe(id)}`)
  return found
}
