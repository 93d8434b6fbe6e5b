/**
 * The writes of the store in the name of an actor. Each checks the actor in its transaction (actor-transactions.ts), adds its audit
 * record as a row of the same transaction (audit-trail.ts), and may throw unauthorized. What must happen together is one
 * write, with its conditions inside, so that no caller can check first and act later.
 */
import { SYSTEM, type Actor, type Visitor } from '../actor.ts'
import { accountErasure, accountWrites, sessionWrites } from './account-writes.ts'
import { transactionsOf, type ActorTransactions, type WriterParts } from './actor-transactions.ts'
import { documentWrites } from './document-writes.ts'
import { feedWrites } from './feed-writes.ts'
import { pictureWrites } from './picture-writes.ts'
import { outboxWrites, publicationWrites, serviceWrites } from './service-writes.ts'

/** All that can be changed. */
export type Writer = ReturnType<typeof documentWrites> &
  ReturnType<typeof accountWrites> &
  ReturnType<typeof sessionWrites> &
  ReturnType<typeof feedWrites> &
  ReturnType<typeof publicationWrites> &
  ReturnType<typeof pictureWrites> &
  ReturnType<typeof outboxWrites> &
  ReturnType<typeof serviceWrites>

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

/** What the writes of an actor are made of, which none of their callers reaches. */
const TRANSACTIONS = Symbol('transactions')

/** Makes the writes of one subject for an actor. */
type Subject = (transactions: ActorTransactions) => Partial<Writer>

/** Returns the function that makes the writer of an actor: each write when it is first called. */
export function createWriter(parts: WriterParts) {
  const erasure = accountErasure(parts)
  const subjects: readonly Subject[] = [
    documentWrites,
    (transactions) => accountWrites(transactions, parts, erasure),
    sessionWrites,
    feedWrites,
    publicationWrites,
    pictureWrites,
    outboxWrites,
    (transactions) => serviceWrites(transactions, erasure),
  ]
  const members = lazyMembers(subjects, transactionsOf(SYSTEM, parts))
  return (actor: Actor | Visitor): Writer =>
    Object.create(members, { [TRANSACTIONS]: { value: transactionsOf(actor, parts) } }) as Writer
}

/** The prototype of all writers: most of them write once, in one subject. `sample` gives the names of each subject. */
function lazyMembers(subjects: readonly Subject[], sample: ActorTransactions): object {
  const members = {}
  for (const subject of subjects) {
    for (const name of Object.keys(subject(sample)) as (keyof Writer)[]) {
      Object.defineProperty(members, name, {
        enumerable: true,
        get(this: { readonly [TRANSACTIONS]: ActorTransactions }) {
          const value = subject(this[TRANSACTIONS])[name]
          Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
          return value
        },
      })
    }
  }
  return members
}
