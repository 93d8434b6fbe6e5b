/**
 * Passwords of feeds that want basic authentication. They go one way: an administrator sets one, and only the fetch of the feed
 * opens it, for the origin that it was set for. A copy of the database without the secrets of the server reveals none.
 */
import { openText, sealText } from './sealed-text.ts'
import type { FeedDocument } from '../models/feed-model.ts'
import type { Actor } from '../store/actor.ts'
import type { ReadStore } from '../store/read-store.ts'
import type { Writable } from '../store/writes/writer.ts'

export interface FeedPasswordParts {
  readonly store: Pick<ReadStore, 'feeds'> & Writable
  /** AES-256-GCM keys: the first seals, all open. */
  readonly keys: readonly [Buffer, ...Buffer[]]
}

export type FeedPasswords = ReturnType<typeof createFeedPasswords>

export function createFeedPasswords({ store, keys }: FeedPasswordParts) {
  return {
    /** Replaces the password of a feed, or removes it with null; false where there is no such feed. */
    set({ id, address }: Pick<FeedDocument, 'id' | 'address'>, password: string | null, actor: Actor): Promise<boolean> {
      if (password === null) return store.as(actor).putFeedSecret(id, undefined)
      const { origin } = new URL(address)
      return store.as(actor).putFeedSecret(id, { origin, sealed: sealText(keys[0], password, aboutOf(id, origin)) })
    },
    /** What to send to an address of a feed; undefined where it has no user, or no password for the origin. */
    credentialsOf({ id, address, username }: Pick<FeedDocument, 'id' | 'address' | 'username'>): { readonly user: string; readonly password: string } | undefined {
      const secret = username === '' || !URL.canParse(address) ? undefined : store.feeds.feedSecret(id)
      if (secret === undefined || secret.origin !== new URL(address).origin) return undefined
      const opened = keys.flatMap((key) => openText(key, secret.sealed, aboutOf(id, secret.origin)) ?? [])
      return opened[0] === undefined ? undefined : { user: username, password: opened[0] }
    },
  }
}

/** Sealed with it: a row that was moved to another feed, or got another origin, does not open. */
function aboutOf(id: string, origin: string): string {
  return `feed ${id} ${origin}`
}
