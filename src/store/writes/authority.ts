/** Whether an actor may still write: checked inside the transaction that writes, see actor.ts. */
import { fail, type Failure } from '../../base/failure.ts'
import type { Caller } from '../../models/caller.ts'
import { createCallerReader } from '../../models/caller-reader.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Actor, Visitor } from '../actor.ts'
import { getTrashed } from '../history/trash-table.ts'
import type { Database } from '../db/database.ts'
import { getDocument } from '../documents/document-tables.ts'
import { guestRoom, type GuestLimit } from '../accounts/guest-storage.ts'
import { holds } from '../accounts/session-table.ts'
import { lookUp } from '../documents/text-look-up.ts'
import type { Moment } from '../documents/moment.ts'

interface Surroundings {
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly guestLimit: () => GuestLimit
}

/**
 * What a job sees inside its transaction. Throws unauthorized where the caller's token is no longer valid, and what
 * `authorize` throws.
 */
export function momentOf(database: Database, actor: Actor | Visitor, { now, guestLimit }: Surroundings): Moment {
  return {
    caller: actor.kind === 'caller' ? admit(database, actor, now) : undefined,
    textOf: (model: Model, id: string) => getDocument(database, model, id),
    isTrashed: (model, id) => placesOf(model, true).some((place) => getTrashed(database, place, id) !== undefined),
    lookUp: (...query) => lookUp(database, ...query),
    guestRoom: () => guestRoom(database, guestLimit()),
  }
}

/** What it returns follows from the text alone, so all stores share it. */
const readCaller = createCallerReader()

function admit(database: Database, { claim, authorize }: Actor & { readonly kind: 'caller' }, now: number): Caller {
  const text = holds(database, claim, now)
  if (text === undefined) throw signInFirst(ENDED_MEANWHILE)
  const caller = readCaller(claim, text)
  authorize(caller)
  return caller
}

/** The cause for a token that was valid when its request arrived. */
export const ENDED_MEANWHILE = 'ended while the request was under way'

/** The same answer to every invalid token; the cause goes to the log. */
export function signInFirst(cause: string): Failure {
  return fail('unauthorized', 'Sign in first: the access token is missing, invalid or expired', {
    cause,
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
