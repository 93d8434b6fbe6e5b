/**
 * The writes of the store in the name of an actor. Each checks the actor in its transaction (actor-transactions.ts), adds its audit
 * record as a row of the same transaction (audit-trail.ts), and may throw unauthorized. What must happen together is one
 * write, with its conditions inside, so that no caller can check first and act later.
 */
import type { Actor, Visitor } from '../actor.ts'
import { accountErasure, accountWrites, sessionWrites } from './account-writes.ts'
import { transactionsOf, type WriterParts } from './actor-transactions.ts'
import { documentWrites } from './document-writes.ts'
import { feedWrites } from './feed-writes.ts'
import { publicationWrites } from './publication-writes.ts'
import { pictureWrites } from './picture-writes.ts'
import { outboxWrites, serviceWrites } from './service-writes.ts'

/** All that can be changed. */
export type Writer = ReturnType<ReturnType<typeof createWriter>>
/** What a request without an access token can change. */
export type VisitorWriter = Pick<
  Writer,
  'issueCode' | 'signIn' | 'signInTrusted' | 'signInFirstAdmin' | 'signInWithPasskey' | 'createAccount' | 'record'
>

/** The way to write. */
export interface Writable {
  as(actor: Actor): Writer
  as(actor: Visitor): VisitorWriter
}

export function createWriter(parts: WriterParts) {
  const erasure = accountErasure(parts)
  return (actor: Actor | Visitor) => {
    const transactions = transactionsOf(actor, parts)
    return {
      ...documentWrites(transactions),
      ...accountWrites(transactions, parts, erasure),
      ...sessionWrites(transactions),
      ...feedWrites(transactions),
      ...publicationWrites(transactions),
      ...pictureWrites(transactions),
      ...outboxWrites(transactions),
      ...serviceWrites(transactions, erasure),
    }
  }
}
